//! The result of a check: its state, what was measured, and the cure.

use crate::output::Out;
use serde_json::{Value, json};

/// The state that a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Fine,
    /// It should be looked at.
    Warning,
    /// Something does not work.
    Problem,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// The result of one check.
#[derive(Debug)]
pub struct Finding {
    /// The check's name, as `--only` takes it.
    pub check: &'static str,
    /// The state that it found.
    pub state: State,
    /// What was measured, in words.
    pub value: String,
    /// What to do; none when it is fine.
    pub cure: Option<String>,
}

impl Finding {
    /// As it should be.
    pub fn fine(check: &'static str, value: impl Into<String>) -> Self {
        Self { check, state: State::Fine, value: value.into(), cure: None }
    }

    /// A result that should be looked at.
    pub fn warning(check: &'static str, value: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { check, state: State::Warning, value: value.into(), cure: Some(cure.into()) }
    }

    /// A result that says what does not work.
    pub fn problem(check: &'static str, value: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { check, state: State::Problem, value: value.into(), cure: Some(cure.into()) }
    }

    /// The result in lines for a person.
    pub fn lines(&self, out: &Out) -> String {
        let sign = match self.state {
            State::Fine => out.good("✓"),
            State::Warning => "!".to_owned(),
            State::Problem => out.bad("✗"),
        };
        let cure = self.cure.as_deref().map(|cure| format!("\n    fix: {cure}")).unwrap_or_default();
        format!("{sign} {:<14} {}{cure}", self.check, self.value)
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        json!({ "check": self.check, "state": self.state.word(), "value": self.value, "cure": self.cure })
    }
}
