//! The operators' verdict: what a look at the service comes to, on five axes, each with a sentence, at most three
//! numbers and the one command that helps next.
//!
//! It is a pure function of a [`Snapshot`], which `store::verdict` takes. The same numbers give the same words, so that
//! `GET /operator/report`, `mws health` and the console say the same. What the numbers mean is decided here alone.

mod delivery;
mod execution;
mod flow;
mod liveness;
mod money;
mod snapshot;
#[cfg(test)]
mod tests;

pub use snapshot::{
    Backlog, Books, Deliveries, Disabled, Duty, Ended, Failure, OutOfMinutes, Process, Snapshot, Troubled,
};

use serde::Serialize;

/// Rows of a sort that a snapshot looks at: what comes to as many is at least as many.
pub const LOOKED_AT: i64 = 2_000;

/// How something stands, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it should be.
    Healthy,
    /// What would tell is not there, or too old.
    Unknown,
    /// Something needs an operator, and the service goes on.
    Degraded,
    /// Work stands still, or what must hold does not.
    Failing,
}

impl State {
    /// The word in answers and on pages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Unknown => "unknown",
            Self::Degraded => "degraded",
            Self::Failing => "failing",
        }
    }
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
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

impl Axis {
    /// The word in answers and on pages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flow => "flow",
            Self::Execution => "execution",
            Self::Delivery => "delivery",
            Self::Money => "money",
            Self::Liveness => "liveness",
        }
    }
}

/// A number that a finding goes by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Number {
    /// What is counted or measured.
    pub name: &'static str,
    /// How much.
    pub value: f64,
    /// In what: `s`, `%`, or nothing for a count.
    pub unit: &'static str,
}

/// How one axis stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Which.
    pub axis: Axis,
    /// How it stands.
    pub state: State,
    /// In a sentence.
    pub sentence: String,
    /// At most three.
    pub numbers: Vec<Number>,
    /// The command that helps next; none where nothing is to be done.
    pub next: Option<String>,
}

/// How the service stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The worst of the axes.
    pub state: State,
    /// In a sentence.
    pub sentence: String,
    /// The five, always in this order: flow, execution, delivery, money, liveness.
    pub axes: Vec<Finding>,
}

/// What one axis was found to be, before its numbers are put beside it.
struct Judged {
    state: State,
    sentence: String,
    next: Option<String>,
}

impl Judged {
    fn healthy(sentence: impl Into<String>) -> Self {
        Self { state: State::Healthy, sentence: sentence.into(), next: None }
    }

    fn new(state: State, sentence: impl Into<String>, next: impl Into<String>) -> Self {
        Self { state, sentence: sentence.into(), next: Some(next.into()) }
    }
}

/// What a snapshot comes to.
pub fn report(snapshot: &Snapshot) -> Report {
    let finding = |axis, judged: Judged, numbers| {
        let Judged { state, sentence, next } = judged;
        Finding { axis, state, sentence, numbers, next }
    };
    let axes = vec![
        finding(Axis::Flow, flow::judged(snapshot), flow::numbers(snapshot)),
        finding(Axis::Execution, execution::judged(snapshot), execution::numbers(snapshot)),
        finding(Axis::Delivery, delivery::judged(snapshot), delivery::numbers(snapshot)),
        finding(Axis::Money, money::judged(snapshot), money::numbers(snapshot)),
        finding(Axis::Liveness, liveness::judged(snapshot), liveness::numbers(snapshot)),
    ];
    let state = axes.iter().map(|axis| axis.state).max().unwrap_or(State::Unknown);
    Report { state, sentence: summary(state, &axes), axes }
}

/// The worst axis's sentence, and how many more need somebody.
fn summary(state: State, axes: &[Finding]) -> String {
    if state == State::Healthy {
        return "All is well: work starts and ends, events arrive, the books add up.".to_owned();
    }
    let worst = axes.iter().find(|axis| axis.state == state).map_or("", |axis| axis.sentence.as_str());
    let more = axes.iter().filter(|axis| axis.state > State::Healthy).count() - 1;
    match more {
        0 => worst.to_owned(),
        1 => format!("{worst} One more axis is not healthy."),
        _ => format!("{worst} {more} more axes are not healthy."),
    }
}

fn number(name: &'static str, value: f64, unit: &'static str) -> Number {
    // Tenths are told, and no more: what is shown twice is then the same.
    Number { name, value: (value * 10.0).round() / 10.0, unit }
}

#[expect(clippy::cast_precision_loss, reason = "counts are capped far below 2^52")]
fn count(name: &'static str, value: i64) -> Number {
    number(name, value as f64, "")
}

/// A share in percent; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts are capped far below 2^52")]
fn percent(part: i64, whole: i64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// A capped count in words.
fn at_least(many: i64) -> String {
    if many >= LOOKED_AT { format!("{LOOKED_AT} or more") } else { many.to_string() }
}

/// A noun with its number.
fn counted(many: i64, one: &str, more: &str) -> String {
    if many == 1 { format!("one {one}") } else { format!("{} {more}", at_least(many)) }
}

/// A time span in words, to the second, the minute or the hour.
pub fn span(seconds: f64) -> String {
    let whole = |value: f64| format!("{value:.0}");
    match seconds {
        s if s < 90.0 => format!("{} s", whole(s)),
        s if s < 5_400.0 => format!("{} min", whole(s / 60.0)),
        s if s < 172_800.0 => format!("{} h", whole(s / 3_600.0)),
        s => format!("{} days", whole(s / 86_400.0)),
    }
}
