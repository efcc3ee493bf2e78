//! Gives free places to waiting jobs that came due, or that a crash between two transactions left waiting.

use common::ending;
use common::process::Process;
use common::store::jobs;

/// Accounts looked at in one run.
const SOME: i64 = 200;

/// Admits once. Answers how many jobs got a place.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let accounts = jobs::payers_with_waiting(&mut *process.pool.acquire().await?, SOME).await?;
    let mut admitted = 0;
    for account in accounts {
        match ending::admit(&process.pool, &process.wakes, account).await {
            Ok(some) => admitted += some,
            // One account whose lock is taken must not keep the others waiting.
            Err(error) => tracing::warn!(account.id = %account, error = %error, "Waiting jobs were not admitted."),
        }
    }
    Ok(admitted as u64)
}
