//! The reads that the fleet can run, the engines that run them, and those that an operator has paused.

use crate::fleet::EngineOffer;
use chrono::{DateTime, Utc};
use domain::read::Read;
use sqlx::PgConnection;
use std::collections::HashSet;

/// The reads that the fleet can run, and those that an operator has paused.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    /// Reads that a worker has offered within the last week. A week, not a heartbeat: while all workers are down for a
    /// while, work is still accepted; it is refused only when no worker offers it.
    pub configured: HashSet<Read>,
    /// Reads that are paused.
    pub paused: HashSet<Read>,
}

impl Kinds {
    /// From the names of these reads. A name that this release does not know is left out.
    pub(crate) fn of(configured: &[String], paused: &[String]) -> Self {
        let reads = |names: &[String]| names.iter().filter_map(|name| Read::from_name(name)).collect();
        Self { configured: reads(configured), paused: reads(paused) }
    }
}

/// The names of the reads that this release knows; a later release may have added others to the table.
pub(crate) fn known() -> [&'static str; Read::ALL.len()] {
    Read::ALL.map(Read::name)
}

/// A read as operators see it.
#[derive(Debug)]
pub struct KindRow {
    /// The read.
    pub read: Read,
    /// When it was paused; none when it is not.
    pub paused_at: Option<DateTime<Utc>>,
    /// The engine that computes it, as a worker last announced.
    pub engine: Option<String>,
    /// The version of that engine.
    pub engine_version: Option<String>,
    /// When a worker last announced it.
    pub engine_seen_at: Option<DateTime<Utc>>,
    /// How many of its jobs are queued, at most 10,001.
    pub waiting: i64,
}

/// Returns the reads that this release knows, as operators see them.
///
/// The range and its order have the planner go by the index of live jobs: where many jobs wait for other reads it would
/// go through all jobs for the few of this one. It does not know the bound, and so expects that a part of a read's jobs
/// is enough: knowing it, it might expect fewer jobs than that, and sort all of them.
pub async fn list(conn: &mut PgConnection) -> sqlx::Result<Vec<KindRow>> {
    sqlx::query_as!(
        KindRow,
        r#"SELECT k.read AS "read: Read", paused_at, engine, engine_version, engine_seen_at,
                  (SELECT count(*) FROM (SELECT FROM jobs j WHERE j.read BETWEEN k.read AND k.read
                       AND j.status = 'queued' AND j.finished_at IS NULL ORDER BY j.read LIMIT (SELECT 10001)) AS live) AS "waiting!"
           FROM read_kinds k WHERE k.read = ANY ($1) ORDER BY k.read"#,
        &known() as &[&str]
    )
    .fetch_all(conn)
    .await
}

/// Whether new jobs of a read are begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// No: running jobs go on, queued ones wait, and calls are answered `held`.
    Paused,
    /// Yes.
    Resumed,
}

/// Pauses or resumes a read. Returns when it was paused, before this call and after it; none where it was not.
pub async fn set_begun(
    conn: &mut PgConnection,
    read: Read,
    begun: Begun,
) -> sqlx::Result<(Option<DateTime<Utc>>, Option<DateTime<Utc>>)> {
    let row = sqlx::query!(
        r#"WITH before AS (SELECT read, paused_at FROM read_kinds WHERE read = $1 FOR UPDATE)
           UPDATE read_kinds k SET paused_at = CASE WHEN $2 THEN coalesce(before.paused_at, mws_now()) END
           FROM before WHERE k.read = before.read
           RETURNING before.paused_at AS was, k.paused_at AS now_is"#,
        read.name(),
        begun == Begun::Paused
    )
    .fetch_one(conn)
    .await?;
    Ok((row.was, row.now_is))
}

/// Records that a worker can run these reads with these engines. Tasks that are no reads are ignored.
pub async fn announce(conn: &mut PgConnection, engines: &[EngineOffer]) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE read_kinds k SET engine = e.engine, engine_version = e.version, engine_seen_at = mws_now()
         FROM unnest($1::text[], $2::text[], $3::text[]) AS e (read, engine, version)
         WHERE k.read = e.read",
        &engines.iter().map(|one| one.task.name().to_owned()).collect::<Vec<_>>(),
        &engines.iter().map(|one| one.engine.clone()).collect::<Vec<_>>(),
        &engines.iter().map(|one| one.version.clone()).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(())
}
