//! Folds what finished jobs left into the buckets of accounts that dispatch nothing for a while: of many accounts in
//! one statement, which takes as long as there are ends and not accounts.

use domain::ids::AccountId;
use runtime::process::Process;
use store::{accounts, minutes};

/// Ends folded in one statement, for which it locks their accounts: some milliseconds.
const SOME: u64 = 1_000;
/// Statements of one run.
const MOST: usize = 20;
/// Accounts folded one by one in one run.
const SOME_ACCOUNTS: i64 = 200;

/// Folds until few are left. Returns how many ends it folded, or accounts where they had to be folded one by one.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut folded = 0;
    for _ in 0..MOST {
        let some = match fold_some(process).await {
            // An account whose balance can't take its ends must not keep the others waiting.
            Err(error) if store::is_refused_for_good(&error) => return one_by_one(process).await,
            some => some?,
        };
        folded += some;
        if some < SOME || process.shutdown.is_cancelled() {
            break;
        }
    }
    Ok(folded)
}

async fn fold_some(process: &Process) -> sqlx::Result<u64> {
    let mut fold = process.pool.begin().await?;
    let some = minutes::fold_some(&mut fold, SOME.cast_signed()).await?;
    fold.commit().await?;
    Ok(some)
}

async fn one_by_one(process: &Process) -> sqlx::Result<u64> {
    let accounts = minutes::unfolded_accounts(&mut *process.pool.acquire().await?, SOME_ACCOUNTS).await?;
    for &account in &accounts {
        if let Err(error) = fold(process, account).await {
            tracing::warn!(account.id = %account, %error, "An account's ended jobs were not folded.");
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
