//! Admission: an account has a number of places, and only a job that has one gets a ticket (design.md, "Admission").
//!
//! A job that ends hands its place to the next in line in the same transaction, without the account's lock. Only when no
//! one waits is the place free; the next dispatch counts it, or `admit` looks once more under the lock, because a dispatch
//! that counted before the end was committed may have left a job waiting. A job whose read an operator has paused is not
//! given a place, nor is one of a suspended account: it could do nothing with it.

use crate::domain::job::{JobKind, PLACES};
use crate::domain::read::Read;
use crate::domain::task::Task;
use crate::ids::{AccountId, JobId};
use sqlx::PgConnection;

/// A job that needs a ticket now.
#[derive(Debug, Clone, Copy)]
pub struct Admitted {
    /// The job.
    pub job: JobId,
    /// What sort of work it is.
    pub kind: JobKind,
    /// Its read, if it computes one.
    pub read: Option<Read>,
    /// Who pays.
    pub payer: AccountId,
    /// How many jobs of the account had a place before it.
    pub others: i64,
}

impl Admitted {
    /// What it does, which names its queue; nothing for kinds that are not run here.
    pub const fn task(&self) -> Option<Task> {
        Task::of(self.kind, self.read)
    }
}

/// Gives each account's freed places to its next waiting jobs that are due. Fewer come back than were freed where no more
/// wait.
pub async fn hand_over(conn: &mut PgConnection, freed: &[(AccountId, i64)]) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_as!(
        Admitted,
        r#"WITH next AS (
               SELECT waiting.id FROM unnest($1::uuid[], $2::bigint[]) AS freed (payer, places)
               CROSS JOIN LATERAL (
                   SELECT id FROM jobs
                   WHERE payer_account_id = freed.payer AND status = 'queued' AND NOT admitted AND finished_at IS NULL
                       AND due_at <= mws_now()
                       AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = freed.payer AND a.suspended_at IS NOT NULL)
                       AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = jobs.read AND k.paused_at IS NOT NULL)
                   ORDER BY seq LIMIT freed.places FOR UPDATE SKIP LOCKED
               ) AS waiting
           )
           UPDATE jobs j SET admitted = true FROM next WHERE j.id = next.id
           RETURNING j.id AS "job: JobId", j.kind AS "kind: JobKind", j.read AS "read: Read",
               j.payer_account_id AS "payer: AccountId",
               (SELECT count(*) FROM jobs o
                WHERE o.payer_account_id = j.payer_account_id AND o.admitted AND o.finished_at IS NULL) AS "others!""#,
        &freed.iter().map(|one| one.0.uuid()).collect::<Vec<_>>(),
        &freed.iter().map(|one| one.1).collect::<Vec<_>>()
    )
    .fetch_all(conn)
    .await
}

/// Gives an account's free places to its waiting jobs that are due. Call under the account's lock.
pub async fn admit(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_as!(
        Admitted,
        r#"WITH taken AS (
               SELECT count(*) AS places FROM jobs WHERE payer_account_id = $1 AND admitted AND finished_at IS NULL
           ), next AS (
               SELECT id FROM jobs
               WHERE payer_account_id = $1 AND status = 'queued' AND NOT admitted AND finished_at IS NULL
                   AND due_at <= mws_now()
                   AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = $1 AND a.suspended_at IS NOT NULL)
                   AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = jobs.read AND k.paused_at IS NOT NULL)
               ORDER BY seq LIMIT (SELECT greatest($2 - places, 0) FROM taken) FOR UPDATE SKIP LOCKED
           )
           UPDATE jobs j SET admitted = true FROM next, taken WHERE j.id = next.id
           RETURNING j.id AS "job: JobId", j.kind AS "kind: JobKind", j.read AS "read: Read",
               j.payer_account_id AS "payer: AccountId",
               taken.places AS "others!""#,
        account.uuid(),
        PLACES
    )
    .fetch_all(conn)
    .await
}

/// Accounts with jobs that wait, are due, and have a free place: what a crash or a race left behind.
pub async fn payers_with_waiting(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<AccountId>> {
    sqlx::query_scalar!(
        r#"SELECT a.id AS "id: AccountId" FROM accounts a
           WHERE a.suspended_at IS NULL
               AND EXISTS (SELECT FROM jobs j WHERE j.payer_account_id = a.id AND j.status = 'queued' AND NOT j.admitted
                             AND j.finished_at IS NULL AND j.due_at <= mws_now()
                             AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = j.read AND k.paused_at IS NOT NULL))
               AND (SELECT count(*) FROM jobs j
                    WHERE j.payer_account_id = a.id AND j.admitted AND j.finished_at IS NULL) < $2
           LIMIT $1"#,
        limit,
        PLACES
    )
    .fetch_all(conn)
    .await
}

/// Admitted jobs that are due and have no live ticket, locked for the caller's transaction, which gives them new ones.
///
/// A ticket is dead when it is gone or done, or when the queue worker that holds it has not been seen for 20 seconds.
pub async fn reissue(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Admitted>> {
    sqlx::query_as!(
        Admitted,
        r#"SELECT j.id AS "job: JobId", j.kind AS "kind: JobKind", j.read AS "read: Read",
               j.payer_account_id AS "payer: AccountId", (SELECT count(*) FROM jobs o
                WHERE o.payer_account_id = j.payer_account_id AND o.admitted AND o.finished_at IS NULL) AS "others!"
           FROM jobs j
           WHERE j.status = 'queued' AND j.admitted AND j.finished_at IS NULL AND j.due_at <= mws_now()
               AND NOT EXISTS (
                   SELECT FROM apalis.jobs t LEFT JOIN apalis.workers w ON w.id = t.lock_by
                   WHERE t.id = j.ticket_id AND t.status IN ('Pending', 'Queued', 'Running')
                       AND (t.lock_by IS NULL OR w.last_seen > now() - interval '20 seconds'))
           ORDER BY j.due_at LIMIT $1
           FOR UPDATE OF j SKIP LOCKED"#,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Stores which ticket each of these jobs has.
pub async fn ticketed(conn: &mut PgConnection, tickets: &[(JobId, String)]) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE jobs j SET ticket_id = t.ticket_id FROM unnest($1::uuid[], $2::text[]) AS t (id, ticket_id)
         WHERE j.id = t.id AND j.status = 'queued'",
        &tickets.iter().map(|one| one.0.uuid()).collect::<Vec<_>>(),
        &tickets.iter().map(|one| one.1.clone()).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(())
}
