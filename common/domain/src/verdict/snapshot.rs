//! The numbers on which a verdict is based, all of one moment and each from a limited number of rows.
//!
//! Times are ages in seconds by the database's clock, so that no other clock is needed. The one time of day is shown.

use super::invariants::Held;
use super::thresholds::SILENT_SECONDS;
use crate::ids::{AccountId, EndpointId, JobId};
use crate::minutes::Minutes;
use crate::task::Task;
use chrono::{DateTime, Utc};

/// The numbers of one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The workers and schedulers that have not reported their end.
    pub processes: Vec<Process>,
    /// The waiting and running jobs by task; tasks without any are left out.
    pub backlogs: Vec<Backlog>,
    /// The reads that are paused.
    pub paused: Vec<Task>,
    /// Jobs that ended in the last quarter of an hour.
    pub ended: Ended,
    /// Deliveries that began in the last hour.
    pub deliveries: Deliveries,
    /// The state of balances.
    pub books: Books,
    /// The invariants, each with what its checks found.
    pub invariants: Vec<Held>,
    /// The schedulers' duties.
    pub duties: Vec<Duty>,
    /// The clocks of the processes that live, where they told of them.
    pub clocks: Vec<Clock>,
    /// The schema, beside what this process's release needs.
    pub schema: Schema,
    /// The servers that follow the database: those that are connected, and those that it waits for.
    pub replicas: Vec<Replica>,
    /// How much of the disk that this process keeps media on is free, from 0 to 1; none for a bucket.
    pub media_free: Option<f64>,
}

/// A process of the fleet.
#[derive(Debug, Clone, Default)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Its service: `worker` or `scheduler`.
    pub service: String,
    /// The name of the host that it runs on.
    pub host: String,
    /// Its version.
    pub version: String,
    /// Seconds since its last report.
    pub silent_seconds: f64,
    /// The time of its last report.
    pub heard_at: DateTime<Utc>,
    /// Seconds since it started.
    pub lives_seconds: f64,
    /// The number of jobs that it has claimed, and that have neither ended nor been taken from it.
    pub claims: i64,
    /// The number of jobs that it can run at once.
    pub slots: i64,
    /// The number of jobs that it is running.
    pub busy: i64,
    /// The tasks that it has an engine for.
    pub tasks: Vec<Task>,
    /// Whether another went on with its work after it fell silent, and has stopped normally since.
    pub successor_left: bool,
    /// Milliseconds by which its clock was ahead of the database's at its last report; `None` if it did not tell.
    pub clock_ahead_ms: Option<i64>,
}

impl Process {
    /// Whether it is a worker that lives and has an engine for this task.
    pub fn can_run(&self, task: Task) -> bool {
        self.service == "worker" && self.silent_seconds < SILENT_SECONDS && self.tasks.contains(&task)
    }
}

/// The waiting and running jobs of one task.
#[derive(Debug, Clone, Copy)]
pub struct Backlog {
    /// The task.
    pub task: Task,
    /// The number of due jobs with a place, which a worker could take now.
    pub due: i64,
    /// Seconds for which the oldest of them has been due.
    pub oldest_due_seconds: f64,
    /// The number of due jobs that wait for one of their account's places.
    pub without_place: i64,
    /// The number of jobs that were put back and are due later: for their next attempt, or since they could not be run.
    pub put_back: i64,
    /// When the first of these is due; `None` if there are none.
    pub next_due_at: Option<DateTime<Utc>>,
    /// The number of running jobs.
    pub running: i64,
    /// The minutes that are held for those that are due, wait for a place or were put back: their cost at most.
    pub held: Minutes,
    /// Whether more may be due than were counted.
    pub has_more_due: bool,
    /// Whether more may wait for a place, or for a time, than were counted.
    pub has_more_unplaced: bool,
}

impl Backlog {
    /// Returns how many jobs wait, for whatever reason.
    pub const fn waiting(&self) -> i64 {
        self.due + self.without_place + self.put_back
    }

    /// Whether more may wait than were counted.
    pub const fn has_more(&self) -> bool {
        self.has_more_due || self.has_more_unplaced
    }
}

/// The numbers of ended jobs.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// Those that succeeded.
    pub succeeded: i64,
    /// Those that failed, by code and task, the most frequent first.
    pub failures: Vec<Failure>,
    /// All that ended, cancelled ones too, by the name of their task.
    pub by_task: Vec<EndedTask>,
    /// Those that ended within half an hour of this time a week ago.
    pub week_ago: EndedBefore,
    /// A kind of failure that is new, and that several jobs of several accounts have.
    pub new_failure: Option<NewFailure>,
}

/// How jobs ended at an earlier time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EndedBefore {
    /// The number of jobs that succeeded or failed.
    pub ended: i64,
    /// The number of those that failed.
    pub failed: i64,
}

/// The jobs of one task that ended.
#[derive(Debug, Clone)]
pub struct EndedTask {
    /// The task's name.
    pub task: String,
    /// Their number.
    pub many: i64,
    /// The number of those that a worker ran: the others were cancelled while they waited.
    pub ran: i64,
    /// Seconds in which any of these ran. A run counts from two seconds before, in which a worker takes the job.
    pub busy_seconds: f64,
}

impl EndedTask {
    /// The fewest ends that are a pace.
    const FEWEST: i64 = 10;
    /// The fewest seconds of work that are a pace.
    const SHORTEST: f64 = 10.0;

    /// Returns how many end in a second while any run, so that a read that was paused, a worker that started a minute
    /// ago, or a time without work does not make it look slow. None where too little is known to tell.
    pub fn per_second(&self) -> Option<f64> {
        if self.ran < Self::FEWEST || self.busy_seconds < Self::SHORTEST {
            return None;
        }
        let ran = u32::try_from(self.ran).unwrap_or(u32::MAX);
        Some(f64::from(ran) / self.busy_seconds)
    }
}

/// A kind of failure.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The job error code.
    pub code: String,
    /// The name of the failed jobs' task.
    pub task: String,
    /// The number of such failures.
    pub many: i64,
}

/// A kind of failure that no job of a day had before the last hour. What the jobs' message says is not in it, since not
/// every operator may see that.
#[derive(Debug, Clone)]
pub struct NewFailure {
    /// The name of the failed jobs' task.
    pub task: String,
    /// The job error code.
    pub code: String,
    /// The number of jobs that failed so.
    pub jobs: i64,
    /// The number of accounts that pay for them.
    pub payers: i64,
    /// The newest of them.
    pub newest: JobId,
    /// Seconds since the first of them failed.
    pub first_seconds: f64,
}

/// The numbers of deliveries.
#[derive(Debug, Clone, Default)]
pub struct Deliveries {
    /// Those that have been attempted.
    pub attempted: i64,
    /// Those of them whose last attempt failed.
    pub troubled: i64,
    /// The number of endpoints of the latter.
    pub troubled_endpoints: i64,
    /// An endpoint that keeps failing, of which its owner is warned.
    pub warned: Option<Troubled>,
    /// The endpoints that were disabled for failures in the last day.
    pub disabled: Option<Disabled>,
    /// Seconds for which the oldest delivery that could be sent has been due.
    pub oldest_due_seconds: f64,
    /// The number of deliveries that wait to be sent, now or later.
    pub pending: i64,
}

/// An endpoint that keeps failing.
#[derive(Debug, Clone, Copy)]
pub struct Troubled {
    /// Its id.
    pub endpoint: EndpointId,
    /// The number of consecutive failures.
    pub failures: i64,
}

/// Endpoints that were disabled for their failures.
#[derive(Debug, Clone, Copy)]
pub struct Disabled {
    /// Their number.
    pub many: i64,
    /// The one that was disabled last.
    pub last: EndpointId,
    /// The account of that one.
    pub account: AccountId,
}

/// The state of balances.
#[derive(Debug, Clone, Default)]
pub struct Books {
    /// Seconds since balances were last compared with the journal; `None` if they never were.
    pub checked_seconds: Option<f64>,
    /// The number of balances that did not match the journal then.
    pub drifting: i64,
    /// The accounts that worked in the last day and have no minutes left.
    pub out_of_minutes: Option<OutOfMinutes>,
}

/// Accounts that have no minutes left.
#[derive(Debug, Clone, Copy)]
pub struct OutOfMinutes {
    /// Their number.
    pub many: i64,
    /// The one that worked last.
    pub account: AccountId,
}

/// A duty of the schedulers, as reported by the scheduler that did it last.
#[derive(Debug, Clone, Default)]
pub struct Duty {
    /// Its name.
    pub name: String,
    /// Seconds between its turns.
    pub every_seconds: f64,
    /// Seconds since any scheduler did it.
    pub done_seconds: f64,
}

/// The state of the schema.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// The number of migrations that this process's release has and that were not applied.
    pub pending: i64,
    /// The migration that failed last within a day, in whichever process, and was not applied since.
    pub failed: Option<FailedMigration>,
}

/// A migration that failed.
#[derive(Debug, Clone)]
pub struct FailedMigration {
    /// Its number.
    pub version: i64,
    /// What the database said.
    pub message: String,
    /// Seconds since it failed.
    pub seconds: f64,
}

/// A server that follows the database, as the database sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Replica {
    /// The name that it gave itself, or that of the slot which is kept for it.
    pub name: String,
    /// Whether it is connected.
    pub is_connected: bool,
    /// Seconds by which what it has applied is behind; 0 when it is not connected, or tells nothing of it.
    pub lag_seconds: f64,
    /// Bytes of log that it has still to apply, or that are kept for it.
    pub lag_bytes: i64,
}

/// A clock beside the database's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// Whose it is: a service and the name of its process.
    pub whose: String,
    /// Milliseconds by which it is ahead of the database's; negative if it is behind.
    pub ahead_ms: i64,
}
