//! Checks the rules that must hold of the rows at every moment, one after the other, each every five minutes by one of
//! the schedulers. It repairs nothing: operators are told, by the verdict, the console and an alert.
//!
//! The rows of all rules together are read in some tenths of a second. `check_ledger` checks the balances.

use crate::each::Each;
use domain::verdict::{Held, Invariant, Outcome};
use runtime::process::Process;
use store::invariants;

/// Seconds between two checks of a rule.
const EVERY_SECONDS: f64 = 300.0;

/// Checks the rules that are due, and tells of all. Returns 0, since it puts no rows right.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut each = Each::default();
    for invariant in Invariant::ALL.into_iter().filter(|one| *one != Invariant::Balances) {
        if process.shutdown.is_cancelled() {
            break;
        }
        // One that can't be checked keeps no other from being checked.
        each = each.and(check_if_due(process, invariant).await);
    }
    for held in invariants::last(&mut *process.pool.acquire().await?).await? {
        tell(&held);
    }
    each.result()
}

async fn check_if_due(process: &Process, invariant: Invariant) -> sqlx::Result<u64> {
    if invariants::take(&mut *process.pool.acquire().await?, invariant, EVERY_SECONDS).await? {
        check(process, invariant).await?;
    }
    Ok(0)
}

async fn check(process: &Process, invariant: Invariant) -> sqlx::Result<()> {
    let mut tx = process.pool.begin().await?;
    invariants::bound(&mut tx).await?;
    let found = invariants::broken(&mut tx, invariant).await;
    tx.rollback().await?;
    let mut conn = process.pool.acquire().await?;
    match found {
        Ok(broken) => {
            if !broken.is_empty() {
                tracing::error!(
                    invariant = invariant.name(),
                    rows = broken.len(),
                    such_as = broken.first().map(String::as_str).unwrap_or_default(),
                    "An invariant does not hold. See `mws doctor --only invariants`."
                );
            }
            invariants::record(&mut conn, invariant, &broken).await
        }
        Err(error) if invariants::took_too_long(&error) => {
            tracing::warn!(invariant = invariant.name(), "The check of an invariant takes too long and was stopped.");
            invariants::record_unfinished(&mut conn, invariant).await
        }
        Err(error) => Err(error),
    }
}

/// Reports how many rows broke a rule when any scheduler last checked it. Balances have a metric of their own.
fn tell(held: &Held) {
    if held.invariant == Invariant::Balances {
        return;
    }
    let broken = if held.outcome == Some(Outcome::Failed) { held.broken } else { 0 };
    let broken = f64::from(u32::try_from(broken).unwrap_or(u32::MAX));
    metrics::gauge!("mws_invariant_broken_rows", "invariant" => held.invariant.name()).set(broken);
}
