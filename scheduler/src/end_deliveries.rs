//! Ends the waiting deliveries of endpoints that are disabled, as `skipped`, or removed, as `cancelled`.
//!
//! A claim does the same for the delivery that it meets. This duty ends the others, whose next attempt may be a day
//! away, so that the log is right at once (contract §6.3).

use runtime::process::Process;
use store::deliveries;

/// Deliveries ended in one statement, and endpoints that are noted in one.
const BATCH: u32 = 5_000;

/// Ends all such deliveries, and notes which endpoints need no look any more. Returns how many deliveries.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut conn = process.pool.acquire().await?;
    let mut ended = 0;
    loop {
        let batch = deliveries::end_silent(&mut conn, None, i64::from(BATCH)).await?;
        ended += batch;
        if batch < u64::from(BATCH) || process.shutdown.is_cancelled() {
            break;
        }
    }
    deliveries::note_emptied(&mut conn, i64::from(BATCH)).await?;
    Ok(ended)
}
