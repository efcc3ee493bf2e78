//! The balances of an account: `GET /balances` and the tool `get_balances` (contract §10).
//!
//! It reads the ledger and changes nothing: a month in which nothing was charged or held yet shows its whole allowance.

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{NoArguments, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::{CreditCount, MinuteCount, Text, Time};
use crate::usecases::balance::balance;
use domain::credits::CreditBalance;
use domain::minutes::Rates;
use domain::read::Read;
use domain::task::Task;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use runtime::config::Settings;
use store::minutes::Balance;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /balances", &[]), ("POST /tools/get_balances", &[])];

/// The balance operations.
pub struct Balances(pub App);

/// The balances of the account. Amounts of cloud processing are minutes with at most two decimals.
#[derive(Debug, Object)]
pub struct BalancesAnswer {
    /// The month, such as `2026-11`.
    pub month: Text,
    /// When the next month's minutes are granted.
    pub resets_at: Time,
    /// Minutes granted for the month.
    pub allowance_minutes: MinuteCount,
    /// Minutes charged in the month.
    pub used_minutes: MinuteCount,
    /// Minutes held for work that has not ended, last month's too.
    pub held_minutes: MinuteCount,
    /// The month's minutes that are left after all holds.
    pub left_minutes: MinuteCount,
    /// Purchased minutes that are not held; they never expire and are used after the month's.
    pub bought_minutes: MinuteCount,
    /// AI credits, which never expire.
    pub credits: CreditsAnswer,
    /// Minutes charged for each minute of media, by read and for a render.
    pub rates: ReadRates,
}

/// The account's balance of AI credits, with at most two decimals.
#[derive(Debug, Object)]
pub struct CreditsAnswer {
    /// Credits that are left for new work.
    pub left: CreditCount,
    /// Credits held for work that has not ended.
    pub held: CreditCount,
    /// Credits charged since the account was opened.
    pub used: CreditCount,
}

impl From<CreditBalance> for CreditsAnswer {
    fn from(balance: CreditBalance) -> Self {
        Self { left: balance.left().into(), held: balance.held.into(), used: balance.used.into() }
    }
}

/// Minutes charged for each minute of media, by read (contract §10) and for a render.
#[derive(Debug, Object)]
pub struct ReadRates {
    /// For the `transcript` read.
    pub transcript: MinuteCount,
    /// For the `search_index` read.
    pub search_index: MinuteCount,
    /// For the `speech` read.
    pub speech: MinuteCount,
    /// For the `speakers` read.
    pub speakers: MinuteCount,
    /// For the `beats` read.
    pub beats: MinuteCount,
    /// For the `levels` read.
    pub levels: MinuteCount,
    /// For a render: a new item made of others.
    pub render: MinuteCount,
    /// For a generation by a built-in engine.
    pub generation: MinuteCount,
    /// For a dub: speech translated into another language.
    pub dub: MinuteCount,
}

impl From<&Rates> for ReadRates {
    fn from(rates: &Rates) -> Self {
        let of = |read: Read| MinuteCount(rates.of(read));
        Self {
            transcript: of(Read::Transcript),
            search_index: of(Read::SearchIndex),
            speech: of(Read::Speech),
            speakers: of(Read::Speakers),
            beats: of(Read::Beats),
            levels: of(Read::Levels),
            render: MinuteCount(rates.of(Task::Render)),
            generation: MinuteCount(rates.of(Task::Generation)),
            dub: MinuteCount(rates.of(Task::Dub)),
        }
    }
}

#[OpenApi(tag = "Tag::Account")]
impl Balances {
    /// Get balances
    ///
    /// Returns the month's cloud minutes, the minutes that are held, purchased minutes, AI credits, and the rates of
    /// reads and renders.
    #[oai(path = "/balances", method = "get", operation_id = "read_balances")]
    async fn balances(&self, auth: Auth) -> Answer<Json<BalancesAnswer>> {
        Ok(Json(self.read(&auth.0).await?))
    }

    /// Get balances
    ///
    /// The same as `GET /balances`, as a tool.
    #[oai(path = "/tools/get_balances", method = "post", operation_id = "get_balances")]
    async fn get_balances(
        &self,
        auth: Auth,
        _arguments: Json<Option<NoArguments>>,
    ) -> Answer<Json<ToolAnswer<BalancesAnswer>>> {
        let Auth(caller) = auth;
        let data = self.read(&caller).await?;
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}

impl Balances {
    async fn read(&self, caller: &Caller) -> Answer<BalancesAnswer> {
        let settings = &self.0.process.settings;
        let balance = balance(settings, &mut *self.0.conn().await?, caller.account_id).await?;
        Ok(BalancesAnswer::new(settings, &balance))
    }
}

impl BalancesAnswer {
    /// Returns the balances as the interface shows them.
    pub fn new(settings: &Settings, balance: &Balance) -> Self {
        Self {
            month: Text(balance.month.format("%Y-%m").to_string()),
            resets_at: Time::month_after(balance.month),
            allowance_minutes: balance.allowance.into(),
            used_minutes: balance.used.into(),
            held_minutes: balance.held_in_all.into(),
            left_minutes: balance.left().into(),
            bought_minutes: balance.bought.into(),
            credits: balance.credits.into(),
            rates: (&settings.rates).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poem_openapi::types::ToJSON as _;

    #[test]
    fn the_rate_of_every_task_is_published_as_the_settings_name_it() {
        let rates = Rates::default();
        assert_eq!(ReadRates::from(&rates).to_json(), serde_json::to_value(&rates).ok());
    }
}
