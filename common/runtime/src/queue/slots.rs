//! The slots of a process for a set of queues, shared by the workers that serve them.
//!
//! Claimed work may leave its slot while it waits for something, and takes one again to go on: it is first in line for
//! the next free slot, before any new claim.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// All slots. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    permits: Arc<Semaphore>,
    /// Counts the work that has begun and not ended, with a slot or without.
    begun: TaskTracker,
}

impl Slots {
    pub(super) fn new(all: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(all)), begun: TaskTracker::new() }
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
        let state = SlotState { permits: Arc::clone(&self.permits), held: Mutex::new(permit) };
        (Slot(Some(Arc::new(state))), self.begun.token())
    }

    /// Completes once all work that has begun has ended.
    pub(super) fn all_ended(&self) -> BoxFuture<'static, ()> {
        let begun = self.begun.clone();
        begun.close();
        async move { begun.wait().await }.boxed()
    }
}

#[derive(Debug)]
struct SlotState {
    permits: Arc<Semaphore>,
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
}
