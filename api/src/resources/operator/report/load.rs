//! What waits and runs at this moment, by task, and which workers there are.

use super::{count, tenths};
use crate::http::text::{Text, Time};
use domain::task::Task;
use domain::verdict::{Process, Snapshot};
use poem_openapi::Object;

/// What waits and runs, and who works. Counts end at 2,000.
#[derive(Debug, Object)]
pub struct HealthLoad {
    /// The tasks of which a job waits, runs, or ended within 15 minutes, ordered by name.
    pub tasks: Vec<HealthTask>,
    /// The number of deliveries that wait to be sent, now or later.
    pub pending_deliveries: u32,
    /// Seconds for which the oldest delivery that could be sent has been due; 0 when there is none.
    pub oldest_due_delivery_seconds: f64,
    /// The workers that have not reported their end, ordered by name.
    pub workers: Vec<HealthWorker>,
}

/// The jobs of one task.
#[derive(Debug, Object)]
pub struct HealthTask {
    /// The name of a read, or `render`, `generation` or `dub`.
    pub task: Text,
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
}

impl From<Snapshot> for HealthLoad {
    fn from(snapshot: Snapshot) -> Self {
        let tasks = Task::ALL.into_iter().filter_map(|task| task_load(&snapshot, task));
        let mut tasks: Vec<HealthTask> = tasks.collect();
        tasks.sort_by(|one, other| one.task.0.cmp(&other.task.0));
        let workers = snapshot.processes.into_iter().filter(|process| process.service == "worker");
        Self {
            tasks,
            pending_deliveries: count(snapshot.deliveries.pending),
            oldest_due_delivery_seconds: tenths(snapshot.deliveries.oldest_due_seconds),
            workers: workers.map(HealthWorker::from).collect(),
        }
    }
}

/// Returns the jobs of a task; none when no job of it waits, runs or ended lately.
fn task_load(snapshot: &Snapshot, task: Task) -> Option<HealthTask> {
    let backlog = snapshot.backlogs.iter().find(|backlog| backlog.task == task);
    let ended = snapshot.ended.by_task.iter().find(|ended| ended.task == task.name());
    if backlog.is_none() && ended.is_none() {
        return None;
    }
    Some(HealthTask {
        task: task.name().into(),
        due: count(backlog.map_or(0, |backlog| backlog.due)),
        oldest_due_seconds: tenths(backlog.map_or(0.0, |backlog| backlog.oldest_due_seconds)),
        without_place: count(backlog.map_or(0, |backlog| backlog.without_place)),
        put_back: count(backlog.map_or(0, |backlog| backlog.put_back)),
        next_due_at: backlog.and_then(|backlog| backlog.next_due_at).map(Time),
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
        }
    }
}
