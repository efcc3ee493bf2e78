//! Giving minutes, under the account's lock, after the open month's bucket is made and folded. Every amount is a row of
//! the journal; one with a reference counts once.

use super::accounts::lock;
use super::credits::other_unit;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::Answer;
use crate::http::json::json_of;
use crate::http::text::MinuteCount;
use crate::usecases::balance::balance;
use domain::ids::AccountId;
use domain::minutes::Minutes;
use serde_json::{Value, json};
use sqlx::Acquire;
use store::minutes::Balance;
use store::{audit, minutes};

/// How minutes are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// More minutes in the open month.
    Grant,
    /// Bought minutes, which never expire and are spent after the month's.
    Purchase,
    /// The account's minutes of each month, from the open one on.
    Allowance,
}

impl Way {
    const fn action(self) -> &'static str {
        match self {
            Self::Grant => "minutes.grant",
            Self::Purchase => "minutes.purchase",
            Self::Allowance => "minutes.allowance",
        }
    }
}

/// Minutes to give.
#[derive(Debug, Clone, Copy)]
pub struct Gift<'a> {
    /// How.
    pub way: Way,
    /// How many minutes.
    pub minutes: Minutes,
    /// Why, for the journal.
    pub note: &'a str,
    /// The operator's own name for it, which counts once for each account.
    pub reference: Option<&'a str>,
}

/// The outcome of giving minutes.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// False where the reference had counted before: nothing was given again.
    pub applied: bool,
    /// How many minutes were given, now or that time.
    pub minutes: Minutes,
    /// The account's balance now.
    pub balance: Balance,
}

/// Gives an account minutes.
///
/// # Errors
/// `account_not_found`; `invalid_request` for a reference that has counted for credits.
pub async fn give_minutes(app: &App, operator: &OperatorCaller, id: AccountId, gift: Gift<'_>) -> Answer<Given> {
    let Gift { way, minutes, note, reference } = gift;
    let settings = &app.process.settings;
    let mut conn = app.conn().await?;
    let mut give_minutes = conn.begin().await?;
    lock(&mut give_minutes, id).await?;
    minutes::fold(&mut give_minutes, id, settings.monthly_minutes).await?;
    let before = balance(settings, &mut give_minutes, id).await?;
    let applied = match way {
        Way::Grant => minutes::grant(&mut give_minutes, id, minutes, note, reference).await?,
        Way::Purchase => minutes::purchase(&mut give_minutes, id, minutes, note, reference).await?,
        Way::Allowance => {
            minutes::allow(&mut give_minutes, id, minutes, note).await?;
            true
        }
    };
    let balance = balance(settings, &mut give_minutes, id).await?;
    if applied {
        let mut after = audit_value(&balance);
        after["given_minutes"] = json_of(&MinuteCount(minutes));
        after["note"] = note.into();
        after["reference"] = reference.into();
        let entry = operator.changed(way.action(), id, Some(audit_value(&before)), Some(after));
        audit::record(&mut give_minutes, &entry).await?;
    }
    let first = match reference {
        Some(reference) if !applied => minutes::find_given(&mut give_minutes, id, reference).await?,
        _ => None,
    };
    if first.is_some_and(|first| first == Minutes::ZERO) {
        return Err(other_unit("AI credits"));
    }
    give_minutes.commit().await?;
    Ok(Given { applied, minutes: first.unwrap_or(minutes), balance })
}

/// A balance as the audit log shows it.
fn audit_value(balance: &Balance) -> Value {
    json!({
        "month": balance.month.format("%Y-%m").to_string(),
        "allowance_minutes": balance.allowance,
        "bought_minutes": balance.bought,
    })
}
