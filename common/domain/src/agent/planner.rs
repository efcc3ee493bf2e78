//! Who plans a run: the model that the operator has named, or the planner that is built in. Both say what is done next
//! and are told what came of it; a run goes on by the one that began it.

use super::chat::{Chat, ChatModel};
use super::memory::{Memory, Phase};
use super::wishes::Wishes;
use super::{Budget, End, Move, PLANNER, Refused};
use crate::credits::Credits;
use crate::minutes::Minutes;
use crate::project::{OutputType, ProjectStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A planner, with all that it remembers of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Planner {
    /// A model that is asked.
    Chat(Box<Chat>),
    /// Words are counted.
    Keywords(Box<Memory>),
}

/// What a project is: its id, its brief, and what is to come out.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Its id.
    pub project: &'a str,
    /// What is asked for.
    pub brief: &'a str,
    /// What is to come out.
    pub output: OutputType,
}

impl Planner {
    /// That of a project whose work begins: the model's, if there is one.
    pub fn new(task: Task<'_>, model: Option<ChatModel<'_>>) -> Self {
        let project = task.project.to_owned();
        match model {
            Some(model) => Self::Chat(Box::new(Chat::new(project, task.brief.to_owned(), task.output, model))),
            None => Self::Keywords(Box::new(Memory::new(project, Wishes::of(task.brief), task.output))),
        }
    }

    /// That of the next run, after something was said: by the planner that there is now.
    #[must_use]
    pub fn again(self, task: Task<'_>, said: &str, model: Option<ChatModel<'_>>) -> Self {
        match (self, model) {
            (Self::Chat(chat), Some(model)) => Self::Chat(Box::new(chat.again(said, model))),
            (Self::Keywords(memory), None) => Self::Keywords(Box::new(memory.again(said))),
            (Self::Keywords(memory), Some(model)) => {
                let chat = Chat::new(task.project.to_owned(), task.brief.to_owned(), task.output, model);
                Self::Chat(Box::new(chat.after(&memory, said)))
            }
            (Self::Chat(chat), None) => {
                let memory = Memory::new(task.project.to_owned(), Wishes::of(task.brief), task.output).again(said);
                let (steps, spent, credits) = (chat.steps, chat.spent, chat.credits);
                Self::Keywords(Box::new(Memory { steps, spent, credits, ..memory }))
            }
        }
    }

    /// What it is called in answers.
    pub fn name(&self) -> &str {
        match self {
            Self::Chat(chat) => &chat.model,
            Self::Keywords(_) => PLANNER,
        }
    }

    /// What the project is, as far as it is.
    pub fn status(&self) -> ProjectStatus {
        match self {
            Self::Chat(chat) => chat.status(),
            Self::Keywords(memory) => memory.status(),
        }
    }

    /// How it ended; none while it works.
    pub fn over(&self) -> Option<&End> {
        match self {
            Self::Chat(chat) => chat.over(),
            Self::Keywords(memory) => match &memory.phase {
                Phase::Over(end) => Some(end),
                _ => None,
            },
        }
    }

    /// What it does next.
    pub fn next(&self, budget: Budget) -> Move {
        match self {
            Self::Chat(chat) => chat.next(budget),
            Self::Keywords(memory) => memory.next(budget.steps_left(memory.steps)),
        }
    }

    /// Hears what the tool answered.
    pub fn told(&mut self, answer: &Value, budget: Budget) {
        match self {
            Self::Chat(chat) => chat.told(answer, budget),
            Self::Keywords(memory) => {
                let left = budget.minutes_left(Minutes::from_hundredths(memory.spent));
                memory.told(answer, left);
            }
        }
    }

    /// Hears that the tool refused.
    pub fn refused(&mut self, refused: &Refused) {
        match self {
            Self::Chat(chat) => chat.refused(refused),
            Self::Keywords(memory) => memory.refused(refused),
        }
    }

    /// Hears where the jobs stand that it waits for: whether all have ended.
    pub fn jobs_ended(&mut self, answer: &Value) -> bool {
        match self {
            Self::Chat(chat) => chat.jobs_ended(answer),
            Self::Keywords(memory) => memory.jobs_ended(answer),
        }
    }

    /// Ends in this way. What is not needed any more is forgotten.
    pub fn end(&mut self, end: End) {
        match self {
            Self::Chat(chat) => chat.end(end),
            Self::Keywords(memory) => memory.end(end),
        }
    }

    /// Steps of this run that are done.
    pub fn number(&self) -> u32 {
        match self {
            Self::Chat(chat) => chat.number,
            Self::Keywords(memory) => memory.number,
        }
    }

    /// Steps of all of the project's runs.
    pub fn steps(&self) -> u32 {
        match self {
            Self::Chat(chat) => chat.steps,
            Self::Keywords(memory) => memory.steps,
        }
    }

    /// A step of this number is taken.
    pub fn count_step(&mut self, number: u32) {
        let (last, steps) = match self {
            Self::Chat(chat) => (&mut chat.number, &mut chat.steps),
            Self::Keywords(memory) => (&mut memory.number, &mut memory.steps),
        };
        *last = number;
        *steps += 1;
    }

    /// Minutes and AI credits of all of the project's runs.
    pub fn spent(&self) -> (Minutes, Credits) {
        let (minutes, credits) = match self {
            Self::Chat(chat) => (chat.spent, chat.credits),
            Self::Keywords(memory) => (memory.spent, memory.credits),
        };
        (Minutes::from_hundredths(minutes), Credits::from_hundredths(credits))
    }

    /// The timelines that it made.
    pub fn timelines(&self) -> &[String] {
        match self {
            Self::Chat(chat) => chat.timelines(),
            Self::Keywords(memory) => memory.timelines(),
        }
    }

    /// The items that were made, with how long each is in milliseconds.
    pub fn outputs(&self) -> &[(String, i64)] {
        match self {
            Self::Chat(chat) => chat.outputs(),
            Self::Keywords(memory) => memory.outputs(),
        }
    }

    /// The jobs that it has started and waits for; those of others that it joined are theirs.
    pub fn own_jobs(&self) -> Vec<&str> {
        match self {
            Self::Chat(chat) => chat.own_jobs().collect(),
            Self::Keywords(memory) => memory.own_jobs().collect(),
        }
    }
}
