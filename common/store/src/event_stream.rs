//! Reads an account's events in an order without gaps (contract §6.4).
//!
//! A cursor is an event's number and the time at which it was read. The number gives the order; `domain::horizon` knows
//! up to which number all events are visible. The time proves that the cursor belongs to this database's past: events
//! at or before it were created no later. After a restore of an older state, or a failover that lost some events,
//! numbers are given out again, and that is no longer true. It depends on no cluster, nor on another account. Nothing
//! here writes.

use domain::event::EventType;
use domain::horizon::LONGEST_TRANSACTION;
use domain::ids::AccountId;
use sqlx::PgConnection;
use std::fmt;
use std::str::FromStr;

/// A place among an account's events: the client has seen everything up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    seq: i64,
    /// Microseconds since 1970.
    read_at: i64,
}

/// A text that is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected two numbers joined by a hyphen")]
pub struct CursorError;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.seq, self.read_at)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;
    fn from_str(text: &str) -> Result<Self, CursorError> {
        let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0).ok_or(CursorError);
        let (seq, read_at) = text.split_once('-').ok_or(CursorError)?;
        Ok(Self { seq: number(seq)?, read_at: number(read_at)? })
    }
}

/// An event as the stream delivers it.
#[derive(Debug, Clone)]
pub struct StreamedEvent {
    /// The cursor just after it.
    pub cursor: Cursor,
    /// The name of its type.
    pub event_type: String,
    /// The exact bytes that endpoints are sent.
    pub body: String,
}

/// The result of one reading.
#[derive(Debug, Clone, Default)]
pub struct EventBatch {
    /// Events in their final order.
    pub events: Vec<StreamedEvent>,
    /// The number of the account's first event that is not settled yet, if there is one: read again in a moment.
    pub unsettled: Option<i64>,
    /// Whether the cursor does not belong to this database's past.
    pub lost: bool,
}

/// Returns the highest event number that was given out.
pub async fn issued(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS "issued!" FROM event_seq"#
    )
    .fetch_one(conn)
    .await
}

/// Returns the ids of the oldest running transaction and of the next one to begin.
pub async fn transactions(conn: &mut PgConnection) -> sqlx::Result<(i64, i64)> {
    let row = sqlx::query!(
        r#"SELECT pg_snapshot_xmin(now)::text::bigint AS "oldest!", pg_snapshot_xmax(now)::text::bigint AS "next!"
           FROM pg_current_snapshot() AS now"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.oldest, row.next))
}

/// Returns a number up to which every event is visible because it is old: those events were created before any
/// transaction that may still run.
pub async fn long_settled(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT coalesce(max(seq), 0) AS "seq!" FROM (
               SELECT seq FROM events WHERE created_at < mws_now() - make_interval(secs => $1)
               ORDER BY created_at DESC LIMIT 100
           ) AS old"#,
        LONGEST_TRANSACTION.as_secs_f64()
    )
    .fetch_one(conn)
    .await
}

/// Returns a cursor at `settled`. The caller knew before this call that every event up to there is visible.
pub async fn cursor_at(conn: &mut PgConnection, settled: i64) -> sqlx::Result<Cursor> {
    let now = sqlx::query_scalar!(r#"SELECT (extract(epoch FROM mws_now()) * 1000000)::bigint AS "now!""#);
    Ok(Cursor { seq: settled, read_at: now.fetch_one(conn).await? })
}

/// Returns up to `limit` events of the account's jobs after the cursor and up to `settled`. The caller knew before this
/// call that every event up to there is visible.
pub async fn after(
    conn: &mut PgConnection,
    account: AccountId,
    after: Cursor,
    settled: i64,
    limit: i64,
) -> sqlx::Result<EventBatch> {
    let rows = sqlx::query!(
        r#"SELECT place.now AS "now!", place.lost AS "lost!", next.seq AS "seq?", next.type AS "event_type?",
               next.body AS "body?"
           FROM (
               SELECT (extract(epoch FROM mws_now()) * 1000000)::bigint AS now,
                   $2 > (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_seq)
                   OR coalesce((
                       SELECT (extract(epoch FROM last.created_at) * 1000000)::bigint > $3
                       FROM unnest($5::text[] || 'ping'::text) AS types (type) CROSS JOIN LATERAL (
                           SELECT seq, created_at FROM events
                           WHERE account_id = $1 AND type = types.type AND seq <= $2 ORDER BY seq DESC LIMIT 1
                       ) AS last
                       ORDER BY last.seq DESC LIMIT 1
                   ), false) AS lost
           ) AS place
           LEFT JOIN LATERAL (
               SELECT own.* FROM unnest($5::text[]) AS types (type) CROSS JOIN LATERAL (
                   SELECT seq, type, body FROM events
                   WHERE account_id = $1 AND type = types.type AND seq > $2 ORDER BY seq LIMIT $4
               ) AS own
               ORDER BY own.seq LIMIT $4
           ) AS next ON true
           ORDER BY next.seq"#,
        account as _,
        after.seq,
        after.read_at,
        limit,
        &EventType::SUBSCRIBABLE.map(|one| one.name().to_owned())
    )
    .fetch_all(conn)
    .await?;
    let mut read = EventBatch { lost: rows.iter().any(|row| row.lost), ..EventBatch::default() };
    for row in rows {
        let (Some(seq), Some(event_type), Some(body)) = (row.seq, row.event_type, row.body) else { break };
        if seq > settled {
            read.unsettled = Some(seq);
            break;
        }
        read.events.push(StreamedEvent { cursor: Cursor { seq, read_at: row.now }, event_type, body });
    }
    Ok(read)
}
