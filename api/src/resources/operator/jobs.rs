//! Jobs of all accounts, running a job's read again, and cancelling a job: `/operator/jobs` (contract §11).

use super::{OperatorAuth, OperatorCaller, missing};
use crate::app::App;
use crate::contract::envelope::Accepted;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{Text, Time};
use crate::resources::tools::jobs::{JobAnswer, JobKindWord, JobStatusWord, add_waits};
use crate::resources::tools::prepare_media::{PreparedRead, ReadKind};
use crate::usecases::operator::jobs::{cancel_job, run_again};
use domain::ids::JobId;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sqlx::PgConnection;
use std::collections::HashMap;
use store::jobs::{self, FoundJob, JobSearchFilter, SearchScope};
use store::workspaces;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("GET /operator/jobs", &[Code::InvalidCursor, Code::AccountNotFound, Code::WorkspaceNotFound, Code::ItemNotFound]),
    ("GET /operator/jobs/{id}", &[Code::JobNotFound]),
    ("POST /operator/jobs/{id}/cancel", &[Code::JobNotFound, Code::IllegalTransition]),
    (
        "POST /operator/jobs/{id}/retry",
        &[
            Code::JobNotFound,
            Code::IllegalTransition,
            Code::ReadNotApplicable,
            Code::AccountSuspended,
            Code::WorkspaceForbidden,
        ],
    ),
];

/// The operations on jobs.
pub struct OperatorJobs(pub App);

/// A job, with the accounts that own and pay for it.
#[derive(Debug, Object)]
pub struct OperatorJob {
    /// The account that pays for it.
    pub payer_account_id: Text,
    /// The account that owns its workspace, and whose webhooks get its events.
    pub owner_account_id: Text,
    /// The job, as its account sees it.
    pub job: JobAnswer,
    /// Whether the role of the token (`metadata`) hides `result`, `context` and `ref` of the job, which are null then,
    /// and the message of its error.
    pub payloads_hidden: bool,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorJobs {
    /// List jobs of all accounts
    ///
    /// Newest first. With filters a page looks through 2,000 jobs: it may have fewer than `limit`, or none, and still
    /// be followed by more. A token of the role `metadata` sees no results and no texts of customers.
    #[oai(path = "/operator/jobs", method = "get", operation_id = "operator_list_jobs")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn list(
        &self,
        auth: OperatorAuth,
        /// Only jobs in these statuses.
        status: Query<Option<Vec<JobStatusWord>>>,
        /// Only jobs of these kinds.
        kind: Query<Option<Vec<JobKindWord>>>,
        /// Only jobs of these reads.
        read: Query<Option<Vec<ReadKind>>>,
        /// Only jobs that failed with this job error code.
        error_code: Query<Option<Text>>,
        /// Only jobs in workspaces of this account.
        account_id: Query<Option<Text>>,
        /// Only jobs in this workspace.
        workspace_id: Query<Option<Text>>,
        /// Only jobs on this item.
        item_id: Query<Option<Text>>,
        /// Only jobs created at or after this time.
        since: Query<Option<Time>>,
        /// Only jobs created before this time.
        until: Query<Option<Time>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<List<OperatorJob>>> {
        let page = Page::new("operator jobs", limit.0, cursor.0.as_ref())?;
        let filter = JobSearchFilter {
            statuses: status.0.into_iter().flatten().map(Into::into).collect(),
            kinds: kind.0.into_iter().flatten().map(Into::into).collect(),
            reads: read.0.into_iter().flatten().map(Into::into).collect(),
            error_code: error_code.0.map(|text| text.0),
            since: since.0.map(|time| time.0),
            until: until.0.map(|time| time.0),
        };
        let mut conn = self.0.conn().await?;
        let scope = search_scope(&mut conn, account_id.0, workspace_id.0, item_id.0).await?;
        let before = page.after.map(JobId::from);
        let seen = jobs::search(&mut conn, &scope, &filter, before, page.fetch()).await?;
        let mut shown = operator_jobs(&mut conn, &seen.rows, &auth.0).await?;
        Ok(Json(page.window(seen, |found| found.job.uuid(), |found| shown.remove(&found.job))))
    }

    /// Get a job of any account
    ///
    /// Returns the job as its account sees it, and the accounts that own and pay for it. A token of the role `metadata`
    /// sees no result and no texts of customers.
    #[oai(path = "/operator/jobs/:id", method = "get", operation_id = "operator_get_job")]
    async fn get(
        &self,
        auth: OperatorAuth,
        /// The job's id.
        id: Path<Text>,
    ) -> Answer<Json<OperatorJob>> {
        Ok(Json(self.one(&auth.0, id.0.id(Code::JobNotFound)?).await?))
    }

    /// Cancel a job of any account
    ///
    /// A job that is queued is cancelled at once, one that runs when its worker notices. It costs nothing, and its
    /// account is told as when it cancels a job itself.
    #[oai(path = "/operator/jobs/:id/cancel", method = "post", operation_id = "operator_cancel_job")]
    async fn cancel(
        &self,
        auth: OperatorAuth,
        /// The job's id.
        id: Path<Text>,
    ) -> Answer<Accepted<OperatorJob>> {
        let OperatorAuth(operator) = auth;
        let id: JobId = id.0.id(Code::JobNotFound)?;
        cancel_job(&self.0, &operator, id).await?;
        Ok(Accepted(self.one(&operator, id).await?))
    }

    /// Run a job's read again
    ///
    /// Starts the read of a failed or cancelled job again, as a new job, for the account that paid for the first one.
    /// The answer is `prepare_media`'s for that read: `ready` if it has been stored meanwhile, or a reason if it can't
    /// start. The first job does not change.
    #[oai(path = "/operator/jobs/:id/retry", method = "post", operation_id = "operator_retry_job")]
    async fn retry(
        &self,
        auth: OperatorAuth,
        /// The job's id.
        id: Path<Text>,
    ) -> Answer<Accepted<PreparedRead>> {
        let OperatorAuth(operator) = auth;
        let (read, answer) = run_again(&self.0, &operator, id.0.id(Code::JobNotFound)?).await?;
        Ok(Accepted(PreparedRead::of(read, &answer)))
    }
}

impl OperatorJobs {
    async fn one(&self, operator: &OperatorCaller, id: JobId) -> Answer<OperatorJob> {
        let mut conn = self.0.conn().await?;
        let origin = jobs::origin(&mut conn, id).await?.ok_or_else(|| missing(Code::JobNotFound, id))?;
        let found = FoundJob { job: id, payer: origin.payer, owner: origin.owner };
        operator_jobs(&mut conn, &[found], operator).await?.remove(&id).ok_or_else(|| missing(Code::JobNotFound, id))
    }
}

async fn search_scope(
    conn: &mut PgConnection,
    account: Option<Text>,
    workspace: Option<Text>,
    item: Option<Text>,
) -> Answer<SearchScope> {
    match (account, workspace, item) {
        (None, None, None) => Ok(SearchScope::All),
        (Some(account), None, None) => {
            Ok(SearchScope::Workspaces(workspaces::owned_by(conn, account.id(Code::AccountNotFound)?).await?))
        }
        (None, Some(workspace), None) => Ok(SearchScope::Workspaces(vec![workspace.id(Code::WorkspaceNotFound)?])),
        (None, None, Some(item)) => Ok(SearchScope::Item(item.id(Code::ItemNotFound)?)),
        _ => Err(ApiError::new(Code::InvalidRequest, "Give one of `account_id`, `workspace_id` and `item_id`.")),
    }
}

/// Returns the jobs that were found, as they are shown to this operator.
pub async fn operator_jobs(
    conn: &mut PgConnection,
    found: &[FoundJob],
    operator: &OperatorCaller,
) -> Answer<HashMap<JobId, OperatorJob>> {
    let sees_payloads = operator.sees_payloads();
    let ids: Vec<JobId> = found.iter().map(|one| one.job).collect();
    let whose: HashMap<JobId, &FoundJob> = found.iter().map(|one| (one.job, one)).collect();
    let mut jobs = jobs::by_ids(conn, &ids, None).await?;
    add_waits(conn, &mut jobs, None).await?;
    let show = |job: domain::job::Job| {
        let whose = whose.get(&job.id)?;
        let shown = OperatorJob {
            payer_account_id: Text::of(whose.payer),
            owner_account_id: Text::of(whose.owner),
            job: JobAnswer::from(if sees_payloads { job } else { job.without_payloads() }),
            payloads_hidden: !sees_payloads,
        };
        Some((whose.job, shown))
    };
    Ok(jobs.into_iter().filter_map(show).collect())
}
