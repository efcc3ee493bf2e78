//! The statements that check the invariants of `domain::verdict::Invariant`, and what their last checks found.
//!
//! Each statement returns the rows that break its rule. It finds live or new rows by an index, up to a limit; `places`
//! alone reads a whole index, that of jobs with a place. Call them in a transaction that has begun with [`bound`]. Each
//! check is one statement, so that it never sees what is only half committed.

use domain::ids::{AccountId, DeliveryId, ItemId, JobId};
use domain::job::PLACES;
use domain::verdict::{Held, Invariant, MOST_COUNTED, Outcome};
use sqlx::PgConnection;
use sqlx::error::DatabaseError;

/// How many rows of a kind a check looks at.
const LOOKED_AT: i64 = 2_000;
/// How many of the rows that break a rule are kept by their ids, at most.
const SAMPLE: usize = 5;

/// Bounds what follows in the transaction: a statement has five seconds, and goes by indexes whatever the tables'
/// statistics say.
pub async fn bound(conn: &mut PgConnection) -> sqlx::Result<()> {
    let limits = "SET LOCAL statement_timeout = '5s'; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
         SET LOCAL enable_mergejoin = off";
    sqlx::raw_sql(limits).execute(conn).await?;
    Ok(())
}

/// Returns the ids of the rows that break this rule, 100 at most; none for [`Invariant::Balances`], which
/// `ledger::drift` checks.
pub async fn broken(conn: &mut PgConnection, invariant: Invariant) -> sqlx::Result<Vec<String>> {
    Ok(match invariant {
        Invariant::Balances => Vec::new(),
        Invariant::Holds => {
            let found = sqlx::query_file_scalar!("src/invariants/holds.sql", LOOKED_AT, MOST_COUNTED);
            texts(&found.fetch_all(conn).await?)
        }
        Invariant::Settlements => {
            let found = sqlx::query_file_scalar!("src/invariants/settlements.sql", LOOKED_AT, MOST_COUNTED);
            texts(&found.fetch_all(conn).await?)
        }
        Invariant::Claims => {
            let found = sqlx::query_file_scalar!("src/invariants/claims.sql", LOOKED_AT, MOST_COUNTED);
            texts(&found.fetch_all(conn).await?)
        }
        Invariant::Leases => {
            let found = sqlx::query_file_scalar!("src/invariants/leases.sql", LOOKED_AT, MOST_COUNTED);
            texts(&found.fetch_all(conn).await?)
        }
        Invariant::Tickets => {
            let found = sqlx::query_file_scalar!("src/invariants/tickets.sql", LOOKED_AT, MOST_COUNTED);
            texts(&found.fetch_all(conn).await?)
        }
        Invariant::Places => {
            let found = sqlx::query_file_scalar!("src/invariants/places.sql", PLACES, MOST_COUNTED);
            texts(&found.fetch_all(conn).await?)
        }
        Invariant::OwnedReads => {
            let found = sqlx::query_file_scalar!("src/invariants/owned_reads.sql", LOOKED_AT, MOST_COUNTED);
            texts(&found.fetch_all(conn).await?)
        }
        Invariant::StoredReads => {
            let found = sqlx::query_file_scalar!("src/invariants/stored_reads.sql", LOOKED_AT, MOST_COUNTED);
            texts(&found.fetch_all(conn).await?)
        }
        Invariant::Events | Invariant::Attempts | Invariant::Receivers => broken_delivery(conn, invariant).await?,
    })
}

/// As [`broken`], for the invariants of events and deliveries.
async fn broken_delivery(conn: &mut PgConnection, invariant: Invariant) -> sqlx::Result<Vec<String>> {
    match invariant {
        Invariant::Events => {
            sqlx::query_file_scalar!("src/invariants/events.sql", LOOKED_AT, MOST_COUNTED).fetch_all(conn).await
        }
        Invariant::Attempts => {
            let found = sqlx::query_file_scalar!("src/invariants/attempts.sql", LOOKED_AT, MOST_COUNTED);
            Ok(texts(&found.fetch_all(conn).await?))
        }
        _ => {
            let found = sqlx::query_file_scalar!("src/invariants/receivers.sql", LOOKED_AT, MOST_COUNTED);
            Ok(texts(&found.fetch_all(conn).await?))
        }
    }
}

fn texts<T: ToString>(ids: &[T]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

/// Whether a check failed because it took longer than [`bound`] allows.
pub fn took_too_long(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == "57014")
}

/// Gives the caller the next check of an invariant. Returns false if a check of it began less than `every_seconds` ago.
pub async fn take(conn: &mut PgConnection, invariant: Invariant, every_seconds: f64) -> sqlx::Result<bool> {
    let taken = sqlx::query!(
        "INSERT INTO invariant_checks AS known (name) VALUES ($1)
         ON CONFLICT (name) DO UPDATE SET begun_at = mws_now()
         WHERE known.outcome IS NULL OR known.begun_at <= mws_now() - make_interval(secs => $2)",
        invariant.name(),
        every_seconds
    );
    Ok(taken.execute(conn).await?.rows_affected() > 0)
}

/// Records that a check has ended, with the rows that break the rule.
pub async fn record(conn: &mut PgConnection, invariant: Invariant, broken: &[String]) -> sqlx::Result<()> {
    let outcome = if broken.is_empty() { Outcome::Passed } else { Outcome::Failed };
    sqlx::query!(
        "INSERT INTO invariant_checks AS known (name, outcome, passed_at, failed_at, broken, sample)
         VALUES ($1, $2, CASE WHEN $3 = 0 THEN mws_now() END, CASE WHEN $3 > 0 THEN mws_now() END, $3, $4)
         ON CONFLICT (name) DO UPDATE SET outcome = excluded.outcome,
             passed_at = coalesce(excluded.passed_at, known.passed_at),
             failed_at = coalesce(excluded.failed_at, known.failed_at),
             broken = CASE WHEN excluded.broken > 0 THEN excluded.broken ELSE known.broken END,
             sample = CASE WHEN excluded.broken > 0 THEN excluded.sample ELSE known.sample END",
        invariant.name(),
        outcome.name(),
        i32::try_from(broken.len()).unwrap_or(i32::MAX),
        &broken[..broken.len().min(SAMPLE)]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Records that a check took too long and found nothing. A rule that the check before found broken stays broken: only a
/// check that passes says that it holds again.
pub async fn record_unfinished(conn: &mut PgConnection, invariant: Invariant) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE invariant_checks SET outcome = $2 WHERE name = $1 AND outcome IS DISTINCT FROM $3",
        invariant.name(),
        Outcome::Unfinished.name(),
        Outcome::Failed.name()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns all invariants with what their checks found, whichever scheduler made them.
pub async fn last(conn: &mut PgConnection) -> sqlx::Result<Vec<Held>> {
    let rows = sqlx::query!(
        "SELECT name, outcome, broken, sample,
             extract(epoch FROM mws_now() - passed_at)::double precision AS passed_seconds,
             extract(epoch FROM mws_now() - failed_at)::double precision AS failed_seconds
         FROM invariant_checks"
    )
    .fetch_all(conn)
    .await?;
    let held = |invariant: Invariant| {
        let row = rows.iter().find(|row| row.name == invariant.name());
        Held {
            invariant,
            outcome: row.and_then(|row| row.outcome.as_deref()).and_then(Outcome::from_name),
            passed_seconds: row.and_then(|row| row.passed_seconds),
            failed_seconds: row.and_then(|row| row.failed_seconds),
            broken: row.map_or(0, |row| row.broken.into()),
            sample: row.map(|row| row.sample.clone()).unwrap_or_default(),
        }
    };
    Ok(Invariant::ALL.map(held).to_vec())
}
