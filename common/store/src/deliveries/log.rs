//! The delivery log: a series as it is shown, its attempts, and those worth sending again (contract §6.1.11). Which of
//! them a page shows is found by `search`.

use chrono::{DateTime, Utc};
use domain::attempt_headers::{self, Told};
use domain::event::EventType;
use domain::ids::{AccountId, DeliveryId, EndpointId, JobId, WorkspaceId};
use domain::series::{DeliveryStatus, Trigger};
use sqlx::PgConnection;

/// A series as the log shows it (contract §6.3).
#[derive(Debug, Clone)]
pub struct DeliveryRow {
    /// Which.
    pub id: DeliveryId,
    /// Where it goes.
    pub endpoint_id: EndpointId,
    /// The endpoint's account.
    pub account_id: AccountId,
    /// The workspace of the job; none for a ping.
    pub workspace_id: Option<WorkspaceId>,
    /// What it tells of.
    pub event_id: String,
    /// The event's type.
    pub event_type: EventType,
    /// The job; none for a ping.
    pub job_id: Option<JobId>,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// Why it is sent.
    pub trigger: Trigger,
    /// The series that it repeats.
    pub resend_of: Option<DeliveryId>,
    /// The attempt that runs or ran last.
    pub attempt_count: i16,
    /// When the next attempt is due; none while one runs and once the series has ended.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// The status of the last answer.
    pub response_status: Option<i16>,
    /// What was wrong with the last attempt, in a word of `domain::attempt`.
    pub error: Option<String>,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Which deliveries of an endpoint are listed. What is none passes everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    /// In this state.
    pub status: Option<DeliveryStatus>,
    /// Of this type.
    pub event_type: Option<EventType>,
    /// Last answered with this status.
    pub http_status: Option<i16>,
    /// Begun at or after.
    pub since: Option<DateTime<Utc>>,
    /// Begun before.
    pub until: Option<DateTime<Utc>>,
}

/// These deliveries, of any endpoint or of this one, newest first.
pub async fn by_ids(
    conn: &mut PgConnection,
    ids: &[DeliveryId],
    endpoint: Option<EndpointId>,
) -> sqlx::Result<Vec<DeliveryRow>> {
    sqlx::query_file_as!(DeliveryRow, "src/deliveries/by_ids.sql", ids as &[DeliveryId], endpoint as _)
        .fetch_all(conn)
        .await
}

/// Other deliveries of the same event to the same endpoint: what repeats this one, and what it repeats. Newest first,
/// up to a hundred.
pub async fn repeats(conn: &mut PgConnection, of: &DeliveryRow) -> sqlx::Result<Vec<DeliveryId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: DeliveryId" FROM deliveries
           WHERE event_id = $1 AND endpoint_id = $2 AND id <> $3 ORDER BY id DESC LIMIT 100"#,
        of.event_id,
        of.endpoint_id as _,
        of.id as _
    )
    .fetch_all(conn)
    .await
}

/// An attempt as the log shows it.
#[derive(Debug, Clone)]
pub struct AttemptRow {
    /// The series.
    pub delivery_id: DeliveryId,
    /// Its number; an interrupted attempt has the number of the one that took its place.
    pub attempt: i16,
    /// When it began.
    pub at: DateTime<Utc>,
    /// How long it took, in milliseconds.
    pub duration_ms: i32,
    /// The answer's status.
    pub response_status: Option<i16>,
    /// What was wrong, in a word of `domain::attempt`.
    pub error: Option<String>,
    /// The start of the answer's body, at most 1 KiB.
    pub response_excerpt: Option<String>,
}

/// The attempts of these deliveries, the deliveries in any order, each one's attempts in the order they were made.
pub async fn attempts_of(conn: &mut PgConnection, ids: &[DeliveryId]) -> sqlx::Result<Vec<AttemptRow>> {
    sqlx::query_as!(
        AttemptRow,
        r#"SELECT delivery_id AS "delivery_id: DeliveryId", attempt, at, duration_ms, response_status, error,
               response_excerpt
           FROM delivery_attempts WHERE delivery_id = ANY ($1) ORDER BY delivery_id, claim_no"#,
        ids as _
    )
    .fetch_all(conn)
    .await
}

/// An attempt with what was sent.
#[derive(Debug, Clone)]
pub struct SentRow {
    /// What came of it.
    pub attempt: AttemptRow,
    /// The host that it went to; none when nothing is known to have been sent.
    pub url_host: Option<String>,
    /// The path there, without the query string.
    pub url_path: Option<String>,
    /// The headers as they were sent, as a JSON object.
    pub request_headers: Option<serde_json::Value>,
}

/// The attempts of this delivery with what was sent, in the order they were made.
pub async fn sent_of(conn: &mut PgConnection, id: DeliveryId) -> sqlx::Result<Vec<SentRow>> {
    let rows = sqlx::query!(
        r#"SELECT a.attempt, a.at, a.duration_ms, a.response_status, a.error, a.response_excerpt, a.url_host,
               a.url_path, a.request_headers, d.event_id, d.event_type
           FROM delivery_attempts AS a
           JOIN deliveries AS d ON d.id = a.delivery_id
           WHERE a.delivery_id = $1
           ORDER BY a.claim_no"#,
        id as _
    )
    .fetch_all(conn)
    .await?;
    let sent = rows.into_iter().map(|row| SentRow {
        attempt: AttemptRow {
            delivery_id: id,
            attempt: row.attempt,
            at: row.at,
            duration_ms: row.duration_ms,
            response_status: row.response_status,
            error: row.error,
            response_excerpt: row.response_excerpt,
        },
        url_host: row.url_host,
        url_path: row.url_path,
        request_headers: row.request_headers.map(|kept| {
            let told = Told { event_type: &row.event_type, event_id: &row.event_id, attempt: row.attempt };
            attempt_headers::shown(kept, told)
        }),
    });
    Ok(sent.collect())
}

/// The bytes that every attempt of this delivery sends; none once they are no longer kept.
pub async fn body_of(conn: &mut PgConnection, id: DeliveryId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        "SELECT e.body FROM deliveries AS d JOIN events AS e ON e.id = d.event_id WHERE d.id = $1",
        id as _
    )
    .fetch_optional(conn)
    .await
}

/// A series that ended without success, and what a resend of it needs.
#[derive(Debug, Clone)]
pub struct Unsent {
    /// Which.
    pub id: DeliveryId,
    /// The workspace of the job.
    pub workspace_id: Option<WorkspaceId>,
    /// What it tells of.
    pub event_id: String,
    /// The event's type.
    pub event_type: EventType,
    /// The job.
    pub job_id: Option<JobId>,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
}

/// Which of an endpoint's unsent events. What is none passes everything.
#[derive(Debug, Clone)]
pub struct UnsentFilter {
    /// Whose series began at or after.
    pub since: DateTime<Utc>,
    /// And before.
    pub until: Option<DateTime<Utc>>,
    /// That failed, or were skipped.
    pub status: Option<DeliveryStatus>,
    /// Of this type.
    pub event_type: Option<EventType>,
    /// Last answered with this status.
    pub http_status: Option<i16>,
    /// Whose last attempt came to this.
    pub error: Option<String>,
}

impl UnsentFilter {
    /// All since then.
    pub const fn since(since: DateTime<Utc>) -> Self {
        Self { since, until: None, status: None, event_type: None, http_status: None, error: None }
    }
}

/// Up to `limit` events, the oldest first, whose last series to this endpoint has failed or was skipped. An event that
/// has been resent since, and is pending or has arrived, is not among them.
pub async fn unsent(
    conn: &mut PgConnection,
    endpoint: EndpointId,
    filter: &UnsentFilter,
    limit: i64,
) -> sqlx::Result<Vec<Unsent>> {
    sqlx::query_as!(
        Unsent,
        r#"SELECT d.id AS "id: DeliveryId", d.workspace_id AS "workspace_id: WorkspaceId", d.event_id,
               d.event_type AS "event_type: EventType", d.job_id AS "job_id: JobId", d.traceparent
           FROM deliveries AS d
           WHERE d.endpoint_id = $1 AND d.status IN ('failed', 'skipped') AND d.created_at >= $2
               AND d.trigger <> 'test'
               AND ($4::timestamptz IS NULL OR d.created_at < $4)
               AND ($5::text IS NULL OR d.status = $5)
               AND ($6::text IS NULL OR d.event_type = $6)
               AND ($7::smallint IS NULL OR d.response_status = $7)
               AND ($8::text IS NULL OR d.error = $8)
               AND NOT EXISTS (
                   SELECT 1 FROM deliveries AS later
                   WHERE later.event_id = d.event_id AND later.endpoint_id = $1 AND later.id <> d.id
                       AND (later.status IN ('pending', 'succeeded') OR later.id > d.id))
           ORDER BY d.id
           LIMIT $3"#,
        endpoint as _,
        filter.since,
        limit,
        filter.until,
        filter.status.map(DeliveryStatus::name),
        filter.event_type.map(EventType::name),
        filter.http_status,
        filter.error
    )
    .fetch_all(conn)
    .await
}
