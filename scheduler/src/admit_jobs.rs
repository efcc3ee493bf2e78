//! Gives free places to waiting jobs that are due, or that a crash between two transactions left waiting.
//!
//! A run goes through a batch of the accounts whose jobs ran before and wait again, and a batch of those with any
//! waiting jobs. The next run goes on after them, and begins anew after the last account. So the cost of a run does not
//! grow with the number of accounts or of waiting jobs, except that it reads all jobs of a paused read that never ran.
//! While it finds accounts that can have a place, as when a read is resumed, it takes up to `MOST_STEPS` batches.

use domain::ids::AccountId;
use runtime::ending;
use runtime::process::Process;
use sqlx::PgConnection;
use sqlx::types::Uuid;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use store::jobs::{self, Payer};

/// The accounts in a batch of those whose jobs wait again, which are few.
const BATCH_AGAIN: i64 = 1_000;
/// The accounts in a batch of all those with waiting jobs.
const BATCH: i64 = 100;
/// The most batches that a run takes in each round.
const MOST_STEPS: usize = 10;

/// The accounts that a round looks through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Round {
    Again,
    All,
}

/// The last account that each round of each scheduler of this process looked at, by the scheduler's name. The next step
/// begins after it, and starts over at the end.
static LAST: Mutex<BTreeMap<(Arc<str>, Round), AccountId>> = Mutex::new(BTreeMap::new());

/// Runs once. Returns how many jobs got a place.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut done: BTreeSet<AccountId> = BTreeSet::new();
    let mut admitted = 0;
    for round in [Round::Again, Round::All] {
        for _ in 0..MOST_STEPS {
            let mut conn = process.pool.acquire().await?;
            let found = left_waiting(&mut conn, &process.name, round).await?;
            drop(conn);
            let new: Vec<AccountId> = found.into_iter().filter(|account| done.insert(*account)).collect();
            if new.is_empty() || process.shutdown.is_cancelled() {
                break;
            }
            admitted += admit(process, &new).await;
        }
    }
    Ok(admitted as u64)
}

async fn admit(process: &Process, accounts: &[AccountId]) -> usize {
    let mut admitted = 0;
    for account in accounts {
        if process.shutdown.is_cancelled() {
            break;
        }
        match ending::admit(&process.pool, &process.wakes, *account).await {
            Ok(some) => admitted += some,
            // One account whose lock is taken must not keep the others waiting.
            Err(error) => tracing::warn!(account.id = %account, error = %error, "Waiting jobs were not admitted."),
        }
    }
    admitted
}

/// Returns the accounts that could have a place, of the next accounts of the round.
async fn left_waiting(conn: &mut PgConnection, scheduler: &Arc<str>, round: Round) -> sqlx::Result<Vec<AccountId>> {
    let nobody = AccountId::from(Uuid::nil());
    let key = (Arc::clone(scheduler), round);
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
    let some = if round == Round::Again { BATCH_AGAIN } else { BATCH };
    let mut seen = after(conn, round, last.unwrap_or(nobody), some).await?;
    let missing = some - i64::try_from(seen.len()).unwrap_or(some);
    let is_round = if last.is_some() && missing > 0 {
        let first = after(conn, round, nobody, missing).await?;
        let is_round = i64::try_from(first.len()).unwrap_or_default() < missing;
        seen.extend(first);
        is_round
    } else {
        missing > 0
    };
    // When all accounts have been looked at, the next step begins at the first.
    let next = seen.last().filter(|_| !is_round).map(|one| one.payer);
    let mut all = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match next {
        Some(next) => all.insert(key, next),
        None => all.remove(&key),
    };
    drop(all);
    Ok(seen.iter().filter(|one| one.can_admit).map(|one| one.payer).collect())
}

async fn after(conn: &mut PgConnection, round: Round, last: AccountId, some: i64) -> sqlx::Result<Vec<Payer>> {
    match round {
        Round::Again => jobs::payers_due_again(conn, last, some).await,
        Round::All => jobs::payers_with_waiting(conn, last, some).await,
    }
}
