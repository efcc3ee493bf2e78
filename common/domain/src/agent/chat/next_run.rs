//! Makes the memory of the next run, which begins when the user sends a further message, from that of the latest run.

use super::made::MOST_MADE;
use super::{Chat, ChatModel, Speaker};
use crate::agent::Memory;

impl Chat {
    /// Returns the memory of the next run, which begins with the user's message `said` and asks `model`. It keeps the
    /// messages, the counts of all runs, the timelines, and the items that were made, since one of these may be its
    /// result.
    #[must_use]
    pub fn again(mut self, said: &str, model: ChatModel<'_>) -> Self {
        let mut made = std::mem::take(&mut self.outputs);
        made.append(&mut self.made);
        made.truncate(MOST_MADE);
        let mut next = Self {
            steps: self.steps,
            spent: self.spent,
            credits: self.credits,
            talk: self.talk,
            timelines: self.timelines,
            made,
            ..Self::new(self.project, self.brief, self.output, model)
        };
        next.note_said(Speaker::User, said);
        next
    }

    /// Returns this new memory with the counts and the results of the built-in planner's runs (`before`) and the user's
    /// message `said`.
    #[must_use]
    pub fn after(mut self, before: &Memory, said: &str) -> Self {
        self.note_said(Speaker::User, said);
        let (timelines, made) = (before.timelines().to_vec(), before.outputs().to_vec());
        Self { steps: before.steps, spent: before.spent, credits: before.credits, timelines, made, ..self }
    }
}
