//! Deletes webhooks of projects that ended longer ago than the deployment keeps, in batches small enough not to be felt.

use common::process::Process;
use common::store::project_webhooks;

/// Rows deleted in one statement.
const SOME: i64 = 5_000;

/// Prunes once: until nothing old is left. Answers how many rows went.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    let mut conn = process.pool.acquire().await?;
    let mut gone = 0;
    loop {
        let batch = project_webhooks::prune(&mut conn, days, SOME).await?;
        gone += batch;
        if batch == 0 || process.shutdown.is_cancelled() {
            return Ok(gone);
        }
    }
}
