//! The health of the service, and what to do next: `/operator/report`. `domain::verdict` decides what numbers mean.

mod invariants;
mod load;

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::Text;
use crate::usecases::operator::report::{Verdict, verdict};
use domain::verdict::{self, Finding, Trouble};
use invariants::HealthInvariant;
use load::HealthLoad;
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
    /// The axis's other troubles, the worst first; empty when there are none.
    pub also: Vec<HealthTrouble>,
}

/// A further trouble of an axis.
#[derive(Debug, Object)]
pub struct HealthTrouble {
    /// The state that it means for the axis.
    pub state: HealthState,
    /// The trouble, as one sentence.
    pub sentence: Text,
    /// The command that helps next.
    pub next: Text,
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

#[OpenApi(tag = "Tag::Operator")]
impl OperatorReports {
    /// Get the verdict
    ///
    /// The health of the service on five axes: each with a sentence, the numbers behind it, and the command that helps
    /// next. Of several troubles at once these tell the worst, and `also` has the others. The same numbers give the
    /// same words. An axis whose numbers are too old is `unknown`, never `healthy`. `load` has what waits and runs by
    /// task, and the workers and schedulers; `invariants` the rules that are checked of the rows.
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
            also: finding.also.into_iter().map(HealthTrouble::from).collect(),
        }
    }
}

impl From<Trouble> for HealthTrouble {
    fn from(trouble: Trouble) -> Self {
        Self { state: trouble.state.into(), sentence: Text(trouble.sentence), next: Text(trouble.next) }
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

fn count(many: i64) -> u32 {
    u32::try_from(many.max(0)).unwrap_or(u32::MAX)
}

fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}
