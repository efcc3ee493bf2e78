//! What the built-in planner does when an item that it uses is deleted meanwhile: it looks through the library again,
//! and goes on with what is left.

use super::memory::{Loss, Memory, Phase};
use super::telling;
use crate::project::ProjectStatus;
use std::collections::BTreeSet;

/// The code of refusals for an item that does not exist.
pub(super) const ITEM_NOT_FOUND: &str = "item_not_found";
/// The most names of deleted items that its message has.
const MOST_NAMES: usize = 5;

impl Memory {
    /// Begins anew with the library, and forgets what was chosen from it. The run still waits for its jobs, and what it
    /// has spent still counts.
    pub(super) fn look_again(&mut self, what: &str, why: &str) -> Phase {
        let loss = Loss { what: what.to_owned(), why: why.to_owned(), used: self.used() };
        *self = Self {
            number: self.number,
            steps: self.steps,
            spent: self.spent,
            credits: self.credits,
            jobs: std::mem::take(&mut self.jobs),
            own: std::mem::take(&mut self.own),
            // A project does not go from `rendering` back to `running` (contract §3.3), so it is shown as rendering.
            is_rendering: self.status() == ProjectStatus::Rendering,
            loss: Some(loss),
            gone: std::mem::take(&mut self.gone),
            ..Self::new(self.project.clone(), self.wishes.clone(), self.output)
        };
        Phase::Footage
    }

    /// Notes which items are gone, once the library is listed again. Returns the end of the run if none is gone: then
    /// the step failed for another reason.
    pub(super) fn missed_items(&mut self) -> Option<Phase> {
        if let Some(Loss { what, why, used }) = self.loss.take() {
            let is_here = |id: &str| self.footage.iter().chain(&self.sounds).any(|item| item.id == id);
            let gone: Vec<String> = used.into_iter().filter(|(id, _)| !is_here(id)).map(|(_, name)| name).collect();
            if gone.is_empty() {
                return Some(Phase::Over(telling::stuck(&what, &why)));
            }
            self.gone.extend(gone);
        }
        if !self.gone.is_empty() {
            let names: Vec<&str> = self.gone.iter().take(MOST_NAMES).map(String::as_str).collect();
            let note = format!("Deleted meanwhile, and left out: {}.", names.join(", "));
            self.note(note);
        }
        None
    }

    /// Returns the ids and names of the items that it reads, searches or shows, or whose sound it uses.
    fn used(&self) -> Vec<(String, String)> {
        let shown = self.films.iter().flat_map(|film| film.moments.iter().map(|moment| &moment.item));
        let heard = self.films.iter().filter_map(|film| film.music.as_ref()).map(|music| &music.item);
        let used = self.among.iter().chain(&self.to_read);
        let ids: BTreeSet<&String> = used.chain(shown).chain(heard).collect();
        let known = self.footage.iter().chain(&self.sounds).filter(|item| ids.contains(&item.id));
        known.map(|item| (item.id.clone(), item.name.clone())).collect()
    }
}
