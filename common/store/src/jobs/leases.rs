//! Leases of claimed jobs: renewing them, and finding jobs whose worker is gone.

use domain::ids::{ItemId, JobId};
use domain::job::LEASE;
use sqlx::PgConnection;
use sqlx::postgres::types::PgInterval;
use std::time::Duration;

/// A claim that a worker holds, and its progress.
#[derive(Debug, Clone, Copy)]
pub struct HeldClaim {
    /// The job.
    pub job: JobId,
    /// The claim's number.
    pub claim_no: i32,
    /// The progress in percent.
    pub progress: i16,
}

/// A running job whose lease has ended.
#[derive(Debug, Clone, Copy)]
pub struct LostClaim {
    /// The job.
    pub job: JobId,
    /// The claim's number.
    pub claim_no: i32,
    /// Its item; none when it has none.
    pub item: Option<ItemId>,
    /// How often its lease was lost before.
    pub losses: i16,
}

/// A claim that its worker still holds.
#[derive(Debug, Clone, Copy)]
pub struct Renewed {
    /// The job.
    pub job: JobId,
    /// Whether the job was asked to stop.
    pub cancel_requested: bool,
}

/// Renews the leases of these claims, and stores their progress. A claim that is not returned is lost: its worker must
/// stop at once and write nothing.
pub async fn renew(conn: &mut PgConnection, claims: &[HeldClaim]) -> sqlx::Result<Vec<Renewed>> {
    let rows = sqlx::query!(
        r#"WITH held AS (
               SELECT j.id, c.progress FROM unnest($1::uuid[], $2::int[], $3::smallint[]) AS c (id, claim_no, progress)
               JOIN jobs j ON j.id = c.id AND j.claim_no = c.claim_no AND j.status = 'running'
               ORDER BY j.id FOR UPDATE OF j
           )
           UPDATE jobs j SET lease_until = mws_now() + $4, progress = greatest(j.progress, held.progress)
           FROM held WHERE j.id = held.id
           RETURNING j.id AS "id: JobId", j.cancel_requested"#,
        &claims.iter().map(|claim| claim.job.uuid()).collect::<Vec<_>>(),
        &claims.iter().map(|claim| claim.claim_no).collect::<Vec<_>>(),
        &claims.iter().map(|claim| claim.progress).collect::<Vec<_>>(),
        interval(LEASE)
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| Renewed { job: row.id, cancel_requested: row.cancel_requested }).collect())
}

/// Returns running jobs whose lease has ended, or only `only`, in the order of their ids, and locks them for the
/// caller's transaction. They are found by their open claims.
pub async fn lock_expired(conn: &mut PgConnection, only: Option<JobId>, limit: i64) -> sqlx::Result<Vec<LostClaim>> {
    sqlx::query_as!(
        LostClaim,
        r#"SELECT j.id AS "job!: JobId", j.claim_no AS "claim_no!", j.item_id AS "item: ItemId", j.losses AS "losses!"
           FROM (SELECT job_id, claim_no FROM job_claims
                 WHERE ended_at IS NULL AND ($2::uuid IS NULL OR job_id = $2) ORDER BY job_id) AS open
           CROSS JOIN LATERAL (
               SELECT id, claim_no, item_id, losses FROM jobs
               WHERE id = open.job_id AND claim_no = open.claim_no AND status = 'running' AND lease_until <= mws_now()
               LIMIT 1 FOR UPDATE SKIP LOCKED
           ) AS j
           LIMIT $1"#,
        limit,
        only.map(JobId::uuid)
    )
    .fetch_all(conn)
    .await
}

/// Returns a duration as PostgreSQL's interval.
pub(super) fn interval(duration: Duration) -> PgInterval {
    let microseconds = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    PgInterval { months: 0, days: 0, microseconds }
}
