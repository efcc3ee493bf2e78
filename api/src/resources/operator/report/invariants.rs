//! The rules that must hold of the rows, and what their last checks found.

use super::{HealthAxis, count, tenths};
use crate::http::text::Text;
use domain::verdict::{Held, Outcome};
use poem_openapi::{Enum, Object};

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
