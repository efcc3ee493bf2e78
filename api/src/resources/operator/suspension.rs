//! Stopping an account and letting it go on: `/operator/accounts/{id}/suspend` and `…/resume`.
//!
//! A suspended account keeps all that it has. Its credentials are refused, its queued jobs wait without a place, its endpoints
//! are told of nothing, its links to pictures and its uploads' URLs answer no more. What runs goes on to its end, unless its
//! work is to be ended too.

use super::accounts::OperatorAccount;
use super::{OperatorAuth, OperatorCaller, missing};
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use common::ending;
use common::ids::AccountId;
use common::store::suspension::{self, Suspension};
use common::store::{account_audit, accounts, audit, jobs, uploads};
use common::wake::Wake;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde_json::{Value, json};
use sqlx::{Acquire, PgConnection};

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[
    ("POST /operator/accounts/{id}/suspend", &[Code::AccountNotFound, Code::IllegalTransition]),
    ("POST /operator/accounts/{id}/resume", &[Code::AccountNotFound, Code::IllegalTransition]),
];

/// Jobs, and uploads, that one transaction ends.
const SOME: i64 = 500;

/// The operations that suspend.
pub struct OperatorSuspensions(pub App);

/// Why, and what becomes of what is under way.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct SuspendAccount {
    /// Why, in words that the account's callers are told.
    #[oai(validator(min_length = 1, max_length = 500))]
    pub reason: Text,
    /// `true` also cancels the jobs that the account pays for, and ends its uploads and imports.
    pub end_work: Option<bool>,
}

/// A suspended account, and what was ended of its work.
#[derive(Debug, Object)]
pub struct SuspendedAccount {
    /// The account.
    pub account: OperatorAccount,
    /// Jobs that were cancelled, or asked to stop.
    pub ended_jobs: u64,
    /// Uploads and imports that were ended.
    pub ended_uploads: u64,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorSuspensions {
    /// Suspend an account
    ///
    /// Every credential of it is refused with 403 `account_suspended`, its open event streams end, its queued jobs wait, and
    /// its endpoints are told of nothing: events are `skipped`, and can be sent again once it is resumed. What runs goes on
    /// unless `end_work` is true. Nothing is deleted. Repeated, it gives another reason.
    #[oai(path = "/operator/accounts/:id/suspend", method = "post", operation_id = "operator_suspend_account")]
    async fn suspend(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
        body: Json<SuspendAccount>,
    ) -> Answer<Json<SuspendedAccount>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        let reason = reason(&body.0.reason)?;
        let account = self.suspend_account(&operator, id, reason).await?;
        let (mut ended_jobs, mut ended_uploads) = (0, 0);
        if body.0.end_work == Some(true) {
            ended_jobs = self.end_jobs(id).await?;
            ended_uploads = self.end_uploads(id).await?;
        }
        Ok(Json(SuspendedAccount { account, ended_jobs, ended_uploads }))
    }

    /// Resume an account
    ///
    /// Its credentials are let in again, its jobs go on, and the endpoints that the suspension silenced are enabled.
    #[oai(path = "/operator/accounts/:id/resume", method = "post", operation_id = "operator_resume_account")]
    async fn resume(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
    ) -> Answer<Json<OperatorAccount>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        Ok(Json(self.resume_account(&operator, id).await?))
    }
}

impl OperatorSuspensions {
    /// The use case: the refusal, the silence and both logs in one transaction.
    async fn suspend_account(&self, operator: &OperatorCaller, id: AccountId, reason: &str) -> Answer<OperatorAccount> {
        let mut conn = self.0.conn().await?;
        let mut suspend_account = conn.begin().await?;
        let before = was(suspension::suspend(&mut suspend_account, id, reason).await?, id)?;
        suspension::silence(&mut suspend_account, id).await?;
        if before.as_deref() != Some(reason) {
            let (was, is) = (before.map(|before| json!({ "reason": before })), Some(json!({ "reason": reason })));
            log(&mut suspend_account, operator, "account.suspend", id, (was, is)).await?;
        }
        let account = shown(&mut suspend_account, id).await?;
        suspend_account.commit().await?;
        self.0.process.wakes.send([Wake::Access(id)]);
        Ok(account)
    }

    /// The use case: the same the other way round. Jobs that wait get their places from the scheduler.
    async fn resume_account(&self, operator: &OperatorCaller, id: AccountId) -> Answer<OperatorAccount> {
        let mut conn = self.0.conn().await?;
        let mut resume_account = conn.begin().await?;
        let before = was(suspension::resume(&mut resume_account, id).await?, id)?;
        if let Some(before) = before {
            suspension::unsilence(&mut resume_account, id).await?;
            let was = Some(json!({ "reason": before }));
            log(&mut resume_account, operator, "account.resume", id, (was, None)).await?;
        }
        let account = shown(&mut resume_account, id).await?;
        resume_account.commit().await?;
        Ok(account)
    }

    /// Cancels what the account pays for, some jobs a transaction. What is cut off is done by asking again.
    async fn end_jobs(&self, account: AccountId) -> Answer<u64> {
        let process = &self.0.process;
        let mut ended = 0;
        loop {
            let mut cancel = process.pool.begin().await?;
            let stopped = jobs::cancel_for_payer(&mut cancel, account, SOME).await?;
            let aftermath = ending::conclude(&mut cancel, &stopped, &[], &process.settings.event_kinds).await?;
            cancel.commit().await?;
            aftermath.settle_down(&process.pool, &process.wakes).await;
            if stopped.is_empty() {
                return Ok(ended);
            }
            ended += stopped.len() as u64;
        }
    }

    async fn end_uploads(&self, account: AccountId) -> Answer<u64> {
        let mut ended = 0;
        loop {
            let some = uploads::end_for_account(&mut *self.0.conn().await?, account, SOME).await?;
            if some == 0 {
                return Ok(ended);
            }
            ended += some;
        }
    }
}

/// The reason before, of an account that could be changed.
fn was(became: Suspension, id: AccountId) -> Answer<Option<String>> {
    match became {
        Suspension::Done { before } => Ok(before),
        Suspension::Missing => Err(missing(Code::AccountNotFound, id)),
        Suspension::Erased => {
            Err(ApiError::new(Code::IllegalTransition, format!("{id} is erased, and stays as it is.")))
        }
    }
}

/// Tells the operators' log and the account's own.
async fn log(
    conn: &mut PgConnection,
    operator: &OperatorCaller,
    action: &'static str,
    id: AccountId,
    (was, is): (Option<Value>, Option<Value>),
) -> Answer<()> {
    account_audit::record(conn, &operator.account_entry(id, action, id, is.clone())).await?;
    audit::record(conn, &operator.changed(action, id, was, is)).await?;
    Ok(())
}

async fn shown(conn: &mut PgConnection, id: AccountId) -> Answer<OperatorAccount> {
    let row = accounts::find(conn, id).await?;
    Ok(row.ok_or_else(|| missing(Code::AccountNotFound, id))?.into())
}

/// The reason, without the space around it.
fn reason(text: &Text) -> Answer<&str> {
    let reason = text.0.trim();
    if reason.is_empty() || reason.chars().any(char::is_control) {
        return Err(ApiError::new(Code::InvalidRequest, "`reason` must hold something, and no control characters."));
    }
    Ok(reason)
}
