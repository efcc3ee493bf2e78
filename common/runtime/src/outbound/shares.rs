//! Limits how many names are looked up at once for one account, so that names which hang affect their own account
//! alone.
//!
//! A lookup happens inside the client's connector, which knows nothing but a name. The account is therefore stored with
//! the task ([`on_behalf`]); lookups without an account have a share of their own.

use domain::ids::AccountId;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How many lookups an account has at once in one process.
const AN_ACCOUNT: usize = 32;
/// How long a lookup waits for its turn before it fails as this machine's fault.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

tokio::task_local! {
    static ACCOUNT: AccountId;
}

/// Runs `work` on behalf of this account.
pub(super) async fn on_behalf<F: Future>(account: AccountId, work: F) -> F::Output {
    ACCOUNT.scope(account, work).await
}

/// Returns the account that this task works for; none when it works for none.
pub(super) fn whose() -> Option<AccountId> {
    ACCOUNT.try_with(|account| *account).ok()
}

/// The turns of all accounts. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub(super) struct Shares(Arc<Mutex<HashMap<Option<AccountId>, Arc<Semaphore>>>>);

/// A turn to look a name up, which ends when this is dropped.
pub(super) struct ResolvePermit {
    whose: Option<AccountId>,
    shares: Shares,
    permit: Option<OwnedSemaphorePermit>,
}

impl Shares {
    /// Returns a turn for this account; none when its other lookups take too long.
    pub(super) async fn turn(&self, whose: Option<AccountId>) -> Option<ResolvePermit> {
        let places = {
            let mut accounts = self.lock();
            Arc::clone(accounts.entry(whose).or_insert_with(|| Arc::new(Semaphore::new(AN_ACCOUNT))))
        };
        // Made before the wait, so that a caller who gives up meanwhile also removes an account without lookups.
        let mut turn = ResolvePermit { whose, shares: self.clone(), permit: None };
        turn.permit = timeout(LONGEST_WAIT, places.acquire_owned()).await.ok()?.ok();
        turn.permit.is_some().then_some(turn)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Option<AccountId>, Arc<Semaphore>>> {
        // Nothing is left half-done by a panic in here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ResolvePermit {
    fn drop(&mut self) {
        let mut accounts = self.shares.lock();
        drop(self.permit.take());
        // Those who wait and those who look up hold the semaphore too: with one holder, nobody uses it.
        if accounts.get(&self.whose).is_some_and(|places| Arc::strong_count(places) == 1) {
            accounts.remove(&self.whose);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_account_waits_for_its_own_lookups_and_for_nobody_elses() {
        let shares = Shares::default();
        let (busy, other) = (Some(AccountId::mint()), Some(AccountId::mint()));
        let mut turns = Vec::new();
        for _ in 0..AN_ACCOUNT {
            turns.push(shares.turn(busy).await.expect("a turn"));
        }
        assert!(shares.turn(busy).await.is_none(), "given up after a while");
        assert!(shares.turn(other).await.is_some());
        turns.pop();
        assert!(shares.turn(busy).await.is_some());
        drop(turns);
        assert!(shares.lock().is_empty(), "nobody is remembered");
    }
}
