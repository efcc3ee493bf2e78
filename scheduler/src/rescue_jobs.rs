//! Takes jobs back from workers that no longer renew their leases: queued again, or given up as `worker_lost` at the
//! fifth loss.

use domain::ids::JobId;
use domain::job::{JobError, Next, after_loss};
use runtime::ending;
use runtime::process::Process;
use store::is_refused_for_good;
use store::jobs::{self, End, LostClaim, Outcome};

/// Jobs rescued in one transaction.
const BATCH: i64 = 500;

/// Rescues once. Returns how many jobs it took back. A job whose end is refused holds up no other: it stays running,
/// with its hold, until the next run.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let error = match rescue(process, None).await {
        Err(error) if is_refused_for_good(&error) => error,
        done => return done,
    };
    tracing::warn!(error = %error, "Jobs whose workers were lost could not be taken back together; each is tried alone.");
    let expired = jobs::lock_expired(&mut *process.pool.acquire().await?, None, BATCH).await?;
    let mut rescued = 0;
    for LostClaim { job, .. } in expired {
        match rescue(process, Some(job)).await {
            Ok(done) => rescued += done,
            Err(error) if is_refused_for_good(&error) => {
                metrics::counter!("mws_job_ends_not_written_total", "outcome" => "rescue_refused").increment(1);
                tracing::error!(job.id = %job, error = %error, "A job whose worker was lost can't be taken back.");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(rescued)
}

/// Takes back the jobs whose leases have expired, or only one of them, in one transaction.
async fn rescue(process: &Process, only: Option<JobId>) -> sqlx::Result<u64> {
    let mut tx = process.pool.begin().await?;
    let expired = jobs::lock_expired(&mut tx, only, BATCH).await?;
    if expired.is_empty() {
        return Ok(0);
    }
    let ends: Vec<End> = expired
        .into_iter()
        .map(|LostClaim { job, claim_no, item, losses }| {
            let outcome = match after_loss(losses) {
                Next::Again(_) => Outcome::Lost,
                Next::Fail => Outcome::Abandoned,
            };
            let message = "The worker that ran it died, or lost its database.".to_owned();
            let error = JobError { code: "worker_lost".to_owned(), message, retryable: true };
            End { job, claim_no, item, outcome, error: Some(error) }
        })
        .collect();
    let ended = jobs::end(&mut tx, &ends).await?;
    let after_commit = ending::end_jobs(&mut tx, &ended, &[], &process.settings.event_kinds).await?;
    tx.commit().await?;
    metrics::counter!("mws_job_leases_lost_total").increment(ended.len() as u64);
    for job in &ended {
        tracing::warn!(job.id = %job.job, status = job.status.name(), "A job's worker was lost; the job was taken back.");
    }
    after_commit.run(&process.pool, &process.wakes).await;
    Ok(ended.len() as u64)
}
