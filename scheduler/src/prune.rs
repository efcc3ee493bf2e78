//! Deletes what is older than the deployment keeps, in batches small enough not to be felt.

use common::process::Process;
use common::store::{fleet, retention};

/// Rows deleted in one transaction.
const SOME: i64 = 5_000;

/// Prunes once: until nothing old is left. Answers how many rows went.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    let mut conn = process.pool.acquire().await?;
    let mut gone = retention::sessions(&mut conn).await? + fleet::forget(&mut conn).await?;
    loop {
        let batch = retention::jobs(&mut conn, days, SOME).await? + retention::tickets(&mut conn, SOME).await?;
        gone += batch;
        if batch == 0 || process.shutdown.is_cancelled() {
            return Ok(gone);
        }
    }
}
