//! Gives accounts minutes: `/operator/accounts/{id}/minutes` (contract §11, §10).
//!
//! Every amount is a row of the journal, written under the account's lock. Rows are never removed from the journal: a
//! lower allowance is a new row too.

use super::{NO_REFERENCE, OperatorAuth, amount};
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{MinuteCount, Text};
use crate::resources::account::balances::BalancesAnswer;
use crate::usecases::operator::minutes::{Gift, Way, give_minutes};
use domain::ids::AccountId;
use domain::minutes::Minutes;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("POST /operator/accounts/{id}/minutes", &[Code::AccountNotFound])];

/// The operation on minutes.
pub struct OperatorMinutes(pub App);

/// The kinds of giving minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Giving {
    /// Adds minutes to the current month.
    Grant,
    /// Adds purchased minutes, which never expire and are used after the month's.
    Purchase,
    /// Sets the minutes of each month, from the current one on.
    Allowance,
}

impl From<Giving> for Way {
    fn from(giving: Giving) -> Self {
        match giving {
            Giving::Grant => Self::Grant,
            Giving::Purchase => Self::Purchase,
            Giving::Allowance => Self::Allowance,
        }
    }
}

/// Minutes to give.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct GiveMinutes {
    /// The kind of giving.
    pub kind: Giving,
    /// The number of minutes, with at most two decimals.
    pub minutes: MinuteCount,
    /// The reason, for the journal.
    #[oai(validator(max_length = 200))]
    pub note: Option<Text>,
    /// Your own name for this grant or purchase, such as an invoice's number; required for a purchase. An account
    /// counts each reference once, so that a request can be sent again.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub reference: Option<Text>,
}

/// The result of giving minutes.
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
#[derive(Debug, Object)]
pub struct GivenMinutes {
    /// False if the reference had counted before: nothing was given again.
    pub applied: bool,
    /// The number of minutes that were given; if the reference had counted before, the number that it gave then.
    pub given_minutes: MinuteCount,
    /// The account's balances now.
    pub balances: BalancesAnswer,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorMinutes {
    /// Give an account minutes
    ///
    /// A grant adds to the current month, a purchase to the purchased minutes, an allowance sets the minutes of each
    /// month. An allowance below what is used and held leaves nothing, and takes nothing back.
    #[oai(path = "/operator/accounts/:id/minutes", method = "post", operation_id = "operator_give_minutes")]
    async fn give(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
        body: Json<GiveMinutes>,
    ) -> Answer<Json<GivenMinutes>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        let asked = body.0;
        let least = if asked.kind == Giving::Allowance { Minutes::ZERO } else { Minutes::from_hundredths(1) };
        let minutes = amount(asked.minutes, least)?;
        if asked.kind == Giving::Allowance && asked.reference.is_some() {
            let message = "`reference` is for what is added: an allowance that is set twice is the same.";
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        if asked.kind == Giving::Purchase && asked.reference.is_none() {
            return Err(ApiError::new(Code::InvalidRequest, NO_REFERENCE));
        }
        let note = asked.note.as_deref().unwrap_or("given by an operator");
        let gift = Gift { way: asked.kind.into(), minutes, note, reference: asked.reference.as_deref() };
        let given = give_minutes(&self.0, &operator, id, gift).await?;
        Ok(Json(GivenMinutes {
            applied: given.applied,
            given_minutes: MinuteCount(given.minutes),
            balances: BalancesAnswer::new(&self.0.process.settings, &given.balance),
        }))
    }
}
