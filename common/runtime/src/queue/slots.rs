//! The slots of a process for a set of queues, whichever worker serves them.
//!
//! Claimed work may leave its slot while it waits for somebody else, and takes one again when it goes on: before
//! whatever would be claimed for it, since it is first in line for what comes free.

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
    /// What has begun and not ended, in a slot or not.
    begun: TaskTracker,
}

impl Slots {
    pub(super) fn new(all: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(all)), begun: TaskTracker::new() }
    }

    /// All that are free, so that nobody else has them meanwhile.
    pub(super) fn reserve(&self) -> Vec<OwnedSemaphorePermit> {
        std::iter::from_fn(|| Arc::clone(&self.permits).try_acquire_owned().ok()).collect()
    }

    /// A slot that claimed work has from now on.
    pub(super) fn given(&self, permit: Option<OwnedSemaphorePermit>) -> (Slot, TaskTrackerToken) {
        let place = Place { permits: Arc::clone(&self.permits), held: Mutex::new(permit) };
        (Slot(Some(Arc::new(place))), self.begun.token())
    }

    /// Ends once all that has begun has ended.
    pub(super) fn all_ended(&self) -> BoxFuture<'static, ()> {
        let begun = self.begun.clone();
        begun.close();
        async move { begun.wait().await }.boxed()
    }
}

#[derive(Debug)]
struct Place {
    permits: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Place {
    fn put(&self, permit: Option<OwnedSemaphorePermit>) -> Option<OwnedSemaphorePermit> {
        std::mem::replace(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner), permit)
    }
}

/// The slot that claimed work has; none of what runs beside them. Clones are the same slot.
#[derive(Debug, Clone, Default)]
pub struct Slot(Option<Arc<Place>>);

impl Slot {
    /// Gives it to others; whether there was one.
    pub fn leave(&self) -> bool {
        self.0.as_ref().is_some_and(|place| place.put(None).is_some())
    }

    /// Takes one again, before all that is claimed after this call.
    pub async fn retake(&self) {
        if let Some(place) = &self.0
            && let Ok(permit) = Arc::clone(&place.permits).acquire_owned().await
        {
            place.put(Some(permit));
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
        assert!(slots.reserve().is_empty());
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
