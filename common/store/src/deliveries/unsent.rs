//! The events that are worth resending: those whose last series to an endpoint failed or was skipped. Which series
//! another one stands for is said once, by `mws_stands_for`.

use chrono::{DateTime, Utc};
use domain::event::EventType;
use domain::ids::{DeliveryId, EndpointId, JobId, WorkspaceId};
use domain::series::DeliveryStatus;
use sqlx::PgConnection;
use uuid::Uuid;

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
                   WHERE later.event_id = d.event_id AND later.endpoint_id = $1
                       AND mws_stands_for(later.status, later.id, d.id))
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
               WHERE later.event_id = d.event_id AND later.endpoint_id = $1
                   AND mws_stands_for(later.status, later.id, d.id))
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
                   WHERE later.event_id = d.event_id AND later.endpoint_id = $1
                       AND mws_stands_for(later.status, later.id, d.id))
           ORDER BY d.id"#,
        endpoint as _,
        found as &[DeliveryId]
    )
    .fetch_all(conn)
    .await
}
