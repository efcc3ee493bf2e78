//! Turns at what takes long, such as decoders beside the slots: an account gets one at a time, and whoever had one
//! lately lets those go first who had none.

use crate::own_turns::OwnTurns;
use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Turns at something: one at a time of an account, and so many of a process.
#[derive(Clone)]
pub(crate) struct Turns {
    all: Arc<Semaphore>,
    of_accounts: OwnTurns,
    /// The one place in the line for all that accounts have together that had a turn lately.
    again: Arc<Semaphore>,
    /// For how long an account that had a turn comes after those that had none.
    lately: Duration,
    /// When the last turn of each of these accounts ended.
    ended: Arc<Mutex<HashMap<AccountId, Instant>>>,
}

/// A turn of an account, until this is dropped.
pub(crate) struct TurnPermit {
    account: AccountId,
    of: Turns,
    /// The account's turn, and one of the process's.
    _permits: [OwnedSemaphorePermit; 2],
}

impl Turns {
    /// Returns `most` turns of a process, all of them free, and remembers for so long who had one.
    pub fn new(most: usize, lately: Duration) -> Self {
        Self {
            all: Arc::new(Semaphore::new(most)),
            of_accounts: OwnTurns::default(),
            again: Arc::new(Semaphore::new(1)),
            lately,
            ended: Arc::default(),
        }
    }

    /// Waits for a turn: first behind others of the account, then in the order of arrival. Of accounts that had one
    /// lately a single one stands in that line, so that others wait for few of them.
    pub async fn turn(&self, account: AccountId) -> Option<TurnPermit> {
        // No semaphore is ever closed.
        let own = self.of_accounts.of(account).acquire_owned().await.ok()?;
        let _again = if self.had_one(account) { Some(self.again.acquire().await.ok()?) } else { None };
        let one = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(self.permit(account, [own, one]))
    }

    /// Returns a turn if the account has none and waits for none, and one of the process is free.
    pub fn free(&self, account: AccountId) -> Option<TurnPermit> {
        let own = self.of_accounts.of(account).try_acquire_owned().ok()?;
        let one = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some(self.permit(account, [own, one]))
    }

    fn permit(&self, account: AccountId, permits: [OwnedSemaphorePermit; 2]) -> TurnPermit {
        TurnPermit { account, of: self.clone(), _permits: permits }
    }

    /// Whether the account had a turn lately.
    fn had_one(&self, account: AccountId) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.get(&account).is_some_and(|at| at.elapsed() < self.lately)
    }
}

impl Drop for TurnPermit {
    fn drop(&mut self) {
        // Noted before the permits are given back: whoever of the account is next sees it.
        let mut ended = self.of.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.retain(|_, at| at.elapsed() < self.of.lately);
        ended.insert(self.account, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use tokio::time::timeout;

    #[tokio::test]
    async fn an_account_has_one_turn_and_leaves_the_others_to_others() {
        let (turns, busy) = (Turns::new(2, Duration::from_mins(1)), AccountId::mint());
        let turn = turns.turn(busy).await;
        assert!(timeout(Duration::from_millis(20), turns.turn(busy)).await.is_err(), "its own turn is taken");
        let theirs = timeout(Duration::from_mins(1), turns.turn(AccountId::mint())).await.expect("another's turn");
        assert!(theirs.is_some());
        drop(turn);
        assert!(timeout(Duration::from_mins(1), turns.turn(busy)).await.is_ok());
    }

    #[tokio::test]
    async fn who_had_a_turn_lately_lets_an_account_go_first_that_had_none() {
        let turns = Turns::new(1, Duration::from_mins(1));
        let [busy, busy_too, fresh] = [(); 3].map(|()| AccountId::mint());
        for account in [busy, busy_too] {
            drop(turns.turn(account).await);
        }
        let held = turns.turn(AccountId::mint()).await;
        let order = RefCell::new(Vec::new());
        let work = async |account| {
            let _turn = turns.turn(account).await;
            order.borrow_mut().push(account);
        };
        // They come in this order.
        tokio::join!(work(busy), work(busy_too), work(fresh), async { drop(held) });
        assert_eq!(order.into_inner(), [busy, fresh, busy_too]);
    }
}
