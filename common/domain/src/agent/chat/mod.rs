//! The agent that asks a model: what it remembers of a conversation, and what it does next.
//!
//! Pure, as all of the agent. The model says which tools are called, `hearing` takes in its answers and those of tools,
//! `made` notes what came of the calls, `messages` writes the conversation and keeps it small, `reply` reads the
//! model's answers. Nothing that a model says is trusted: unknown tools, malformed arguments and loops each have a
//! limit or a refusal.

mod calls;
mod hearing;
mod made;
mod messages;
mod next_run;
mod reply;
#[cfg(test)]
mod tests;

pub use messages::pseudo_tools;
pub use reply::{Reply, ToolCall};

use super::{Budget, End, Move, telling};
use crate::project::{OutputType, ProjectStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The tool by which a model waits for jobs.
pub const WAIT: &str = "wait_for_jobs";
/// The tool by which a model ends its work.
pub const FINISH: &str = "finish";
/// The name of a request to the model in the list of steps.
pub const ASK: &str = "chat";
/// The most bytes that a conversation may be allowed.
pub const MOST_BYTES: usize = 256 << 10;
/// The fewest bytes that a conversation may be allowed: the brief, the instructions and some answers fit.
pub const LEAST_BYTES: usize = 64 << 10;
/// The most jobs that are waited for at once, which is as many as one `get_jobs` takes.
const MOST_JOBS: usize = 100;
/// The most skills that are listed.
const MOST_SKILLS: u32 = 100;

/// A model that may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatModel<'a> {
    /// Its id.
    pub id: &'a str,
    /// The most bytes of a conversation with it.
    pub most_bytes: usize,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// Whether `dry_run` tells its price.
    pub has_price: bool,
}

/// The stage of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    /// The agent looks up which skills the workspace has.
    Skills,
    /// The agent does what the model says.
    Work,
    /// The run ends in this way as soon as its jobs have ended.
    Ending(End),
    /// The run has ended.
    Over(End),
}

/// The author of an earlier message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Speaker {
    User,
    Agent,
}

/// A call that the model asked for and that is not made yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PendingCall {
    /// Its id in the conversation.
    id: String,
    tool: String,
    arguments: Value,
    /// Whether the tool costs something and tells its price beforehand.
    has_price: bool,
    /// Whether its price is known and within the budget.
    is_priced: bool,
}

/// A job that a call started or joined, and that has not been seen to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PendingJob {
    id: String,
    /// Whether the call started it.
    is_own: bool,
    /// Cloud minutes held for it, in hundredths; so are the credits.
    minutes: i64,
    credits: i64,
    /// Whether it renders something.
    is_render: bool,
    /// The length of what it makes, in milliseconds.
    ms: i64,
}

/// The memory of an agent that asks a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chat {
    /// The project's id.
    pub project: String,
    /// The id of the model that is asked.
    pub model: String,
    most_bytes: usize,
    brief: String,
    output: OutputType,
    /// The number of steps done in this run.
    pub number: u32,
    /// The number of steps in all of the project's runs.
    pub steps: u32,
    /// Cloud minutes of all of the project's runs that were charged or are held, in hundredths.
    pub spent: i64,
    /// AI credits of all of the project's runs that were charged or are held, in hundredths.
    pub credits: i64,
    stage: Stage,
    /// The messages after the brief, each with its author.
    talk: Vec<(Speaker, String)>,
    skills: String,
    messages: Vec<Value>,
    pending: Vec<PendingCall>,
    /// The ids of the jobs that it waits for.
    wait: Vec<String>,
    /// Whether a render was waited for. From then on the project is `rendering` until it ends.
    is_rendering: bool,
    jobs: Vec<PendingJob>,
    /// How many calls exceeded the budget.
    over_budget: u32,
    timelines: Vec<String>,
    /// Items that were rendered, and those that the model names as its result, with their lengths in milliseconds.
    outputs: Vec<(String, i64)>,
    /// Other items that were made, with their lengths in milliseconds.
    made: Vec<(String, i64)>,
}

impl Chat {
    /// Returns the memory of a project whose work begins.
    pub fn new(project: String, brief: String, output: OutputType, model: ChatModel<'_>) -> Self {
        Self {
            project,
            model: model.id.to_owned(),
            most_bytes: model.most_bytes.clamp(LEAST_BYTES, MOST_BYTES),
            brief,
            output,
            number: 0,
            steps: 0,
            spent: 0,
            credits: 0,
            stage: Stage::Skills,
            talk: Vec::new(),
            skills: String::new(),
            messages: Vec::new(),
            pending: Vec::new(),
            wait: Vec::new(),
            is_rendering: false,
            jobs: Vec::new(),
            over_budget: 0,
            timelines: Vec::new(),
            outputs: Vec::new(),
            made: Vec::new(),
        }
    }

    /// Returns the project's status at this stage.
    pub fn status(&self) -> ProjectStatus {
        match &self.stage {
            Stage::Over(end) => end.status,
            _ if self.is_rendering => ProjectStatus::Rendering,
            _ if !self.wait.is_empty() => ProjectStatus::Generating,
            Stage::Skills | Stage::Work | Stage::Ending(_) => ProjectStatus::Running,
        }
    }

    /// Returns how the run ended; `None` while it goes on.
    pub const fn over(&self) -> Option<&End> {
        match &self.stage {
            Stage::Over(end) => Some(end),
            Stage::Skills | Stage::Work | Stage::Ending(_) => None,
        }
    }

    /// Returns the agent's next move.
    pub fn next(&self, budget: Budget) -> Move {
        if let Stage::Over(end) = &self.stage {
            return Move::Stop(end.clone());
        }
        if !self.wait.is_empty() {
            return Move::Wait { jobs: self.wait.clone() };
        }
        if budget.steps_left(self.steps) == 0 {
            // Jobs that were started are waited for.
            let jobs = self.some_jobs();
            return if jobs.is_empty() { Move::Stop(telling::out_of_steps(self.steps)) } else { Move::Wait { jobs } };
        }
        if self.stage == Stage::Skills {
            let arguments = serde_json::json!({ "limit": MOST_SKILLS });
            return Move::Call { tool: Cow::Borrowed("list_skills"), arguments };
        }
        let Some(call) = self.pending.first() else { return Move::Ask };
        let mut arguments = call.arguments.clone();
        if call.asks_price(budget) {
            arguments["dry_run"] = true.into();
        }
        Move::Call { tool: Cow::Owned(call.tool.clone()), arguments }
    }

    /// Returns the ids of the timelines that it made, latest first.
    pub fn timelines(&self) -> &[String] {
        &self.timelines
    }

    /// Returns the ids of the items that are its result, with their lengths in milliseconds.
    pub fn outputs(&self) -> &[(String, i64)] {
        &self.outputs
    }

    /// Returns the ids of running jobs that it started. Jobs of others that it joined are left out.
    pub fn own_jobs(&self) -> impl Iterator<Item = &str> {
        self.jobs.iter().filter(|job| job.is_own).map(|job| job.id.as_str())
    }

    /// Returns the number of messages in the conversation so far.
    pub fn length(&self) -> usize {
        self.messages.len()
    }

    /// Ends in this way, and forgets the conversation except for what people and the agent said.
    pub fn end(&mut self, end: End) {
        self.note_said(Speaker::Agent, &end.message);
        self.stage = Stage::Over(end);
        self.messages = Vec::new();
        self.pending = Vec::new();
        self.wait = Vec::new();
        self.skills = String::new();
    }

    /// Ends because the model can't be asked, for the reason `why`.
    pub fn ask_failed(&mut self, why: &str) {
        self.end_with(telling::model_failed(&self.model, why));
    }

    /// Ends in this way once all jobs that were started have ended.
    fn end_with(&mut self, end: End) {
        self.pending.clear();
        self.wait = self.some_jobs();
        self.stage = if self.wait.is_empty() { Stage::Over(end) } else { Stage::Ending(end) };
    }

    fn some_jobs(&self) -> Vec<String> {
        self.jobs.iter().take(MOST_JOBS).map(|job| job.id.clone()).collect()
    }
}

impl PendingCall {
    /// Whether its price has to be asked before it is made: there is a budget, and the price is not known.
    fn asks_price(&self, budget: Budget) -> bool {
        self.has_price && !self.is_priced && (budget.minutes.is_some() || budget.credits.is_some())
    }
}
