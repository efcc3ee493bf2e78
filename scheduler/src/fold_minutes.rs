//! Folds what finished jobs left into the buckets of accounts that dispatch nothing for a while.

use common::ids::AccountId;
use common::process::Process;
use common::store::{accounts, minutes};

/// Accounts folded in one run.
const SOME: i64 = 200;

/// Folds once. Answers how many accounts it folded.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let accounts = minutes::unfolded_accounts(&mut *process.pool.acquire().await?, SOME).await?;
    for &account in &accounts {
        if let Err(error) = fold(process, account).await {
            // One account whose lock is taken must not keep the others waiting.
            tracing::warn!(account.id = %account, error = %error, "An account's ended jobs were not folded.");
        }
    }
    Ok(accounts.len() as u64)
}

async fn fold(process: &Process, account: AccountId) -> sqlx::Result<()> {
    let mut fold = process.pool.begin().await?;
    accounts::lock(&mut fold, account).await?;
    minutes::fold(&mut fold, account, process.settings.monthly_minutes).await?;
    fold.commit().await
}
