//! The context of a running read, beside its media: when it must stop, and where it reports its progress.
//!
//! The caller owns the deadline and the cancel token, and keeps a clone of the progress. Nothing here knows what a
//! job is in the database.

use super::error::ReadError;
use super::known_speech::KnownSpeech;
use super::processor_time::ProcessorTime;
use domain::ids::AccountId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A read's progress, in whole percent. It never decreases. Clones share one value.
#[derive(Debug, Clone)]
pub struct Progress {
    percent: Arc<AtomicU8>,
    /// The part of the whole that this clone reports, in percent.
    part: (u8, u8),
}

impl Default for Progress {
    fn default() -> Self {
        Self { percent: Arc::default(), part: (0, 100) }
    }
}

impl Progress {
    /// Returns one at 0 %.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the percentage that was reached, 0 to 100.
    pub fn percent(&self) -> u8 {
        self.percent.load(Ordering::Relaxed)
    }

    /// Raises the percentage to this; a lower one changes nothing.
    pub fn reach(&self, percent: u8) {
        let (from, to) = (u16::from(self.part.0), u16::from(self.part.1));
        let reached = from + to.saturating_sub(from) * u16::from(percent.min(100)) / 100;
        self.percent.fetch_max(u8::try_from(reached).unwrap_or(100), Ordering::Relaxed);
    }

    /// Raises the percentage to `done` of `whole`, up to 99: only a stored result is 100.
    pub fn reach_part(&self, done: u64, whole: u64) {
        let percent = done.saturating_mul(100).checked_div(whole).unwrap_or(0).min(99);
        self.reach(u8::try_from(percent).unwrap_or(99));
    }
}

/// The context of work on a media: when it must stop, its progress, and what is known already.
#[derive(Debug, Clone)]
pub struct JobCtx {
    /// When the read must have ended; its child processes are killed then.
    pub deadline: Instant,
    /// Cancelled when nobody wants the result any more.
    pub cancel: CancellationToken,
    /// Where the read reports its progress.
    pub progress: Progress,
    /// Milliseconds of media that are paid for, the item's length in its row: nothing beyond is decoded. None where
    /// nobody pays, as when an import's length is measured.
    pub paid_ms: Option<i64>,
    /// The account that the work is for; none where no job asks.
    pub payer: Option<AccountId>,
    /// The processor time of its children.
    pub processor: ProcessorTime,
    /// The prefix of the keys of files that are stored with the read.
    pub files_prefix: String,
    /// The item's stored speech, for a read that would otherwise detect it itself.
    pub speech: Option<Arc<KnownSpeech>>,
}

impl JobCtx {
    /// Returns a context that ends at `deadline`, or when `cancel` is cancelled.
    pub fn new(deadline: Instant, cancel: CancellationToken) -> Self {
        let (progress, files_prefix) = (Progress::new(), String::new());
        Self {
            deadline,
            cancel,
            progress,
            paid_ms: None,
            payer: None,
            processor: ProcessorTime::unbounded(),
            files_prefix,
            speech: None,
        }
    }

    /// Returns the context of a step that makes up this part of the progress, in percent.
    #[must_use]
    pub fn step(&self, from: u8, to: u8) -> Self {
        let mut step = self.clone();
        step.progress.part = (from, to);
        step
    }

    /// Returns an error when the work must stop. Work on a thread of its own checks it at each of its steps.
    pub(super) fn may_go_on(&self) -> Result<(), ReadError> {
        if self.cancel.is_cancelled() {
            Err(ReadError::Cancelled)
        } else if Instant::now() >= self.deadline {
            Err(ReadError::Timeout)
        } else {
            Ok(())
        }
    }

    /// Waits for `work`, until the deadline or a cancellation at most.
    pub async fn bounded<T>(&self, work: impl Future<Output = T>) -> Result<T, ReadError> {
        tokio::select! {
            // Cancellation first: a stopping worker must not report its last jobs as timeouts.
            biased;
            () = self.cancel.cancelled() => Err(ReadError::Cancelled),
            () = tokio::time::sleep_until(self.deadline) => Err(ReadError::Timeout),
            done = work => Ok(done),
        }
    }
}
