//! Giving AI credits and taking them back, under the account's lock, with what ended jobs wrote folded in. Every amount
//! is a row of the journal; one with a reference counts once.

use super::accounts::lock;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::CreditCount;
use crate::usecases::balance::balance;
use domain::credits::Credits;
use domain::ids::AccountId;
use poem_openapi::types::ToJSON;
use serde_json::{Value, json};
use sqlx::Acquire;
use store::credits::{self, CreditChange, CreditEntry};
use store::minutes::Balance;
use store::{audit, minutes};

/// How an operator changes an account's credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Gives some.
    Grant,
    /// Gives some that were paid for.
    Purchase,
    /// Takes back some that nothing holds.
    Withdraw,
}

impl Way {
    const fn action(self) -> &'static str {
        match self {
            Self::Grant => "credits.grant",
            Self::Purchase => "credits.purchase",
            Self::Withdraw => "credits.withdraw",
        }
    }
}

/// Credits to give, or to take back.
#[derive(Debug, Clone, Copy)]
pub struct Gift<'a> {
    /// How.
    pub way: Way,
    /// How many credits.
    pub credits: Credits,
    /// Why, for the journal.
    pub note: &'a str,
    /// The operator's own name for the change, which counts once for each account.
    pub reference: Option<&'a str>,
}

impl<'a> Gift<'a> {
    fn change(&self) -> CreditChange<'a> {
        let (entry, amount) = match self.way {
            Way::Grant => (CreditEntry::Adjust, self.credits),
            Way::Purchase => (CreditEntry::Purchase, self.credits),
            Way::Withdraw => (CreditEntry::Adjust, Credits::ZERO - self.credits),
        };
        CreditChange { entry, amount, note: self.note, reference: self.reference }
    }
}

/// The outcome of such a change.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// False where the reference had counted before: nothing changed.
    pub applied: bool,
    /// By how much the credits changed, now or that time.
    pub credits: Credits,
    /// The account's balance now.
    pub balance: Balance,
}

/// Changes an account's credits.
///
/// # Errors
/// `account_not_found`; `invalid_request` for taking back more than the account has left beside its holds.
pub async fn give_credits(app: &App, operator: &OperatorCaller, id: AccountId, gift: Gift<'_>) -> Answer<Given> {
    let settings = &app.process.settings;
    let mut conn = app.conn().await?;
    let mut give_credits = conn.begin().await?;
    lock(&mut give_credits, id).await?;
    minutes::fold(&mut give_credits, id, settings.monthly_minutes).await?;
    let before = balance(settings, &mut give_credits, id).await?;
    let change = gift.change();
    let applied = credits::give(&mut give_credits, id, change).await?;
    let first = match gift.reference {
        Some(reference) if !applied => credits::find_given(&mut give_credits, id, reference).await?,
        _ => None,
    };
    if first.is_some_and(|first| first == Credits::ZERO) {
        return Err(other_unit("minutes"));
    }
    if !applied && first.is_none() {
        let left = before.credits.left();
        let message = format!("The account has {left} credits that nothing holds: no more can be taken back.");
        return Err(ApiError::new(Code::InvalidRequest, message));
    }
    let balance = balance(settings, &mut give_credits, id).await?;
    if applied {
        let mut after = audit_value(&balance);
        after["changed_credits"] = json!(change.amount.to_string());
        after["note"] = gift.note.into();
        after["reference"] = gift.reference.into();
        let entry = operator.changed(gift.way.action(), id, Some(audit_value(&before)), Some(after));
        audit::record(&mut give_credits, &entry).await?;
    }
    give_credits.commit().await?;
    Ok(Given { applied, credits: first.unwrap_or(change.amount), balance })
}

/// The refusal of a reference that has counted for the other unit.
pub(super) fn other_unit(unit: &str) -> ApiError {
    let message = format!("`reference`: it has counted already, for {unit}.");
    ApiError::new(Code::InvalidRequest, message).suggest("Use another reference: each counts once, whatever it gives.")
}

/// A balance as the audit log shows it.
fn audit_value(balance: &Balance) -> Value {
    json!({
        "left_credits": CreditCount(balance.credits.left()).to_json(),
        "held_credits": CreditCount(balance.credits.held).to_json(),
    })
}
