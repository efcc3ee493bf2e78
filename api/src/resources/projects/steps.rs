//! A step of the agent, as the log shows it.

use crate::http::text::{Text, Time};
use poem_openapi::types::Any;
use poem_openapi::{Enum, Object};
use serde_json::Value;
use store::project_runs::StepRow;

/// The status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ProjectStepState {
    /// It was begun. After a crash it is called again with the same Idempotency-Key, and has no effect twice.
    Begun,
    /// The tool answered.
    Done,
    /// The tool refused.
    Refused,
}

/// A call of a tool by a project's agent, or a request to its model.
#[derive(Debug, Object)]
pub struct ProjectStep {
    /// Its id.
    pub id: Text,
    /// The run that it belongs to: the work on the brief, or on a message.
    pub run_id: Text,
    /// The message that the run is about; null for the brief.
    pub said: Option<Text>,
    /// Its number in the run, from 1. `<run_id>/<number>` is the Idempotency-Key of a call.
    pub number: i32,
    /// The tool; `chat` when the model was asked what comes next.
    pub tool: Text,
    /// The arguments of the call; empty for long ones once the step has ended.
    pub arguments: Any<Value>,
    /// Its status.
    pub status: ProjectStepState,
    /// Why the tool refused; for a `chat` that is done, what the model said and which tools it called; otherwise null.
    pub message: Option<Text>,
    /// When it began.
    pub began_at: Time,
    /// When it ended; null before.
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
