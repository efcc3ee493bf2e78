//! The Prometheus metrics of this process's jobs: how long they waited and ran, and how they ended.
//!
//! `queue` is the same name as in `mws_queue_depth`: a read's, or `render`. An end is counted before it is written:
//! those that the database does not take are in `mws_job_ends_not_written_total`.

use crate::readers::ReadOutcome;
use domain::job::JobError;
use domain::task::Task;
use runtime::queue::Queue;
use std::time::Duration;
use store::jobs::{Claimed, Outcome};
use tokio::time::Instant;

/// Counts the jobs that a claim got, and those of the `named` ones that it did not.
pub(super) fn claimed(named: usize, claimed: &[Claimed]) {
    metrics::counter!("mws_claims_total", "result" => "won").increment(claimed.len() as u64);
    metrics::counter!("mws_claims_total", "result" => "gone").increment(named.saturating_sub(claimed.len()) as u64);
}

/// Records how fast a read went through its media: seconds of media a second, with the fetching of it.
pub(super) fn read(outcome: &ReadOutcome, took: Duration) {
    let queue = Queue::from(Task::Read(outcome.stored.kind)).name();
    let media = Duration::from_millis(u64::try_from(outcome.duration_ms).unwrap_or_default());
    let speed = media.as_secs_f64() / took.as_secs_f64().max(0.001);
    metrics::histogram!("mws_read_speed_ratio", "queue" => queue, "engine" => outcome.stored.engine.name.clone())
        .record(speed);
}

/// One attempt at a job, from its claim on; it counts as running until this is dropped.
pub(super) struct Running {
    queue: &'static str,
    began: Instant,
}

impl Running {
    /// Begins to count a claimed job.
    pub(super) fn of(claimed: &Claimed) -> Self {
        let queue = claimed.task.map_or("none", |task: Task| Queue::from(task).name());
        metrics::histogram!("mws_job_wait_seconds", "queue" => queue).record(claimed.waited_seconds);
        metrics::gauge!("mws_jobs_running", "queue" => queue).increment(1.0);
        Self { queue, began: Instant::now() }
    }

    /// Counts the processor time of its children, and the part of it that is not paid for.
    pub(super) fn took(&self, taken: Duration, unpaid: Duration) {
        let queue = self.queue;
        tracing::debug!(processor_ms = taken.as_millis(), unpaid_ms = unpaid.as_millis(), "An attempt ended.");
        metrics::histogram!("mws_job_processor_seconds", "queue" => queue).record(taken.as_secs_f64());
        metrics::histogram!("mws_job_unpaid_processor_seconds", "queue" => queue).record(unpaid.as_secs_f64());
    }

    /// Counts how the attempt ended.
    pub(super) fn ended(&self, outcome: &Outcome, error: Option<&JobError>) {
        let queue = self.queue;
        let status = match outcome {
            Outcome::Succeeded { charge, .. } => {
                let charged = u64::try_from(charge.hundredths()).unwrap_or_default();
                metrics::counter!("mws_charged_hundredths_total").increment(charged);
                "succeeded"
            }
            Outcome::Failed | Outcome::Abandoned => "failed",
            Outcome::Cancelled => "cancelled",
            Outcome::Retry(_) | Outcome::Lost => {
                return metrics::counter!("mws_job_retries_total", "queue" => queue).increment(1);
            }
            Outcome::HandedBack | Outcome::HandedBackFor(_) => {
                return metrics::counter!("mws_jobs_handed_back_total", "queue" => queue).increment(1);
            }
        };
        let code = error.map_or_else(String::new, |error| error.code.clone());
        metrics::counter!("mws_jobs_ended_total", "queue" => queue, "status" => status, "error_code" => code)
            .increment(1);
        metrics::histogram!("mws_job_run_seconds", "queue" => queue, "status" => status)
            .record(self.began.elapsed().as_secs_f64());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        metrics::gauge!("mws_jobs_running", "queue" => self.queue).decrement(1.0);
    }
}
