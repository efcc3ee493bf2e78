//! Forgets the rows of items that were deleted, and projects that were cancelled, longer ago than the deployment keeps.

use common::process::Process;
use common::store::{items, projects};

/// Rows deleted in one statement. A cancelled project has a log to go with it.
const SOME: i64 = 1_000;
const SOME_PROJECTS: i64 = 50;

/// Prunes once: until nothing old is left. Answers how many rows went.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let days = i32::try_from(process.settings.retention_days).unwrap_or(i32::MAX);
    let mut conn = process.pool.acquire().await?;
    let mut gone = 0;
    loop {
        let batch =
            items::prune(&mut conn, days, SOME).await? + projects::prune(&mut conn, days, SOME_PROJECTS).await?;
        gone += batch;
        if batch == 0 || process.shutdown.is_cancelled() {
            return Ok(gone);
        }
    }
}
