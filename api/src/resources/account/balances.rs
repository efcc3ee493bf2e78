//! What an account has left: `GET /balances` and the tool `get_balances` (contract §10).
//!
//! It reads the ledger and changes nothing: a month that nothing has touched yet shows its whole allowance.

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

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /balances", &[]), ("POST /tools/get_balances", &[])];

/// The balance operations.
pub struct Balances(pub App);

/// What the account has. All amounts of cloud processing are minutes with at most two decimals.
#[derive(Debug, Object)]
pub struct BalancesAnswer {
    /// The month, such as `2026-11`.
    pub month: Text,
    /// When the next month's minutes come.
    pub resets_at: Time,
    /// Granted for the month.
    pub allowance_minutes: MinuteCount,
    /// Charged in the month.
    pub used_minutes: MinuteCount,
    /// Held by running work until it settles, last month's too.
    pub held_minutes: MinuteCount,
    /// The month's minutes left after what is held.
    pub left_minutes: MinuteCount,
    /// Purchased minutes that nothing holds; they never lapse and are spent after the month's.
    pub bought_minutes: MinuteCount,
    /// AI credits, which never lapse.
    pub credits: CreditsAnswer,
    /// Minutes charged for a minute of media, by read and for a render.
    pub rates: ReadRates,
}

/// What an account has of AI credits, with at most two decimals.
#[derive(Debug, Object)]
pub struct CreditsAnswer {
    /// What new work may hold.
    pub left: CreditCount,
    /// Held by running work until it settles.
    pub held: CreditCount,
    /// Charged since the account was opened.
    pub used: CreditCount,
}

impl From<CreditBalance> for CreditsAnswer {
    fn from(balance: CreditBalance) -> Self {
        Self { left: balance.left().into(), held: balance.held.into(), used: balance.used.into() }
    }
}

/// Minutes charged for a minute of media, by read (contract §10) and for a render.
#[derive(Debug, Object)]
pub struct ReadRates {
    /// Text transcript.
    pub transcript: MinuteCount,
    /// A video's moments.
    pub search_index: MinuteCount,
    /// Where speech sits.
    pub speech: MinuteCount,
    /// Speaker reading.
    pub speakers: MinuteCount,
    /// Beat positions.
    pub beats: MinuteCount,
    /// Loudness.
    pub levels: MinuteCount,
    /// A new item made of others.
    pub render: MinuteCount,
    /// A new item made with an engine that is built in.
    pub generation: MinuteCount,
    /// What is said, in another language.
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
    /// The month's cloud minutes, what running work holds of them, purchased minutes, AI credits and the rates of reads
    /// and renders.
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
    /// As an account's balance is shown.
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
