//! How the service stands, and what to do next: `/operator/report`. What the numbers mean is `domain::verdict`'s.

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::Text;
use crate::usecases::operator::report::verdict;
use domain::verdict::{self, Finding, Report};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};

/// What this operation refuses with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /operator/report", &[])];

/// The operation on the verdict.
pub struct OperatorReports(pub App);

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum HealthState {
    /// As it should be.
    Healthy,
    /// What would tell is not there, or too old.
    Unknown,
    /// Something needs an operator, and the service goes on.
    Degraded,
    /// Work stands still, or what must hold does not.
    Failing,
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum HealthAxis {
    /// Whether work starts.
    Flow,
    /// Whether what runs succeeds.
    Execution,
    /// Whether events arrive.
    Delivery,
    /// Whether the books are right, and who has nothing left.
    Money,
    /// Whether everything that has to run does.
    Liveness,
}

/// A number that a finding goes by.
#[derive(Debug, Object)]
pub struct HealthNumber {
    /// What is counted or measured.
    pub name: Text,
    /// How much, to a tenth. A count of rows ends at 2,000.
    pub value: f64,
    /// In what: `s`, `%`, or empty for a count.
    pub unit: Text,
}

/// How one axis stands.
#[derive(Debug, Object)]
pub struct HealthFinding {
    /// Which.
    pub axis: HealthAxis,
    /// How it stands.
    pub state: HealthState,
    /// In a sentence.
    pub sentence: Text,
    /// At most three.
    pub numbers: Vec<HealthNumber>,
    /// The command that helps next, or null where nothing is to be done.
    pub next: Option<Text>,
}

/// How the service stands.
#[derive(Debug, Object)]
pub struct HealthReport {
    /// The worst of the axes.
    pub state: HealthState,
    /// In a sentence.
    pub sentence: Text,
    /// The five: flow, execution, delivery, money, liveness.
    pub axes: Vec<HealthFinding>,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorReports {
    /// Get the verdict
    ///
    /// How the service stands, on five axes: each with a sentence, the numbers that it goes by, and the command that
    /// helps next. The same numbers give the same words. An axis whose numbers are too old is `unknown`, never
    /// `healthy`.
    #[oai(path = "/operator/report", method = "get", operation_id = "operator_get_report")]
    async fn get(&self, _auth: OperatorAuth) -> Answer<Json<HealthReport>> {
        Ok(Json(verdict(&self.0).await?.report.into()))
    }
}

impl From<Report> for HealthReport {
    fn from(report: Report) -> Self {
        let axes = report.axes.into_iter().map(HealthFinding::from).collect();
        Self { state: report.state.into(), sentence: Text(report.sentence), axes }
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
