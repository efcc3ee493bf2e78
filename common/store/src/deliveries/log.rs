//! The delivery log: a series as it is shown, its attempts, and the events that are worth resending (contract §6.1.11).
//! `search` finds which of them are on a page.

use chrono::{DateTime, Utc};
use domain::attempt_headers::{self, HeaderValues};
use domain::event::EventType;
use domain::ids::{AccountId, DeliveryId, EndpointId, JobId, WorkspaceId};
use domain::series::{DeliveryStatus, Trigger};
use sqlx::PgConnection;
use uuid::Uuid;

/// A series as the log shows it (contract §6.3).
#[derive(Debug, Clone)]
pub struct DeliveryRow {
    /// Its id.
    pub id: DeliveryId,
    /// The endpoint that it goes to.
    pub endpoint_id: EndpointId,
    /// The endpoint's account.
    pub account_id: AccountId,
    /// The workspace of the job; none for a ping.
    pub workspace_id: Option<WorkspaceId>,
    /// The id of the event that it delivers.
    pub event_id: String,
    /// The event's type.
    pub event_type: EventType,
    /// The job; none for a ping.
    pub job_id: Option<JobId>,
    /// Its state.
    pub status: DeliveryStatus,
    /// Why it is sent.
    pub trigger: Trigger,
    /// The series that it repeats; none for one that is no resend.
    pub resend_of: Option<DeliveryId>,
    /// The number of the attempt that runs or ran last; 0 before the first.
    pub attempt_count: i16,
    /// When the next attempt is due; none while one runs and once the series has ended.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// The HTTP status of the last response.
    pub response_status: Option<i16>,
    /// Why the last attempt failed, by its name in `domain::attempt`; none when it did not.
    pub error: Option<String>,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it ended; none while it goes on.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Which deliveries of an endpoint are listed; a field that is none does not restrict the list.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeliveryFilter {
    /// Those in this state.
    pub status: Option<DeliveryStatus>,
    /// Those of events of this type.
    pub event_type: Option<EventType>,
    /// Those whose last response had this HTTP status.
    pub http_status: Option<i16>,
    /// Those begun at or after this.
    pub since: Option<DateTime<Utc>>,
    /// Those begun before this.
    pub until: Option<DateTime<Utc>>,
}

/// Returns the deliveries with these ids, of any endpoint or of this one alone, newest first.
pub async fn by_ids(
    conn: &mut PgConnection,
    ids: &[DeliveryId],
    endpoint: Option<EndpointId>,
) -> sqlx::Result<Vec<DeliveryRow>> {
    sqlx::query_file_as!(DeliveryRow, "src/deliveries/by_ids.sql", ids as &[DeliveryId], endpoint as _)
        .fetch_all(conn)
        .await
}

/// Returns other deliveries of the same event to the same endpoint: its resends, and what it resends itself. Newest
/// first, at most 100.
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
    /// The delivery that it belongs to.
    pub delivery_id: DeliveryId,
    /// Its number; an interrupted attempt has the number of the one that took its place.
    pub attempt: i16,
    /// When it began.
    pub at: DateTime<Utc>,
    /// How long it took, in milliseconds.
    pub duration_ms: i32,
    /// The response's HTTP status; none without a response.
    pub response_status: Option<i16>,
    /// Why it failed, by its name in `domain::attempt`; none on success.
    pub error: Option<String>,
    /// The start of the response's body, at most 1 KiB.
    pub response_excerpt: Option<String>,
    /// Milliseconds of the name's lookup, of TCP's connect and of TLS, as `domain::attempt::AttemptTimes` has them.
    pub dns_ms: Option<i32>,
    /// See `dns_ms`.
    pub connect_ms: Option<i32>,
    /// See `dns_ms`.
    pub tls_ms: Option<i32>,
    /// Milliseconds until the headers of the response came; none without a response.
    pub first_byte_ms: Option<i32>,
    /// By how many seconds the receiver's clock was ahead of ours; none without a response that has a date.
    pub clock_ahead_seconds: Option<i32>,
}

/// Returns the attempts of these deliveries: deliveries in any order, the attempts of each in the order in which they
/// were made.
pub async fn attempts_of(conn: &mut PgConnection, ids: &[DeliveryId]) -> sqlx::Result<Vec<AttemptRow>> {
    sqlx::query_as!(
        AttemptRow,
        r#"SELECT delivery_id AS "delivery_id: DeliveryId", attempt, at, duration_ms, response_status, error,
               response_excerpt, dns_ms, connect_ms, tls_ms, first_byte_ms, clock_ahead_seconds
           FROM delivery_attempts WHERE delivery_id = ANY ($1) ORDER BY delivery_id, claim_no"#,
        ids as _
    )
    .fetch_all(conn)
    .await
}

/// An attempt and the request that it sent.
#[derive(Debug, Clone)]
pub struct SentRow {
    /// The attempt.
    pub attempt: AttemptRow,
    /// The host that it went to, with the port unless that is the scheme's; none when nothing is known to have been
    /// sent.
    pub url_host: Option<String>,
    /// The path there, without the query string.
    pub url_path: Option<String>,
    /// The headers as they were sent, as a JSON object.
    pub request_headers: Option<serde_json::Value>,
}

/// Returns the attempts of this delivery and their requests, in the order in which they were made.
pub async fn sent_of(conn: &mut PgConnection, id: DeliveryId) -> sqlx::Result<Vec<SentRow>> {
    let rows = sqlx::query!(
        r#"SELECT a.attempt, a.at, a.duration_ms, a.response_status, a.error, a.response_excerpt, a.url_host,
               a.url_path, a.request_headers, a.dns_ms, a.connect_ms, a.tls_ms, a.first_byte_ms,
               a.clock_ahead_seconds, d.event_id, d.event_type
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
            dns_ms: row.dns_ms,
            connect_ms: row.connect_ms,
            tls_ms: row.tls_ms,
            first_byte_ms: row.first_byte_ms,
            clock_ahead_seconds: row.clock_ahead_seconds,
        },
        url_host: row.url_host,
        url_path: row.url_path,
        request_headers: row.request_headers.map(|kept| {
            let values = HeaderValues { event_type: &row.event_type, event_id: &row.event_id, attempt: row.attempt };
            attempt_headers::as_sent(kept, values)
        }),
    });
    Ok(sent.collect())
}

/// Returns the bytes that every attempt of this delivery sends; none once the event is deleted.
pub async fn body_of(conn: &mut PgConnection, id: DeliveryId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        "SELECT e.body FROM deliveries AS d JOIN events AS e ON e.id = d.event_id WHERE d.id = $1",
        id as _
    )
    .fetch_optional(conn)
    .await
}

/// A series that ended without success, with what a resend of it needs.
#[derive(Debug, Clone)]
pub struct Unsent {
    /// Its id.
    pub id: DeliveryId,
    /// The workspace of the job.
    pub workspace_id: Option<WorkspaceId>,
    /// The event's id.
    pub event_id: String,
    /// The event's type.
    pub event_type: EventType,
    /// The job that the event is about.
    pub job_id: Option<JobId>,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
}

/// Which unsent events of an endpoint are meant; a field that is none does not restrict them.
#[derive(Debug, Clone)]
pub struct UnsentFilter {
    /// Those whose series began at or after this.
    pub since: DateTime<Utc>,
    /// Those whose series began before this.
    pub until: Option<DateTime<Utc>>,
    /// Those that failed, or those that were skipped.
    pub status: Option<DeliveryStatus>,
    /// Those of this type.
    pub event_type: Option<EventType>,
    /// Those whose last response had this HTTP status.
    pub http_status: Option<i16>,
    /// Those whose last attempt failed for this reason, by its name in `domain::attempt`.
    pub error: Option<String>,
}

impl UnsentFilter {
    /// A filter for all unsent events whose series began at or after `since`.
    pub const fn since(since: DateTime<Utc>) -> Self {
        Self { since, until: None, status: None, event_type: None, http_status: None, error: None }
    }
}

/// Returns up to `limit` events, the oldest first, whose last series to this endpoint failed or was skipped. An event
/// that was resent, and whose resend is pending or has succeeded, is not among them.
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

/// Returns the next deliveries of an endpoint that failed or were skipped, after this one, the oldest first: at most
/// `most`, whether they were sent again or not.
pub async fn not_arrived(
    conn: &mut PgConnection,
    endpoint: EndpointId,
    after: Option<DeliveryId>,
    most: i64,
) -> sqlx::Result<Vec<DeliveryId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: DeliveryId" FROM deliveries
           WHERE endpoint_id = $1 AND status IN ('failed', 'skipped') AND id > $2
           ORDER BY id LIMIT $3"#,
        endpoint as _,
        after.map_or(Uuid::nil(), DeliveryId::uuid),
        most
    )
    .fetch_all(conn)
    .await
}

/// Returns those of these deliveries that [`unsent`] would return for all of the endpoint, the oldest first. Of several
/// of one event the last alone can be one, and alone is judged.
pub async fn unsent_among(
    conn: &mut PgConnection,
    endpoint: EndpointId,
    looked_at: &[DeliveryId],
    filter: &UnsentFilter,
) -> sqlx::Result<Vec<Unsent>> {
    sqlx::query_as!(
        Unsent,
        r#"WITH last AS MATERIALIZED (
               SELECT DISTINCT ON (event_id) id, workspace_id, event_id, event_type, job_id, traceparent
               FROM deliveries
               WHERE id = ANY ($2) AND status IN ('failed', 'skipped') AND created_at >= $3 AND trigger <> 'test'
                   AND ($4::timestamptz IS NULL OR created_at < $4)
                   AND ($5::text IS NULL OR status = $5)
                   AND ($6::text IS NULL OR event_type = $6)
                   AND ($7::smallint IS NULL OR response_status = $7)
                   AND ($8::text IS NULL OR error = $8)
               ORDER BY event_id, id DESC)
           SELECT d.id AS "id!: DeliveryId", d.workspace_id AS "workspace_id?: WorkspaceId", d.event_id AS "event_id!",
               d.event_type AS "event_type!: EventType", d.job_id AS "job_id?: JobId", d.traceparent AS "traceparent?"
           FROM last AS d
           WHERE NOT EXISTS (
               SELECT 1 FROM deliveries AS later
               WHERE later.event_id = d.event_id AND later.endpoint_id = $1 AND later.id <> d.id
                   AND (later.status IN ('pending', 'succeeded') OR later.id > d.id))
           ORDER BY d.id"#,
        endpoint as _,
        looked_at as &[DeliveryId],
        filter.since,
        filter.until,
        filter.status.map(DeliveryStatus::name),
        filter.event_type.map(EventType::name),
        filter.http_status,
        filter.error
    )
    .fetch_all(conn)
    .await
}

/// Returns those of these deliveries that [`unsent`] would still return, the oldest first: for a transaction that has
/// locked the endpoint, so that none of them is sent again by two calls. What was asked of them before is not asked
/// again.
pub async fn still_unsent(
    conn: &mut PgConnection,
    endpoint: EndpointId,
    found: &[DeliveryId],
) -> sqlx::Result<Vec<Unsent>> {
    sqlx::query_as!(
        Unsent,
        r#"SELECT d.id AS "id: DeliveryId", d.workspace_id AS "workspace_id: WorkspaceId", d.event_id,
               d.event_type AS "event_type: EventType", d.job_id AS "job_id: JobId", d.traceparent
           FROM deliveries AS d
           WHERE d.id = ANY ($2) AND d.status IN ('failed', 'skipped')
               AND NOT EXISTS (
                   SELECT 1 FROM deliveries AS later
                   WHERE later.event_id = d.event_id AND later.endpoint_id = $1 AND later.id <> d.id
                       AND (later.status IN ('pending', 'succeeded') OR later.id > d.id))
           ORDER BY d.id"#,
        endpoint as _,
        found as &[DeliveryId]
    )
    .fetch_all(conn)
    .await
}
