//! Writes the end of a claim, and tries again for as long as that makes sense.
//!
//! Ends are written in batches (`finish`). A job that succeeded leaves its slot while its end is in a batch: the next
//! job runs meanwhile, and batches are larger. Beside a few ends the queue is told of the slot, and claims at once;
//! beside many, or while one has failed and is tried again, it finds the slot when some are written or when it looks
//! again, so that no more is done than can be written. An end that was not written is tried again alone, so that it
//! holds up no other, and takes a slot again as soon as one is free, so that a worker whose ends can't be written
//! begins no work. An end that the database refuses for good, such as a result with a character that it does not take,
//! loses what the job made after three refusals: the job ends as `internal`. After three more refusals, or after five
//! minutes of any other trouble, the slot and the lease are given up; the scheduler then takes the job back as it does
//! from a worker that died.

use crate::batch::Batcher;
use crate::deliver::Deliverer;
use crate::jobs::finish::{Finish, Finished, Finisher};
use crate::jobs::leases::{Lease, Stop};
use domain::job::JobError;
use runtime::process::Process;
use runtime::queue::Slot;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use store::jobs::Outcome;
use tokio::time::{Instant, sleep_until, timeout_at};

/// The pause between attempts to write an end.
const PAUSE: Duration = Duration::from_secs(1);
/// Refusals for good after which an end is written without its products; after as many again it is given up.
const REFUSALS: u32 = 3;
/// How long writing an end is tried: its slot and its lease are held meanwhile.
const LONGEST: Duration = Duration::from_mins(5);

/// The number of ends being written from which on slots that are left are not told of: half a batch.
const MANY: usize = 64;

/// Writes the ends of a process's claims.
pub(crate) struct Ends {
    finisher: Arc<Finisher>,
    batches: Batcher<Finish, Finished>,
    counts: Counts,
}

impl Ends {
    /// Returns a writer for the claims of this process.
    pub(crate) fn new(process: Process, deliverer: Deliverer) -> Self {
        let finisher = Arc::new(Finisher::new(process, deliverer));
        let batches = Arc::clone(&finisher).batches();
        Self { finisher, batches, counts: Counts::default() }
    }

    /// Writes an end, while the claim is this process's. The job may be without its slot afterwards.
    pub(crate) async fn write(&self, mut finish: Finish, lease: &Lease, slot: &Slot) {
        let _one = Counted::of(&self.counts.all);
        let mut failing = None;
        let mut retrying = Retrying::new(Instant::now());
        let mut job_slot = JobSlot { slot, is_left: false };
        let mut written = self.first(&finish, &mut job_slot).await;
        loop {
            match written {
                Finished::Done => return,
                Finished::NotOurs => {
                    tracing::warn!(job.id = %finish.end.job, "A job's end came after another claim; it is dropped.");
                    return;
                }
                Finished::Failed | Finished::Refused if lease.stop() == Some(Stop::Lost) => return,
                Finished::Failed | Finished::Refused => {}
            }
            match retrying.next(written, Instant::now()) {
                Step::Again => {}
                Step::Bare => {
                    tracing::error!(job.id = %finish.end.job, "A job's end is refused for good; it fails without its result.");
                    noted("without_result");
                    finish = bare(finish);
                }
                Step::GiveUp => {
                    tracing::error!(job.id = %finish.end.job, "A job's end could not be written; its lease is given up.");
                    noted("given_up");
                    return;
                }
            }
            failing.get_or_insert_with(|| Counted::of(&self.counts.failing));
            job_slot.pause().await;
            written = self.finisher.alone(&finish).await;
        }
    }

    /// Makes the first attempt: in a batch, unless it would hold that up.
    async fn first(&self, finish: &Finish, job_slot: &mut JobSlot<'_>) -> Finished {
        if finish.is_long() {
            return self.finisher.alone(finish).await;
        }
        // What was stopped or failed may have work that goes on for a moment.
        job_slot.is_left = matches!(finish.end.outcome, Outcome::Succeeded { .. }) && job_slot.slot.leave();
        if job_slot.is_left && self.counts.lets_tell() {
            job_slot.slot.tell();
        }
        // A batch that ends without an answer panicked: one of its ends can't be written.
        self.batches.call(finish.clone()).await.unwrap_or(Finished::Refused)
    }
}

/// How many ends there are.
#[derive(Debug, Default)]
struct Counts {
    /// Those being written, in batches or alone.
    all: AtomicUsize,
    /// Those of them that have failed and are tried again.
    failing: AtomicUsize,
}

impl Counts {
    /// Whether the queue is told of a slot that the job of one of these leaves.
    fn lets_tell(&self) -> bool {
        self.failing.load(Ordering::Relaxed) == 0 && self.all.load(Ordering::Relaxed) <= MANY
    }
}

/// An end that is counted, until this is dropped.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn of(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The slot of a job whose end is written.
struct JobSlot<'a> {
    slot: &'a Slot,
    /// Whether the job has left it.
    is_left: bool,
}

impl JobSlot<'_> {
    /// Waits until the next attempt. A job that has left its slot takes one again if one is free by then.
    async fn pause(&mut self) {
        let next = Instant::now() + PAUSE;
        if self.is_left && timeout_at(next, self.slot.retake()).await.is_ok() {
            self.is_left = false;
        }
        sleep_until(next).await;
    }
}

/// Returns the same end without anything that could be refused.
fn bare(finish: Finish) -> Finish {
    let mut end = finish.end;
    if !matches!(end.outcome, Outcome::Cancelled | Outcome::HandedBack) {
        end.outcome = Outcome::Failed;
        let message = "What came of it could not be stored.".to_owned();
        end.error = Some(JobError { code: "internal".to_owned(), message, retryable: false });
    }
    Finish { end, made: Vec::new() }
}

fn noted(outcome: &'static str) {
    metrics::counter!("mws_job_ends_not_written_total", "outcome" => outcome).increment(1);
}

/// What to do about an end that was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It is tried again.
    Again,
    /// It is tried again without what the job made.
    Bare,
    /// It is left to the scheduler, which takes the job back.
    GiveUp,
}

/// Counts the tries of an end, and their time.
#[derive(Debug)]
struct Retrying {
    began: Instant,
    refusals: u32,
}

impl Retrying {
    const fn new(began: Instant) -> Self {
        Self { began, refusals: 0 }
    }

    fn next(&mut self, written: Finished, now: Instant) -> Step {
        self.refusals += u32::from(written == Finished::Refused);
        let refused = written == Finished::Refused && self.refusals.is_multiple_of(REFUSALS);
        match self.refusals / REFUSALS {
            _ if now.duration_since(self.began) >= LONGEST => Step::GiveUp,
            1 if refused => Step::Bare,
            2.. => Step::GiveUp,
            _ => Step::Again,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_told_of_a_slot_beside_few_ends_and_while_none_is_tried_again() {
        let counts = Counts::default();
        let mut all: Vec<Counted<'_>> = (0..MANY).map(|_| Counted::of(&counts.all)).collect();
        assert!(counts.lets_tell());
        let failing = Counted::of(&counts.failing);
        assert!(!counts.lets_tell(), "one is tried again");
        drop(failing);
        assert!(counts.lets_tell());
        all.push(Counted::of(&counts.all));
        assert!(!counts.lets_tell(), "they are many");
        all.clear();
        assert!(counts.lets_tell());
    }

    #[test]
    fn what_is_refused_three_times_is_written_without_its_result_and_then_given_up() {
        let now = Instant::now();
        let mut retrying = Retrying::new(now);
        let mut steps = |written| retrying.next(written, now);
        assert_eq!(steps(Finished::Refused), Step::Again);
        assert_eq!(steps(Finished::Failed), Step::Again);
        assert_eq!([steps(Finished::Refused), steps(Finished::Refused)], [Step::Again, Step::Bare]);
        assert_eq!([steps(Finished::Failed), steps(Finished::Refused)], [Step::Again; 2]);
        assert_eq!([steps(Finished::Refused), steps(Finished::Refused)], [Step::Again, Step::GiveUp]);
    }

    #[test]
    fn nothing_is_tried_for_longer_than_five_minutes() {
        let began = Instant::now();
        let mut retrying = Retrying::new(began);
        assert_eq!(retrying.next(Finished::Failed, began + LONGEST - PAUSE), Step::Again);
        assert_eq!(retrying.next(Finished::Failed, began + LONGEST), Step::GiveUp);
    }
}
