//! What waits and runs at this moment, by task, and which workers there are.

use super::{count, tenths};
use crate::http::text::{Text, Time};
use domain::task::Task;
use domain::verdict::{Backlog, Process, Snapshot};
use poem_openapi::Object;

/// What waits and runs, and who works. Counts end at 2,000.
#[derive(Debug, Object)]
pub struct HealthLoad {
    /// The tasks that are paused, or of which a job waits, runs, or ended within 15 minutes, ordered by name.
    pub tasks: Vec<HealthTask>,
    /// The number of deliveries that wait to be sent, now or later.
    pub pending_deliveries: u32,
    /// Seconds for which the oldest delivery that could be sent has been due; 0 when there is none.
    pub oldest_due_delivery_seconds: f64,
    /// The workers that have not reported their end, ordered by name.
    pub workers: Vec<HealthWorker>,
    /// The schedulers that have not reported their end, ordered by name.
    pub schedulers: Vec<HealthScheduler>,
}

/// The jobs of one task.
#[derive(Debug, Object)]
pub struct HealthTask {
    /// The name of a read, or `render`, `generation` or `dub`.
    pub task: Text,
    /// Whether an operator has paused it.
    pub paused: bool,
    /// The number of workers that live and can run it.
    pub workers: u32,
    /// The number of jobs that a worker could take now.
    pub due: u32,
    /// Seconds for which the oldest of them has been due; 0 when there is none.
    pub oldest_due_seconds: f64,
    /// The number of due jobs that wait for one of their account's places.
    pub without_place: u32,
    /// The number of jobs that were put back, and are due later.
    pub put_back: u32,
    /// When the first of these is due; null when there are none.
    pub next_due_at: Option<Time>,
    /// Whether more jobs may wait than `due`, `without_place` and `put_back` say, since no more were counted.
    pub has_more: bool,
    /// The number of jobs that run.
    pub running: u32,
    /// The number of jobs that ended within 15 minutes.
    pub ended: u32,
}

/// A worker.
#[derive(Debug, Object)]
pub struct HealthWorker {
    /// Its name.
    pub name: Text,
    /// Its version.
    pub version: Text,
    /// The number of jobs that it can run at once.
    pub slots: u32,
    /// The number of jobs that it runs.
    pub busy: u32,
    /// Seconds since it last reported; from 30 on it counts as dead.
    pub silent_seconds: f64,
    /// Milliseconds by which its clock is ahead of the database's; negative if it is behind, null where it did not
    /// tell.
    pub clock_ahead_ms: Option<i64>,
}

/// A scheduler.
#[derive(Debug, Object)]
pub struct HealthScheduler {
    /// Its name.
    pub name: Text,
    /// Its version.
    pub version: Text,
    /// Seconds since it last reported; from 30 on it counts as dead.
    pub silent_seconds: f64,
    /// Milliseconds by which its clock is ahead of the database's; negative if it is behind, null where it did not
    /// tell.
    pub clock_ahead_ms: Option<i64>,
}

impl From<Snapshot> for HealthLoad {
    fn from(snapshot: Snapshot) -> Self {
        let tasks = Task::ALL.into_iter().filter_map(|task| task_load(&snapshot, task));
        let mut tasks: Vec<HealthTask> = tasks.collect();
        tasks.sort_by(|one, other| one.task.0.cmp(&other.task.0));
        let (workers, schedulers): (Vec<Process>, Vec<Process>) =
            snapshot.processes.into_iter().partition(|process| process.service == "worker");
        Self {
            tasks,
            pending_deliveries: count(snapshot.deliveries.pending),
            oldest_due_delivery_seconds: tenths(snapshot.deliveries.oldest_due_seconds),
            workers: workers.into_iter().map(HealthWorker::from).collect(),
            schedulers: schedulers.into_iter().map(HealthScheduler::from).collect(),
        }
    }
}

/// Returns the jobs of a task; none when it is not paused and no job of it waits, runs or ended lately.
fn task_load(snapshot: &Snapshot, task: Task) -> Option<HealthTask> {
    let backlog = snapshot.backlogs.iter().find(|backlog| backlog.task == task);
    let ended = snapshot.ended.by_task.iter().find(|ended| ended.task == task.name());
    let paused = snapshot.paused.contains(&task);
    if !paused && backlog.is_none() && ended.is_none() {
        return None;
    }
    let able = snapshot.processes.iter().filter(|process| process.can_run(task)).count();
    Some(HealthTask {
        task: task.name().into(),
        paused,
        workers: u32::try_from(able).unwrap_or(u32::MAX),
        due: count(backlog.map_or(0, |backlog| backlog.due)),
        oldest_due_seconds: tenths(backlog.map_or(0.0, |backlog| backlog.oldest_due_seconds)),
        without_place: count(backlog.map_or(0, |backlog| backlog.without_place)),
        put_back: count(backlog.map_or(0, |backlog| backlog.put_back)),
        next_due_at: backlog.and_then(|backlog| backlog.next_due_at).map(Time),
        has_more: backlog.is_some_and(Backlog::has_more),
        running: count(backlog.map_or(0, |backlog| backlog.running)),
        ended: count(ended.map_or(0, |ended| ended.many)),
    })
}

impl From<Process> for HealthWorker {
    fn from(process: Process) -> Self {
        Self {
            name: Text(process.name),
            version: Text(process.version),
            slots: count(process.slots),
            busy: count(process.busy),
            silent_seconds: tenths(process.silent_seconds.max(0.0)),
            clock_ahead_ms: process.clock_ahead_ms,
        }
    }
}

impl From<Process> for HealthScheduler {
    fn from(process: Process) -> Self {
        Self {
            name: Text(process.name),
            version: Text(process.version),
            silent_seconds: tenths(process.silent_seconds.max(0.0)),
            clock_ahead_ms: process.clock_ahead_ms,
        }
    }
}
