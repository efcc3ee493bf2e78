//! What happened to one job beside its own row: its call, its claims, its event, and where it stands while it waits.
//! For the page of its life.

use chrono::{DateTime, Utc};
use domain::event::{EventId, EventType};
use domain::ids::JobId;
use sqlx::PgConnection;

/// Jobs before one in its account's line that are counted.
const COUNTED: i64 = 1_000;

/// One claim of a job.
#[derive(Debug, Clone)]
pub struct ClaimRow {
    /// Its number.
    pub claim_no: i32,
    /// The worker that took it.
    pub worker: String,
    /// When.
    pub claimed_at: DateTime<Utc>,
    /// When it ended; none while it runs.
    pub ended_at: Option<DateTime<Utc>>,
    /// How: `succeeded`, `failed`, `lost`, `handed_back` or `cancelled`.
    pub outcome: Option<String>,
    /// Why it failed.
    pub error_code: Option<String>,
    /// The same in words.
    pub error_message: Option<String>,
}

/// The claims of a job, in order.
pub async fn claims_of(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Vec<ClaimRow>> {
    sqlx::query_as!(
        ClaimRow,
        "SELECT claim_no, worker, claimed_at, ended_at, outcome, error_code, error_message
         FROM job_claims WHERE job_id = $1 ORDER BY claim_no",
        job as _
    )
    .fetch_all(conn)
    .await
}

/// Where a job stands that has not ended, and what asked for it.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The tool of the call that started it.
    pub tool: Option<String>,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
    /// Whether it has one of its account's places.
    pub admitted: bool,
    /// When it may be claimed.
    pub due_at: DateTime<Utc>,
    /// Whether that is to come.
    pub is_delayed: bool,
    /// Jobs of its payer that wait for a place before it, up to 1,000.
    pub before: i64,
    /// Since when its read is paused.
    pub paused_at: Option<DateTime<Utc>>,
}

/// The standing of a job.
pub async fn standing(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Option<Standing>> {
    sqlx::query_as!(
        Standing,
        r#"SELECT c.tool AS "tool?", c.traceparent AS "traceparent?", j.admitted, j.due_at,
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

/// The trace that a job belongs to, if its call had one.
pub async fn traceparent(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Option<String>> {
    let found = sqlx::query_scalar!(
        "SELECT c.traceparent FROM jobs j JOIN calls c ON c.id = j.call_id WHERE j.id = $1",
        job as _
    );
    Ok(found.fetch_optional(conn).await?.flatten())
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
    /// Bytes of its body.
    pub bytes: i32,
}

/// The event of a job's end; none while it lives, and once it is no longer kept.
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
