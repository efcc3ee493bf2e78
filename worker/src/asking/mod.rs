//! Asking a provider for what a job makes: the asking is noted first, and the job waits outside its slot.
//!
//! A job that waits for a provider computes nothing here, so it leaves its slot to others. It holds memory while it
//! waits, which it takes before it reads what it sends. Where it can't have that yet, it stands in line for it outside
//! its slot too (`memory`), and is put back into the queue if no place is left there (`places`) or it waits for too
//! long. What takes more memory than there is waits for its provider in its slot if jobs that do so hold less than half
//! of the slots, and is put back otherwise. All of that is the same for lent slots. When a slot does not come free
//! within a few seconds, the job goes on beside the slots: a few jobs at a time (`waiting`).

mod memory;
mod places;
mod waiting;

use crate::readers::ReadError;
use futures_util::future::BoxFuture;
use memory::Memory;
use places::Places;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use waiting::ProviderWait;

/// MiB that all waiting jobs may hold together.
const WAITING_MIB: usize = 256;
/// MiB that each waiting job counts as at least, which limits how many wait for providers outside their slots at once.
const LEAST_MIB: usize = 4;
/// Jobs that wait for memory outside their slots at once, at most, of these those of one account, and the places that
/// are kept for accounts that have none.
const FOR_MEMORY: usize = 64;
const AN_ACCOUNTS_FOR_MEMORY: usize = 16;
const KEPT_FOR_MEMORY: usize = FOR_MEMORY / 4;
/// How long a job waits for memory, before it is put back. It counts to no time limit of the job (`JobCtx::turn`).
const MEMORY_TIMEOUT: Duration = Duration::from_mins(5);
/// Jobs that go on beside the slots at once, at most.
const BESIDE: usize = 4;

/// Jobs that wait outside a process's slots at once, at most.
pub(crate) const MOST_WAITING: usize = WAITING_MIB / LEAST_MIB + FOR_MEMORY;

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
    memory: Memory,
    /// For those that wait for memory outside their slots.
    for_memory: Places,
    /// For those that wait for their provider in their slots, as they take more memory than there is.
    in_slots: Places,
    beside: Arc<Semaphore>,
    shutdown: CancellationToken,
}

impl WaitLimits {
    /// Returns those of a process of `slots` slots. Jobs that wait without memory hold half of these at most, those of
    /// one account a quarter; or one, where that is less.
    pub(crate) fn new(slots: usize, shutdown: &CancellationToken) -> Self {
        Self {
            memory: Memory::new(WAITING_MIB),
            for_memory: Places::new(FOR_MEMORY, AN_ACCOUNTS_FOR_MEMORY, KEPT_FOR_MEMORY),
            in_slots: Places::new((slots / 2).max(1), (slots / 4).max(1), 0),
            beside: Arc::new(Semaphore::new(BESIDE)),
            shutdown: shutdown.clone(),
        }
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

    /// Takes the memory that the job needs to wait for its provider, before it reads what it sends. This may wait, for
    /// the memory and then for a slot.
    ///
    /// # Errors
    /// [`ReadError::Cancelled`] where it would wait while the process ends, and [`ReadError::NoPlace`] where it has no
    /// place to wait in or has waited for too long.
    pub(crate) async fn take_memory(&self) -> Result<(), ReadError> {
        match &self.0 {
            Some(asking) => asking.1.take_memory().await,
            None => Ok(()),
        }
    }

    /// Records for good that the provider is asked now, and leaves the slot. On an error it must not be asked.
    pub(crate) async fn begin(&self) -> Result<MayAsk, ReadError> {
        let Some(asking) = &self.0 else { return Ok(MayAsk::ToMake) };
        let (note, waiting) = &**asking;
        let may_ask = note().await?;
        waiting.begin();
        Ok(may_ask)
    }

    /// Whether it was recorded that the provider is asked, so that it may have been.
    pub(crate) fn has_begun(&self) -> bool {
        self.0.as_ref().is_some_and(|asking| asking.1.has_begun())
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
