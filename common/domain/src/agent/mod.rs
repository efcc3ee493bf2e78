//! The agent of projects: it makes a film from a brief, by counting words or by asking a model.
//!
//! Pure. `Wishes` is what a brief asks for, `moments` chooses footage for it, and `film` plans the film. [`Memory`] is
//! the built-in planner, [`Chat`] the one that asks a model, and [`Planner`] either of them. A planner says what to do
//! next and is told the result. It uses the same tools as everybody else; the api calls them
//! (`resources/projects/agent`).

mod beginnings;
mod bounds;
mod calls;
pub mod chat;
mod cutting;
mod film;
mod hearing;
mod leaving_out;
mod lengths;
mod library;
mod losing;
mod memory;
mod moments;
mod music;
mod planner;
mod reading;
mod scope;
mod spans;
mod telling;
#[cfg(test)]
mod tests;
mod voices;
mod wishes;
mod words;

pub use chat::{Chat, ChatModel, Reply, ToolCall};
pub use film::{FilmDraft, Music};
pub use library::Item;
pub use memory::{Memory, Phase};
pub use moments::{Moment, Pause, WordHit};
pub use planner::{Assignment, Planner};
pub use voices::Listening;
pub use wishes::Wishes;

use crate::credits::Credits;
use crate::minutes::Minutes;
use crate::project::ProjectStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The built-in planner's name in answers.
pub const PLANNER: &str = "keywords";
/// The steps that a project's agent may take when its budget does not say.
pub const USUAL_STEPS: u32 = 200;
/// The most steps that a budget may have.
pub const MOST_STEPS: u32 = 1_000;
/// The most minutes, and the most credits, that a budget may have.
pub const MOST_AMOUNT: f64 = 1_000_000.0;

/// What a project's agent may spend. An absent field sets no limit, except that steps have a usual one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Cloud minutes, in hundredths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<i64>,
    /// AI credits, in hundredths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credits: Option<i64>,
    /// Calls of tools or of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

impl Budget {
    /// Returns this budget, with the fields that `said` has replaced by them.
    #[must_use]
    pub fn with(self, said: Self) -> Self {
        Self {
            minutes: said.minutes.or(self.minutes),
            credits: said.credits.or(self.credits),
            steps: said.steps.or(self.steps),
        }
    }

    /// Returns the minutes that are left; `None` without a limit.
    pub fn minutes_left(self, spent: Minutes) -> Option<Minutes> {
        self.minutes.map(|minutes| Minutes::from_hundredths(minutes).saturating_sub(spent))
    }

    /// Returns the AI credits that are left; `None` without a limit.
    pub fn credits_left(self, spent: Credits) -> Option<Credits> {
        self.credits.map(|credits| Credits::from_hundredths(credits).saturating_sub(spent))
    }

    /// Returns the number of steps that are left.
    pub fn steps_left(self, taken: u32) -> u32 {
        self.steps.unwrap_or(USUAL_STEPS).saturating_sub(taken)
    }
}

/// The agent's next move.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// Calls this tool.
    Call {
        /// Its name.
        tool: Cow<'static, str>,
        /// Its arguments.
        arguments: Value,
    },
    /// Sends the conversation to the model.
    Ask,
    /// Waits until these jobs have ended.
    Wait {
        /// The ids of the jobs.
        jobs: Vec<String>,
    },
    /// Ends the run.
    Stop(End),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The project's new status: `idle` or `failed`.
    pub status: ProjectStatus,
    /// The message to those who wait, with what they can do.
    pub message: String,
}

/// A tool's refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its code.
    pub code: String,
    /// What is wrong, and the next step that helps.
    pub message: String,
}
