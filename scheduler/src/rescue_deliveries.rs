//! Takes deliveries back from workers that died or lost the database between an attempt and its record.
//!
//! The attempt is logged as `interrupted` and sent again under its own number, at most three times; then it counts as a
//! failure, with everything that follows from one (contract §6.3).

use domain::attempt::{AttemptError, AttemptTimes};
use domain::retry::RetrySchedule;
use runtime::process::Process;
use store::attempts::{self, CountedEndpoint, EndedAttempt};
use store::deliveries::{self, LostClaim};

/// Deliveries rescued in one statement.
const BATCH: i64 = 500;

/// Rescues once. Returns how many deliveries it took back.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut conn = process.pool.acquire().await?;
    let freed = deliveries::free_interrupted(&mut conn, BATCH).await?;
    if freed > 0 {
        tracing::warn!(
            deliveries = freed,
            "Deliveries were interrupted between attempt and record; they are sent again."
        );
    }
    let lost = deliveries::lost_for_good(&mut conn, BATCH).await?;
    if lost.is_empty() {
        return Ok(freed);
    }
    let schedule = &process.settings.webhook_retry_seconds;
    let ended: Vec<EndedAttempt> = lost.iter().map(|claim| failure(claim, schedule)).collect();
    attempts::record(&mut conn, &ended).await?.iter().for_each(CountedEndpoint::tell);
    Ok(freed + lost.len() as u64)
}

/// Returns an interruption that counts. Its retry has no jitter: attempts that crashed together began at other times.
fn failure(claim: &LostClaim, schedule: &RetrySchedule) -> EndedAttempt {
    let error = Some(AttemptError::Interrupted);
    EndedAttempt {
        delivery_id: claim.id,
        claim_no: claim.claim_no,
        endpoint_id: claim.endpoint_id,
        attempt: claim.attempt,
        counts: claim.trigger.counts(),
        worker: claim.claimed_by.clone(),
        at: claim.claimed_at,
        duration_ms: claim.age_ms,
        times: AttemptTimes::NONE,
        url_host: None,
        url_path: None,
        kept_headers: None,
        response_status: None,
        error,
        response_excerpt: None,
        response_headers: None,
        clock_ahead_seconds: None,
        next: claim.trigger.next(claim.attempt, error, schedule, 0.0),
    }
}
