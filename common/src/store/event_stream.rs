//! Reading an account's events in the order of their commits, without a gap (interface.md, `GET /events/stream`).
//!
//! A cursor is a place in the order of (transaction, sequence), which is final for every transaction older than the
//! oldest one that still runs. What is newer is held back for those few milliseconds. It reads and never changes.

use crate::ids::AccountId;
use sqlx::PgConnection;
use std::fmt;
use std::str::FromStr;

/// A transaction that has not ended after this many seconds is none of ours, and is waited for no longer.
const LONGEST_TRANSACTION_S: f64 = 45.0;

/// A place in an account's events: everything up to it has been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    txid: i64,
    seq: i64,
}

/// A text that is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected two numbers joined by a hyphen")]
pub struct CursorError;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.txid, self.seq)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;
    fn from_str(text: &str) -> Result<Self, CursorError> {
        let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0).ok_or(CursorError);
        let (txid, seq) = text.split_once('-').ok_or(CursorError)?;
        Ok(Self { txid: number(txid)?, seq: number(seq)? })
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
    /// Whether there are events whose place is not final yet: look again in a moment.
    pub unsettled: bool,
}

/// The place before everything that is committed from now on.
pub async fn end(conn: &mut PgConnection) -> sqlx::Result<Cursor> {
    let txid = sqlx::query_scalar!(r#"SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "txid!""#)
        .fetch_one(conn)
        .await?;
    Ok(Cursor { txid, seq: 0 })
}

/// Up to `limit` events of the account's jobs after the cursor.
pub async fn after(conn: &mut PgConnection, account: AccountId, after: Cursor, limit: i64) -> sqlx::Result<Read> {
    let rows = sqlx::query!(
        r#"SELECT txid::text::bigint AS "txid!", seq, type AS event_type, body,
               (txid < pg_snapshot_xmin(pg_current_snapshot())
                   OR created_at < mws_now() - make_interval(secs => $5)) AS "settled!"
           FROM events
           WHERE account_id = $1 AND (txid, seq) > (($2::bigint)::text::xid8, $3) AND type <> 'ping'
           ORDER BY txid, seq
           LIMIT $4"#,
        account as _,
        after.txid,
        after.seq,
        limit,
        LONGEST_TRANSACTION_S
    )
    .fetch_all(conn)
    .await?;
    let mut read = Read::default();
    for row in rows {
        if !row.settled {
            read.unsettled = true;
            break;
        }
        let cursor = Cursor { txid: row.txid, seq: row.seq };
        read.events.push(StreamedEvent { cursor, event_type: row.event_type, body: row.body });
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_what_it_wrote_and_nothing_else() {
        let cursor = Cursor { txid: 7, seq: 12 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in ["", "7", "-", "7-", "-7-1", "7-1-2", "a-1", "evt_1", "9223372036854775808-1"] {
            assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text}");
        }
    }
}
