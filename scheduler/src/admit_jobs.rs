//! Gives free places to waiting jobs that came due, or that a crash between two transactions left waiting.
//!
//! What was run before and has just come due is found by its time. For the rest the accounts with waiting jobs are
//! looked through, some in each run, and then from the first again: a run costs as much with a million waiting jobs as
//! with a hundred accounts of them.

use common::ending;
use common::ids::AccountId;
use common::process::Process;
use common::store::jobs;
use sqlx::PgConnection;
use sqlx::types::Uuid;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Accounts looked at in one run.
const SOME: i64 = 100;
/// Jobs that came due lately: of how many, and how lately. A run that is late finds those of the run before too.
const DUE_AGAIN: i64 = 500;
const LATELY_S: f64 = 5.0;

/// The account that each scheduler of this process looked at last, by the scheduler's name. A run begins after it and
/// goes round.
static LAST: Mutex<BTreeMap<Arc<str>, AccountId>> = Mutex::new(BTreeMap::new());

/// Admits once. Answers how many jobs got a place.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut conn = process.pool.acquire().await?;
    let again = jobs::payers_with_due_again(&mut conn, LATELY_S, DUE_AGAIN).await?;
    let mut accounts: BTreeSet<AccountId> = again.into_iter().collect();
    accounts.extend(left_waiting(&mut conn, &process.name).await?);
    drop(conn);
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

/// Those of the next accounts with waiting jobs that could have a place.
async fn left_waiting(conn: &mut PgConnection, scheduler: &Arc<str>) -> sqlx::Result<Vec<AccountId>> {
    let nobody = AccountId::from(Uuid::nil());
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).get(scheduler).copied();
    let mut seen = jobs::payers_with_waiting(conn, last.unwrap_or(nobody), SOME).await?;
    let missing = SOME - i64::try_from(seen.len()).unwrap_or(SOME);
    let is_round = if last.is_some() && missing > 0 {
        let first = jobs::payers_with_waiting(conn, nobody, missing).await?;
        let is_round = i64::try_from(first.len()).unwrap_or_default() < missing;
        seen.extend(first);
        is_round
    } else {
        missing > 0
    };
    // Where all were looked at there is no place to go on from.
    let next = seen.last().filter(|_| !is_round).map(|one| one.payer);
    let mut all = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match next {
        Some(next) => all.insert(Arc::clone(scheduler), next),
        None => all.remove(scheduler),
    };
    drop(all);
    Ok(seen.iter().filter(|one| one.can_admit).map(|one| one.payer).collect())
}
