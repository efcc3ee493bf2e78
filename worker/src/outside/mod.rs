//! Waiting outside a slot. A job that waits for what others have, and computes nothing meanwhile, leaves its slot to
//! others, its own or one that it was lent: so a job waits for its provider (`asking`), and a large picture for its
//! turn to be drawn (`renders/canvas`).
//!
//! A job takes a place to wait in before it fetches anything (`crate::places`), and is put back into the queue if none
//! is left for it. When no slot comes free in a moment once it may go on, it goes on beside the slots: a few jobs at a
//! time (`waiting`).

mod waiting;

pub(crate) use waiting::Waiting;

use crate::places::Places;
use domain::ids::AccountId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// After how long a job that found no place is tried again at most: newer ones ask as soon as they come, and a place
/// may be free for moments.
pub(crate) const PLACE_AGAIN: Duration = Duration::from_secs(5);

/// The limits under which jobs of a process wait for one kind of thing. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct WaitLimits {
    places: Arc<Mutex<Places>>,
    beside: Arc<Semaphore>,
    shutdown: CancellationToken,
}

/// A place of a job that waits, until this is dropped.
#[derive(Debug)]
struct Place {
    limits: WaitLimits,
    account: AccountId,
}

impl WaitLimits {
    /// Returns those of a process that ends with `shutdown`: the places of all jobs and of one account's, of which half
    /// are kept for accounts that have none, and the jobs that go on `beside` the slots at once.
    pub(crate) fn new([all, an_accounts]: [usize; 2], beside: usize, shutdown: &CancellationToken) -> Self {
        Self {
            places: Arc::new(Mutex::new(Places::new(all, an_accounts, all / 2))),
            beside: Arc::new(Semaphore::new(beside)),
            shutdown: shutdown.clone(),
        }
    }

    /// Takes a place for a job of the account, if one is left for it.
    fn place(&self, account: AccountId) -> Option<Place> {
        let now = Instant::now();
        let mut places = self.places();
        places.forget(now);
        if !places.are_left_for(account, 1, now) {
            places.remember(account, 1, now, PLACE_AGAIN);
            return None;
        }
        places.take(account, 1);
        Some(Place { limits: self.clone(), account })
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.limits.places().leave(self.account, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(all: usize, an_accounts: usize) -> WaitLimits {
        WaitLimits::new([all, an_accounts], 1, &CancellationToken::new())
    }

    #[test]
    fn an_account_has_its_share_of_the_places_and_leaves_the_others() {
        let (limits, [busy, other]) = (limits(6, 2), [(); 2].map(|()| AccountId::mint()));
        let mut held: Vec<_> = std::iter::from_fn(|| limits.place(busy)).collect();
        assert_eq!(held.len(), 2);
        held.push(limits.place(other).expect("others have theirs"));
        assert!(limits.place(other).is_none(), "what is left is for accounts that have none");
        held.extend((0..3).map(|_| limits.place(AccountId::mint()).expect("one is kept for it")));
        assert!(limits.place(AccountId::mint()).is_none());
        drop(held);
        assert!(limits.places().are_free());
    }

    #[test]
    fn a_place_that_is_given_back_is_left_to_whoever_found_none() {
        let (limits, [busy, other, late]) = (limits(2, 1), [(); 3].map(|()| AccountId::mint()));
        let (held, _others) = (limits.place(busy), limits.place(other).expect("a place"));
        assert!(held.is_some() && limits.place(late).is_none());
        drop(held);
        assert!(limits.place(busy).is_none(), "it had one just now, and another found none");
        let its = limits.place(late).expect("the place was left to it");
        drop(its);
        assert!(limits.place(late).is_none(), "now the other waits for longer");
        assert!(limits.place(busy).is_some());
    }
}
