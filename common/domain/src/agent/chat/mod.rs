//! The agent that asks a model: what it remembers of a conversation, and what it does next.
//!
//! Pure, as all of the agent. The model says which tools are called, `hearing` takes that and what tools answer,
//! `messages` writes the conversation and keeps it small, `reply` reads what the model answered. What comes of a model
//! is believed in nothing: tools that are not there, arguments that are none and loops end at a bound each.

mod calls;
mod hearing;
mod messages;
mod reply;
#[cfg(test)]
mod tests;

pub use messages::pseudo_tools;
pub use reply::Reply;

use super::{Budget, End, Move, telling};
use crate::project::{OutputType, ProjectStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The tool by which a model waits for jobs.
pub const WAIT: &str = "wait_for_jobs";
/// The tool by which it ends its work.
pub const FINISH: &str = "finish";
/// What a question to the model is called among the steps.
pub const ASK: &str = "chat";
/// Bytes of a conversation, at most.
pub const MOST_BYTES: usize = 256 << 10;
/// Bytes that one must have at least: the brief, the instructions and some answers fit.
pub const LEAST_BYTES: usize = 64 << 10;
/// Jobs that are waited for at once, as many as one look takes.
const MOST_JOBS: usize = 100;
/// Skills that are looked at.
const MOST_SKILLS: u32 = 100;

/// A model that may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatModel<'a> {
    /// Its id.
    pub id: &'a str,
    /// Bytes of a conversation with it.
    pub most_bytes: usize,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// Whether it says its price by `dry_run`.
    pub has_price: bool,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    /// It looks which skills the workspace has.
    Skills,
    /// It does what the model says.
    Work,
    /// It ends so, once the jobs have ended that were begun.
    Ending(End),
    /// It has ended.
    Over(End),
}

/// Who said something before this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Speaker {
    User,
    Agent,
}

/// A call that the model asked for and that is not done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Call {
    /// What the conversation calls it.
    id: String,
    tool: String,
    arguments: Value,
    /// Whether it costs something, and says beforehand how much.
    has_price: bool,
    /// Whether that was within the budget.
    is_priced: bool,
}

/// A job that a call started or joined, and that has not been seen to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Job {
    id: String,
    /// Whether the call started it.
    is_own: bool,
    /// What is held for it, in hundredths.
    minutes: i64,
    credits: i64,
    /// Whether it renders something.
    is_render: bool,
    /// How long that is, in milliseconds.
    ms: i64,
}

/// What the agent remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chat {
    /// The project.
    pub project: String,
    /// The model that is asked.
    pub model: String,
    most_bytes: usize,
    brief: String,
    output: OutputType,
    /// Steps of this run that are done.
    pub number: u32,
    /// Steps of all of the project's runs.
    pub steps: u32,
    /// Minutes of all of the project's runs, in hundredths: what was charged, or is held.
    pub spent: i64,
    /// AI credits, likewise.
    pub credits: i64,
    stage: Stage,
    /// What was said after the brief, by whom.
    talk: Vec<(Speaker, String)>,
    skills: String,
    messages: Vec<Value>,
    pending: Vec<Call>,
    /// The jobs that it waits for.
    wait: Vec<String>,
    /// Whether a render was waited for: from then on the project is `rendering`, which leads to the end alone.
    is_rendering: bool,
    jobs: Vec<Job>,
    /// How often a call was past the budget.
    over_budget: u32,
    timelines: Vec<String>,
    /// The items that were rendered, and those that the model says are its result; with how long each is.
    outputs: Vec<(String, i64)>,
    /// Other items that were made.
    made: Vec<(String, i64)>,
}

impl Chat {
    /// That of a project whose work begins.
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

    /// That of the next run, after something was said. What was made may be its result again.
    #[must_use]
    pub fn again(mut self, said: &str, model: ChatModel<'_>) -> Self {
        let mut made = std::mem::take(&mut self.outputs);
        made.append(&mut self.made);
        made.truncate(hearing::MOST_MADE);
        let next = Self::new(self.project, self.brief, self.output, model);
        let counted = Self { steps: self.steps, spent: self.spent, credits: self.credits, ..next };
        let mut next = Self { talk: self.talk, timelines: self.timelines, made, ..counted };
        next.note_said(Speaker::User, said);
        next
    }

    /// What the project is, as far as it is.
    pub fn status(&self) -> ProjectStatus {
        match &self.stage {
            Stage::Over(end) => end.status,
            _ if self.is_rendering => ProjectStatus::Rendering,
            _ if !self.wait.is_empty() => ProjectStatus::Generating,
            Stage::Skills | Stage::Work | Stage::Ending(_) => ProjectStatus::Running,
        }
    }

    /// How it ended.
    pub const fn over(&self) -> Option<&End> {
        match &self.stage {
            Stage::Over(end) => Some(end),
            Stage::Skills | Stage::Work | Stage::Ending(_) => None,
        }
    }

    /// What it does next.
    pub fn next(&self, budget: Budget) -> Move {
        if let Stage::Over(end) = &self.stage {
            return Move::Stop(end.clone());
        }
        if !self.wait.is_empty() {
            return Move::Wait { jobs: self.wait.clone() };
        }
        if budget.steps_left(self.steps) == 0 {
            // What is begun is waited for.
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

    /// The timelines that it made, the latest first.
    pub fn timelines(&self) -> &[String] {
        &self.timelines
    }

    /// The items that were made, with how long each is in milliseconds.
    pub fn outputs(&self) -> &[(String, i64)] {
        &self.outputs
    }

    /// The jobs that it has started and that have not ended; those of others that it joined are theirs.
    pub fn own_jobs(&self) -> impl Iterator<Item = &str> {
        self.jobs.iter().filter(|job| job.is_own).map(|job| job.id.as_str())
    }

    /// Messages of the conversation so far.
    pub fn length(&self) -> usize {
        self.messages.len()
    }

    /// Ends in this way. The conversation is forgotten but for what was said.
    pub fn end(&mut self, end: End) {
        self.note_said(Speaker::Agent, &end.message);
        self.stage = Stage::Over(end);
        self.messages = Vec::new();
        self.pending = Vec::new();
        self.wait = Vec::new();
        self.skills = String::new();
    }

    /// Ends because the model can't be asked, for this reason.
    pub fn ask_failed(&mut self, why: &str) {
        self.end_with(telling::model_failed(&self.model, why));
    }

    /// Ends in this way, once the jobs have ended that were begun.
    fn end_with(&mut self, end: End) {
        self.pending.clear();
        self.wait = self.some_jobs();
        self.stage = if self.wait.is_empty() { Stage::Over(end) } else { Stage::Ending(end) };
    }

    fn some_jobs(&self) -> Vec<String> {
        self.jobs.iter().take(MOST_JOBS).map(|job| job.id.clone()).collect()
    }
}

impl Call {
    /// Whether it is to be asked for its price before it is made.
    fn asks_price(&self, budget: Budget) -> bool {
        self.has_price && !self.is_priced && (budget.minutes.is_some() || budget.credits.is_some())
    }
}
