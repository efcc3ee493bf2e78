//! The processor time of a job's children: how much they may take together, and how much they took.
//!
//! It is counted while they run and when they have ended, so that those that run side by side share it. Work of this
//! process's own is not in it: that grows with the length of a media and with nothing that its bytes could say.

use super::error::ReadError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the customer is told whose job would take more.
const TOO_MUCH: ReadError = ReadError::Unsupported(
    "its media takes several times the processor time that is paid for; encode it anew with a usual codec, frame rate \
     and bit rate, or ask for less of it at a time",
);

/// The processor time of one job's children. Clones count into the same.
#[derive(Debug, Clone)]
pub struct ProcessorTime {
    most: Duration,
    /// Microseconds.
    taken: Arc<AtomicU64>,
}

impl ProcessorTime {
    /// At most so much.
    pub fn at_most(most: Duration) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// As much as its children take.
    pub fn unbounded() -> Self {
        Self::at_most(Duration::MAX)
    }

    /// What was taken.
    pub fn taken(&self) -> Duration {
        Duration::from_micros(self.taken.load(Ordering::Relaxed))
    }

    /// Counts more of it.
    pub fn take(&self, more: Duration) {
        self.taken.fetch_add(u64::try_from(more.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// What is left; `Unsupported` where that is nothing.
    pub fn left(&self) -> Result<Duration, ReadError> {
        self.most.checked_sub(self.taken()).filter(|left| !left.is_zero()).ok_or_else(Self::too_much)
    }

    /// The end of a job whose children have taken all of it.
    pub const fn too_much() -> ReadError {
        TOO_MUCH
    }
}
