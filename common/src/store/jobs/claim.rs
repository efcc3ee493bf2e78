//! Claims: taking a job, keeping it, and finding those whose holder is gone.

use crate::domain::job::LEASE;
use crate::domain::read::Read;
use crate::ids::{AccountId, ItemId, JobId, WorkspaceId};
use sqlx::PgConnection;
use sqlx::postgres::types::PgInterval;
use std::time::Duration;

/// A job as its worker needs it.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The job.
    pub job: JobId,
    /// The fencing token of this claim.
    pub claim_no: i32,
    /// Attempts that failed before.
    pub failures: i16,
    /// The read to compute.
    pub read: Option<Read>,
    /// The item, and where its media stands; nothing when it was deleted.
    pub item: Option<ClaimedItem>,
    /// All that is held for it, in hundredths of a minute.
    pub held: i64,
    /// Whether the speech read is this job's to store too.
    pub owns_speech: bool,
    /// The workspace it acts in.
    pub workspace: WorkspaceId,
    /// Who pays.
    pub payer: AccountId,
}

/// The item of a claimed job.
#[derive(Debug, Clone)]
pub struct ClaimedItem {
    /// Its id.
    pub id: ItemId,
    /// Its media's key in the store.
    pub object_key: String,
    /// Its duration as probed.
    pub duration_ms: i64,
}

/// Claims those of these jobs that are queued, admitted and due: each gets a higher `claim_no`, a lease, and a row of its
/// own in `job_claims`. A job that is not in the answer was taken, ended or put off; its ticket is spent. One whose read an
/// operator has paused gives up its place instead, for jobs that can run, and is admitted again once it is resumed.
pub async fn claim(conn: &mut PgConnection, jobs: &[JobId], worker: &str) -> sqlx::Result<Vec<Claimed>> {
    let rows = sqlx::query!(
        r#"WITH due AS (
               SELECT j.id, EXISTS (SELECT FROM read_kinds k WHERE k.read = j.read AND k.paused_at IS NOT NULL) AS paused
               FROM jobs j
               WHERE id = ANY ($1) AND status = 'queued' AND admitted AND due_at <= mws_now()
               ORDER BY id FOR UPDATE SKIP LOCKED
           ), shelved AS (
               UPDATE jobs j SET admitted = false FROM due WHERE j.id = due.id AND due.paused
           ), claimed AS (
               UPDATE jobs j SET
                   status = 'running', claim_no = claim_no + 1, progress = 0, lease_until = mws_now() + $3,
                   started_at = coalesce(started_at, mws_now())
               FROM due WHERE j.id = due.id AND NOT due.paused
               RETURNING j.id, claim_no, failures, read, item_id, held_month + held_bought AS held, workspace_id,
                         payer_account_id
           ), noted AS (
               INSERT INTO job_claims (job_id, claim_no, worker) SELECT id, claim_no, $2 FROM claimed
           )
           SELECT c.id AS "id!: JobId", c.claim_no AS "claim_no!", c.failures AS "failures!", c.read AS "read: Read",
                  c.held AS "held!", c.workspace_id AS "workspace_id!: WorkspaceId",
                  c.payer_account_id AS "payer!: AccountId",
                  i.id AS "item_id?: ItemId", i.object_key AS "object_key?", i.duration_ms AS "duration_ms?",
                  EXISTS (SELECT FROM job_reads r
                          WHERE r.item_id = c.item_id AND r.read = 'speech' AND r.job_id = c.id) AS "owns_speech!"
           FROM claimed c LEFT JOIN items i ON i.id = c.item_id AND i.deleted_at IS NULL"#,
        jobs as &[JobId],
        worker,
        interval(LEASE)
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Claimed {
            job: row.id,
            claim_no: row.claim_no,
            failures: row.failures,
            read: row.read,
            item: row.item_id.zip(row.object_key).map(|(id, object_key)| ClaimedItem {
                id,
                object_key,
                duration_ms: row.duration_ms.unwrap_or_default(),
            }),
            held: row.held,
            owns_speech: row.owns_speech,
            workspace: row.workspace_id,
            payer: row.payer,
        })
        .collect())
}

/// A claim that is still this worker's.
#[derive(Debug, Clone, Copy)]
pub struct Renewed {
    /// The job.
    pub job: JobId,
    /// Whether it was asked to stop.
    pub cancel_requested: bool,
}

/// Renews the leases of these claims (job, `claim_no`, progress). A claim that is not in the answer is lost: its worker must
/// stop at once and write nothing.
pub async fn renew(conn: &mut PgConnection, claims: &[(JobId, i32, i16)]) -> sqlx::Result<Vec<Renewed>> {
    let rows = sqlx::query!(
        r#"WITH held AS (
               SELECT j.id, c.progress FROM unnest($1::uuid[], $2::int[], $3::smallint[]) AS c (id, claim_no, progress)
               JOIN jobs j ON j.id = c.id AND j.claim_no = c.claim_no AND j.status = 'running'
               ORDER BY j.id FOR UPDATE OF j
           )
           UPDATE jobs j SET lease_until = mws_now() + $4, progress = greatest(j.progress, held.progress)
           FROM held WHERE j.id = held.id
           RETURNING j.id AS "id: JobId", j.cancel_requested"#,
        &claims.iter().map(|claim| claim.0.uuid()).collect::<Vec<_>>(),
        &claims.iter().map(|claim| claim.1).collect::<Vec<_>>(),
        &claims.iter().map(|claim| claim.2).collect::<Vec<_>>(),
        interval(LEASE)
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| Renewed { job: row.id, cancel_requested: row.cancel_requested }).collect())
}

/// Running jobs whose lease ended, locked for the caller's transaction: (job, `claim_no`, item, losses so far).
pub async fn expired(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<(JobId, i32, Option<ItemId>, i16)>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: JobId", claim_no, item_id AS "item_id: ItemId", losses FROM jobs
           WHERE status = 'running' AND finished_at IS NULL AND lease_until <= mws_now()
           ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED"#,
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.claim_no, row.item_id, row.losses)).collect())
}

/// A duration as Postgres takes it.
pub(super) fn interval(duration: Duration) -> PgInterval {
    let microseconds = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    PgInterval { months: 0, days: 0, microseconds }
}
