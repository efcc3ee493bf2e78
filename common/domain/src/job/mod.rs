//! What a job is to a client, and what becomes of it when an attempt ends (contract §3.2).
//!
//! Statuses are stored and shown by the same words. The decision what a failed or lost attempt leads to is made here
//! from counts; whether it comes to pass is up to one conditional update in `store::jobs`.

pub mod kind;

pub use self::kind::JobKind;

use crate::credits::Credits;
use crate::ids::{ItemId, JobId, WorkspaceId};
use crate::minutes::Minutes;
use crate::read::Read;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::time::Duration;

/// Attempts a job has before a retryable failure is final.
pub const MAX_ATTEMPTS: i16 = 3;
/// Leases a job may lose before it is given up as `worker_lost`.
pub const MAX_LOSSES: i16 = 5;
/// How long a claim is good for without renewal.
pub const LEASE: Duration = Duration::from_secs(30);
/// How often a worker renews it.
pub const RENEWAL: Duration = Duration::from_secs(10);
/// Running or admitted jobs an account may have at once; more stay queued without a ticket.
pub const PLACES: i64 = 20;
/// How far apart two of an account's tickets are dated; see [`dated_back`].
const SPACING: Duration = Duration::from_mins(1);
/// Live jobs an account may have at once; past it a read is refused with `queue_full`.
pub const MAX_LIVE: i64 = 500;

/// Where a job stands. The last three never change.
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

    /// The word used in answers, filters and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether it can't change any more.
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
    /// What sort of work it is.
    pub kind: JobKind,
    /// The read it computes, if it computes one.
    pub read: Option<Read>,
    /// The item it works on, if it works on one.
    pub item_id: Option<ItemId>,
    /// That item's ref.
    #[serde(rename = "ref")]
    pub item_ref: Option<String>,
    /// Where it stands.
    pub status: JobStatus,
    /// 0–100; never goes down within an attempt.
    pub progress: i16,
    /// Attempts that failed or were lost, and the one that runs.
    pub attempt: i16,
    /// Attempts before a retryable failure is final.
    pub max_attempts: i16,
    /// Whether it was asked to stop while running.
    pub cancel_requested: bool,
    /// Minutes held for it.
    pub estimated_minutes: Minutes,
    /// Minutes charged; null until it ends, 0 when it failed or was cancelled.
    pub cloud_minutes: Option<Minutes>,
    /// AI credits held for it.
    pub estimated_credits: Credits,
    /// AI credits charged; null until it ends, 0 when it failed or was cancelled.
    pub credits: Option<Credits>,
    /// What it made.
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
    /// One of the job error codes (contract §3.2).
    pub code: String,
    /// What went wrong, in words to act on.
    pub message: String,
    /// Whether asking for the same read again may succeed.
    pub retryable: bool,
}

/// A time as the interface shows it: RFC 3339 in UTC with milliseconds.
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

/// What an ended attempt leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Queued again, due after this long.
    Again(Duration),
    /// Failed for good.
    Fail,
}

/// What a failed attempt leads to, `failures` counting those before it.
pub fn after_failure(failures: i16, retryable: bool) -> Next {
    match (retryable, failures) {
        (true, 0) => Next::Again(Duration::from_secs(10)),
        (true, failures) if failures + 1 < MAX_ATTEMPTS => Next::Again(Duration::from_mins(1)),
        _ => Next::Fail,
    }
}

/// What an attempt leads to that took longer than it may, `failures` counting those before it: a second one is the
/// last. It has held a slot for all of its time, and nothing is charged for it.
pub fn after_timeout(failures: i16) -> Next {
    if failures == 0 { after_failure(failures, true) } else { Next::Fail }
}

/// What a lost lease leads to, `losses` counting those before it.
pub fn after_loss(losses: i16) -> Next {
    if losses + 1 < MAX_LOSSES { Next::Again(Duration::ZERO) } else { Next::Fail }
}

/// How far the ticket of a job is dated back whose account has `admitted` jobs with a place already.
///
/// Tickets are fetched by their date, so an account's first job goes before the twentieth of another that came a little
/// earlier: an account that fills its places can't make others wait for all of them. And since dates grow with time,
/// the twentieth is only ever passed by jobs of the next twenty minutes, never for ever.
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
