//! Takes jobs back from workers that no longer renew their leases: queued again, or given up as `worker_lost` at the
//! fifth loss.

use common::domain::job::{Next, after_loss};
use common::ending;
use common::process::Process;
use common::store::jobs::{self, End, Outcome};

/// Jobs rescued in one transaction.
const SOME: i64 = 500;

/// Rescues once. Answers how many jobs it took back.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut tx = process.pool.begin().await?;
    let expired = jobs::expired(&mut tx, SOME).await?;
    if expired.is_empty() {
        return Ok(0);
    }
    let ends: Vec<End> = expired
        .into_iter()
        .map(|(job, claim_no, item, losses)| {
            let outcome = match after_loss(losses) {
                Next::Again(_) => Outcome::Lost,
                Next::Fail => Outcome::Abandoned,
            };
            let message = "The worker that ran it died, or lost its database.";
            let error = Some(("worker_lost".to_owned(), message.to_owned(), true));
            End { job, claim_no, item, outcome, error }
        })
        .collect();
    let ended = jobs::end(&mut tx, &ends).await?;
    let aftermath = ending::conclude(&mut tx, &ended, &[]).await?;
    tx.commit().await?;
    for job in &ended {
        tracing::warn!(job.id = %job.job, status = job.status.name(), "A job's worker was lost; the job was taken back.");
    }
    aftermath.settle_down(&process.pool, &process.wakes).await;
    Ok(ended.len() as u64)
}
