//! Jobs that wait for a worker's slot though they are admitted.

use super::leases::interval;
use domain::ids::{AccountId, JobId};
use domain::task::Task;
use sqlx::PgConnection;
use std::time::Duration;

/// A waiting job, and the account that pays for it.
#[derive(Debug, Clone, Copy)]
pub struct WaitingJob {
    /// The job.
    pub job: JobId,
    /// The account that pays.
    pub payer: AccountId,
}

/// Returns admitted jobs that have waited for a slot for this long, the longest due first: of these tasks, at most one
/// per account, and none of the accounts in `but`. Only the 2,000 longest due jobs are looked at.
pub async fn waiting_for_slots(
    conn: &mut PgConnection,
    waited: Duration,
    tasks: &[Task],
    but: &[AccountId],
    most: i64,
) -> sqlx::Result<Vec<WaitingJob>> {
    sqlx::query_as!(
        WaitingJob,
        r#"SELECT id AS "job!: JobId", payer_account_id AS "payer!: AccountId" FROM (
               SELECT DISTINCT ON (payer_account_id) id, due_at, payer_account_id
               FROM (SELECT id, due_at, payer_account_id, kind, read FROM jobs
                     WHERE status = 'queued' AND admitted AND finished_at IS NULL
                         AND due_at <= mws_now() - $4::interval
                     ORDER BY due_at LIMIT 2000) AS due
               WHERE payer_account_id <> ALL ($1) AND coalesce(read, kind) = ANY ($2)
                   AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = due.read AND k.paused_at IS NOT NULL)
               ORDER BY payer_account_id, due_at
           ) AS first
           ORDER BY due_at LIMIT $3"#,
        but as &[AccountId],
        &tasks.iter().map(|task| task.name().to_owned()).collect::<Vec<_>>(),
        most,
        interval(waited)
    )
    .fetch_all(conn)
    .await
}
