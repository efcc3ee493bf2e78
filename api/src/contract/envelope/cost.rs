//! What a call costs and leaves: AI credits and cloud minutes (contract §2).

use crate::http::text::{CreditCount, MinuteCount, Text};
use domain::credits::Credits;
use domain::minutes::Minutes;
use poem_openapi::{Enum, Object};
use store::minutes::Balance;

/// Cost object (contract §2). All amounts are AI credits with at most two decimals.
#[derive(Debug, Clone, Copy, Default, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Cost {
    /// The estimate for this call; 0 where it costs none.
    pub credits: CreditCount,
    /// Held by running work until it settles; present for a call that may cost credits.
    pub held_credits: Option<CreditCount>,
    /// What the account has left after `held_credits`; present for a call that may cost credits.
    pub left_credits: Option<CreditCount>,
}

impl Cost {
    /// The cost of a call that holds or needs this many credits, with the account's balance.
    pub fn needed(credits: Credits, balance: &Balance) -> Self {
        Self {
            credits: credits.into(),
            held_credits: Some(balance.credits.held.into()),
            left_credits: Some(balance.credits.left().into()),
        }
    }
}

/// Where the work ran (contract §2, `ran_on`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum RanOn {
    /// On the provider's side.
    Cloud,
}

/// `CloudProcessing` object (contract §2). All amounts are minutes with at most two decimals.
#[derive(Debug, Clone, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct CloudProcessing {
    /// Always `cloud`.
    pub ran_on: RanOn,
    /// The estimate for this call.
    pub minutes: MinuteCount,
    /// Charged for work that finished inside the call.
    pub charged_minutes: MinuteCount,
    /// Work still queued; charged when it finishes.
    pub queued_minutes: MinuteCount,
    /// The month's minutes left after `held_minutes`.
    pub left_minutes: MinuteCount,
    /// Held by running work until it settles.
    pub held_minutes: MinuteCount,
    /// Purchased minutes.
    pub bought_minutes: MinuteCount,
    /// What the numbers mean, in words.
    pub note: Option<Text>,
}

impl CloudProcessing {
    /// The minutes of a call that starts nothing and is charged nothing, with the account's balance.
    pub fn idle(balance: &Balance) -> Self {
        Self {
            ran_on: RanOn::Cloud,
            minutes: Minutes::ZERO.into(),
            charged_minutes: Minutes::ZERO.into(),
            queued_minutes: Minutes::ZERO.into(),
            left_minutes: balance.left().into(),
            held_minutes: balance.held_in_all.into(),
            bought_minutes: balance.bought.into(),
            note: None,
        }
    }
}
