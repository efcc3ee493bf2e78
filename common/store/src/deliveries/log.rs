//! The delivery log: a series as it is shown (contract §6.1.11). `search` finds which of them are on a page, and `sent`
//! has their attempts.

use chrono::{DateTime, Utc};
use domain::event::EventType;
use domain::ids::{AccountId, DeliveryId, EndpointId, JobId, WorkspaceId};
use domain::series::{DeliveryStatus, Trigger};
use sqlx::PgConnection;

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
