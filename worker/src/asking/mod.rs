//! Asking a provider for what a job makes: the asking is noted first, and the job waits outside its slot.
//!
//! A job that waits for a provider computes nothing here and holds little (`generations/provider`), so it leaves its
//! slot to others (`outside`).

use crate::outside::{WaitLimits, Waiting};
use crate::readers::ReadError;
use futures_util::future::BoxFuture;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;

/// Jobs of one account that ask providers at once, at most.
const AN_ACCOUNTS: usize = 16;
/// Jobs that go on beside the slots at once, at most.
const BESIDE: usize = 4;

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

/// Returns the limits of a process that ends with `shutdown`, of which `most` jobs ask providers at once. All may wait
/// outside the slots: each holds pieces of what it sends and of what it is answered, less than a MiB, and its own plan,
/// a prompt or the texts of a dub.
pub(crate) fn wait_limits(most: usize, shutdown: &CancellationToken) -> WaitLimits {
    WaitLimits::new([most, AN_ACCOUNTS], BESIDE, shutdown)
}

/// How a provider is asked for a job. Clones are of the same job.
#[derive(Clone, Default)]
pub struct Asking(Option<Arc<OfJob>>);

/// How one job asks.
struct OfJob {
    note: Note,
    waiting: Waiting,
    /// Whether it was noted that the provider is asked.
    has_begun: AtomicBool,
}

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Asking").field(&self.0.as_ref().map(|job| &job.waiting)).finish()
    }
}

impl Asking {
    pub(crate) fn new(note: Note, waiting: Waiting) -> Self {
        Self(Some(Arc::new(OfJob { note, waiting, has_begun: AtomicBool::default() })))
    }

    /// Records for good that the provider is asked now, and leaves the slot. On an error it must not be asked:
    /// [`ReadError::Cancelled`] while the process ends, as the end of its drain would cut the request off.
    pub(crate) async fn begin(&self) -> Result<MayAsk, ReadError> {
        let Some(job) = &self.0 else { return Ok(MayAsk::ToMake) };
        if job.waiting.is_ending() {
            return Err(ReadError::Cancelled);
        }
        let may_ask = (job.note)().await?;
        job.has_begun.store(true, Ordering::Relaxed);
        job.waiting.leave();
        Ok(may_ask)
    }

    /// Whether it was recorded that the provider is asked, so that it may have been.
    pub(crate) fn has_begun(&self) -> bool {
        self.0.as_ref().is_some_and(|job| job.has_begun.load(Ordering::Relaxed))
    }

    /// Leaves the slot again, to wait on.
    pub(crate) fn wait_on(&self) {
        if let Some(job) = &self.0 {
            job.waiting.leave();
        }
    }

    /// Waits for a slot, to go on with what the provider has made.
    pub(crate) async fn go_on(&self) {
        if let Some(job) = &self.0 {
            job.waiting.back().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::AccountId;
    use futures_util::FutureExt;
    use runtime::queue::Slot;
    use std::future::ready;
    use std::sync::atomic::AtomicUsize;

    #[tokio::test]
    async fn a_process_that_ends_notes_nothing_and_asks_nobody_any_more() {
        let (shutdown, noted) = (CancellationToken::new(), Arc::new(AtomicUsize::default()));
        let limits = wait_limits(2, &shutdown);
        let asking = || {
            let noted = Arc::clone(&noted);
            let note = move || {
                noted.fetch_add(1, Ordering::Relaxed);
                ready(Ok::<_, ReadError>(MayAsk::ToMake)).boxed()
            };
            let waiting = limits.waiting(Slot::default(), AccountId::mint(), Arc::default());
            Asking::new(Box::new(note), waiting.expect("a place"))
        };
        let (early, late) = (asking(), asking());
        assert!(early.begin().await.is_ok() && early.has_begun());
        shutdown.cancel();
        assert!(matches!(late.begin().await, Err(ReadError::Cancelled)));
        assert_eq!((noted.load(Ordering::Relaxed), late.has_begun()), (1, false));
    }
}
