//! Folds the notes of what accounts keep into one row an account, so that a look at it stays a look at few rows.

use runtime::process::Process;
use store::usage;

/// Notes folded in one statement.
const SOME: i64 = 5_000;

/// Folds until few are left. Returns how many.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut conn = process.pool.acquire().await?;
    let mut folded = 0;
    loop {
        let batch = usage::fold(&mut conn, SOME).await?;
        folded += batch;
        if batch < SOME.unsigned_abs() || process.shutdown.is_cancelled() {
            return Ok(folded);
        }
    }
}
