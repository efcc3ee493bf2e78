//! Checks the balances against the journal without reading the whole journal each time (contract §10).
//!
//! Tallies hold the sums so far; a check adds the entries since. Only the scheduler's check writes them, under an
//! advisory lock, so that one scheduler works at a time. Where a check finds a difference, `minutes::drift` decides: it
//! reads an account's whole journal.

use super::minutes::Drift;
use domain::ids::AccountId;
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// The advisory lock of the check; an arbitrary number.
const LOCK: i64 = 5_620_117_334;
/// Seconds after which every transaction that wrote to the journal has ended, since statements and idle transactions
/// that last too long are aborted (`connect`).
const SETTLED_AFTER_S: f64 = 50.0;

/// Takes the lock of the check for this transaction. Returns false when another process holds it.
pub async fn take(conn: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"SELECT pg_try_advisory_xact_lock($1) AS "taken!""#, LOCK).fetch_one(conn).await
}

/// Adds up to `limit` journal entries to the tallies, and only entries before which none can still be committed.
/// Returns whether there are more of these. Call it in a transaction that has taken the lock with [`take`].
pub async fn fold(conn: &mut PgConnection, limit: i64) -> sqlx::Result<bool> {
    // `next_through` is the journal's last id at `marked_at`. Once that is long enough ago, each entry up to it is
    // committed or never will be. A new mark is made only when all entries up to the last one have been added.
    let row = sqlx::query!(
        r#"UPDATE ledger_check AS c
           SET next_through = CASE WHEN c.through >= c.next_through THEN (SELECT coalesce(max(id), 0) FROM minute_journal)
                   ELSE c.next_through END,
               marked_at = CASE WHEN c.through >= c.next_through THEN mws_now() ELSE c.marked_at END
           RETURNING through, next_through, marked_at <= mws_now() - make_interval(secs => $1) AS "settled!""#,
        SETTLED_AFTER_S
    )
    .fetch_one(&mut *conn)
    .await?;
    if !row.settled || row.through >= row.next_through {
        return Ok(false);
    }
    let through = row.next_through.min(row.through.saturating_add(limit));
    // Each settle or release finds its hold by an index, however large the journal is.
    sqlx::raw_sql("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off").execute(&mut *conn).await?;
    sqlx::query_file!("src/ledger_fold.sql", row.through, through).execute(&mut *conn).await?;
    sqlx::query!("UPDATE ledger_check SET through = $1", through).execute(conn).await?;
    Ok(through < row.next_through)
}

/// Returns every balance that the tallies and the journal don't explain; an empty list when the books are right.
pub async fn drift(conn: &mut PgConnection) -> sqlx::Result<Vec<Drift>> {
    // `through` is a parameter so that the planner knows how few entries lie beyond it. If a fold moves it meanwhile,
    // entries may have been counted twice, and the statement is run again.
    let mut through = through(conn).await?;
    let rows = loop {
        let rows = sqlx::query_file!("src/ledger_drift.sql", through).fetch_all(&mut *conn).await?;
        let now = self::through(conn).await?;
        if now == through {
            break rows;
        }
        through = now;
    };
    let drift = |account, what, balance, journal| {
        let (balance, journal) = (Minutes::from_hundredths(balance), Minutes::from_hundredths(journal));
        Drift { account, what, balance, journal }
    };
    Ok(rows.into_iter().map(|row| drift(row.account_id, row.what, row.balance, row.journal)).collect())
}

async fn through(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!("SELECT through FROM ledger_check").fetch_one(conn).await
}

/// Records that a check was made, and how many balances it found wrong.
pub async fn record_check(conn: &mut PgConnection, drifting: usize) -> sqlx::Result<()> {
    let drifting = i64::try_from(drifting).unwrap_or(i64::MAX);
    sqlx::query!("UPDATE ledger_check SET checked_at = mws_now(), drifting = $1", drifting).execute(conn).await?;
    Ok(())
}

/// The last check of the ledger.
#[derive(Debug, Clone, Copy)]
pub struct Checked {
    /// Seconds since that check; none when there was none.
    pub age_seconds: Option<f64>,
    /// How many balances were wrong.
    pub drifting: i64,
    /// About how many entries of the journal are not in the tallies yet.
    pub ahead: i64,
}

/// Returns the last check, whichever scheduler made it.
pub async fn last_check(conn: &mut PgConnection) -> sqlx::Result<Checked> {
    sqlx::query_as!(
        Checked,
        r#"SELECT extract(epoch FROM mws_now() - checked_at)::double precision AS "age_seconds", drifting,
               (SELECT coalesce(max(id), 0) FROM minute_journal) - through AS "ahead!"
           FROM ledger_check"#
    )
    .fetch_one(conn)
    .await
}
