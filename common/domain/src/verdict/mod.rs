//! The operators' verdict on the service: five axes, each with a state, a sentence, at most three numbers, the command
//! that helps next, and the further troubles that it has at the same time.
//!
//! It is a pure function of a [`Snapshot`], which `store::verdict` takes. Equal numbers give equal words, so that `GET
//! /operator/report`, `mws health` and the console agree. Only this module decides what the numbers mean.

mod clocks;
mod database;
mod delivery;
mod execution;
mod fallen;
mod flow;
mod invariants;
mod liveness;
mod money;
mod snapshot;
#[cfg(test)]
mod tests;
pub mod thresholds;

pub use clocks::{clock_off_by, clocks_off};
pub use fallen::{Fallen, fallen, past, predecessor, some_of, taken_over};
pub use invariants::{Held, Invariant, MOST_COUNTED, Outcome};
pub use snapshot::{
    Backlog, Books, Clock, Deliveries, Disabled, Duty, Ended, EndedBefore, EndedTask, FailedMigration, Failure,
    NewFailure, OutOfMinutes, Process, Replica, Schema, Snapshot, Troubled,
};

use serde::Serialize;
use std::cmp::Reverse;

/// The most rows of a kind that a snapshot counts: a count that reaches it means "or more".
pub const LOOKED_AT: i64 = 2_000;

/// The most waiting jobs of a task that are counted, where more wait than are looked at together.
pub const COUNTED_OF_A_TASK: i64 = 10_000;

/// The state of an axis or of the service, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// All is as it should be.
    Healthy,
    /// The data to judge by is missing or too old.
    Unknown,
    /// Something needs an operator, but the service goes on.
    Degraded,
    /// Work has stopped, or an invariant is broken.
    Failing,
}

impl State {
    /// Returns its name in answers and on pages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Unknown => "unknown",
            Self::Degraded => "degraded",
            Self::Failing => "failing",
        }
    }
}

/// The aspects of the service that are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Whether work starts.
    Flow,
    /// Whether jobs succeed.
    Execution,
    /// Whether events arrive.
    Delivery,
    /// Whether balances match the journal, and which accounts have no minutes left.
    Money,
    /// Whether everything runs that must.
    Liveness,
}

impl Axis {
    /// Returns its name in answers and on pages.
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

/// A number on which a finding is based.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Number {
    /// The name of the quantity.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit: `s`, `%`, or empty for a count.
    pub unit: &'static str,
}

/// The verdict on one axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The axis.
    pub axis: Axis,
    /// Its state.
    pub state: State,
    /// The verdict in a sentence.
    pub sentence: String,
    /// The numbers, at most three.
    pub numbers: Vec<Number>,
    /// The command that helps next; `None` if nothing needs to be done.
    pub next: Option<String>,
    /// Its other troubles, the worst first.
    pub also: Vec<Trouble>,
}

/// A trouble of an axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// The state that it means for the axis.
    pub state: State,
    /// The trouble in a sentence.
    pub sentence: String,
    /// The command that helps next.
    pub next: String,
}

impl Trouble {
    fn new(state: State, sentence: impl Into<String>, next: impl Into<String>) -> Self {
        Self { state, sentence: sentence.into(), next: next.into() }
    }
}

/// The verdict on the service.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The worst state of the axes.
    pub state: State,
    /// The verdict in a sentence.
    pub sentence: String,
    /// The five axes, always in this order: flow, execution, delivery, money, liveness.
    pub axes: Vec<Finding>,
}

/// Returns the verdict on this snapshot.
pub fn report(snapshot: &Snapshot) -> Report {
    let judged = |axis, mut troubles: Vec<Trouble>, well, numbers| {
        troubles.extend(invariants::troubles(axis, &snapshot.invariants, snapshot.books.drifting > 0));
        finding(axis, troubles, well, numbers)
    };
    let axes = vec![
        judged(Axis::Flow, flow::troubles(snapshot), flow::well(snapshot), flow::numbers(snapshot)),
        judged(Axis::Execution, execution::troubles(snapshot), execution::well(snapshot), execution::numbers(snapshot)),
        judged(Axis::Delivery, delivery::troubles(snapshot), delivery::well(snapshot), delivery::numbers(snapshot)),
        judged(Axis::Money, money::troubles(snapshot), money::well(), money::numbers(snapshot)),
        judged(Axis::Liveness, liveness::troubles(snapshot), liveness::well(snapshot), liveness::numbers(snapshot)),
    ];
    let state = axes.iter().map(|axis| axis.state).max().unwrap_or(State::Unknown);
    Report { state, sentence: summary(state, &axes), axes }
}

/// Returns the verdict on an axis that has these troubles; where it has none, `well` is said of it. The worst trouble
/// comes first; of those that are equally bad, the one whose cause operators should repair first.
fn finding(axis: Axis, mut troubles: Vec<Trouble>, well: String, numbers: Vec<Number>) -> Finding {
    // What is equal stays in its order.
    troubles.sort_by_key(|trouble| Reverse(trouble.state));
    let mut troubles = troubles.into_iter();
    let (state, sentence, next) = match troubles.next() {
        Some(worst) => (worst.state, worst.sentence, Some(worst.next)),
        None => (State::Healthy, well, None),
    };
    Finding { axis, state, sentence, numbers, next, also: troubles.collect() }
}

/// Returns the sentence of the worst axis, and how many others are not healthy.
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
    // Rounded to tenths, so that it is the same wherever it is shown.
    Number { name, value: (value * 10.0).round() / 10.0, unit }
}

#[expect(clippy::cast_precision_loss, reason = "counts are capped far below 2^52")]
fn count(name: &'static str, value: i64) -> Number {
    number(name, value as f64, "")
}

/// Returns the share in percent; 0 if `whole` is 0.
#[expect(clippy::cast_precision_loss, reason = "counts are capped far below 2^52")]
fn percent(part: i64, whole: i64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// Returns a count in words, which may be capped.
fn at_least(many: i64) -> String {
    or_more(many, many >= LOOKED_AT)
}

/// Returns a count in words. Where there may be more than were counted, it is rounded down to whole thousands, if it
/// has any: `10,000 or more`.
pub fn or_more(many: i64, has_more: bool) -> String {
    match many / 1_000 {
        _ if !has_more => many.to_string(),
        0 => format!("{many} or more"),
        thousands => format!("{thousands},000 or more"),
    }
}

/// Returns a number with its noun, in the singular or the plural.
fn counted(many: i64, one: &str, more: &str) -> String {
    if many == 1 { format!("one {one}") } else { format!("{} {more}", at_least(many)) }
}

/// Returns a time span in words, in seconds, minutes, hours or days.
pub fn span(seconds: f64) -> String {
    let whole = |value: f64| format!("{value:.0}");
    match seconds {
        s if s < 90.0 => format!("{} s", whole(s)),
        s if s < 5_400.0 => format!("{} min", whole(s / 60.0)),
        s if s < 172_800.0 => format!("{} h", whole(s / 3_600.0)),
        s => format!("{} days", whole(s / 86_400.0)),
    }
}
