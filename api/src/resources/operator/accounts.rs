//! Accounts: `/operator/accounts` (contract §11).

use super::{OperatorAuth, OperatorCaller, amount, missing, named};
use crate::app::App;
use crate::contract::envelope::Created;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{MinuteCount, Text, Time};
use crate::resources::account::balances::BalancesAnswer;
use crate::usecases::balance::balance;
use crate::usecases::operator::accounts::{
    NewAccount, UnpaidTime, forgive_unpaid, open_account, rename_account, unpaid_time,
};
use domain::credential::ApiKey;
use domain::ids::AccountId;
use domain::job::HIDDEN;
use domain::minutes::Minutes;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::accounts::{self, AccountRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /operator/accounts", &[]),
    ("GET /operator/accounts", &[Code::InvalidCursor, Code::RoleForbidden]),
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
    /// Its name.
    #[oai(validator(max_length = 200))]
    pub name: Text,
    /// The name of its default workspace; the account's name when not given.
    #[oai(validator(max_length = 200))]
    pub workspace_name: Option<Text>,
    /// Its own monthly minutes; the deployment's when not given.
    pub monthly_allowance_minutes: Option<MinuteCount>,
    /// `true` also creates an API key for its workspace, which only this answer shows.
    pub create_key: Option<bool>,
}

/// What to change in an account.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeAccount {
    /// The new name.
    #[oai(validator(max_length = 200))]
    pub name: Text,
}

/// An account.
#[derive(Debug, Object)]
pub struct OperatorAccount {
    /// Its id.
    pub id: Text,
    /// Its name; `Hidden by your role.` for a token of the role `metadata`.
    pub name: Text,
    /// Its own monthly minutes; null when the deployment's apply.
    pub monthly_allowance_minutes: Option<MinuteCount>,
    /// When it was opened.
    pub created_at: Time,
    /// Since when its credentials are refused; null when they are not.
    pub suspended_at: Option<Time>,
    /// The reason that its callers are shown, or null; `Hidden by your role.` for a token of the role `metadata`.
    pub suspended_reason: Option<Text>,
    /// When it was erased, or null. Its names and bytes are gone then, and its ledger stays.
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
    /// The key, if one was requested; only this answer shows it.
    pub key: Option<Text>,
}

/// An account with its balances.
#[derive(Debug, Object)]
pub struct AccountDetail {
    /// The account.
    pub account: OperatorAccount,
    /// Its balances, as its own `GET /balances` shows them.
    pub balances: BalancesAnswer,
    /// The processor time that its media and jobs used unpaid.
    pub unpaid_processor: UnpaidProcessorTime,
}

/// Processor time of failed, stopped and unusually long work. It is forgotten steadily, one day's share per day.
#[derive(Debug, Object)]
pub struct UnpaidProcessorTime {
    /// The seconds that count against the account now.
    pub seconds: u64,
    /// The seconds that an account may use in a day (`MWS_UNPAID_PROCESSOR_SECONDS`).
    pub seconds_a_day: u32,
    /// The seconds for which new jobs and uploads are refused, and waiting work is put off; 0 when they are not.
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

impl OperatorAccount {
    /// Returns an account as this operator may see it. One that somebody opened by signing up has a person's name, and
    /// the reason of a suspension is whatever an operator wrote about a customer.
    pub fn shown(row: AccountRow, operator: &OperatorCaller) -> Self {
        let mut shown = Self::from(row);
        if !operator.sees_payloads() {
            shown.name = Text(HIDDEN.to_owned());
            shown.suspended_reason = shown.suspended_reason.map(|_| Text(HIDDEN.to_owned()));
        }
        shown
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorAccounts {
    /// Open an account
    ///
    /// It has a default workspace, and an API key for it if one is requested.
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
    /// All accounts, newest first.
    #[oai(path = "/operator/accounts", method = "get", operation_id = "operator_list_accounts")]
    async fn list(
        &self,
        auth: OperatorAuth,
        /// Only accounts with exactly this name. Not for operators of the role `metadata`, who see no names.
        name: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<OperatorAccount>>> {
        if name.0.is_some() {
            auth.0.may_select_by_name()?;
        }
        let page = Page::new("operator accounts", limit.0, cursor.0.as_ref())?;
        let mut conn = self.0.conn().await?;
        let rows = accounts::list(&mut conn, name.0.as_deref(), page.after, page.fetch()).await?;
        Ok(Json(page.list(rows, |row| row.id.uuid(), |row| OperatorAccount::shown(row, &auth.0))))
    }

    /// Get an account
    ///
    /// Returns the account, its balances, and the processor time that its work used unpaid.
    #[oai(path = "/operator/accounts/:id", method = "get", operation_id = "operator_get_account")]
    async fn get(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
    ) -> Answer<Json<AccountDetail>> {
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        Ok(Json(self.detail(&auth.0, id).await?))
    }

    /// Forgive an account's unpaid processor time
    ///
    /// The time that its media and jobs used unpaid no longer counts, nor do its jobs of a day that were stopped or
    /// failed: jobs and uploads are accepted at once, and work that was put off continues.
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
        forgive_unpaid(&self.0, &operator, id).await?;
        Ok(Json(self.detail(&operator, id).await?))
    }

    /// Change an account
    ///
    /// Changes its name. Minutes are given by `POST /operator/accounts/{id}/minutes`.
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
    /// Returns an account with its balances, as this operator may see it.
    ///
    /// # Errors
    /// `account_not_found`.
    pub async fn detail(&self, operator: &OperatorCaller, id: AccountId) -> Answer<AccountDetail> {
        let mut conn = self.0.conn().await?;
        let row = accounts::find(&mut conn, id).await?.ok_or_else(|| missing(Code::AccountNotFound, id))?;
        let settings = &self.0.process.settings;
        let balances = BalancesAnswer::new(settings, &balance(settings, &mut conn, id).await?);
        let UnpaidTime { seconds, wait_seconds } = unpaid_time(settings, &mut conn, id).await?;
        let seconds_a_day = settings.unpaid_processor_seconds;
        let unpaid_processor = UnpaidProcessorTime { seconds, seconds_a_day, wait_seconds };
        Ok(AccountDetail { account: OperatorAccount::shown(row, operator), balances, unpaid_processor })
    }
}
