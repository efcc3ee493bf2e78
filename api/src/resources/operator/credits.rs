//! Gives accounts AI credits, and takes them back: `/operator/accounts/{id}/credits` (contract §11, §10).
//!
//! Every amount is a row of the journal, written under the account's lock.

use super::{NO_REFERENCE, OperatorAuth};
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{CreditCount, Text};
use crate::resources::account::balances::BalancesAnswer;
use crate::usecases::operator::credits::{Gift, Way, give_credits};
use domain::credits::Credits;
use domain::ids::AccountId;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};

/// The most credits that one request may give, so that a typing error is refused.
const MOST_CREDITS: i64 = 100_000_000;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("POST /operator/accounts/{id}/credits", &[Code::AccountNotFound])];

/// The operation on credits.
pub struct OperatorCredits(pub App);

/// The kinds of changes of an account's credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum GivingCredits {
    /// Adds credits.
    Grant,
    /// Adds credits that were paid for.
    Purchase,
    /// Takes back credits that are not held.
    Withdraw,
}

impl From<GivingCredits> for Way {
    fn from(giving: GivingCredits) -> Self {
        match giving {
            GivingCredits::Grant => Self::Grant,
            GivingCredits::Purchase => Self::Purchase,
            GivingCredits::Withdraw => Self::Withdraw,
        }
    }
}

/// Credits to give, or to take back.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct GiveCredits {
    /// The kind of change.
    pub kind: GivingCredits,
    /// The number of credits, with at most two decimals.
    pub credits: CreditCount,
    /// The reason, for the journal.
    #[oai(validator(max_length = 200))]
    pub note: Option<Text>,
    /// Your own name for this change, such as an invoice's number; required for a purchase. An account counts each
    /// reference once, so that a request can be sent again; its minutes and credits share these names.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub reference: Option<Text>,
}

/// The result of giving credits.
#[derive(Debug, Object)]
pub struct GivenCredits {
    /// False if the reference had counted before: nothing was changed again.
    pub applied: bool,
    /// The change of the credits, below zero if some were taken back; if the reference had counted before, the change
    /// that it made then.
    pub changed_credits: CreditCount,
    /// The account's balances now.
    pub balances: BalancesAnswer,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorCredits {
    /// Give an account AI credits
    ///
    /// A grant and a purchase add credits, which never expire; a withdrawal takes back credits that are not held.
    #[oai(path = "/operator/accounts/:id/credits", method = "post", operation_id = "operator_give_credits")]
    async fn give(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
        body: Json<GiveCredits>,
    ) -> Answer<Json<GivenCredits>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        let asked = body.0;
        let CreditCount(credits) = asked.credits;
        if !(Credits::from_hundredths(1)..=Credits::from_whole(MOST_CREDITS)).contains(&credits) {
            let message = format!("The credits must be from 0.01 to {MOST_CREDITS}.");
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        if asked.kind == GivingCredits::Purchase && asked.reference.is_none() {
            return Err(ApiError::new(Code::InvalidRequest, NO_REFERENCE));
        }
        let note = asked.note.as_deref().unwrap_or("by an operator");
        let gift = Gift { way: asked.kind.into(), credits, note, reference: asked.reference.as_deref() };
        let given = give_credits(&self.0, &operator, id, gift).await?;
        Ok(Json(GivenCredits {
            applied: given.applied,
            changed_credits: given.credits.into(),
            balances: BalancesAnswer::new(&self.0.process.settings, &given.balance),
        }))
    }
}
