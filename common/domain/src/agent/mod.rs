//! The agent of projects: from a brief to a finished film, by words alone or by what a model says.
//!
//! Pure. `Wishes` is what a brief asks for, `moments` chooses what of the footage shows it, `film` puts that together,
//! and [`Memory`] is the planner that is built in: it says what to do next and is told what came of it. [`Chat`] is the
//! one that asks a model, [`Planner`] either. They call the same tools as everybody else; who calls them, durably, is
//! the api's (`resources/projects/agent`).

pub mod chat;
mod cutting;
mod film;
mod hearing;
mod library;
mod memory;
mod moments;
mod planner;
mod reading;
mod telling;
#[cfg(test)]
mod tests;
mod wishes;
mod words;

pub use chat::{Chat, ChatModel, Reply};
pub use film::{Film, Music};
pub use library::Item;
pub use memory::{Memory, Phase};
pub use moments::{Found, Moment};
pub use planner::{Planner, Task};
pub use wishes::Wishes;

use crate::credits::Credits;
use crate::minutes::Minutes;
use crate::project::ProjectStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// What the planner that is built in is called in answers.
pub const PLANNER: &str = "keywords";
/// Steps that a project's agent takes when its budget says nothing.
pub const USUAL_STEPS: u32 = 200;
/// Steps that a budget may have.
pub const MOST_STEPS: u32 = 1_000;
/// Minutes and credits that a budget may have.
pub const MOST_AMOUNT: f64 = 1_000_000.0;

/// What a project's agent may take. What is none has no bound of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Cloud minutes, in hundredths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<i64>,
    /// AI credits, in hundredths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credits: Option<i64>,
    /// Calls of tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

impl Budget {
    /// The same with what is said of it now.
    #[must_use]
    pub fn with(self, said: Self) -> Self {
        Self {
            minutes: said.minutes.or(self.minutes),
            credits: said.credits.or(self.credits),
            steps: said.steps.or(self.steps),
        }
    }

    /// The minutes that are left of it.
    pub fn minutes_left(self, spent: Minutes) -> Option<Minutes> {
        self.minutes.map(|minutes| Minutes::from_hundredths(minutes).saturating_sub(spent))
    }

    /// The AI credits that are left of it.
    pub fn credits_left(self, spent: Credits) -> Option<Credits> {
        self.credits.map(|credits| Credits::from_hundredths(credits).saturating_sub(spent))
    }

    /// The steps that are left of it.
    pub fn steps_left(self, taken: u32) -> u32 {
        self.steps.unwrap_or(USUAL_STEPS).saturating_sub(taken)
    }
}

/// What the agent does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// Calls this tool.
    Call {
        /// Its name.
        tool: Cow<'static, str>,
        /// What it is called with.
        arguments: Value,
    },
    /// Asks the model, with the conversation as it is.
    Ask,
    /// Waits until these jobs have ended.
    Wait {
        /// They.
        jobs: Vec<String>,
    },
    /// Stops here.
    Stop(End),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// What the project becomes: `idle` or `failed`.
    pub status: ProjectStatus,
    /// What is said to those who wait, with what to do.
    pub message: String,
}

/// A tool's refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its code.
    pub code: String,
    /// What is wrong, with the next step that helps.
    pub message: String,
}
