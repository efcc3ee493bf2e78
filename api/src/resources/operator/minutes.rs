//! Giving minutes: `/operator/accounts/{id}/minutes` (contract §11, §10).
//!
//! Every amount is a row of the journal, written under the account's lock. Nothing is ever taken from the journal: an
//! allowance that is set lower is a row too.

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

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[("POST /operator/accounts/{id}/minutes", &[Code::AccountNotFound])];

/// The operation on minutes.
pub struct OperatorMinutes(pub App);

/// How minutes are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Giving {
    /// More of them in the open month.
    Grant,
    /// Bought ones, which never lapse and are spent after the month's.
    Purchase,
    /// What the account has each month, from the open one on.
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
    /// How.
    pub kind: Giving,
    /// How many, with at most two decimals.
    pub minutes: MinuteCount,
    /// Why, for the journal.
    #[oai(validator(max_length = 200))]
    pub note: Option<Text>,
    /// Your own name for this grant or purchase, such as an invoice's number: needed for a purchase. The same one
    /// counts once an account, so that a request can be sent again.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub reference: Option<Text>,
}

/// What giving came to.
#[expect(clippy::struct_field_names, reason = "the names are the interface's")]
#[derive(Debug, Object)]
pub struct GivenMinutes {
    /// False where the reference had counted before: nothing was given again.
    pub applied: bool,
    /// How many minutes were given; where the reference had counted before, how many it gave then.
    pub given_minutes: MinuteCount,
    /// What the account has now.
    pub balances: BalancesAnswer,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorMinutes {
    /// Give an account minutes
    ///
    /// A grant adds to the open month, a purchase to the bought minutes, an allowance sets what each month has. An
    /// allowance below what is used and held leaves nothing, and takes nothing back.
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
