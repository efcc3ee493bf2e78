//! Jobs as clients see them, and what follows when an attempt ends (contract §3.2).
//!
//! Statuses have the same names in tables and answers. What follows a failed or lost attempt is decided here from
//! counts; whether it happens is up to one conditional update in `store::jobs`.

pub mod fault;
pub mod kind;
pub mod wait;

pub use self::fault::Fault;
pub use self::kind::JobKind;
pub use self::wait::{ShownWait, Wait, Waiting};

use crate::credits::Credits;
use crate::ids::{ItemId, JobId, WorkspaceId};
use crate::minutes::Minutes;
use crate::read::Read;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::time::Duration;

/// The attempts of a job before a retryable failure is final.
pub const MAX_ATTEMPTS: i16 = 3;
/// The leases that a job may lose before it fails with `worker_lost`.
pub const MAX_LOSSES: i16 = 5;
/// How long a claim lasts without renewal.
pub const LEASE: Duration = Duration::from_secs(30);
/// How often a worker renews its claim.
pub const RENEWAL: Duration = Duration::from_secs(10);
/// Running or admitted jobs an account may have at once; more stay queued without a ticket.
pub const PLACES: i64 = 20;
/// The time by which the dates of two of an account's tickets differ; see [`dated_back`].
const SPACING: Duration = Duration::from_mins(1);
/// Live jobs an account may have at once; past it a read is refused with `queue_full`.
pub const MAX_LIVE: i64 = 500;

/// The status of a job. The last three are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum JobStatus {
    /// Committed, its minutes held, waiting for a place or a worker.
    Queued,
    /// Claimed by a worker that renews its lease.
    Running,
    /// Its result is stored and charged.
    Succeeded,
    /// It ended without a result; nothing is charged.
    Failed,
    /// It was cancelled, or its item was deleted; nothing is charged.
    Cancelled,
}

impl JobStatus {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Succeeded, Self::Failed, Self::Cancelled];

    /// Returns its name in answers, filters and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the status of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether it is final.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// A job as `get_jobs` and job events show it.
#[derive(Debug, Clone, Serialize)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// The workspace it acts in.
    pub workspace_id: WorkspaceId,
    /// Its kind.
    pub kind: JobKind,
    /// The read it computes, if it computes one.
    pub read: Option<Read>,
    /// The item it works on, if it works on one.
    pub item_id: Option<ItemId>,
    /// That item's ref.
    #[serde(rename = "ref")]
    pub item_ref: Option<String>,
    /// Its status.
    pub status: JobStatus,
    /// The progress in percent, 0 to 100; it never goes down within an attempt.
    pub progress: i16,
    /// The number of attempts that failed or were lost, plus the running one.
    pub attempt: i16,
    /// The attempts before a retryable failure is final.
    pub max_attempts: i16,
    /// Whether it was asked to stop while running.
    pub cancel_requested: bool,
    /// What it waits for, if it is queued; none where that was not looked up, as in events.
    pub waits: Option<ShownWait>,
    /// Minutes that are held for it.
    pub estimated_minutes: Minutes,
    /// Minutes charged; null until it ends, 0 when it failed or was cancelled.
    pub cloud_minutes: Option<Minutes>,
    /// AI credits that are held for it.
    pub estimated_credits: Credits,
    /// AI credits charged; null until it ends, 0 when it failed or was cancelled.
    pub credits: Option<Credits>,
    /// Its result: the read's or the new item's.
    pub result: Option<Value>,
    /// Why it failed.
    pub error: Option<JobError>,
    /// The sentence given with the call that started it.
    pub context: Option<String>,
    /// The request that started it.
    pub request_id: Option<String>,
    /// When it was committed.
    #[serde(serialize_with = "millis")]
    pub created_at: DateTime<Utc>,
    /// When it was first claimed.
    #[serde(serialize_with = "optional_millis")]
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    #[serde(serialize_with = "optional_millis")]
    pub finished_at: Option<DateTime<Utc>>,
}

/// Why a job failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JobError {
    /// One of the job error codes (contract §3.2, `fault::FAULTS`).
    pub code: String,
    /// What went wrong, and what can be done about it.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

/// What stands in place of a text that an operator's role hides.
pub const HIDDEN: &str = "Hidden by your role.";

impl Job {
    /// Takes out what its customer wrote and what was made for them: its result, its context, its item's ref, and the
    /// message of its error, which may quote them.
    #[must_use]
    pub fn without_payloads(self) -> Self {
        let error = self.error.map(|error| JobError { message: HIDDEN.to_owned(), ..error });
        Self { item_ref: None, result: None, context: None, error, ..self }
    }
}

/// Writes a time as clients see it: RFC 3339 in UTC with milliseconds.
pub fn millis<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
}

#[expect(clippy::ref_option, reason = "serde hands a reference to the field")]
fn optional_millis<S: Serializer>(time: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => millis(time, serializer),
        None => serializer.serialize_none(),
    }
}

/// What follows the end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The job is queued again, and due after this time.
    Again(Duration),
    /// The job fails for good.
    Fail,
}

/// Returns what follows a failed attempt, with `failures` before it.
pub fn after_failure(failures: i16, retryable: bool) -> Next {
    match (retryable, failures) {
        (true, 0) => Next::Again(Duration::from_secs(10)),
        (true, failures) if failures + 1 < MAX_ATTEMPTS => Next::Again(Duration::from_mins(1)),
        _ => Next::Fail,
    }
}

/// Returns what follows an attempt that exceeded its time, with `failures` before it: the second one is the last, since
/// it holds a slot all the time and nothing is charged for it.
pub fn after_timeout(failures: i16) -> Next {
    if failures == 0 { after_failure(failures, true) } else { Next::Fail }
}

/// Returns what follows a lost lease, with `losses` before it.
pub fn after_loss(losses: i16) -> Next {
    if losses + 1 < MAX_LOSSES { Next::Again(Duration::ZERO) } else { Next::Fail }
}

/// Returns how far the ticket of a job is dated back if its account has `admitted` jobs with a place already. The
/// ticket of an upload is dated back alike, by how many uploads its account has in line at the same stage.
///
/// Tickets are fetched by date, so an account's first job goes before the twentieth of another that came a little
/// earlier: an account that fills its places can't make others wait for all of them. And since dates grow with time,
/// only jobs of the next twenty minutes can pass the twentieth one.
pub fn dated_back(admitted: i64) -> Duration {
    SPACING * u32::try_from((PLACES - admitted).max(0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retryable_failure_is_tried_three_times_and_another_once() {
        assert_eq!(after_failure(0, true), Next::Again(Duration::from_secs(10)));
        assert_eq!(after_failure(1, true), Next::Again(Duration::from_mins(1)));
        assert_eq!(after_failure(2, true), Next::Fail);
        assert_eq!(after_failure(0, false), Next::Fail);
    }

    #[test]
    fn what_took_too_long_is_tried_once_more() {
        assert_eq!(after_timeout(0), Next::Again(Duration::from_secs(10)));
        assert_eq!([after_timeout(1), after_timeout(2)], [Next::Fail; 2]);
    }

    #[test]
    fn the_fifth_lost_lease_is_the_last() {
        assert!((0..4).all(|losses| after_loss(losses) == Next::Again(Duration::ZERO)));
        assert_eq!(after_loss(4), Next::Fail);
    }
}
