//! Holding the balances against the journal without reading the whole journal each time (contract §10, §10).
//!
//! Tallies have what was added up; a check adds what came since. They are written by the scheduler's check alone, under
//! an advisory lock, so that of many schedulers one works at a time. `minutes::drift` reads the whole journal of an
//! account, and has the last word.

use super::minutes::Drift;
use domain::ids::AccountId;
use domain::minutes::Minutes;
use sqlx::PgConnection;

/// The advisory lock of the check. The number means nothing.
const LOCK: i64 = 5_620_117_334;
/// No transaction that writes the journal lasts this long, in seconds: statements and idle transactions are ended
/// before.
const SETTLED_AFTER_S: f64 = 50.0;

/// Takes the check for this transaction; false when another has it.
pub async fn take(conn: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"SELECT pg_try_advisory_xact_lock($1) AS "taken!""#, LOCK).fetch_one(conn).await
}

/// Adds up to `limit` of the journal's entries to the tallies: those that are surely all there. Returns whether there
/// are more. Call in a transaction that has [`take`]n the check.
pub async fn fold(conn: &mut PgConnection, limit: i64) -> sqlx::Result<bool> {
    // A mark that has aged is taken, and only then is another made: every entry up to it is committed or never will be.
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
    // Each end finds its hold by an index, however large the journal is.
    sqlx::raw_sql("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off").execute(&mut *conn).await?;
    sqlx::query_file!("src/ledger_fold.sql", row.through, through).execute(&mut *conn).await?;
    sqlx::query!("UPDATE ledger_check SET through = $1", through).execute(conn).await?;
    Ok(through < row.next_through)
}

/// Every balance that tallies and journal don't explain; none when the books are right.
pub async fn drift(conn: &mut PgConnection) -> sqlx::Result<Vec<Drift>> {
    // The number is handed in, because the plan depends on how little lies beyond it. A fold in between moves it.
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

/// The last check.
#[derive(Debug, Clone, Copy)]
pub struct Checked {
    /// Seconds since then; none when there was none.
    pub age_seconds: Option<f64>,
    /// Balances that were wrong.
    pub drifting: i64,
    /// Entries of the journal that are not in the tallies yet, about.
    pub ahead: i64,
}

/// What the last check came to, whichever scheduler made it.
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
