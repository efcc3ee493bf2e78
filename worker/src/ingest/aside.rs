//! Slow work goes on beside the slots: a slow download, a file that is slow to probe or to measure, and what a bucket
//! is slow to give or to take. So quick work never waits for it.
//!
//! An attempt leaves its slot and keeps its claim and its lease; the queue's next ticket gets the slot. This module
//! bounds how many go on beside the slots; past that an attempt stays in its slot. The claim bounds how many an account
//! may have at a stage, in slots or not. An account gets one decoder turn at a time (`turns`), so that its files wait
//! for each other and others do not wait for them. Large files that are copied have turns of their own, which last for
//! as long as the copy stands on this machine's disk.

use crate::turns::{TurnPermit, Turns};
use domain::ids::AccountId;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Attempts of a process that go on beside its slots, at most: a download costs a socket and a buffer, and one that
/// waits for its turn costs a lease.
const MOST: usize = 256;

/// For how long an account that had a turn here comes after those that had none.
const JUST_NOW: Duration = Duration::from_mins(1);

/// Bytes beyond which an upload is copied beside the slots.
pub(super) const QUICK_BYTES: i64 = 64 << 20;

/// The work that goes on beside the slots of a process. Clones share it.
#[derive(Clone)]
pub struct Aside {
    places: Arc<Semaphore>,
    decoders: Turns,
    copies: Turns,
    running: TaskTracker,
}

impl Aside {
    /// Returns one without work. `turns` files are measured or probed beside the slots at once, and as many large ones
    /// are copied.
    pub fn new(turns: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(MOST)),
            decoders: Turns::new(turns, JUST_NOW),
            copies: Turns::new(turns, JUST_NOW),
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

    /// Does work that waits for a network: in the slot for so long, and then beside the slots, where there is room.
    /// Returns what it came to, and the permit to go on there, if it took one.
    pub async fn quickly<T>(&self, quick: Duration, work: impl Future<Output = T>) -> (T, Option<Permit>) {
        let mut work = pin!(work);
        if let Ok(done) = timeout(quick, &mut work).await {
            return (done, None);
        }
        // It may have left the slot by itself.
        let place = (!self.is_left()).then(|| self.leave());
        if place.as_ref().is_some_and(|place| !place.is_aside()) {
            tracing::warn!(account.id = %self.account, "A slow upload stays in its slot: as many as may go on beside the slots.");
        }
        (work.await, place)
    }

    /// Leaves the slot and waits for a decoder turn beside the slots: behind others of its account, and after accounts
    /// that had none just now.
    pub async fn turn(&self) -> (Permit, Option<TurnPermit>) {
        (self.leave(), self.aside.decoders.turn(self.account).await)
    }

    /// Leaves the slot and returns a decoder turn, if one is free; otherwise stays in the slot.
    pub fn free_turn(&self) -> Option<(Permit, TurnPermit)> {
        let turn = self.aside.decoders.free(self.account)?;
        Some((self.leave(), turn))
    }

    /// Leaves the slot and waits for a turn to copy a large file, in the same way. Whoever has one may wait for a
    /// decoder turn, and never the other way round.
    pub async fn copy_turn(&self) -> (Permit, Option<TurnPermit>) {
        (self.leave(), self.aside.copies.turn(self.account).await)
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

    /// Returns another slot, for another attempt of the same account.
    #[cfg(test)]
    pub fn another(&self) -> Self {
        Self { aside: self.aside.clone(), account: self.account, left: CancellationToken::new() }
    }

    /// Returns a slot beside it, for an attempt of another account.
    #[cfg(test)]
    pub fn of_another_account(&self) -> Self {
        Self { account: AccountId::mint(), ..self.another() }
    }

    /// Completes when the attempt has left the slot.
    #[cfg(test)]
    pub async fn until_left(&self) {
        self.left.cancelled().await;
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
        aside.end(Duration::from_mins(1)).await;
    }

    #[tokio::test]
    async fn what_a_bucket_is_slow_to_give_is_waited_for_beside_the_slots() {
        let slot = Slot::alone();
        let (given, place) = slot.quickly(Duration::from_mins(1), async { 1 }).await;
        assert!(given == 1 && place.is_none() && !slot.is_left());
        let (aside, given) = (Aside::new(1), Arc::new(Notify::new()));
        let waits = Arc::clone(&given);
        aside
            .run(AccountId::mint(), |slot| async move {
                let _place = slot.quickly(Duration::from_millis(1), waits.notified()).await;
            })
            .await;
        assert_eq!((aside.running.len(), aside.places.available_permits()), (1, MOST - 1), "its slot is free");
        given.notify_one();
        aside.clone().end(Duration::from_mins(1)).await;
        assert_eq!(aside.places.available_permits(), MOST);
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
        assert!(timeout(Duration::from_mins(1), next.turn()).await.is_ok());
    }

    #[tokio::test]
    async fn a_large_file_that_is_copied_leaves_its_slot_and_decoders_do_not_wait_for_it() {
        let (aside, busy) = (Aside::new(1), AccountId::mint());
        let slot = |account| Slot { aside: aside.clone(), account, left: CancellationToken::new() };
        let copying = slot(busy);
        let (place, turn) = copying.copy_turn().await;
        assert!(place.is_aside() && copying.is_left() && turn.is_some());
        let next = slot(AccountId::mint());
        assert!(timeout(Duration::from_millis(20), next.copy_turn()).await.is_err(), "one is copied at a time");
        // It is looked at while it is there, and so are files of others.
        for account in [busy, AccountId::mint()] {
            assert!(timeout(Duration::from_mins(1), slot(account).turn()).await.is_ok());
        }
        drop(turn);
        assert!(timeout(Duration::from_mins(1), next.copy_turn()).await.is_ok());
    }
}
