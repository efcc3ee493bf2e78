//! What a verdict goes by: the numbers of one moment, each of a bounded look.
//!
//! Times are ages in seconds by the database's clock, so that nothing here reads one.

use crate::ids::{AccountId, EndpointId};
use crate::task::Task;

/// The numbers of one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Workers and schedulers that have not said that they ended.
    pub processes: Vec<Process>,
    /// What waits and what runs, by task; those of which there is nothing are left out.
    pub backlogs: Vec<Backlog>,
    /// Reads that are paused.
    pub paused: Vec<Task>,
    /// Jobs that ended in the last quarter of an hour.
    pub ended: Ended,
    /// Deliveries that began in the last hour.
    pub deliveries: Deliveries,
    /// How the books stand.
    pub books: Books,
    /// The schedulers' duties.
    pub duties: Vec<Duty>,
    /// How far this process's clock is from the database's, in milliseconds.
    pub clock_skew_ms: i64,
}

/// A process of the fleet.
#[derive(Debug, Clone, Default)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// What it is: `worker` or `scheduler`.
    pub service: String,
    /// Its version.
    pub version: String,
    /// Seconds since it last said that it lives.
    pub silent_seconds: f64,
    /// Jobs that it can run at once.
    pub slots: i64,
    /// Jobs that it runs.
    pub busy: i64,
    /// The tasks that it has an engine for.
    pub tasks: Vec<Task>,
}

/// What waits and runs of one task.
#[derive(Debug, Clone, Copy)]
pub struct Backlog {
    /// Which.
    pub task: Task,
    /// Jobs that are due and have a place: a worker could take them now.
    pub due: i64,
    /// For how many seconds the oldest of these has been due.
    pub oldest_due_seconds: f64,
    /// Jobs that wait for one of their account's places.
    pub without_place: i64,
    /// Jobs that run.
    pub running: i64,
}

/// How jobs ended.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// With a result.
    pub succeeded: i64,
    /// Because of what was sent in: nothing here is to blame.
    pub failed_by_media: i64,
    /// For any other reason.
    pub failed_by_us: i64,
    /// The most frequent of the failures.
    pub most: Option<Failure>,
}

/// A kind of failure.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The job error code.
    pub code: String,
    /// Of which task.
    pub task: Task,
    /// How often.
    pub many: i64,
}

/// How deliveries stand.
#[derive(Debug, Clone, Default)]
pub struct Deliveries {
    /// Those that have been attempted.
    pub attempted: i64,
    /// Those of them whose last attempt failed.
    pub troubled: i64,
    /// The endpoints that the troubled ones go to.
    pub troubled_endpoints: i64,
    /// One that fails again and again, and is warned of.
    pub warned: Option<Troubled>,
    /// Endpoints that were disabled for their failures in the last day.
    pub disabled: Option<Disabled>,
    /// For how many seconds the oldest delivery that could be sent has been due.
    pub oldest_due_seconds: f64,
}

/// An endpoint that keeps failing.
#[derive(Debug, Clone, Copy)]
pub struct Troubled {
    /// Which.
    pub endpoint: EndpointId,
    /// Failures in a row.
    pub failures: i64,
}

/// Endpoints that were disabled for their failures.
#[derive(Debug, Clone, Copy)]
pub struct Disabled {
    /// How many.
    pub many: i64,
    /// The last one.
    pub last: EndpointId,
    /// Whose it is.
    pub account: AccountId,
}

/// How the books stand.
#[derive(Debug, Clone, Default)]
pub struct Books {
    /// Seconds since balances were held against the journal; none when they never were.
    pub checked_seconds: Option<f64>,
    /// Balances that the journal did not explain then.
    pub drifting: i64,
    /// Accounts that worked in the last day and have no minute left.
    pub out_of_minutes: Option<OutOfMinutes>,
}

/// Accounts that have no minute left.
#[derive(Debug, Clone, Copy)]
pub struct OutOfMinutes {
    /// How many.
    pub many: i64,
    /// The one that worked last.
    pub account: AccountId,
}

/// A duty of the schedulers, as the one says it that did it last.
#[derive(Debug, Clone, Default)]
pub struct Duty {
    /// Which.
    pub name: String,
    /// How often it is done, in seconds.
    pub every_seconds: f64,
    /// Seconds since any scheduler did it.
    pub done_seconds: f64,
}
