//! The slots of a process for a set of queues, shared by the workers that serve them.
//!
//! Claimed work may leave its slot while it waits for something, and takes one again to go on: it is first in line for
//! the next free slot, before any new claim. Whoever leaves a slot may tell the worker, which otherwise finds it when
//! some work ends or when it looks again.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// All slots. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    permits: Arc<Semaphore>,
    /// Counts the work that has begun and not ended, with a slot or without.
    begun: TaskTracker,
    /// Told of slots that are left.
    left: Arc<Notify>,
}

impl Slots {
    pub(super) fn new(all: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(all)), begun: TaskTracker::new(), left: Arc::default() }
    }

    /// Takes all free slots, so that nobody else gets them meanwhile.
    pub(super) fn reserve(&self) -> Vec<OwnedSemaphorePermit> {
        std::iter::from_fn(|| Arc::clone(&self.permits).try_acquire_owned().ok()).collect()
    }

    /// Whether no slot is free.
    pub(super) fn is_full(&self) -> bool {
        self.permits.available_permits() == 0
    }

    /// Returns a slot for claimed work, and a token to hold until the work ends.
    pub(super) fn given(&self, permit: Option<OwnedSemaphorePermit>) -> (Slot, TaskTrackerToken) {
        let (permits, left) = (Arc::clone(&self.permits), Arc::clone(&self.left));
        let state = SlotState { permits, left, held: Mutex::new(permit) };
        (Slot(Some(Arc::new(state))), self.begun.token())
    }

    /// Completes when somebody tells of a slot that was left, or at once if somebody has told meanwhile.
    pub(super) fn left(&self) -> BoxFuture<'static, ()> {
        let left = Arc::clone(&self.left);
        async move { left.notified().await }.boxed()
    }

    /// Completes once all work that has begun has ended.
    pub(super) fn all_ended(&self) -> BoxFuture<'static, ()> {
        let begun = self.begun.clone();
        begun.close();
        async move { begun.wait().await }.boxed()
    }
}

/// Slots beside those of a queue, which its work is lent one by one. Clones share them.
#[derive(Debug, Clone)]
pub struct LentSlots(Slots);

impl LentSlots {
    /// Returns so many, all of them free.
    pub fn new(all: usize) -> Self {
        Self(Slots::new(all))
    }

    /// Takes one if one is free. Whoever comes back to a lent slot is before this.
    pub fn take(&self) -> Option<Slot> {
        let permit = Arc::clone(&self.0.permits).try_acquire_owned().ok()?;
        Some(self.0.given(Some(permit)).0)
    }

    /// Returns how many are free.
    pub fn free(&self) -> usize {
        self.0.permits.available_permits()
    }

    /// Completes when somebody tells of a lent slot that was left, or at once if somebody has told meanwhile.
    pub fn left(&self) -> BoxFuture<'static, ()> {
        self.0.left()
    }
}

#[derive(Debug)]
struct SlotState {
    permits: Arc<Semaphore>,
    left: Arc<Notify>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl SlotState {
    fn put(&self, permit: Option<OwnedSemaphorePermit>) -> Option<OwnedSemaphorePermit> {
        std::mem::replace(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner), permit)
    }
}

/// The slot of claimed work; none for work outside the slots. Clones are the same slot.
#[derive(Debug, Clone, Default)]
pub struct Slot(Option<Arc<SlotState>>);

impl Slot {
    /// Frees the slot for others. Returns whether there was one.
    pub fn leave(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.put(None).is_some())
    }

    /// Tells the worker that the slot was left, so that it claims for it at once if work waits.
    pub fn tell(&self) {
        if let Some(state) = &self.0 {
            state.left.notify_one();
        }
    }

    /// Takes a slot again, ahead of everything that is claimed after this call.
    pub async fn retake(&self) {
        if let Some(state) = &self.0
            && let Ok(permit) = Arc::clone(&state.permits).acquire_owned().await
        {
            state.put(Some(permit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::poll;
    use std::pin::pin;
    use std::task::Poll;

    #[tokio::test]
    async fn who_comes_back_is_before_whatever_is_claimed_next() {
        let slots = Slots::new(1);
        let (waits, _begun) = slots.given(slots.reserve().pop());
        assert!(slots.is_full() && slots.reserve().is_empty());
        assert!(waits.leave() && !waits.leave());
        let (other, _other_begun) = slots.given(slots.reserve().pop());
        let mut coming = pin!(waits.retake());
        assert_eq!(poll!(&mut coming), Poll::Pending);
        assert!(other.leave());
        assert!(slots.reserve().is_empty(), "it is taken already");
        assert_eq!(poll!(&mut coming), Poll::Ready(()));
        let mut ended = pin!(slots.all_ended());
        assert_eq!(poll!(&mut ended), Poll::Pending);
        assert!(!Slot::default().leave(), "what runs beside the slots has none");
    }

    #[tokio::test]
    async fn a_lent_slot_is_left_and_taken_again_as_others_are() {
        let lent = LentSlots::new(1);
        let slot = lent.take().unwrap();
        assert!(lent.free() == 0 && lent.take().is_none());
        assert!(slot.leave());
        slot.tell();
        assert_eq!(poll!(lent.left()), Poll::Ready(()), "whoever lends hears of it");
        let other = lent.take().unwrap();
        let mut coming = pin!(slot.retake());
        assert_eq!(poll!(&mut coming), Poll::Pending);
        drop(other);
        assert!(lent.take().is_none(), "it is for who comes back");
        assert_eq!(poll!(&mut coming), Poll::Ready(()));
    }

    #[tokio::test]
    async fn the_worker_hears_of_a_slot_that_was_left_once_it_is_told() {
        let slots = Slots::new(1);
        let (slot, _begun) = slots.given(slots.reserve().pop());
        let mut left = slots.left();
        assert!(slot.leave() && poll!(&mut left).is_pending());
        slot.tell();
        assert_eq!(poll!(&mut left), Poll::Ready(()));
        let mut left = slots.left();
        assert!(poll!(&mut left).is_pending(), "once");
        Slot::default().tell();
        assert!(poll!(&mut left).is_pending(), "what runs beside the slots has none to tell of");
    }
}
