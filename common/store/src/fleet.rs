//! The `workers` table: one row per process, for the operator's view of the fleet.
//!
//! A process writes its row to show that it is alive, and to check that the database takes writes.

use domain::task::Task;
use serde_json::{Map, Value};
use sqlx::PgConnection;

/// PostgreSQL's code for a missing privilege.
const NO_RIGHT: &str = "42501";

/// The service that a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// It serves clients.
    Api,
    /// It runs jobs and sends webhooks.
    Worker,
    /// It runs the duties.
    Scheduler,
}

impl Service {
    /// Its name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Worker => "worker",
            Self::Scheduler => "scheduler",
        }
    }
}

/// A process of the fleet.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Its name, which is unique.
    pub name: &'a str,
    /// The host that it runs on.
    pub host: &'a str,
    /// The service that it runs.
    pub service: Service,
    /// Milliseconds by which its clock is ahead of the database's; negative if it is behind, `None` before it was read.
    pub clock_ahead_ms: Option<i64>,
}

/// How many jobs a process can run at once, and how many it runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Capacity {
    /// Jobs it can run at once.
    pub all: usize,
    /// Jobs it runs now.
    pub busy: usize,
}

/// A task that a process can run, and the engine that runs it.
#[derive(Debug, Clone)]
pub struct EngineOffer {
    /// The task.
    pub task: Task,
    /// The engine's name.
    pub engine: String,
    /// Its version.
    pub version: String,
}

/// Writes that a process is alive, and what it can do: each task with the name and version of its engine.
pub async fn join(
    conn: &mut PgConnection,
    member: Member<'_>,
    engines: &[EngineOffer],
    capacity: Capacity,
) -> sqlx::Result<()> {
    let named = |offer: &EngineOffer| Value::String(format!("{} {}", offer.engine, offer.version));
    let by_task: Map<String, Value> = engines.iter().map(|one| (one.task.name().to_owned(), named(one))).collect();
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    sqlx::query!(
        "INSERT INTO workers (name, host, service, version, reads, slots, busy, engines, clock_ahead_ms)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (name) DO UPDATE SET reads = excluded.reads, slots = excluded.slots, busy = excluded.busy,
             engines = excluded.engines, clock_ahead_ms = excluded.clock_ahead_ms, beat_at = mws_now(),
             successor_left_at = NULL",
        member.name,
        member.host,
        member.service.name(),
        env!("CARGO_PKG_VERSION"),
        &engines.iter().map(|offer| offer.task.name().to_owned()).collect::<Vec<_>>(),
        count(capacity.all),
        count(capacity.busy),
        Value::Object(by_task),
        member.clock_ahead_ms
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes that a process is alive, with how far its clock is off, and nothing else about it.
pub async fn beat(conn: &mut PgConnection, member: Member<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO workers (name, host, service, version, clock_ahead_ms) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (name) DO UPDATE SET clock_ahead_ms = excluded.clock_ahead_ms, beat_at = mws_now(),
             successor_left_at = NULL",
        member.name,
        member.host,
        member.service.name(),
        env!("CARGO_PKG_VERSION"),
        member.clock_ahead_ms
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Fails when tables can't grow. It fills a temporary table of the session, which is emptied at the commit; an update
/// in place would not show that a disk is full. Where the role may not create such a table, nothing is checked.
pub async fn probe_room(conn: &mut PgConnection) -> sqlx::Result<()> {
    let made = sqlx::query_scalar!(r#"SELECT to_regclass('pg_temp.mws_room') IS NOT NULL AS "made!""#);
    if !made.fetch_one(&mut *conn).await? {
        // Fills some pages, in rows too short to be compressed.
        let table = "CREATE TEMP TABLE mws_room (filler text) ON COMMIT DELETE ROWS";
        match sqlx::raw_sql(table).execute(&mut *conn).await {
            Err(error)
                if error.as_database_error().and_then(sqlx::error::DatabaseError::code).as_deref()
                    == Some(NO_RIGHT) =>
            {
                return Ok(());
            }
            made => made.map(drop)?,
        }
    }
    let fill = "INSERT INTO pg_temp.mws_room SELECT repeat('x', 1900) FROM generate_series(1, 40)";
    sqlx::raw_sql(fill).execute(conn).await.map(drop)
}

/// Returns how many workers have written within half a minute.
pub async fn live_workers(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "live!" FROM workers
           WHERE service = 'worker' AND beat_at > mws_now() - interval '30 seconds'"#
    )
    .fetch_one(conn)
    .await
}

/// Writes that the process which went on with the work of this one, after it fell silent, stops normally. That holds
/// until this one is heard of again.
pub async fn successor_leaves(conn: &mut PgConnection, name: &str) -> sqlx::Result<()> {
    sqlx::query!("UPDATE workers SET successor_left_at = mws_now() WHERE name = $1", name).execute(conn).await?;
    Ok(())
}

/// Deletes the row of a process that stops normally.
pub async fn leave(conn: &mut PgConnection, name: &str) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM workers WHERE name = $1", name).execute(conn).await?;
    Ok(())
}

/// Deletes the rows of processes that have not written for a day. Returns how many.
pub async fn forget(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM workers WHERE beat_at < mws_now() - interval '1 day'").execute(conn).await?;
    Ok(done.rows_affected())
}
