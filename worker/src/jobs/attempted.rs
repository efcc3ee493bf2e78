//! The result of an attempt at a job: how it ended, whether and when it is tried again, and the error that is reported.

use crate::outside::PLACE_AGAIN;
use crate::readers::ReadError;
use domain::job::{JobError, Next, after_failure, after_timeout};
use runtime::ending::Product;
use runtime::own_fault;
use std::time::Duration;
use store::jobs::{Claimed, Outcome};

/// How long a job that was not begun first waits for another worker or for other jobs.
const ELSEWHERE: Duration = Duration::from_secs(1);
/// How long it waits for another worker at most.
const ELSEWHERE_MOST: Duration = Duration::from_secs(30);

/// The result of an attempt.
pub(super) struct Attempted {
    pub(super) outcome: Outcome,
    /// The products of a job that succeeded.
    pub(super) made: Vec<Product>,
    /// Why it failed.
    pub(super) error: Option<JobError>,
}

impl From<Outcome> for Attempted {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, made: Vec::new(), error: None }
    }
}

/// Returns the result of a job that is deferred, since its account has used up a day's unpaid processor time.
pub(super) fn deferred(wait: Duration) -> Attempted {
    let message = "Its account has used up a day's unpaid processor time.".to_owned();
    let error = JobError { code: "rate_limited".to_owned(), message, retryable: true };
    Attempted { outcome: Outcome::HandedBackFor(wait), made: Vec::new(), error: Some(error) }
}

/// Returns how long a job waits that could not be begun, after `times` claims to no end; `most` at most.
fn put_back_for(times: i32, most: Duration) -> Duration {
    (ELSEWHERE * u32::try_from(times).unwrap_or(0).saturating_add(1)).min(most)
}

/// Returns the result of an attempt that failed, and whether its job is tried again.
pub(super) fn failed(claimed: &Claimed, error: &ReadError) -> Attempted {
    let next = match error {
        ReadError::Timeout => after_timeout(claimed.failures),
        _ => after_failure(claimed.failures, error.retryable()),
    };
    // Claims that did not fail: they were handed back or lost.
    let uncounted = claimed.claim_no - 1 - i32::from(claimed.failures);
    let handed_back = match error {
        ReadError::Elsewhere => Some(put_back_for(uncounted, ELSEWHERE_MOST)),
        ReadError::NoPlace | ReadError::NoTurn | ReadError::NoRoomToCopy => Some(put_back_for(uncounted, PLACE_AGAIN)),
        _ if error.is_ours() => own_fault::wait(uncounted),
        _ => None,
    };
    let outcome = match (handed_back, next) {
        (Some(wait), _) => Outcome::HandedBackFor(wait),
        (None, Next::Again(delay)) => Outcome::Retry(delay),
        (None, Next::Fail) => Outcome::Failed,
    };
    tracing::info!(job.id = %claimed.job, error.code = error.job_error_code(), error = %error, "An attempt failed.");
    let code = error.job_error_code();
    // An internal error is for the log alone: it may name paths and hosts.
    let message = if code == "internal" { "The worker could not do its part.".to_owned() } else { error.to_string() };
    let error = JobError { code: code.to_owned(), message, retryable: error.retryable() };
    Attempted { outcome, made: Vec::new(), error: Some(error) }
}
