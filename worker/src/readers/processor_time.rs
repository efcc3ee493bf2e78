//! The processor time of a job's children: how much they may take together, and how much they took.
//!
//! It is counted while they run and when they have ended, so that those that run side by side share it. So is what
//! this process draws of a canvas. Other work of its own is not in it: that grows with the length of a media and with
//! nothing that its bytes could say.

use super::error::ReadError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

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
    /// Read while this process works for the job itself.
    own: Arc<RwLock<()>>,
}

impl ProcessorTime {
    /// At most so much.
    pub fn at_most(most: Duration) -> Self {
        Self { most, taken: Arc::default(), own: Arc::default() }
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

    /// Held while this process works for the job itself, on a thread that goes on when the job is stopped.
    pub async fn own_work(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.own).read_owned().await
    }

    /// Ends once such work has ended, so that all that was taken is known.
    pub async fn settled(&self) {
        drop(self.own.write().await);
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn what_is_taken_is_known_once_the_own_work_of_a_stopped_job_has_ended() {
        let time = ProcessorTime::unbounded();
        time.settled().await;
        let working = time.own_work().await;
        assert_eq!(time.settled().now_or_never(), None);
        time.take(Duration::from_secs(3));
        drop(working);
        time.settled().await;
        assert_eq!(time.taken(), Duration::from_secs(3));
    }
}
