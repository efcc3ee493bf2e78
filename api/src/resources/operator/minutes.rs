//! Giving minutes: `/operator/accounts/{id}/minutes` (interface.md, "Operators"; "Minutes").
//!
//! Every amount is a row of the journal, written under the account's lock. Nothing is ever taken from the journal: an
//! allowance that is set lower is a row too.

use super::accounts::lock;
use super::{OperatorAuth, OperatorCaller, amount};
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{MinuteCount, Text};
use crate::resources::account::balances::{self, BalancesAnswer};
use common::domain::minutes::Minutes;
use common::ids::AccountId;
use common::store::{audit, minutes};
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, Object, OpenApi};
use serde_json::{Value, json};
use sqlx::Acquire;

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

impl Giving {
    const fn action(self) -> &'static str {
        match self {
            Self::Grant => "minutes.grant",
            Self::Purchase => "minutes.purchase",
            Self::Allowance => "minutes.allowance",
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
    /// Your own name for this grant or purchase, such as an invoice's number: needed for a purchase. The same one counts once
    /// an account, so that a request can be sent again.
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
        Ok(Json(self.give_minutes(&operator, id, &body.0).await?))
    }
}

impl OperatorMinutes {
    /// The use case: under the account's lock, with the open month's bucket made and folded first.
    async fn give_minutes(
        &self,
        operator: &OperatorCaller,
        id: AccountId,
        asked: &GiveMinutes,
    ) -> Answer<GivenMinutes> {
        let settings = &self.0.process.settings;
        let least = if asked.kind == Giving::Allowance { Minutes::ZERO } else { Minutes::from_hundredths(1) };
        let minutes = amount(asked.minutes, least)?;
        if asked.kind == Giving::Allowance && asked.reference.is_some() {
            let message = "`reference` is for what is added: an allowance that is set twice is the same.";
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        if asked.kind == Giving::Purchase && asked.reference.is_none() {
            let message = "A purchase needs a `reference`, such as an invoice's number: it counts once, however often it is sent.";
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        let note = asked.note.as_deref().unwrap_or("given by an operator");
        let reference = asked.reference.as_deref();
        let mut conn = self.0.conn().await?;
        let mut give_minutes = conn.begin().await?;
        lock(&mut give_minutes, id).await?;
        minutes::fold(&mut give_minutes, id, settings.monthly_minutes).await?;
        let before = balances::of(settings, &mut give_minutes, id).await?;
        let applied = match asked.kind {
            Giving::Grant => minutes::grant(&mut give_minutes, id, minutes, note, reference).await?,
            Giving::Purchase => minutes::purchase(&mut give_minutes, id, minutes, note, reference).await?,
            Giving::Allowance => {
                minutes::allow(&mut give_minutes, id, minutes, note).await?;
                true
            }
        };
        let balances = balances::of(settings, &mut give_minutes, id).await?;
        if applied {
            let mut after = shown(&balances);
            after["given_minutes"] = asked.minutes.to_json().unwrap_or_default();
            after["note"] = note.into();
            after["reference"] = reference.into();
            let entry = operator.changed(asked.kind.action(), id, Some(shown(&before)), Some(after));
            audit::record(&mut give_minutes, &entry).await?;
        }
        let first = match reference {
            Some(reference) if !applied => minutes::given(&mut give_minutes, id, reference).await?,
            _ => None,
        };
        give_minutes.commit().await?;
        Ok(GivenMinutes { applied, given_minutes: MinuteCount(first.unwrap_or(minutes)), balances })
    }
}

fn shown(balances: &BalancesAnswer) -> Value {
    json!({
        "month": balances.month.0,
        "allowance_minutes": balances.allowance_minutes.0,
        "bought_minutes": balances.bought_minutes.0,
    })
}
