//! Folds what finished jobs left into the buckets of accounts that dispatch nothing for a while.

use common::process::Process;
use common::store::{accounts, minutes};

/// Accounts folded in one run.
const SOME: i64 = 200;

/// Folds once. Answers how many accounts it folded.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let accounts = minutes::unfolded_accounts(&mut *process.pool.acquire().await?, SOME).await?;
    for &account in &accounts {
        let mut tx = process.pool.begin().await?;
        accounts::lock(&mut tx, account).await?;
        minutes::fold(&mut tx, account, process.settings.monthly_minutes).await?;
        tx.commit().await?;
    }
    Ok(accounts.len() as u64)
}
