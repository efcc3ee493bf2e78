//! Reads jobs as callers and events see them.

use super::search::is_among;
use chrono::{DateTime, Utc};
use domain::credits::Credits;
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::job::{Job, JobError, JobKind, JobStatus, MAX_ATTEMPTS, Waiting};
use domain::minutes::Minutes;
use domain::read::Read;
use serde_json::Value;
use sqlx::PgConnection;

/// Which jobs of a workspace to list.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Only in these statuses; empty means all.
    pub statuses: Vec<JobStatus>,
    /// Only of these kinds; empty means all.
    pub kinds: Vec<JobKind>,
    /// Only of this item.
    pub item: Option<ItemId>,
    /// Only created after this.
    pub created_after: Option<DateTime<Utc>>,
    /// Only jobs older than this one, which was the last of the previous page.
    pub before: Option<JobId>,
}

/// Returns these jobs in the order asked for; with `workspace`, only those that act in it.
pub async fn by_ids(conn: &mut PgConnection, jobs: &[JobId], workspace: Option<WorkspaceId>) -> sqlx::Result<Vec<Job>> {
    sqlx::query_file_as!(
        JobRow,
        "src/jobs/by_ids.sql",
        jobs as &[JobId],
        workspace.map(WorkspaceId::uuid) as Option<uuid::Uuid>
    )
    .fetch_all(conn)
    .await
    .map(|rows| rows.into_iter().map(Job::from).collect())
}

/// Returns a page of a workspace's jobs, newest first.
pub async fn page(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    filter: &JobFilter,
    limit: i64,
) -> sqlx::Result<Vec<Job>> {
    let statuses = JobStatus::ALL.into_iter().filter(|status| is_among(status, &filter.statuses));
    let statuses: Vec<String> = statuses.map(|status| status.name().to_owned()).collect();
    let kinds = JobKind::ALL.into_iter().filter(|kind| is_among(kind, &filter.kinds));
    let kinds: Vec<String> = kinds.map(|kind| kind.name().to_owned()).collect();
    let created_after = filter.created_after.unwrap_or(DateTime::UNIX_EPOCH);
    let before = filter.before.map_or(uuid::Uuid::max(), JobId::uuid);
    let workspace = workspace.uuid();
    let rows = match filter.item {
        None => {
            let page = sqlx::query_file_as!(
                JobRow,
                "src/jobs/page.sql",
                workspace,
                &kinds,
                &statuses,
                created_after,
                before,
                limit
            );
            page.fetch_all(conn).await?
        }
        Some(item) => {
            let page = sqlx::query_file_as!(
                JobRow,
                "src/jobs/page_of_item.sql",
                workspace,
                &kinds,
                &statuses,
                created_after,
                before,
                limit,
                item.uuid()
            );
            page.fetch_all(conn).await?
        }
    };
    Ok(rows.into_iter().map(Job::from).collect())
}

/// A queued job, and what its waiting depends on.
#[derive(Debug, Clone)]
pub struct Queued {
    /// The job.
    pub job: JobId,
    /// The account that pays.
    pub payer: AccountId,
    /// What its waiting depends on.
    pub waiting: Waiting,
}

/// Returns those of these jobs that are queued, each with what its waiting depends on.
pub async fn queued(conn: &mut PgConnection, jobs: &[JobId]) -> sqlx::Result<Vec<Queued>> {
    let rows = sqlx::query!(
        r#"WITH tasks AS MATERIALIZED (
               SELECT DISTINCT unnest(reads) AS task FROM workers
               WHERE service = 'worker' AND beat_at > mws_now() - interval '30 seconds'
           )
           SELECT j.id AS "job!: JobId", j.payer_account_id AS "payer!: AccountId", j.admitted AS "has_place!",
               CASE WHEN j.due_at > mws_now() THEN j.due_at END AS due_at,
               EXISTS (SELECT FROM read_kinds k WHERE k.read = j.read AND k.paused_at IS NOT NULL) AS "is_paused!",
               EXISTS (SELECT FROM tasks WHERE task = coalesce(j.read, j.kind)) AS "can_run!",
               c.outcome AS "outcome?", c.error_code AS "error_code?"
           FROM unnest($1::uuid[]) AS asked (id)
           JOIN jobs j ON j.id = asked.id AND j.status = 'queued'
           LEFT JOIN LATERAL (
               SELECT outcome, error_code FROM job_claims WHERE job_id = j.id AND claim_no = j.claim_no LIMIT 1
           ) AS c ON true"#,
        jobs as &[JobId]
    )
    .fetch_all(conn)
    .await?;
    let queued = rows.into_iter().map(|row| Queued {
        job: row.job,
        payer: row.payer,
        waiting: Waiting {
            is_paused: row.is_paused,
            due_at: row.due_at,
            has_place: row.has_place,
            can_run: row.can_run,
            outcome: row.outcome,
            error_code: row.error_code,
        },
    });
    Ok(queued.collect())
}

/// Returns the given jobs of the workspace that have not ended.
pub async fn live(conn: &mut PgConnection, jobs: &[JobId], workspace: WorkspaceId) -> sqlx::Result<Vec<JobId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: JobId" FROM jobs
           WHERE id = ANY ($1) AND workspace_id = $2 AND status IN ('queued', 'running')"#,
        jobs as &[JobId],
        workspace.uuid()
    )
    .fetch_all(conn)
    .await
}

/// The columns that make a `Job`.
pub(super) struct JobRow {
    pub id: JobId,
    pub workspace_id: WorkspaceId,
    pub kind: JobKind,
    pub read: Option<Read>,
    pub item_id: Option<ItemId>,
    pub item_ref: Option<String>,
    pub status: JobStatus,
    pub progress: i16,
    pub failures: i16,
    pub losses: i16,
    pub cancel_requested: bool,
    pub held: i64,
    pub charged: Option<i64>,
    pub held_credits: i64,
    pub charged_credits: Option<i64>,
    pub result: Option<Value>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    pub error_retryable: Option<bool>,
    pub context: Option<String>,
    pub request_id: Option<String>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

impl From<JobRow> for Job {
    fn from(row: JobRow) -> Self {
        let runs = matches!(row.status, JobStatus::Running | JobStatus::Succeeded);
        Self {
            id: row.id,
            workspace_id: row.workspace_id,
            kind: row.kind,
            read: row.read,
            item_id: row.item_id,
            item_ref: row.item_ref,
            status: row.status,
            progress: row.progress,
            attempt: row.failures + row.losses + i16::from(runs),
            max_attempts: MAX_ATTEMPTS,
            cancel_requested: row.cancel_requested,
            waits: None,
            estimated_minutes: Minutes::from_hundredths(row.held),
            cloud_minutes: row.charged.map(Minutes::from_hundredths),
            estimated_credits: Credits::from_hundredths(row.held_credits),
            credits: row.charged.map(|_| Credits::from_hundredths(row.charged_credits.unwrap_or(0))),
            result: row.result,
            error: row.error_code.map(|code| JobError {
                code,
                message: row.error_message.unwrap_or_default(),
                retryable: row.error_retryable.unwrap_or_default(),
            }),
            context: row.context,
            request_id: row.request_id,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
        }
    }
}
