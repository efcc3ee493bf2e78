//! Holds every balance against the journal. A difference is an alert, never a silent repair.

use common::process::Process;
use common::store::minutes;

/// Checks once. Answers how many balances the journal does not explain.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let drift = minutes::drift(&mut *process.pool.acquire().await?).await?;
    for one in &drift {
        tracing::error!(
            account.id = %one.account,
            balance = %one.balance,
            journal = %one.journal,
            "The `{}` balance of an account is not what its journal adds up to. Stop grants and find out why; never edit \
             balances.",
            one.what
        );
    }
    Ok(drift.len() as u64)
}
