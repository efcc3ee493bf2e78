//! Ends uploads that nobody completed in time, and forgets those that ended long ago.
//!
//! An abandoned upload's item becomes a tombstone, so its bytes are dropped by `purge_items` and nowhere else.

use common::process::Process;
use common::store::uploads;

/// Uploads a statement.
const BATCH: i64 = 1_000;

/// Answers how many uploads were ended or forgotten.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut conn = process.pool.acquire().await?;
    let expired = uploads::expire(&mut conn, BATCH).await?;
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    let pruned = uploads::prune(&mut conn, days, BATCH).await?;
    Ok(expired + pruned)
}
