//! Slow work goes on beside the slots: a file whose length has to be measured or that is slow to probe, and a slow
//! download. So quick work never waits for it, whichever account's it is.
//!
//! An attempt leaves its slot and keeps its claim and its lease; the queue's next ticket gets the slot. This module
//! bounds how many go on beside the slots; past that an attempt stays in its slot. The claim bounds how many an account
//! may have at a stage, in slots or not. An account gets one decoder turn at a time, so that its files wait for each
//! other and others do not wait for them.

use crate::own_turns::OwnTurns;
use domain::ids::AccountId;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Attempts of a process that go on beside its slots, at most: a download costs a socket and a buffer, and one that
/// waits for its turn costs a lease.
const MOST: usize = 256;

/// The work that goes on beside the slots of a process. Clones share it.
#[derive(Clone)]
pub struct Aside {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    of_accounts: OwnTurns,
    running: TaskTracker,
}

/// A decoder turn: the account's, and one of the process's.
pub(super) type DecoderPermit = [OwnedSemaphorePermit; 2];

impl Aside {
    /// Returns one without work. `turns` files are measured or probed beside the slots at once.
    pub fn new(turns: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(MOST)),
            turns: Arc::new(Semaphore::new(turns)),
            of_accounts: OwnTurns::default(),
            running: TaskTracker::new(),
        }
    }

    /// Works for an account until the work is done or has left its slot.
    pub(super) async fn run<W>(&self, account: AccountId, work: impl FnOnce(Slot) -> W)
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let slot = Slot { aside: self.clone(), account, left: CancellationToken::new() };
        let left = slot.left.clone();
        let working = self.running.spawn(work(slot));
        tokio::select! {
            _ = working => {}
            () = left.cancelled() => {}
        }
    }

    /// Waits for what still runs, up to `patience`.
    pub async fn end(self, patience: Duration) {
        self.running.close();
        // What still runs loses its lease.
        let _ = timeout(patience, self.running.wait()).await;
    }
}

/// The slot that an attempt works in.
pub(super) struct Slot {
    aside: Aside,
    account: AccountId,
    left: CancellationToken,
}

/// Permission to go on beside the slots.
pub(super) struct Permit(Option<OwnedSemaphorePermit>);

impl Slot {
    /// Leaves the slot to the next ticket, where there is room beside the slots.
    pub fn leave(&self) -> Permit {
        let place = Arc::clone(&self.aside.places).try_acquire_owned().ok();
        if place.is_some() {
            self.left.cancel();
        }
        Permit(place)
    }

    /// Leaves the slot and waits for a decoder turn beside the slots: first behind others of its account, then in the
    /// order of arrival.
    pub async fn turn(&self) -> (Permit, Option<DecoderPermit>) {
        let place = self.leave();
        // Neither semaphore is ever closed.
        let Ok(own) = self.aside.of_accounts.of(self.account).acquire_owned().await else { return (place, None) };
        let one = Arc::clone(&self.aside.turns).acquire_owned().await.ok();
        (place, one.map(|one| [own, one]))
    }

    /// Whether the attempt has left the slot.
    pub fn is_left(&self) -> bool {
        self.left.is_cancelled()
    }

    /// Returns a slot of no queue, to look at a file in a test.
    #[cfg(test)]
    pub fn alone() -> Self {
        Self { aside: Aside::new(1), account: AccountId::mint(), left: CancellationToken::new() }
    }
}

impl Permit {
    /// Whether the attempt goes on beside the slots.
    pub const fn is_aside(&self) -> bool {
        self.0.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::Notify;

    #[tokio::test]
    async fn who_leaves_a_slot_goes_on_and_the_slot_is_free() {
        let (aside, done) = (Aside::new(1), Arc::new(Notify::new()));
        let goes_on = Arc::clone(&done);
        aside
            .run(AccountId::mint(), |slot| async move {
                let place = slot.leave();
                assert!(place.is_aside() && slot.is_left());
                goes_on.notified().await;
            })
            .await;
        assert_eq!(aside.running.len(), 1, "the slot is free, and the work goes on");
        done.notify_one();
        aside.end(Duration::from_secs(5)).await;
    }

    #[tokio::test]
    async fn past_the_bound_an_attempt_stays_in_its_slot_and_decoders_take_turns() {
        let aside = Aside::new(1);
        let slot = || Slot { aside: aside.clone(), account: AccountId::mint(), left: CancellationToken::new() };
        let places: Vec<Permit> = (0..MOST).map(|_| slot().leave()).collect();
        let late = slot();
        assert!(!late.leave().is_aside() && !late.is_left());
        drop(places);
        let (_place, turn) = slot().turn().await;
        let next = slot();
        assert!(timeout(Duration::from_millis(20), next.turn()).await.is_err(), "one at a time");
        assert!(next.is_left());
        drop(turn);
        assert!(timeout(Duration::from_secs(5), next.turn()).await.is_ok());
    }

    #[tokio::test]
    async fn an_account_has_one_turn_and_leaves_the_others_to_others() {
        let (aside, busy) = (Aside::new(2), AccountId::mint());
        let slot = |account| Slot { aside: aside.clone(), account, left: CancellationToken::new() };
        let (_place, turn) = slot(busy).turn().await;
        let second = slot(busy);
        assert!(timeout(Duration::from_millis(20), second.turn()).await.is_err(), "its own turn is taken");
        let others = slot(AccountId::mint());
        let (_place, theirs) = timeout(Duration::from_secs(5), others.turn()).await.expect("another's turn");
        assert!(theirs.is_some());
        drop(turn);
        assert!(timeout(Duration::from_secs(5), second.turn()).await.is_ok());
    }
}
