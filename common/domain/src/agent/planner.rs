//! Who plans a run: the model that the operator has named, or the built-in planner. Both say what to do next and are
//! told the result. The planner that began a run also ends it.

use super::chat::{Chat, ChatModel};
use super::memory::{Memory, Phase};
use super::moments::Pause;
use super::voices::Listening;
use super::wishes::Wishes;
use super::{Budget, End, Move, PLANNER, Refused};
use crate::credits::Credits;
use crate::minutes::Minutes;
use crate::project::{OutputType, ProjectStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of times that a step which can't be done now is tried again.
const MOST_TRIES: i32 = 30;
/// The number of times that one is tried again without which a film can be made.
const MOST_OPTIONAL_TRIES: i32 = 1;

/// A planner, with its whole memory of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Planner {
    /// The planner that asks a model.
    Chat(Box<Chat>),
    /// The built-in planner, which counts words.
    Keywords(Box<Memory>),
}

/// What a project asks of its agent.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// The project's id.
    pub project: &'a str,
    /// The brief.
    pub brief: &'a str,
    /// The type of the result.
    pub output: OutputType,
}

impl Planner {
    /// Returns the planner of a project whose work begins: the model, if there is one.
    pub fn new(assignment: Assignment<'_>, model: Option<ChatModel<'_>>) -> Self {
        let project = assignment.project.to_owned();
        match model {
            Some(model) => {
                Self::Chat(Box::new(Chat::new(project, assignment.brief.to_owned(), assignment.output, model)))
            }
            None => Self::Keywords(Box::new(Memory::new(project, Wishes::of(assignment.brief), assignment.output))),
        }
    }

    /// Returns the planner of the next run, after the user said something: the model, if there is one now.
    #[must_use]
    pub fn again(self, assignment: Assignment<'_>, said: &str, model: Option<ChatModel<'_>>) -> Self {
        match (self, model) {
            (Self::Chat(chat), Some(model)) => Self::Chat(Box::new(chat.again(said, model))),
            (Self::Keywords(memory), None) => Self::Keywords(Box::new(memory.again(said))),
            (Self::Keywords(memory), Some(model)) => {
                let chat =
                    Chat::new(assignment.project.to_owned(), assignment.brief.to_owned(), assignment.output, model);
                Self::Chat(Box::new(chat.after(&memory, said)))
            }
            (Self::Chat(chat), None) => {
                let memory =
                    Memory::new(assignment.project.to_owned(), Wishes::of(assignment.brief), assignment.output)
                        .again(said);
                let (steps, spent, credits) = (chat.steps, chat.spent, chat.credits);
                Self::Keywords(Box::new(Memory { steps, spent, credits, ..memory }))
            }
        }
    }

    /// Returns its name in answers: the model's id, or [`PLANNER`].
    pub fn name(&self) -> &str {
        match self {
            Self::Chat(chat) => &chat.model,
            Self::Keywords(_) => PLANNER,
        }
    }

    /// Returns the project's status now.
    pub fn status(&self) -> ProjectStatus {
        match self {
            Self::Chat(chat) => chat.status(),
            Self::Keywords(memory) => memory.status(),
        }
    }

    /// Returns how the run ended; `None` while it goes on.
    pub fn over(&self) -> Option<&End> {
        match self {
            Self::Chat(chat) => chat.over(),
            Self::Keywords(memory) => match &memory.phase {
                Phase::Over(end) => Some(end),
                _ => None,
            },
        }
    }

    /// Returns the agent's next move.
    pub fn next(&self, budget: Budget) -> Move {
        match self {
            Self::Chat(chat) => chat.next(budget),
            Self::Keywords(memory) => memory.next(budget.steps_left(memory.steps)),
        }
    }

    /// Returns the number of times that its step is tried again if it can't be done now.
    pub fn most_tries(&self) -> i32 {
        let is_optional = matches!(self, Self::Keywords(memory) if memory.phase == Phase::Pauses);
        if is_optional { MOST_OPTIONAL_TRIES } else { MOST_TRIES }
    }

    /// Returns what is to be looked up in a stored transcript in place of the next call; `None` where the call is made.
    pub fn listening(&self) -> Option<Listening> {
        match self {
            Self::Chat(_) => None,
            Self::Keywords(memory) => memory.listening(),
        }
    }

    /// Takes in what was looked up so; `None` if no transcript is stored.
    pub fn hear_pauses(&mut self, heard: Option<Vec<Pause>>, budget: Budget) {
        if let Self::Keywords(memory) = self {
            memory.most_steps = budget.steps;
            memory.hear_pauses(heard);
        }
    }

    /// Takes in a tool's answer.
    pub fn hear_answer(&mut self, answer: &Value, budget: Budget) {
        match self {
            Self::Chat(chat) => chat.hear_answer(answer, budget),
            Self::Keywords(memory) => {
                let left = budget.minutes_left(Minutes::from_hundredths(memory.spent));
                memory.most_steps = budget.steps;
                memory.hear_answer(answer, left);
            }
        }
    }

    /// Takes in a tool's refusal.
    pub fn hear_refusal(&mut self, refused: &Refused) {
        match self {
            Self::Chat(chat) => chat.hear_refusal(refused),
            Self::Keywords(memory) => memory.hear_refusal(refused),
        }
    }

    /// Takes in the state of the awaited jobs. Returns whether all have ended.
    pub fn hear_jobs(&mut self, answer: &Value) -> bool {
        match self {
            Self::Chat(chat) => chat.hear_jobs(answer),
            Self::Keywords(memory) => memory.hear_jobs(answer),
        }
    }

    /// Ends in this way, and forgets what is not needed any more.
    pub fn end(&mut self, end: End) {
        match self {
            Self::Chat(chat) => chat.end(end),
            Self::Keywords(memory) => memory.end(end),
        }
    }

    /// Returns the number of steps done in this run.
    pub fn number(&self) -> u32 {
        match self {
            Self::Chat(chat) => chat.number,
            Self::Keywords(memory) => memory.number,
        }
    }

    /// Returns the number of steps in all of the project's runs.
    pub fn steps(&self) -> u32 {
        match self {
            Self::Chat(chat) => chat.steps,
            Self::Keywords(memory) => memory.steps,
        }
    }

    /// Counts a step, which has this number in its run.
    pub fn count_step(&mut self, number: u32) {
        let (last, steps) = match self {
            Self::Chat(chat) => (&mut chat.number, &mut chat.steps),
            Self::Keywords(memory) => (&mut memory.number, &mut memory.steps),
        };
        *last = number;
        *steps += 1;
    }

    /// Returns the minutes and AI credits of all of the project's runs that were charged or are held.
    pub fn spent(&self) -> (Minutes, Credits) {
        let (minutes, credits) = match self {
            Self::Chat(chat) => (chat.spent, chat.credits),
            Self::Keywords(memory) => (memory.spent, memory.credits),
        };
        (Minutes::from_hundredths(minutes), Credits::from_hundredths(credits))
    }

    /// Counts what jobs that it started were charged, in place of what was held for them, and waits for them no more.
    /// `charged` knows those that have ended. A run hears that itself unless it is stopped before.
    pub fn settle(&mut self, charged: &dyn Fn(&str) -> Option<(Minutes, Credits)>) {
        match self {
            Self::Chat(chat) => chat.settle(charged),
            Self::Keywords(memory) => memory.settle(&|job| charged(job).map(|(minutes, _)| minutes)),
        }
    }

    /// Returns the ids of the timelines that it made.
    pub fn timelines(&self) -> &[String] {
        match self {
            Self::Chat(chat) => chat.timelines(),
            Self::Keywords(memory) => memory.timelines(),
        }
    }

    /// Returns the ids of the rendered items, with their lengths in milliseconds.
    pub fn outputs(&self) -> &[(String, i64)] {
        match self {
            Self::Chat(chat) => chat.outputs(),
            Self::Keywords(memory) => memory.outputs(),
        }
    }

    /// Returns the ids of running jobs that it started. Jobs of others that it joined are left out.
    pub fn own_jobs(&self) -> Vec<&str> {
        match self {
            Self::Chat(chat) => chat.own_jobs().collect(),
            Self::Keywords(memory) => memory.own_jobs().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_jobs_that_a_stopped_run_left_what_they_were_charged_counts_once_it_is_known() {
        let memory = Memory::new("prj_1".to_owned(), Wishes::of("the river"), OutputType::Assembled);
        let own = ["stopped", "done", "runs"].map(|job| (job.to_owned(), 50)).to_vec();
        let mut planner = Planner::Keywords(Box::new(Memory { spent: 170, own, ..memory }));
        let mut ended = vec![("stopped", 0), ("done", 30)];
        for (spent, left) in [(100, vec!["runs"]), (95, vec![])] {
            let charged = |id: &str| ended.iter().find(|(job, _)| *job == id).map(|(_, minutes)| *minutes);
            planner.settle(&|id| Some((Minutes::from_hundredths(charged(id)?), Credits::ZERO)));
            assert_eq!((planner.spent().0, planner.own_jobs()), (Minutes::from_hundredths(spent), left));
            ended.push(("runs", 45));
        }
    }
}
