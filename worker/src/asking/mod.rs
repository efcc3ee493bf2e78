//! Asking a provider for what a job makes: the asking is noted first, and the job waits outside its slot.
//!
//! A job that waits for a provider computes nothing here, so it leaves its slot to others. A job that holds memory
//! while it waits needs a place for that; without one it waits in its slot. When a slot does not come free within
//! `SLOT_TIMEOUT`, the job goes on beside the slots: a few jobs at a time, as with lent slots.

use crate::readers::ReadError;
use futures_util::future::BoxFuture;
use runtime::queue::Slot;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// MiB that all waiting jobs may hold together.
const WAITING_MIB: usize = 256;
/// MiB that each waiting job counts as at least, which limits how many wait outside their slots at once.
const LEAST_MIB: usize = 4;
/// Memory that sending a source takes, as a multiple of its size: its base64, twice.
const SENT: u32 = 3;
/// Jobs that go on beside the slots at once, at most.
const BESIDE: usize = 4;
/// How long a job waits for a slot before it goes on beside the slots.
const SLOT_TIMEOUT: Duration = Duration::from_secs(5);

/// Jobs that wait outside a process's slots at once, at most.
pub(crate) const MOST_WAITING: usize = WAITING_MIB / LEAST_MIB;

/// Records that a provider is about to be asked, or fails where it may not be.
type Note = Box<dyn Fn() -> BoxFuture<'static, Result<MayAsk, ReadError>> + Send + Sync>;

/// What a provider may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MayAsk {
    /// For what the job is to make.
    ToMake,
    /// What came of an earlier request, which would be carried out a second time.
    WhatCame,
}

/// The limits that a process's jobs wait under.
#[derive(Debug, Clone)]
pub(crate) struct WaitLimits {
    waiting: Arc<Semaphore>,
    beside: Arc<Semaphore>,
    shutdown: CancellationToken,
}

impl WaitLimits {
    pub(crate) fn new(shutdown: &CancellationToken) -> Self {
        let (waiting, beside) = (Arc::new(Semaphore::new(WAITING_MIB)), Arc::new(Semaphore::new(BESIDE)));
        Self { waiting, beside, shutdown: shutdown.clone() }
    }

    /// Returns how the job of this slot, which sends `sent_bytes` bytes, waits for its provider. `is_away` is true
    /// while it has left the slot.
    pub(crate) fn waiting(&self, slot: Slot, sent_bytes: u64, is_away: Arc<AtomicBool>) -> ProviderWait {
        let sent_mib = u32::try_from(sent_bytes >> 20).unwrap_or(u32::MAX);
        let mib = sent_mib.saturating_mul(SENT).saturating_add(u32::try_from(LEAST_MIB).unwrap_or(u32::MAX));
        ProviderWait {
            limits: self.clone(),
            slot,
            mib,
            is_away,
            place: Mutex::default(),
            beside: Mutex::default(),
            has_begun: AtomicBool::default(),
        }
    }
}

/// How a job waits for its provider: it may leave its slot meanwhile.
#[derive(Debug)]
pub(crate) struct ProviderWait {
    limits: WaitLimits,
    slot: Slot,
    mib: u32,
    is_away: Arc<AtomicBool>,
    place: Mutex<Option<OwnedSemaphorePermit>>,
    beside: Mutex<Option<OwnedSemaphorePermit>>,
    has_begun: AtomicBool,
}

fn put(into: &Mutex<Option<OwnedSemaphorePermit>>, permit: Option<OwnedSemaphorePermit>) {
    *into.lock().unwrap_or_else(PoisonError::into_inner) = permit;
}

impl ProviderWait {
    /// Takes a place to wait in, if one is free.
    fn take_place(&self) {
        put(&self.place, Arc::clone(&self.limits.waiting).try_acquire_many_owned(self.mib).ok());
    }

    /// Leaves the slot, or the place beside the slots, to others.
    fn leave(&self) {
        let has_place = self.place.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if !has_place {
            return;
        }
        let beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner).take();
        if beside.is_some() || self.slot.leave() {
            self.is_away.store(true, Ordering::Relaxed);
            self.slot.tell();
        }
    }

    async fn back(&self) {
        if !self.is_away.load(Ordering::Relaxed) {
            return;
        }
        let beside = async {
            sleep(SLOT_TIMEOUT).await;
            Arc::clone(&self.limits.beside).acquire_owned().await
        };
        tokio::select! {
            biased;
            () = self.slot.retake() => {}
            // Nothing new begins in a process that ends, so the job goes on at once.
            () = self.limits.shutdown.cancelled() => {}
            permit = beside => put(&self.beside, permit.ok()),
        }
        self.is_away.store(false, Ordering::Relaxed);
    }
}

/// How a provider is asked for a job. Clones are of the same job.
#[derive(Clone, Default)]
pub struct Asking(Option<Arc<(Note, ProviderWait)>>);

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Asking").field(&self.0.as_ref().map(|asking| &asking.1)).finish()
    }
}

impl Asking {
    pub(crate) fn new(note: Note, waiting: ProviderWait) -> Self {
        Self(Some(Arc::new((note, waiting))))
    }

    /// Records for good that the provider is asked now, and leaves the slot. On an error it must not be asked.
    pub(crate) async fn begin(&self) -> Result<MayAsk, ReadError> {
        let Some(asking) = &self.0 else { return Ok(MayAsk::ToMake) };
        let (note, waiting) = &**asking;
        waiting.take_place();
        let may_ask = note().await?;
        waiting.has_begun.store(true, Ordering::Relaxed);
        waiting.leave();
        Ok(may_ask)
    }

    /// Whether it was recorded that the provider is asked, so that it may have been.
    pub(crate) fn has_begun(&self) -> bool {
        self.0.as_ref().is_some_and(|asking| asking.1.has_begun.load(Ordering::Relaxed))
    }

    /// Leaves the slot again, to wait on.
    pub(crate) fn wait_on(&self) {
        if let Some(asking) = &self.0 {
            asking.1.leave();
        }
    }

    /// Waits for a slot, to go on with what the provider has made.
    pub(crate) async fn go_on(&self) {
        if let Some(asking) = &self.0 {
            asking.1.back().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_waits_on_beside_the_slots_gives_its_place_there_to_others() {
        let limits = WaitLimits::new(&CancellationToken::new());
        let waiting = limits.waiting(Slot::default(), 0, Arc::default());
        waiting.take_place();
        put(&waiting.beside, Arc::clone(&limits.beside).try_acquire_owned().ok());
        assert_eq!(limits.beside.available_permits(), BESIDE - 1);
        waiting.leave();
        assert_eq!(limits.beside.available_permits(), BESIDE);
        assert!(waiting.is_away.load(Ordering::Relaxed), "it waits for a slot again before it goes on");
    }

    #[tokio::test]
    async fn what_waits_holds_no_more_than_there_is_room_for() {
        let limits = WaitLimits::new(&CancellationToken::new());
        let waiting = |bytes| limits.waiting(Slot::default(), bytes, Arc::default());
        let small: Vec<ProviderWait> = (0..MOST_WAITING).map(|_| waiting(1_000)).collect();
        small.iter().for_each(ProviderWait::take_place);
        assert_eq!(limits.waiting.available_permits(), 0);
        let more = waiting(0);
        more.take_place();
        assert!(more.place.lock().unwrap().is_none(), "it waits in its slot");
        drop(small);
        let large = waiting(100 << 20);
        large.take_place();
        assert!(large.place.lock().unwrap().is_none(), "304 MiB");
        let fits = waiting(80 << 20);
        fits.take_place();
        assert_eq!(limits.waiting.available_permits(), WAITING_MIB - 244);
    }
}
