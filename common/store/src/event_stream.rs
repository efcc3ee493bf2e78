//! Reading an account's events in an order without a gap (contract §6.4).
//!
//! A cursor is an event's number and the time at which it was read. The number orders; `domain::horizon` says up to
//! which all are there. The time proves that the place is of this database's past: what stands at or before it was made
//! no later. After a restore of an older state, or a failover that lost some events, numbers are given out again, and
//! that no longer holds. Nothing of it depends on a cluster, nor on another account. It reads and never changes.

use domain::event::EventType;
use domain::horizon::LONGEST_TRANSACTION;
use domain::ids::AccountId;
use sqlx::PgConnection;
use std::fmt;
use std::str::FromStr;

/// A place in an account's events: everything up to it has been seen.
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

/// An event as it is read.
#[derive(Debug, Clone)]
pub struct StreamedEvent {
    /// Its place.
    pub cursor: Cursor,
    /// Its type.
    pub event_type: String,
    /// The exact bytes that endpoints are sent.
    pub body: String,
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct Read {
    /// Events in their final order.
    pub events: Vec<StreamedEvent>,
    /// The first number that is not settled, where there is an event of it: look again in a moment.
    pub unsettled: Option<i64>,
    /// The cursor's place is not of this database's past.
    pub lost: bool,
}

/// The highest number that was given out.
pub async fn issued(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS "issued!" FROM event_seq"#
    )
    .fetch_one(conn)
    .await
}

/// The oldest transaction that runs, and the first id that is free.
pub async fn transactions(conn: &mut PgConnection) -> sqlx::Result<(i64, i64)> {
    let row = sqlx::query!(
        r#"SELECT pg_snapshot_xmin(now)::text::bigint AS "oldest!", pg_snapshot_xmax(now)::text::bigint AS "next!"
           FROM pg_current_snapshot() AS now"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.oldest, row.next))
}

/// A number up to which all is known because it is old: of events that began before every transaction that may still
/// run.
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

/// The place after `settled`, up to which all was known before this is asked.
pub async fn place(conn: &mut PgConnection, settled: i64) -> sqlx::Result<Cursor> {
    let now = sqlx::query_scalar!(r#"SELECT (extract(epoch FROM mws_now()) * 1000000)::bigint AS "now!""#);
    Ok(Cursor { seq: settled, read_at: now.fetch_one(conn).await? })
}

/// Up to `limit` events of the account's jobs after the cursor and up to `settled`, which was known before this is
/// asked.
pub async fn after(
    conn: &mut PgConnection,
    account: AccountId,
    after: Cursor,
    settled: i64,
    limit: i64,
) -> sqlx::Result<Read> {
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
    let mut read = Read { lost: rows.iter().any(|row| row.lost), ..Read::default() };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_what_it_wrote_and_nothing_else() {
        let cursor = Cursor { seq: 7, read_at: 12 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in ["", "7", "-", "7-", "-7-1", "7-1-2", "a-1", "evt_1", "9223372036854775808-1"] {
            assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text}");
        }
    }
}
