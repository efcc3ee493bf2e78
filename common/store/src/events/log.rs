//! Recorded events as they are looked up: one by its id, and an account's, newest first.

use crate::{Seen, WINDOW};
use chrono::{DateTime, Utc};
use domain::event::{EventId, EventType};
use domain::ids::{AccountId, DeliveryId, JobId};
use sqlx::PgConnection;
use uuid::Uuid;

/// An event by its id: the account's own, or another's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundEvent {
    /// The account's own: the bytes that endpoints are sent.
    Own(String),
    /// It belongs to another account.
    Foreign,
}

/// Returns the event with this id; none when there is no such event.
pub async fn find(conn: &mut PgConnection, account: AccountId, id: &EventId) -> sqlx::Result<Option<FoundEvent>> {
    let row = sqlx::query!(
        r#"SELECT account_id = $2 AS "own!", CASE WHEN account_id = $2 THEN body END AS body FROM events WHERE id = $1"#,
        id.as_str(),
        account as _
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.body.filter(|_| row.own).map_or(FoundEvent::Foreign, FoundEvent::Own)))
}

/// Which of an account's events are listed; a field that is none does not restrict the list.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Those of this type.
    pub event_type: Option<EventType>,
    /// Those recorded at or after this.
    pub since: Option<DateTime<Utc>>,
    /// Those older than the event at this place.
    pub before: Option<Uuid>,
}

/// An event and its place.
#[derive(Debug, Clone)]
pub struct EventRow {
    /// Its place in the order of the account's events.
    pub cursor_id: Uuid,
    /// The bytes that endpoints are sent.
    pub body: String,
}

struct Scanned {
    seq: Option<i64>,
    body: Option<String>,
    edge: Option<i64>,
}

/// Returns up to `limit` job events of the account, newest first, out of the window that follows `before`.
pub async fn page(
    conn: &mut PgConnection,
    account: AccountId,
    filter: &EventFilter,
    limit: i64,
) -> sqlx::Result<Seen<EventRow>> {
    let before = filter.before.map_or(i64::MAX, |cursor| i64::try_from(cursor.as_u128()).unwrap_or(i64::MAX));
    let types = EventType::SUBSCRIBABLE.into_iter().filter(|one| filter.event_type.is_none_or(|asked| asked == *one));
    // Each type is an index range of its own, all rows of which are shown.
    let window = if filter.since.is_none() { limit } else { WINDOW };
    let rows = sqlx::query_file_as!(
        Scanned,
        "src/events_page.sql",
        account as _,
        before,
        window,
        &types.map(|one| one.name().to_owned()).collect::<Vec<_>>(),
        filter.since,
        limit
    )
    .fetch_all(conn)
    .await?;
    let last_seen = rows.first().and_then(|row| row.edge);
    // Rows beyond the edge belong to the next page.
    let shown = rows.into_iter().filter(|row| last_seen.is_none_or(|last| row.seq >= Some(last)));
    let rows = shown.filter_map(|row| Some(EventRow { cursor_id: cursor_id(row.seq?), body: row.body? })).collect();
    Ok(Seen { rows, last_seen: last_seen.map(cursor_id) })
}

/// Returns an event's number as the id that a list's cursor holds.
fn cursor_id(seq: i64) -> Uuid {
    Uuid::from_u128(u128::try_from(seq).unwrap_or_default())
}

/// What an event is about, for operators: its job, or its delivery when it is a ping.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The job; none for a ping.
    pub job_id: Option<JobId>,
    /// One of its deliveries; none when it has none.
    pub delivery_id: Option<DeliveryId>,
}

/// Returns what an event is about; none when there is no such event.
pub async fn about(conn: &mut PgConnection, id: &EventId) -> sqlx::Result<Option<About>> {
    sqlx::query_as!(
        About,
        r#"SELECT job_id AS "job_id: JobId",
               (SELECT d.id FROM deliveries AS d WHERE d.event_id = e.id LIMIT 1) AS "delivery_id: DeliveryId"
           FROM events AS e WHERE e.id = $1"#,
        id.as_str()
    )
    .fetch_optional(conn)
    .await
}
