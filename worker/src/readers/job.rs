//! The context of a running read, beside its media: when it must stop, and where it reports its progress.
//!
//! The caller owns the deadline and the cancel token, and keeps a clone of the progress. Nothing here knows what a
//! job is in the database.

use super::error::ReadError;
use super::known_speech::KnownSpeech;
use super::processor_time::ProcessorTime;
use crate::outside::Waiting;
use domain::ids::AccountId;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The longest time in lines that counts to no deadline: a line that does not move must not keep a slot for ever.
const LONGEST_IN_LINE: Duration = Duration::from_mins(10);
/// How often somebody in a line looks again whether its deadline is over.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

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

/// The time that a job has waited for what other jobs have: nothing of it was done meanwhile, so it counts to no
/// deadline. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct InLine(Arc<Mutex<Waited>>);

#[derive(Debug, Default)]
struct Waited {
    /// In lines that are over.
    before: Duration,
    /// When it came to the line that it is in.
    since: Option<Instant>,
}

/// Somebody in a line, until this is dropped.
struct Standing<'a>(&'a InLine);

impl InLine {
    fn stand(&self) -> Standing<'_> {
        self.waited().since = Some(Instant::now());
        Standing(self)
    }

    /// Returns the time in lines, and whether it is in one.
    fn time(&self) -> (Duration, bool) {
        let waited = self.waited();
        let now = waited.since.map_or(Duration::ZERO, |since| since.elapsed());
        ((waited.before + now).min(LONGEST_IN_LINE), waited.since.is_some())
    }

    fn waited(&self) -> MutexGuard<'_, Waited> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Standing<'_> {
    fn drop(&mut self) {
        let mut waited = self.0.waited();
        if let Some(since) = waited.since.take() {
            waited.before += since.elapsed();
        }
    }
}

/// The context of work on a media: when it must stop, its progress, and what is known already.
#[derive(Debug, Clone)]
pub struct JobCtx {
    /// When the read must have ended; its child processes are killed then.
    pub deadline: Instant,
    /// How long it has waited in lines, by which the deadline is later.
    pub in_line: InLine,
    /// Cancelled when nobody wants the result any more.
    pub cancel: CancellationToken,
    /// Where the read reports its progress.
    pub progress: Progress,
    /// Milliseconds of media that are paid for, the item's length in its row: nothing beyond is decoded. None where
    /// nobody pays, as when an import's length is measured.
    pub paid_ms: Option<i64>,
    /// The account that the work is for; none where no job asks.
    pub payer: Option<AccountId>,
    /// How the job waits outside its slot for what other jobs have; none where it stays in it.
    pub(crate) outside: Option<Arc<Waiting>>,
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
            in_line: InLine::default(),
            cancel,
            progress,
            paid_ms: None,
            payer: None,
            outside: None,
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

    /// Returns the context of work that begins now and may take this long. What the job waited in lines before adds
    /// nothing to that.
    pub(crate) fn for_time(&self, time: Duration) -> Self {
        Self { deadline: Instant::now() + time - self.in_line.time().0, ..self.clone() }
    }

    /// Returns an error when the work must stop. Work on a thread of its own checks it at each of its steps.
    pub(super) fn may_go_on(&self) -> Result<(), ReadError> {
        if self.cancel.is_cancelled() {
            Err(ReadError::Cancelled)
        } else if Instant::now() >= self.deadline + self.in_line.time().0 {
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
            () = self.late() => Err(ReadError::Timeout),
            done = work => Ok(done),
        }
    }

    /// Waits until the deadline is over.
    async fn late(&self) {
        loop {
            let (waited, is_in_line) = self.in_line.time();
            let (now, until) = (Instant::now(), self.deadline + waited);
            if until <= now {
                return;
            }
            tokio::time::sleep_until(if is_in_line { until.max(now + LOOK_AGAIN) } else { until }).await;
        }
    }

    /// Waits for a turn that other jobs have. Returns it, and the context to go on with, whose deadline is later by the
    /// wait, ten minutes at the most: how many others wait is not this job's doing.
    pub async fn turn<T>(&self, turn: impl Future<Output = T>) -> Result<(T, Self), ReadError> {
        let standing = self.in_line.stand();
        let turn = self.bounded(turn).await?;
        drop(standing);
        let deadline = self.deadline + self.in_line.time().0;
        Ok((turn, Self { deadline, in_line: InLine::default(), ..self.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::ready;

    const MINUTE: Duration = Duration::from_mins(1);

    /// A context whose deadline was as long ago.
    fn late_by(time: Duration) -> JobCtx {
        JobCtx::new(Instant::now() - time, CancellationToken::new())
    }

    #[tokio::test]
    async fn work_that_begins_after_a_line_has_its_own_time_alone() {
        let ctx = late_by(MINUTE);
        ctx.in_line.waited().before = 2 * MINUTE;
        assert!(ctx.for_time(MINUTE).may_go_on().is_ok());
        assert!(matches!(ctx.for_time(Duration::ZERO).may_go_on(), Err(ReadError::Timeout)));
    }

    #[tokio::test]
    async fn time_in_a_line_counts_to_no_deadline_up_to_a_bound() {
        let ctx = late_by(MINUTE);
        assert!(matches!(ctx.bounded(ready(())).await, Err(ReadError::Timeout)));
        ctx.in_line.waited().before = 2 * MINUTE;
        assert!(ctx.may_go_on().is_ok() && ctx.bounded(ready(())).await.is_ok());
        // As whoever runs the job bounds all of its work: with a context from before the line.
        let of_the_job = ctx.clone();
        ctx.in_line.waited().before = Duration::ZERO;
        ctx.in_line.waited().since = Some(Instant::now() - 2 * MINUTE);
        assert!(of_the_job.bounded(ready(())).await.is_ok(), "the line goes on");
        let late = late_by(2 * LONGEST_IN_LINE);
        late.in_line.waited().before = 3 * LONGEST_IN_LINE;
        assert!(matches!(late.bounded(ready(())).await, Err(ReadError::Timeout)));
    }

    #[tokio::test]
    async fn after_its_turn_the_work_has_as_much_time_as_before_the_line() {
        let ctx = late_by(MINUTE);
        ctx.in_line.waited().before = 2 * MINUTE;
        let (turn, later) = ctx.turn(ready(7)).await.expect("its turn");
        assert!(turn == 7 && later.deadline >= ctx.deadline + 2 * MINUTE);
        assert_eq!((ctx.in_line.time().1, later.in_line.time()), (false, (Duration::ZERO, false)));
        ctx.cancel.cancel();
        assert!(matches!(ctx.turn(ready(7)).await, Err(ReadError::Cancelled)));
        assert!(!ctx.in_line.time().1, "it has left the line");
    }
}
