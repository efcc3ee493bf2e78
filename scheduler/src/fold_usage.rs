//! Folds the notes of what accounts store into one row per account, so that reading an account's usage reads few rows.

use runtime::process::Process;
use store::usage;

/// Notes folded in one statement.
const BATCH: i64 = 5_000;

/// Folds until few notes are left. Returns how many it folded.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut conn = process.pool.acquire().await?;
    let mut folded = 0;
    loop {
        let batch = usage::fold(&mut conn, BATCH).await?;
        folded += batch;
        if batch < BATCH.unsigned_abs() || process.shutdown.is_cancelled() {
            return Ok(folded);
        }
    }
}
