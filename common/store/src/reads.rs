//! Stored reads, the live jobs that own reads to come, and the reads that the fleet can run.
//!
//! A row of `job_reads` exists only while its job is live; its primary key (item, read) is the promise that nothing
//! starts twice. Rows are inserted in sorted order, so that two calls for the same items can't deadlock.

use crate::fleet::EngineOffer;
use chrono::{DateTime, Utc};
use domain::footage::Rows;
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use domain::plan::{Candidate, LiveJob};
use domain::read::Read;
use serde_json::Value;
use sqlx::PgConnection;
use std::collections::HashSet;

/// What happened to a read that a call wanted a job for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// This call's job owns it.
    Own,
    /// Another live job owns it.
    Joined(LiveJob),
    /// It was stored meanwhile.
    Stored,
    /// The job that owned it has just ended without storing it: try again.
    Gone,
}

/// A read of an item that a live job will store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveRead {
    /// The item.
    pub item: ItemId,
    /// The read.
    pub read: Read,
    /// The job.
    pub job: LiveJob,
}

/// Returns the live jobs that will store reads on these items.
pub async fn owners(conn: &mut PgConnection, items: &[ItemId]) -> sqlx::Result<Vec<LiveRead>> {
    let rows = sqlx::query!(
        r#"SELECT r.item_id AS "item_id: ItemId", r.read AS "read: Read", r.job_id AS "job_id: JobId",
                  j.held_month + j.held_bought AS "estimate!"
           FROM job_reads r JOIN jobs j ON j.id = r.job_id
           WHERE r.item_id = ANY ($1)"#,
        items as &[ItemId]
    )
    .fetch_all(conn)
    .await?;
    let owned = rows.into_iter().map(|row| LiveRead {
        item: row.item_id,
        read: row.read,
        job: LiveJob { id: row.job_id, estimate: Minutes::from_hundredths(row.estimate) },
    });
    Ok(owned.collect())
}

/// Tries to own every read of these candidates, and waits for calls that took the same ones a moment ago. [`taken`]
/// returns what each got.
pub async fn claim_ownership(conn: &mut PgConnection, candidates: &[Candidate]) -> sqlx::Result<()> {
    let Owned { items, reads, jobs } = owned(candidates);
    sqlx::query!(
        "INSERT INTO job_reads (item_id, read, job_id)
         SELECT item_id, read, job_id FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS wanted (item_id, read, job_id)
         ORDER BY item_id, read
         ON CONFLICT (item_id, read) DO NOTHING",
        &items as &[ItemId],
        &reads as &[&str],
        &jobs as &[JobId]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns what happened to each candidate's reads, in the candidates' order and, within one, in the order of `owns`.
pub async fn taken(conn: &mut PgConnection, candidates: &[Candidate]) -> sqlx::Result<Vec<Vec<Taken>>> {
    let Owned { items, reads, jobs } = owned(candidates);
    let rows = sqlx::query!(
        r#"SELECT w.job_id AS "wanted!: JobId", r.job_id AS "owner?: JobId",
                  j.estimate AS "estimate?", s.stored IS NOT NULL AS "stored!"
           FROM unnest($1::uuid[], $2::text[], $3::uuid[]) WITH ORDINALITY AS w (item_id, read, job_id, place)
           LEFT JOIN LATERAL (
               SELECT job_id FROM job_reads WHERE item_id = w.item_id AND read = w.read LIMIT 1
           ) r ON true
           LEFT JOIN LATERAL (
               SELECT held_month + held_bought AS estimate FROM jobs WHERE id = r.job_id AND r.job_id <> w.job_id LIMIT 1
           ) j ON true
           LEFT JOIN LATERAL (
               SELECT true AS stored FROM item_reads WHERE item_id = w.item_id AND read = w.read LIMIT 1
           ) s ON true
           ORDER BY w.place"#,
        &items as &[ItemId],
        &reads as &[&str],
        &jobs as &[JobId]
    )
    .fetch_all(conn)
    .await?;
    let mut fates = rows.into_iter().map(|row| match (row.owner, row.estimate) {
        _ if row.stored => Taken::Stored,
        (Some(owner), _) if owner == row.wanted => Taken::Own,
        (Some(id), Some(estimate)) => Taken::Joined(LiveJob { id, estimate: Minutes::from_hundredths(estimate) }),
        _ => Taken::Gone,
    });
    Ok(candidates.iter().map(|candidate| fates.by_ref().take(candidate.owns().count()).collect()).collect())
}

/// The rows of `job_reads` that candidates would own, one list per column.
#[derive(Default)]
struct Owned {
    items: Vec<ItemId>,
    reads: Vec<&'static str>,
    jobs: Vec<JobId>,
}

fn owned(candidates: &[Candidate]) -> Owned {
    let mut owned = Owned::default();
    for candidate in candidates {
        // Each read belongs to the candidate's item.
        for (read, item) in candidate.owns().zip(candidate.item.into_iter().cycle()) {
            owned.items.push(item);
            owned.reads.push(read.name());
            owned.jobs.push(candidate.job);
        }
    }
    owned
}

/// Releases the reads that these jobs own: jobs that ended, and jobs that a call does not start after all.
pub async fn release_ownership(conn: &mut PgConnection, jobs: &[JobId]) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM job_reads WHERE job_id = ANY ($1)", jobs as &[JobId]).execute(conn).await?;
    Ok(())
}

/// A read that a job will store on an item.
#[derive(Debug, Clone, Copy)]
pub struct OwnedRead {
    /// The job.
    pub job: JobId,
    /// The item.
    pub item: ItemId,
    /// The read.
    pub read: Read,
}

/// Releases single reads of jobs that are still started.
pub async fn release_reads(conn: &mut PgConnection, given: &[OwnedRead]) -> sqlx::Result<()> {
    sqlx::query!(
        "DELETE FROM job_reads r USING unnest($1::uuid[], $2::uuid[], $3::text[]) AS g (job_id, item_id, read)
         WHERE r.item_id = g.item_id AND r.read = g.read AND r.job_id = g.job_id",
        &given.iter().map(|one| one.job.uuid()).collect::<Vec<_>>(),
        &given.iter().map(|one| one.item.uuid()).collect::<Vec<_>>(),
        &given.iter().map(|one| one.read.name()).collect::<Vec<_>>() as &[&str]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A result to store on an item.
#[derive(Debug, Clone)]
pub struct NewRead {
    /// The item.
    pub item: ItemId,
    /// The read.
    pub read: Read,
    /// The job that computed it.
    pub job: JobId,
    /// The engine and its version.
    pub engine: (String, String),
    /// The engine's own rating of the result; none when it gives none.
    pub quality: Option<String>,
    /// The result.
    pub body: ReadBody,
    /// The size in bytes of the result and of its files, which count as storage of the item's account.
    pub bytes: i64,
    /// The parts of it that are stored as rows, to be joined with other reads and searched.
    pub rows: Rows,
}

/// Where a stored read's result is.
#[derive(Debug, Clone)]
pub enum ReadBody {
    /// In its row.
    Inline(Value),
    /// In the media store under this key, for results over 256 KiB.
    Object(String),
}

/// Stores results. Returns which were stored: a read that exists already keeps its first result. The caller adds their
/// rows with `store::footage`.
pub async fn store(conn: &mut PgConnection, reads: &[NewRead]) -> sqlx::Result<Vec<(ItemId, Read)>> {
    if reads.is_empty() {
        return Ok(Vec::new());
    }
    let bodies: Vec<Option<Value>> = reads
        .iter()
        .map(|one| match &one.body {
            ReadBody::Inline(value) => Some(value.clone()),
            ReadBody::Object(_) => None,
        })
        .collect();
    let keys: Vec<Option<String>> = reads
        .iter()
        .map(|one| match &one.body {
            ReadBody::Inline(_) => None,
            ReadBody::Object(key) => Some(key.clone()),
        })
        .collect();
    let stored = sqlx::query!(
        r#"INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, quality, result, object_key,
                                 bytes)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::json[],
                              $8::text[], $9::bigint[])
         ON CONFLICT (item_id, read) DO NOTHING
         RETURNING item_id AS "item_id: ItemId", read AS "read: Read""#,
        &reads.iter().map(|one| one.item.uuid()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.read.name().to_owned()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.job.uuid()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.engine.0.clone()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.engine.1.clone()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.quality.clone()).collect::<Vec<_>>() as &[Option<String>],
        &bodies as &[Option<Value>],
        &keys as &[Option<String>],
        &reads.iter().map(|one| one.bytes).collect::<Vec<_>>()
    )
    .fetch_all(conn)
    .await?;
    Ok(stored.into_iter().map(|row| (row.item_id, row.read)).collect())
}

/// Returns whether an item has this read.
pub async fn is_stored(conn: &mut PgConnection, item: ItemId, read: Read) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM item_reads WHERE item_id = $1 AND read = $2) AS "stored!""#,
        item as ItemId,
        read.name()
    )
    .fetch_one(conn)
    .await
}

/// The reads that the fleet can run, and those that an operator has paused.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    /// Reads that a worker has offered within the last week.
    pub configured: HashSet<Read>,
    /// Reads that are paused.
    pub paused: HashSet<Read>,
}

/// Returns which reads the fleet can run.
///
/// A week, not a heartbeat: while all workers are down for a while, work is still accepted; it is refused only when no
/// worker offers it.
pub async fn kinds(conn: &mut PgConnection) -> sqlx::Result<Kinds> {
    let rows = sqlx::query!(
        r#"SELECT read AS "read: Read", paused_at IS NOT NULL AS "paused!",
                  coalesce(engine_seen_at > mws_now() - interval '7 days', false) AS "configured!"
           FROM read_kinds WHERE read = ANY ($1)"#,
        &known() as &[&str]
    )
    .fetch_all(conn)
    .await?;
    let mut kinds = Kinds::default();
    for row in rows {
        if row.paused {
            kinds.paused.insert(row.read);
        }
        if row.configured {
            kinds.configured.insert(row.read);
        }
    }
    Ok(kinds)
}

/// The names of the reads that this release knows; a later release may have added others to the table.
fn known() -> [&'static str; Read::ALL.len()] {
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
pub async fn list(conn: &mut PgConnection) -> sqlx::Result<Vec<KindRow>> {
    sqlx::query_as!(
        KindRow,
        r#"SELECT k.read AS "read: Read", paused_at, engine, engine_version, engine_seen_at,
                  (SELECT count(*) FROM (SELECT FROM jobs j WHERE j.read = k.read AND j.status = 'queued'
                       AND j.finished_at IS NULL LIMIT 10001) AS live) AS "waiting!"
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
