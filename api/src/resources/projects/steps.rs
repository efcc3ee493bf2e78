//! A step of the agent as the log shows it.

use crate::http::text::{Text, Time};
use poem_openapi::types::Any;
use poem_openapi::{Enum, Object};
use serde_json::Value;
use store::project_runs::StepRow;

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ProjectStepState {
    /// It was begun. After a crash it is called again with the same Idempotency-Key, and does nothing twice.
    Begun,
    /// The tool answered.
    Done,
    /// The tool refused.
    Refused,
}

/// A call of a tool by a project's agent, or a question to its model.
#[derive(Debug, Object)]
pub struct ProjectStep {
    /// Its id.
    pub id: Text,
    /// The run that it belongs to: the work on the brief, or on what was said.
    pub run_id: Text,
    /// What was said; null of the brief.
    pub said: Option<Text>,
    /// Its place in the run, from 1. `<run_id>/<number>` is the Idempotency-Key of a call.
    pub number: i32,
    /// The tool; `chat` where the model was asked what comes next.
    pub tool: Text,
    /// What it was called with; empty of a long one that has ended.
    pub arguments: Any<Value>,
    /// Where it stands.
    pub status: ProjectStepState,
    /// Why the tool refused; of a `chat` that is done what the model said, and which tools it asked for; or null.
    pub message: Option<Text>,
    /// When it was begun.
    pub began_at: Time,
    /// When it ended, or null.
    pub ended_at: Option<Time>,
}

impl From<StepRow> for ProjectStep {
    fn from(row: StepRow) -> Self {
        Self {
            id: Text::of(row.id),
            run_id: Text::of(row.run),
            said: row.said.map(Text),
            number: row.number,
            tool: Text(row.tool),
            arguments: Any(row.arguments),
            status: match row.status.as_str() {
                "done" => ProjectStepState::Done,
                "refused" => ProjectStepState::Refused,
                _ => ProjectStepState::Begun,
            },
            message: row.message.map(Text),
            began_at: Time(row.began_at),
            ended_at: row.ended_at.map(Time),
        }
    }
}
