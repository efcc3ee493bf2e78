//! Which live jobs own the reads to come.
//!
//! A row of `job_reads` exists only while its job is live; its primary key (item, read) is the promise that nothing
//! starts twice. Rows are inserted in sorted order, so that two calls for the same items can't deadlock.

use domain::ids::{AccountId, ItemId, JobId};
use domain::minutes::Minutes;
use domain::plan::{Candidate, LiveJob};
use domain::read::Read;
use sqlx::PgConnection;
use sqlx::error::DatabaseError;

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

/// Owns every read of these candidates, after it has waited for calls that took the same ones a moment ago. Returns
/// false when another owns one of them: then the transaction has failed, and the caller has to take it back.
///
/// It costs less than [`claim_ownership`], which looks each row up and writes each twice.
pub async fn claim_all(conn: &mut PgConnection, candidates: &[Candidate]) -> sqlx::Result<bool> {
    let Owned { items, reads, jobs } = owned(candidates);
    let done = sqlx::query!(
        "INSERT INTO job_reads (item_id, read, job_id)
         SELECT item_id, read, job_id FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS wanted (item_id, read, job_id)
         ORDER BY item_id, read",
        &items as &[ItemId],
        &reads as &[&str],
        &jobs as &[JobId]
    )
    .execute(conn)
    .await;
    match done {
        Ok(_) => Ok(true),
        Err(error) if error.as_database_error().is_some_and(DatabaseError::is_unique_violation) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Tries to own every read of these candidates, and waits for calls that took the same ones a moment ago. Returns
/// whether it owns them all; where it does not, [`taken`] returns what each got.
pub async fn claim_ownership(conn: &mut PgConnection, candidates: &[Candidate]) -> sqlx::Result<bool> {
    let Owned { items, reads, jobs } = owned(candidates);
    let done = sqlx::query!(
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
    Ok(usize::try_from(done.rows_affected()).is_ok_and(|rows| rows == jobs.len()))
}

/// Locks the account that pays for these candidates, as [`crate::accounts::lock`] does. Returns whether any of their
/// reads is stored; none when there is no such account. Call it once they are owned: the job that owned one before may
/// have stored it while the claim waited for that job's end. Later none can be stored by another job.
pub async fn lock_payer(
    conn: &mut PgConnection,
    payer: AccountId,
    candidates: &[Candidate],
) -> sqlx::Result<Option<bool>> {
    let Owned { mut items, mut reads, .. } = owned(candidates);
    items.dedup();
    reads.sort_unstable();
    reads.dedup();
    // What is stored is seen as of the statement's begin, which is after the claim; the lock alone is waited for.
    let row = sqlx::query!(
        r#"SELECT coalesce(stored.items, '{}') AS "items!: Vec<ItemId>", coalesce(stored.reads, '{}') AS "reads!"
           FROM accounts AS payer
           CROSS JOIN (
               SELECT array_agg(asked.id) AS items, array_agg(found.read) AS reads
               FROM unnest((SELECT $2::uuid[])) AS asked (id)
               CROSS JOIN LATERAL (
                   SELECT read FROM item_reads WHERE item_id = asked.id AND read = ANY ($3::text[]) OFFSET 0
               ) AS found
           ) AS stored
           WHERE payer.id = $1
           FOR NO KEY UPDATE OF payer"#,
        payer as AccountId,
        &items as &[ItemId],
        &reads as &[&str]
    )
    .fetch_optional(conn)
    .await?;
    let is_wanted = |item: ItemId, name: &str| {
        candidates.iter().any(|one| one.item == Some(item) && one.owns().any(|read| read.name() == name))
    };
    Ok(row.map(|row| row.items.iter().zip(&row.reads).any(|(item, read)| is_wanted(*item, read))))
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
