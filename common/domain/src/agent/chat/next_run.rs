//! What of a run's memory the next run goes on with, once the user has said something more.

use super::made::MOST_MADE;
use super::{Chat, ChatModel, Speaker};
use crate::agent::Memory;

impl Chat {
    /// Returns the memory for the next run, after the user said something. What was made before may be its result.
    #[must_use]
    pub fn again(mut self, said: &str, model: ChatModel<'_>) -> Self {
        let mut made = std::mem::take(&mut self.outputs);
        made.append(&mut self.made);
        made.truncate(MOST_MADE);
        let next = Self::new(self.project, self.brief, self.output, model);
        let counted = Self { steps: self.steps, spent: self.spent, credits: self.credits, ..next };
        let mut next = Self { talk: self.talk, timelines: self.timelines, made, ..counted };
        next.note_said(Speaker::User, said);
        next
    }

    /// Takes over the counts and the results of the built-in planner, and adds the user's new message.
    #[must_use]
    pub fn after(mut self, before: &Memory, said: &str) -> Self {
        self.note_said(Speaker::User, said);
        let (timelines, made) = (before.timelines().to_vec(), before.outputs().to_vec());
        Self { steps: before.steps, spent: before.spent, credits: before.credits, timelines, made, ..self }
    }
}
