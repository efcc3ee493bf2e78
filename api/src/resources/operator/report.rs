//! The health of the service, and what to do next: `/operator/report`. `domain::verdict` decides what numbers mean.

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::{Text, Time};
use crate::usecases::operator::report::{Verdict, verdict};
use domain::task::Task;
use domain::verdict::{self, Finding, Held, Outcome, Process, Snapshot};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /operator/report", &[])];

/// The operation on the verdict.
pub struct OperatorReports(pub App);

/// The states of health.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum HealthState {
    /// Everything is as it should be.
    Healthy,
    /// The numbers are missing or too old.
    Unknown,
    /// An operator is needed, but the service continues.
    Degraded,
    /// Work stands still, or an invariant does not hold.
    Failing,
}

/// The axes of the service's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum HealthAxis {
    /// Whether waiting work starts.
    Flow,
    /// Whether running work succeeds.
    Execution,
    /// Whether events reach their endpoints.
    Delivery,
    /// Whether the books are right, and which accounts have nothing left.
    Money,
    /// Whether every process and duty that must run does.
    Liveness,
}

/// A number on which a finding is based.
#[derive(Debug, Object)]
pub struct HealthNumber {
    /// The name of what is counted or measured.
    pub name: Text,
    /// The value, to one decimal. Counts of rows end at 2,000.
    pub value: f64,
    /// The unit: `s`, `%`, or empty for a count.
    pub unit: Text,
}

/// The health on one axis.
#[derive(Debug, Object)]
pub struct HealthFinding {
    /// The axis.
    pub axis: HealthAxis,
    /// Its state.
    pub state: HealthState,
    /// The finding, as one sentence.
    pub sentence: Text,
    /// The numbers behind it, at most three.
    pub numbers: Vec<HealthNumber>,
    /// The command that helps next; null when nothing is to be done.
    pub next: Option<Text>,
}

/// The health of the service.
#[derive(Debug, Object)]
pub struct HealthReport {
    /// The worst state of the axes.
    pub state: HealthState,
    /// The verdict, as one sentence.
    pub sentence: Text,
    /// The five axes: flow, execution, delivery, money, liveness.
    pub axes: Vec<HealthFinding>,
    /// What waits and runs at this moment, and who works.
    pub load: HealthLoad,
    /// The rules that must hold of the rows at every moment, each with what its last checks found. Schedulers check
    /// each every five minutes, balances each minute.
    pub invariants: Vec<HealthInvariant>,
}

/// A rule that must hold of the rows at every moment.
#[derive(Debug, Object)]
pub struct HealthInvariant {
    /// Its name.
    pub name: Text,
    /// The axis that it is part of.
    pub axis: HealthAxis,
    /// The rule, as one sentence.
    pub says: Text,
    /// Which rows a check looks at.
    pub covers: Text,
    /// The outcome of its last check; null until one has ended.
    pub outcome: Option<InvariantOutcome>,
    /// Seconds since a check last passed; null if none has.
    pub passed_seconds: Option<f64>,
    /// Seconds since a check last failed; null if none has.
    pub failed_seconds: Option<f64>,
    /// The number of rows that broke it when it last failed; counts end at 100.
    pub broken: u32,
    /// The ids of some of those rows, at most five; they are kept when a later check passes.
    pub sample: Vec<Text>,
}

/// The outcomes of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum InvariantOutcome {
    /// It holds of the rows that were looked at.
    Passed,
    /// Rows break it, and no check has passed since.
    Failed,
    /// The check took longer than five seconds and was stopped, and the one before it did not fail.
    Unfinished,
}

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

#[OpenApi(tag = "Tag::Operator")]
impl OperatorReports {
    /// Get the verdict
    ///
    /// The health of the service on five axes: each with a sentence, the numbers behind it, and the command that helps
    /// next. The same numbers give the same words. An axis whose numbers are too old is `unknown`, never `healthy`.
    /// `load` has what waits and runs by task, and the workers; `invariants` the rules that are checked of the rows.
    #[oai(path = "/operator/report", method = "get", operation_id = "operator_get_report")]
    async fn get(&self, _auth: OperatorAuth) -> Answer<Json<HealthReport>> {
        Ok(Json(verdict(&self.0).await?.into()))
    }
}

impl From<Verdict> for HealthReport {
    fn from(found: Verdict) -> Self {
        let Verdict { snapshot, report } = found;
        let axes = report.axes.into_iter().map(HealthFinding::from).collect();
        let invariants = snapshot.invariants.iter().cloned().map(HealthInvariant::from).collect();
        Self { state: report.state.into(), sentence: Text(report.sentence), axes, load: snapshot.into(), invariants }
    }
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

impl From<Held> for HealthInvariant {
    fn from(held: Held) -> Self {
        let invariant = held.invariant;
        Self {
            name: invariant.name().into(),
            axis: invariant.axis().into(),
            says: invariant.says().into(),
            covers: invariant.covers().into(),
            outcome: held.outcome.map(InvariantOutcome::from),
            passed_seconds: held.passed_seconds.map(tenths),
            failed_seconds: held.failed_seconds.map(tenths),
            broken: count(held.broken),
            sample: held.sample.into_iter().map(Text).collect(),
        }
    }
}

impl From<Outcome> for InvariantOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Passed => Self::Passed,
            Outcome::Failed => Self::Failed,
            Outcome::Unfinished => Self::Unfinished,
        }
    }
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

fn count(many: i64) -> u32 {
    u32::try_from(many.max(0)).unwrap_or(u32::MAX)
}

fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

impl From<Finding> for HealthFinding {
    fn from(finding: Finding) -> Self {
        let number =
            |one: verdict::Number| HealthNumber { name: one.name.into(), value: one.value, unit: one.unit.into() };
        Self {
            axis: finding.axis.into(),
            state: finding.state.into(),
            sentence: Text(finding.sentence),
            numbers: finding.numbers.into_iter().map(number).collect(),
            next: finding.next.map(Text),
        }
    }
}

impl From<verdict::State> for HealthState {
    fn from(state: verdict::State) -> Self {
        match state {
            verdict::State::Healthy => Self::Healthy,
            verdict::State::Unknown => Self::Unknown,
            verdict::State::Degraded => Self::Degraded,
            verdict::State::Failing => Self::Failing,
        }
    }
}

impl From<verdict::Axis> for HealthAxis {
    fn from(axis: verdict::Axis) -> Self {
        match axis {
            verdict::Axis::Flow => Self::Flow,
            verdict::Axis::Execution => Self::Execution,
            verdict::Axis::Delivery => Self::Delivery,
            verdict::Axis::Money => Self::Money,
            verdict::Axis::Liveness => Self::Liveness,
        }
    }
}
