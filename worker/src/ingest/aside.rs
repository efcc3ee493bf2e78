//! What takes long goes on beside the slots: a file that has to be counted or is slow to look at, and a download that
//! is slow. So what takes a moment never waits for it, whoever's it is.
//!
//! An attempt leaves its slot and keeps its claim and its lease; the queue's next ticket has the slot. How many may go
//! on beside the slots is bounded here; past that an attempt stays where it is. What an account may have at a stage,
//! beside the slots or not, is the claim's to bound.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Attempts of a process that go on beside its slots, at most: a download costs a socket and a buffer, and one that
/// waits for its turn to be counted a lease.
const MOST: usize = 256;

/// What goes on beside the slots of a process. Clones share it.
#[derive(Clone)]
pub struct Aside {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    running: TaskTracker,
}

impl Aside {
    /// Nothing yet. So many files are counted or looked at there at once.
    pub fn new(turns: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(MOST)),
            turns: Arc::new(Semaphore::new(turns)),
            running: TaskTracker::new(),
        }
    }

    /// Works in a slot until this is done, or has left it.
    pub(super) async fn run<W: Future<Output = ()> + Send + 'static>(&self, work: impl FnOnce(Slot) -> W) {
        let slot = Slot { aside: self.clone(), left: CancellationToken::new() };
        let left = slot.left.clone();
        let working = self.running.spawn(work(slot));
        tokio::select! {
            _ = working => {}
            () = left.cancelled() => {}
        }
    }

    /// Waits for what still runs, for at most so long.
    pub async fn end(self, patience: Duration) {
        self.running.close();
        // What is left loses its lease.
        let _ = timeout(patience, self.running.wait()).await;
    }
}

/// The slot that an attempt works in.
pub(super) struct Slot {
    aside: Aside,
    left: CancellationToken,
}

/// Leave to go on beside the slots.
pub(super) struct Permit(Option<OwnedSemaphorePermit>);

impl Slot {
    /// Leaves the slot to the next, where there is room beside the slots.
    pub fn leave(&self) -> Permit {
        let place = Arc::clone(&self.aside.places).try_acquire_owned().ok();
        if place.is_some() {
            self.left.cancel();
        }
        Permit(place)
    }

    /// Leaves the slot and waits for a turn of a decoder beside the slots; turns come in order.
    pub async fn turn(&self) -> (Permit, Option<OwnedSemaphorePermit>) {
        let place = self.leave();
        // The semaphore is never closed.
        (place, Arc::clone(&self.aside.turns).acquire_owned().await.ok())
    }

    /// Whether the slot is another's by now.
    pub fn is_left(&self) -> bool {
        self.left.is_cancelled()
    }

    /// One that stands for nothing, for a look at a file outside a queue.
    #[cfg(test)]
    pub fn alone() -> Self {
        Self { aside: Aside::new(1), left: CancellationToken::new() }
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
            .run(|slot| async move {
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
        let slot = || Slot { aside: aside.clone(), left: CancellationToken::new() };
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
}
