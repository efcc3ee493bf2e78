//! Suspends and resumes accounts: `/operator/accounts/{id}/suspend` and `…/resume`.
//!
//! A suspended account keeps all that it has. Its credentials are refused, its queued jobs wait without a place, its
//! endpoints get no events, and its links to pictures and its uploads' URLs stop working. Running work continues to its
//! end, unless the operator ends it too.

use super::OperatorAuth;
use super::accounts::OperatorAccount;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use crate::usecases::operator::suspension::{end_jobs, end_uploads, resume_account, suspend_account};
use domain::ids::AccountId;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /operator/accounts/{id}/suspend", &[Code::AccountNotFound, Code::IllegalTransition]),
    ("POST /operator/accounts/{id}/resume", &[Code::AccountNotFound, Code::IllegalTransition]),
];

/// The operations that suspend.
pub struct OperatorSuspensions(pub App);

/// The reason for a suspension, and whether it ends the account's work.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct SuspendAccount {
    /// The reason, as a text that the account's callers are shown.
    #[oai(validator(min_length = 1, max_length = 500))]
    pub reason: Text,
    /// `true` also cancels the jobs that the account pays for, and ends its uploads and imports.
    pub end_work: Option<bool>,
}

/// A suspended account, and how much of its work was ended.
#[derive(Debug, Object)]
pub struct SuspendedAccount {
    /// The account.
    pub account: OperatorAccount,
    /// The number of jobs that were cancelled, or asked to stop.
    pub ended_jobs: u64,
    /// The number of uploads and imports that were ended.
    pub ended_uploads: u64,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorSuspensions {
    /// Suspend an account
    ///
    /// All its credentials are refused with 403 `account_suspended`, its open event streams end, its queued jobs wait,
    /// and its endpoints get no events: events are `skipped`, and can be sent again once it is resumed. Running work
    /// continues unless `end_work` is true. Nothing is deleted. Repeated, it changes the reason.
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
        let account = suspend_account(&self.0, &operator, id, reason).await?.into();
        let (mut ended_jobs, mut ended_uploads) = (0, 0);
        if body.0.end_work == Some(true) {
            ended_jobs = end_jobs(&self.0, id).await?;
            ended_uploads = end_uploads(&self.0, id).await?;
        }
        Ok(Json(SuspendedAccount { account, ended_jobs, ended_uploads }))
    }

    /// Resume an account
    ///
    /// Its credentials are accepted again, its jobs continue, and the endpoints that the suspension disabled are
    /// enabled.
    #[oai(path = "/operator/accounts/:id/resume", method = "post", operation_id = "operator_resume_account")]
    async fn resume(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
    ) -> Answer<Json<OperatorAccount>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        Ok(Json(resume_account(&self.0, &operator, id).await?.into()))
    }
}

/// Returns the reason, trimmed.
fn reason(text: &Text) -> Answer<&str> {
    let reason = text.0.trim();
    if reason.is_empty() || reason.chars().any(char::is_control) {
        return Err(ApiError::new(Code::InvalidRequest, "`reason` must hold something, and no control characters."));
    }
    Ok(reason)
}
