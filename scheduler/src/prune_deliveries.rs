//! Deletes deliveries with their attempts, events and removed endpoints that are older than the deployment keeps, and
//! forgets signing secrets that no longer verify, in batches small enough not to be felt.

use common::process::Process;
use common::store::{deliveries, endpoints, events, webhook_secrets};

/// Rows deleted in one statement.
const SOME: i64 = 5_000;

/// Prunes once: until nothing old is left. Answers how many rows went.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    let mut conn = process.pool.acquire().await?;
    let mut gone = webhook_secrets::forget_expired(&mut conn).await?;
    loop {
        // Deliveries first: an event is kept as long as one of them tells of it.
        let batch = deliveries::prune(&mut conn, days, SOME).await? + events::prune(&mut conn, days, SOME).await?;
        gone += batch;
        if batch == 0 || process.shutdown.is_cancelled() {
            break;
        }
    }
    Ok(gone + endpoints::prune(&mut conn, days).await?)
}
