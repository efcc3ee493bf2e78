//! `get_jobs` and `cancel_jobs`: follow jobs, with a long poll, and stop them (contract §4.4).

mod shape;

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::ToolAnswer;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, Page};
use crate::http::text::{Text, Time};
use crate::usecases::jobs::{Cancelled, cancel_jobs};
use crate::usecases::library::LOOK_AGAIN;
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::job::{Job, JobStatus};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use runtime::wake::{Wake, woken};
pub use shape::{CancelOutcome, CancelledJob, JobAnswer, JobKindWord, JobStatusWord};
use sqlx::PgConnection;
use std::collections::HashMap;
use std::time::Duration;
use store::items::{self, Resolved};
use store::jobs::{self, JobFilter, Queued};

use tokio::time::{Instant, timeout_at};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/get_jobs", &[Code::InvalidCursor, Code::ItemNotFound, Code::WorkspaceForbidden]),
    ("POST /tools/cancel_jobs", &[Code::RoleForbidden]),
];

/// The tools.
pub struct Jobs(pub App);

/// Which jobs to return: by id, or by filters.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct GetJobsRequest {
    /// 1 to 200 jobs; not together with filters.
    #[oai(validator(min_items = 1, max_items = 200))]
    pub job_ids: Option<Vec<Text>>,
    /// Only jobs in these statuses.
    pub status: Option<Vec<JobStatusWord>>,
    /// Only jobs of these kinds.
    pub kind: Option<Vec<JobKindWord>>,
    /// Only jobs of this item: its ref, its id, or the id of the job that made it.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Only jobs created after this time.
    pub created_after: Option<Time>,
    /// `next_cursor` of the page before.
    pub cursor: Option<Text>,
    /// Jobs a page, 1 to 100; 20 when not given. Only with filters.
    pub limit: Option<Limit>,
    /// With `job_ids`: seconds to wait, at most 30, for what `wait_for` says. Jobs that had ended before the call are
    /// not waited for: repeated, the call waits while jobs are live, and answers at once when none is.
    #[oai(validator(minimum(value = "0"), maximum(value = "30")))]
    pub wait_seconds: Option<u32>,
    /// `any`: wait until one of the jobs that were live when the call began has ended; `all`: until all of them have.
    /// `any` when not given.
    pub wait_for: Option<WaitFor>,
}

/// The end of a long poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum WaitFor {
    /// When one of the jobs that were live when the call began has ended.
    Any,
    /// When all of them have ended.
    All,
}

/// The jobs that were found.
#[derive(Debug, Object)]
pub struct JobsAnswer {
    /// The jobs, in the order of `job_ids`; with filters, newest first.
    pub jobs: Vec<JobAnswer>,
    /// The requested ids that name no job of this workspace.
    pub missing: Vec<Text>,
    /// Whether there are jobs after these; always false with `job_ids`.
    pub has_more: bool,
    /// Pass it as `cursor` for the jobs after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// Which jobs to stop.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CancelJobsRequest {
    /// 1 to 200 jobs.
    #[oai(validator(min_items = 1, max_items = 200))]
    pub job_ids: Vec<Text>,
}

/// The outcome for each job.
#[derive(Debug, Object)]
pub struct CancelJobsAnswer {
    /// The jobs, in the order of `job_ids`.
    pub jobs: Vec<CancelledJob>,
    /// The requested ids that name no job of this workspace.
    pub missing: Vec<Text>,
}

#[OpenApi(tag = "Tag::Workspace")]
impl Jobs {
    /// Follow jobs
    ///
    /// Returns the jobs named by `job_ids` (up to 200: one `prepare_media` can start 120), or the workspace's jobs that
    /// match the filters, newest first. `wait_seconds` makes it a long poll: to follow jobs, call again with the same
    /// `job_ids` and `wait_for: "all"` until none is `queued` or `running`. A finished job reports `cloud_minutes`.
    #[oai(path = "/tools/get_jobs", method = "post", operation_id = "get_jobs")]
    async fn get_jobs(
        &self,
        auth: Auth,
        request: Json<Option<GetJobsRequest>>,
    ) -> Answer<Json<ToolAnswer<JobsAnswer>>> {
        let Auth(caller) = auth;
        let request = request.0.unwrap_or_default();
        let data = match &request.job_ids {
            Some(ids) => self.wait_for_named(&caller, ids, &request).await?,
            None => self.list(&caller, &request).await?,
        };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Stop jobs
    ///
    /// A queued job is cancelled at once and its hold freed; a running one is asked to stop and ends as `cancelled`
    /// within seconds, charged nothing. One that has already ended does not change. Events of stopped jobs are sent at
    /// the account's request rate; while more of them wait than one burst allows, no jobs are started.
    #[oai(path = "/tools/cancel_jobs", method = "post", operation_id = "cancel_jobs")]
    async fn cancel_jobs(
        &self,
        auth: Auth,
        request: Json<CancelJobsRequest>,
    ) -> Answer<Json<ToolAnswer<CancelJobsAnswer>>> {
        let Auth(caller) = auth;
        let (known, mut missing) = parsed(&request.job_ids);
        let Cancelled { stopped, found } = cancel_jobs(&self.0, &caller, &known).await?;
        missing.extend(absent(&known, found.iter().map(|job| job.id)));
        let outcome = |job: JobId, status: JobStatus| match stopped.iter().find(|one| one.job == job) {
            // Whether this call has asked it or one before.
            _ if status == JobStatus::Running => CancelOutcome::Cancelling,
            Some(_) => CancelOutcome::Cancelled,
            None => CancelOutcome::AlreadyFinished,
        };
        let jobs = found.iter().map(|job| CancelledJob::of(job, outcome(job.id, job.status))).collect();
        Ok(ToolAnswer::new(&caller.request_id, CancelJobsAnswer { jobs, missing }).json())
    }
}

impl Jobs {
    async fn wait_for_named(&self, caller: &Caller, ids: &[Text], request: &GetJobsRequest) -> Answer<JobsAnswer> {
        let filters = request.status.is_some()
            || request.kind.is_some()
            || request.item_ref.is_some()
            || request.created_after.is_some()
            || request.cursor.is_some()
            || request.limit.is_some();
        if filters {
            let message = "`job_ids` names the jobs itself: leave out the filters, `cursor` and `limit`.";
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        let (known, mut missing) = parsed(ids);
        let wait = Duration::from_secs(u64::from(request.wait_seconds.unwrap_or_default()));
        self.wait(&known, caller.workspace.id, wait, request.wait_for.unwrap_or(WaitFor::Any)).await?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let mut found = jobs::by_ids(&mut conn, &known, Some(caller.workspace.id)).await?;
        add_waits(&mut conn, &mut found, Some(caller.account_id)).await?;
        missing.extend(absent(&known, found.iter().map(|job| job.id)));
        Ok(JobsAnswer {
            jobs: found.into_iter().map(JobAnswer::from).collect(),
            missing,
            has_more: false,
            next_cursor: None,
        })
    }

    async fn list(&self, caller: &Caller, request: &GetJobsRequest) -> Answer<JobsAnswer> {
        if request.wait_seconds.unwrap_or_default() > 0 || request.wait_for.is_some() {
            let message = "`wait_seconds` and `wait_for` are of jobs named by `job_ids`: name them, or leave both out.";
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        let page = Page::new("jobs", request.limit, request.cursor.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let item = match &request.item_ref {
            None => None,
            Some(text) => Some(find_item(&mut conn, caller.workspace.id, text).await?),
        };
        let filter = JobFilter {
            statuses: request.status.iter().flatten().map(|word| (*word).into()).collect(),
            kinds: request.kind.iter().flatten().map(|word| (*word).into()).collect(),
            item,
            created_after: request.created_after.map(|time| time.0),
            before: page.after.map(JobId::from),
        };
        let mut rows = jobs::page(&mut conn, caller.workspace.id, &filter, page.fetch()).await?;
        add_waits(&mut conn, &mut rows, Some(caller.account_id)).await?;
        let list = page.list(rows, |job| job.id.uuid(), JobAnswer::from);
        Ok(JobsAnswer { jobs: list.data, missing: Vec::new(), has_more: list.has_more, next_cursor: list.next_cursor })
    }

    /// Waits at most `wait` until one or all of these jobs that are live now have ended, as `what` says. Holds no
    /// connection meanwhile.
    async fn wait(&self, known: &[JobId], workspace: WorkspaceId, wait: Duration, what: WaitFor) -> Answer<()> {
        let deadline = Instant::now() + wait;
        // Subscribed before the first look, so that an end between the two is not missed.
        let mut wakes = self.0.process.wakes.subscribe();
        let mut began_live: Option<Vec<JobId>> = None;
        loop {
            let now = Instant::now();
            if now >= deadline || known.is_empty() || self.0.process.shutdown.is_cancelled() {
                return Ok(());
            }
            let asked = began_live.as_deref().unwrap_or(known);
            let live = jobs::live(&mut *self.0.conn().await?, asked, workspace).await?;
            let one_ended = began_live.as_ref().is_some_and(|began| live.len() < began.len());
            if live.is_empty() || (one_ended && what == WaitFor::Any) {
                return Ok(());
            }
            let known = began_live.get_or_insert(live);
            let next_look = deadline.min(now + LOOK_AGAIN);
            let ended = woken(&mut wakes, |wake| matches!(wake, Wake::JobEnded(job) if known.contains(job)));
            // Woken or not, the next look tells.
            let _ = timeout_at(next_look, ended).await;
        }
    }
}

/// Adds to those of these jobs that are queued what they wait for, as `viewer` may know it; without a viewer as
/// operators do. Where none is queued, nothing is asked.
pub async fn add_waits(conn: &mut PgConnection, jobs: &mut [Job], viewer: Option<AccountId>) -> Answer<()> {
    let ids: Vec<JobId> = jobs.iter().filter(|job| job.status == JobStatus::Queued).map(|job| job.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let queued: HashMap<JobId, Queued> =
        jobs::queued(conn, &ids).await?.into_iter().map(|queued| (queued.job, queued)).collect();
    for job in jobs {
        job.waits = queued.get(&job.id).map(|queued| queued.waiting.shown(queued.payer, viewer));
    }
    Ok(())
}

/// The item of the workspace that this text names.
async fn find_item(conn: &mut PgConnection, workspace: WorkspaceId, text: &Text) -> Answer<ItemId> {
    let found = items::resolve(conn, std::slice::from_ref(&text.0), workspace).await?;
    match found.into_iter().next() {
        Some(Resolved::Here(item)) => Ok(item.id),
        Some(Resolved::Elsewhere) => Err(ApiError::elsewhere("item")),
        Some(Resolved::Unknown) | None => Err(ApiError::new(Code::ItemNotFound, "There is no such item.")),
    }
}

/// Returns the ids among these texts, each once, and the texts that are not job ids.
fn parsed(texts: &[Text]) -> (Vec<JobId>, Vec<Text>) {
    let (mut known, mut missing) = (Vec::new(), Vec::new());
    for text in texts {
        match text.0.parse::<JobId>() {
            Ok(job) if !known.contains(&job) => known.push(job),
            Ok(_) => {}
            Err(_) => missing.push(text.clone()),
        }
    }
    (known, missing)
}

fn absent(asked: &[JobId], found: impl Iterator<Item = JobId>) -> Vec<Text> {
    let found: Vec<JobId> = found.collect();
    asked.iter().filter(|job| !found.contains(job)).map(Text::of).collect()
}
