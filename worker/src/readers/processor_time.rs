//! The processor time of a job's children: the most that they may take together, and what they took.
//!
//! It is counted while they run and when they have ended, so that those that run side by side share it. What this
//! process draws of a canvas counts too. Its other work does not: that grows with the length of a media alone, whatever
//! its bytes.

use super::error::ReadError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

/// The error for the customer whose job would take more.
const TOO_MUCH: ReadError = ReadError::Unsupported(
    "its media takes several times the processor time that is paid for; encode it anew with a usual codec, frame rate \
     and bit rate, or ask for less of it at a time",
);

/// The processor time of one job's children. Clones share one count.
#[derive(Debug, Clone)]
pub struct ProcessorTime {
    most: Duration,
    /// The time taken, in microseconds.
    taken: Arc<AtomicU64>,
    /// A read lock is held while this process itself works for the job.
    own: Arc<RwLock<()>>,
}

impl ProcessorTime {
    /// Returns a count that is limited to `most`.
    pub fn at_most(most: Duration) -> Self {
        Self { most, taken: Arc::default(), own: Arc::default() }
    }

    /// Returns a count without a limit.
    pub fn unbounded() -> Self {
        Self::at_most(Duration::MAX)
    }

    /// Returns the time that was taken.
    pub fn taken(&self) -> Duration {
        Duration::from_micros(self.taken.load(Ordering::Relaxed))
    }

    /// Adds to the time that was taken.
    pub fn take(&self, more: Duration) {
        self.taken.fetch_add(u64::try_from(more.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns a guard to hold while this process itself works for the job, on a thread that may outlast the job.
    pub async fn own_work(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.own).read_owned().await
    }

    /// Waits for the end of such work, so that all the time taken is known.
    pub async fn wait_for_own_work(&self) {
        drop(self.own.write().await);
    }

    /// Returns the time that is left; `Unsupported` where there is none.
    pub fn left(&self) -> Result<Duration, ReadError> {
        self.most.checked_sub(self.taken()).filter(|left| !left.is_zero()).ok_or_else(Self::too_much)
    }

    /// Returns the error of a job whose children have taken all of it.
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
        time.wait_for_own_work().await;
        let working = time.own_work().await;
        assert_eq!(time.wait_for_own_work().now_or_never(), None);
        time.take(Duration::from_secs(3));
        drop(working);
        time.wait_for_own_work().await;
        assert_eq!(time.taken(), Duration::from_secs(3));
    }
}
