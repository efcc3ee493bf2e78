//! The history of one job beside its own row: its call, its claims, its event, and its place while it waits. For the
//! page that shows a job's life.

use super::search::FoundJob;
use chrono::{DateTime, Utc};
use domain::event::{EventId, EventType};
use domain::ids::{AccountId, JobId};
use sqlx::PgConnection;

/// The most jobs that are told of as runs of another one.
const MOST_RERUNS: i64 = 20;
/// The most claims of a job that are told of, beside the first one. A job that nothing can run now is claimed and put
/// back each half minute.
const MOST_CLAIMS: i64 = 200;
/// How many jobs ahead of one in its account's line are counted at most.
const COUNTED: i64 = 1_000;

/// One claim of a job.
#[derive(Debug, Clone)]
pub struct ClaimRow {
    /// Its number.
    pub claim_no: i32,
    /// The worker that took it.
    pub worker: String,
    /// When it took the job.
    pub claimed_at: DateTime<Utc>,
    /// When it ended; none while it runs.
    pub ended_at: Option<DateTime<Utc>>,
    /// Its outcome: `succeeded`, `failed`, `lost`, `handed_back` or `cancelled`; none while it runs.
    pub outcome: Option<String>,
    /// The code of the error; none without an error.
    pub error_code: Option<String>,
    /// The message of the error.
    pub error_message: Option<String>,
}

/// Returns the claims of a job, in order: the first one, and of the others the newest `MOST_CLAIMS`. They are counted
/// without a gap, so that their numbers tell how many are left out.
pub async fn claims_of(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Vec<ClaimRow>> {
    sqlx::query_as!(
        ClaimRow,
        "SELECT claim_no, worker, claimed_at, ended_at, outcome, error_code, error_message
         FROM job_claims
         WHERE job_id = $1 AND claim_no = ANY (ARRAY(
             (SELECT claim_no FROM job_claims WHERE job_id = $1 ORDER BY claim_no LIMIT 1)
             UNION
             (SELECT claim_no FROM job_claims WHERE job_id = $1 ORDER BY claim_no DESC LIMIT $2)))
         ORDER BY claim_no",
        job as _,
        MOST_CLAIMS
    )
    .fetch_all(conn)
    .await
}

/// The state of a job that has not ended, and the call that started it.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The tool of the call that started it; none when the call is no longer stored.
    pub tool: Option<String>,
    /// The trace that it belongs to; none when there is none.
    pub traceparent: Option<String>,
    /// The job that an operator ran again by that call; none when it is somebody's own.
    pub rerun_of: Option<JobId>,
    /// Whether it has one of its account's places.
    pub admitted: bool,
    /// When it may be claimed at the earliest.
    pub due_at: DateTime<Utc>,
    /// Whether that time is still to come.
    pub is_delayed: bool,
    /// How many jobs of its payer wait for a place ahead of it, at most 1,000.
    pub before: i64,
    /// When its read was paused; none when it is not.
    pub paused_at: Option<DateTime<Utc>>,
}

/// Returns the standing of a job; none when there is no such job.
pub async fn standing(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Option<Standing>> {
    sqlx::query_as!(
        Standing,
        r#"SELECT c.tool AS "tool?", c.traceparent AS "traceparent?",
               c.rerun_of AS "rerun_of?: JobId", j.admitted, j.due_at,
               j.due_at > mws_now() AS "is_delayed!", k.paused_at AS "paused_at?",
               (SELECT count(*) FROM (
                   SELECT FROM jobs o WHERE o.payer_account_id = j.payer_account_id AND NOT o.admitted
                       AND o.finished_at IS NULL AND o.seq < j.seq LIMIT $2
               ) AS line) AS "before!"
           FROM jobs j LEFT JOIN calls c ON c.id = j.call_id LEFT JOIN read_kinds k ON k.read = j.read
           WHERE j.id = $1"#,
        job as _,
        COUNTED
    )
    .fetch_optional(conn)
    .await
}

/// Returns the newest twenty jobs that operators started by running this one again.
pub async fn reruns(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Vec<JobId>> {
    sqlx::query_scalar!(
        r#"SELECT j.id AS "id: JobId" FROM calls c JOIN jobs j ON j.call_id = c.id
           WHERE c.rerun_of = $1 ORDER BY j.id DESC LIMIT $2"#,
        job as _,
        MOST_RERUNS
    )
    .fetch_all(conn)
    .await
}

/// Returns the trace that a job belongs to; none when its call had none.
pub async fn traceparent(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Option<String>> {
    let found = sqlx::query_scalar!(
        "SELECT c.traceparent FROM jobs j JOIN calls c ON c.id = j.call_id WHERE j.id = $1",
        job as _
    );
    Ok(found.fetch_optional(conn).await?.flatten())
}

/// Returns up to `limit` jobs that were started within the trace with this id (32 hexadecimal digits in lower case),
/// after `last`: those of the newest call first, and of a call the newest. Whoever sends a trace's id chooses it, so
/// that a trace may have any number of jobs.
///
/// A call has a job at least, until both are deleted for their age. So as many calls as jobs are needed, and one more:
/// of the call of `last` there may be none left to show.
pub async fn of_trace(
    conn: &mut PgConnection,
    trace: &str,
    last: Option<JobId>,
    limit: i64,
) -> sqlx::Result<Vec<FoundJob>> {
    sqlx::query_as!(
        FoundJob,
        r#"WITH edge AS MATERIALIZED (
               SELECT call_id FROM jobs WHERE id = $2
           ), newest AS MATERIALIZED (
               SELECT id FROM calls
               WHERE traceparent IS NOT NULL AND substr(traceparent, 4, 32) = $1
                   AND id <= CASE WHEN $2::uuid IS NULL THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
                       ELSE (SELECT call_id FROM edge) END
               ORDER BY id DESC LIMIT $3::bigint + 1
           )
           SELECT j.id AS "job: JobId", j.payer_account_id AS "payer: AccountId", j.owner_account_id AS "owner: AccountId"
           FROM newest JOIN jobs AS j ON j.call_id = newest.id
           WHERE $2::uuid IS NULL OR j.id < $2 OR newest.id <> (SELECT call_id FROM edge)
           ORDER BY newest.id DESC, j.id DESC LIMIT $3"#,
        trace,
        last as _,
        limit
    )
    .fetch_all(conn)
    .await
}

/// The event of a job's end.
#[derive(Debug, Clone)]
pub struct EndEvent {
    /// Its id.
    pub id: String,
    /// Its type.
    pub event_type: EventType,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The size of its body in bytes.
    pub bytes: i32,
}

/// Returns the event of a job's end; none while the job is live, and once the event is deleted.
pub async fn event_of(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Option<EndEvent>> {
    sqlx::query_as!(
        EndEvent,
        r#"SELECT id, type AS "event_type: EventType", created_at, octet_length(body) AS "bytes!"
           FROM events WHERE id = ANY ($1) LIMIT 1"#,
        &EventType::SUBSCRIBABLE.map(|ended| EventId::of_job(job, ended).to_string())
    )
    .fetch_optional(conn)
    .await
}
