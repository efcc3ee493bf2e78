//! Accounts: `/operator/accounts` (contract §11).

use super::{OperatorAuth, amount, missing, named};
use crate::app::App;
use crate::contract::envelope::Created;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{MinuteCount, Text, Time};
use crate::resources::account::balances::BalancesAnswer;
use crate::usecases::balance::balance;
use crate::usecases::operator::accounts::{
    NewAccount, UnpaidTime, forgive_processor_time, open_account, rename_account, unpaid_time,
};
use domain::credential::ApiKey;
use domain::ids::AccountId;
use domain::minutes::Minutes;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::accounts::{self, AccountRow};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    ("POST /operator/accounts", &[]),
    ("GET /operator/accounts", &[Code::InvalidCursor]),
    ("GET /operator/accounts/{id}", &[Code::AccountNotFound]),
    ("PATCH /operator/accounts/{id}", &[Code::AccountNotFound]),
    ("DELETE /operator/accounts/{id}/unpaid-processor-time", &[Code::AccountNotFound]),
];

/// The operations on accounts.
pub struct OperatorAccounts(pub App);

/// An account to open.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OpenAccount {
    /// What it is called.
    #[oai(validator(max_length = 200))]
    pub name: Text,
    /// What its default workspace is called. Without it: as the account.
    #[oai(validator(max_length = 200))]
    pub workspace_name: Option<Text>,
    /// Its own monthly minutes. Without it: the deployment's.
    pub monthly_allowance_minutes: Option<MinuteCount>,
    /// `true` creates an API key to its workspace too, shown in the answer and never again.
    pub create_key: Option<bool>,
}

/// What to change of an account.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeAccount {
    /// Another name.
    #[oai(validator(max_length = 200))]
    pub name: Text,
}

/// An account.
#[derive(Debug, Object)]
pub struct OperatorAccount {
    /// Its id.
    pub id: Text,
    /// What it is called.
    pub name: Text,
    /// Its own monthly minutes; null where the deployment's hold.
    pub monthly_allowance_minutes: Option<MinuteCount>,
    /// When it was opened.
    pub created_at: Time,
    /// Since when its credentials are refused, or null.
    pub suspended_at: Option<Time>,
    /// Why, as its callers are told, or null.
    pub suspended_reason: Option<Text>,
    /// When it was erased, or null: its names and bytes are gone, its ledger stays.
    pub erased_at: Option<Time>,
}

/// An account that was just opened.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct OpenedAccount {
    /// The account.
    pub account: OperatorAccount,
    /// Its default workspace.
    pub workspace_id: Text,
    /// The key, where one was asked for: shown here and never again.
    pub key: Option<Text>,
}

/// An account and what it has.
#[derive(Debug, Object)]
pub struct AccountDetail {
    /// The account.
    pub account: OperatorAccount,
    /// What it has left, as its own `GET /balances` shows it.
    pub balances: BalancesAnswer,
    /// What its media and jobs have computed that nobody paid for.
    pub unpaid_processor: UnpaidProcessorTime,
}

/// Processor time of failed, stopped and unusually long work. It is forgotten evenly, a day's share a day.
#[derive(Debug, Object)]
pub struct UnpaidProcessorTime {
    /// Seconds that count against the account now.
    pub seconds: u64,
    /// Seconds that an account may have a day (`MWS_UNPAID_PROCESSOR_SECONDS`).
    pub seconds_a_day: u32,
    /// For how many seconds it is refused new jobs and uploads, and what it has waiting is put off; 0 while it is not.
    pub wait_seconds: u64,
}

impl From<AccountRow> for OperatorAccount {
    fn from(row: AccountRow) -> Self {
        Self {
            id: Text::of(row.id),
            name: Text(row.name),
            monthly_allowance_minutes: row.monthly_allowance.map(MinuteCount),
            created_at: Time(row.created_at),
            suspended_at: row.suspended_at.map(Time),
            suspended_reason: row.suspended_reason.map(Text),
            erased_at: row.erased_at.map(Time),
        }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorAccounts {
    /// Open an account
    ///
    /// With a default workspace, and with an API key to it where one is asked for.
    #[oai(path = "/operator/accounts", method = "post", operation_id = "operator_create_account")]
    async fn create(&self, auth: OperatorAuth, body: Json<OpenAccount>) -> Answer<Created<OpenedAccount>> {
        let OperatorAuth(operator) = auth;
        let asked = body.0;
        let name = named(&asked.name)?;
        let workspace_name = asked.workspace_name.as_ref().map_or(Ok(name), named)?;
        let allowance = asked.monthly_allowance_minutes.map(|minutes| amount(minutes, Minutes::ZERO)).transpose()?;
        let key = asked.create_key.filter(|&wanted| wanted).map(|_| ApiKey::from_random(rand::random()));
        let new = NewAccount { name, workspace_name, allowance, key: key.as_ref() };
        let opened = open_account(&self.0, &operator, &new).await?;
        Ok(Created(OpenedAccount {
            account: opened.account.into(),
            workspace_id: Text::of(opened.workspace_id),
            key: key.map(|key| key.expose().into()),
        }))
    }

    /// List accounts
    ///
    /// All of them, newest first.
    #[oai(path = "/operator/accounts", method = "get", operation_id = "operator_list_accounts")]
    async fn list(
        &self,
        _auth: OperatorAuth,
        /// Only those of exactly this name.
        name: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<OperatorAccount>>> {
        let page = Page::new("operator accounts", limit.0, cursor.0.as_ref())?;
        let mut conn = self.0.conn().await?;
        let rows = accounts::list(&mut conn, name.0.as_deref(), page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), OperatorAccount::from)))
    }

    /// Get an account
    ///
    /// The account, what it has left of its minutes, and the processor time that its work took unpaid.
    #[oai(path = "/operator/accounts/:id", method = "get", operation_id = "operator_get_account")]
    async fn get(
        &self,
        _auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
    ) -> Answer<Json<AccountDetail>> {
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        Ok(Json(self.detail(id).await?))
    }

    /// Forgive an account's unpaid processor time
    ///
    /// What its media and jobs computed unpaid counts no more: jobs and uploads are let in at once, and what was
    /// put off goes on.
    #[oai(
        path = "/operator/accounts/:id/unpaid-processor-time",
        method = "delete",
        operation_id = "operator_forgive_processor_time"
    )]
    async fn forgive(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
    ) -> Answer<Json<AccountDetail>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        forgive_processor_time(&self.0, &operator, id).await?;
        Ok(Json(self.detail(id).await?))
    }

    /// Change an account
    ///
    /// Its name. Minutes are given by `POST /operator/accounts/{id}/minutes`.
    #[oai(path = "/operator/accounts/:id", method = "patch", operation_id = "operator_update_account")]
    async fn change(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
        body: Json<ChangeAccount>,
    ) -> Answer<Json<OperatorAccount>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        let name = named(&body.0.name)?;
        Ok(Json(rename_account(&self.0, &operator, id, name).await?.into()))
    }
}

impl OperatorAccounts {
    async fn detail(&self, id: AccountId) -> Answer<AccountDetail> {
        let mut conn = self.0.conn().await?;
        let row = accounts::find(&mut conn, id).await?.ok_or_else(|| missing(Code::AccountNotFound, id))?;
        let settings = &self.0.process.settings;
        let balances = BalancesAnswer::new(settings, &balance(settings, &mut conn, id).await?);
        let UnpaidTime { seconds, wait_seconds } = unpaid_time(settings, &mut conn, id).await?;
        let seconds_a_day = settings.unpaid_processor_seconds;
        let unpaid_processor = UnpaidProcessorTime { seconds, seconds_a_day, wait_seconds };
        Ok(AccountDetail { account: row.into(), balances, unpaid_processor })
    }
}
