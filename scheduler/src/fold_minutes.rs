//! Folds ended jobs into the balances of their accounts, so that accounts which dispatch nothing are folded too. One
//! statement folds for many accounts: its time depends on the number of rows, not of accounts.

use domain::ids::AccountId;
use runtime::process::Process;
use store::{accounts, minutes};

/// Rows of ended jobs folded in one statement, at most. It keeps their accounts locked for some milliseconds.
const ROWS_PER_STATEMENT: u64 = 1_000;
/// Statements in one run, at most.
const STATEMENTS_PER_RUN: usize = 20;
/// Accounts folded one by one in one run, at most.
const ACCOUNTS_PER_RUN: i64 = 200;

/// Folds until a statement folds fewer rows than it may. Returns how many rows it folded; where accounts had to be
/// folded one by one, how many accounts it tried, including those that failed.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut folded = 0;
    for _ in 0..STATEMENTS_PER_RUN {
        let some = match fold_some(process).await {
            // One account's jobs can't be folded. The others must not wait for it, so each is folded separately.
            Err(error) if store::is_refused_for_good(&error) => return one_by_one(process).await,
            some => some?,
        };
        folded += some;
        if some < ROWS_PER_STATEMENT || process.shutdown.is_cancelled() {
            break;
        }
    }
    Ok(folded)
}

async fn fold_some(process: &Process) -> sqlx::Result<u64> {
    let mut fold = process.pool.begin().await?;
    let some = minutes::fold_some(&mut fold, ROWS_PER_STATEMENT.cast_signed()).await?;
    fold.commit().await?;
    Ok(some)
}

async fn one_by_one(process: &Process) -> sqlx::Result<u64> {
    let accounts = minutes::unfolded_accounts(&mut *process.pool.acquire().await?, ACCOUNTS_PER_RUN).await?;
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
