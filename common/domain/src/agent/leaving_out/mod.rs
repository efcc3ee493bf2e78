//! What the built-in planner does with what a brief leaves out. Items that are called so go with all that was made from
//! them, once the library is listed. In the items that may be shown each place is then searched at which a word is said
//! or written, and the stretch around it is kept apart. What could not be done so is told (`impossible`).

mod impossible;

use super::library::{Item, called_or_made_from};
use super::memory::{Memory, Phase, Unwanted};
use super::moments::{Stretch, WordHit, around, joined};
use super::words::{is_same_word, taken_apart, unmarked};
use std::collections::BTreeMap;

/// The most places that one search answers.
pub(super) const MOST_PLACES: usize = 50;
/// The most items that one search looks through.
const MOST_ITEMS: usize = 20;
/// The most names of items that its message has.
const MOST_NAMES: usize = 5;

impl Memory {
    /// Leaves out of the listed library what is called by a word that is to be left out, with all that was made from
    /// it. It notes that, and which wishes can't come true.
    pub(super) fn leave_out_items(&mut self) {
        self.note_impossible();
        let words = self.wishes.left_out();
        if words.is_empty() {
            return;
        }
        let all: Vec<&Item> = self.footage.iter().chain(&self.sounds).collect();
        let ids = called_or_made_from(&all, &words);
        let is_name = |word: &str| all.iter().any(|item| item.is_called(&[unmarked(word)]));
        let met = words.iter().filter(|word| is_name(word)).cloned().collect();
        let names = all.iter().filter(|item| ids.contains(&item.id)).map(|item| item.name.clone()).collect();
        (self.met, self.left_out) = (met, names);
        self.footage.retain(|item| !ids.contains(&item.id));
        self.sounds.retain(|item| !ids.contains(&item.id));
        if !self.left_out.is_empty() {
            let names = self.left_out.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = match self.left_out.len().saturating_sub(MOST_NAMES) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let words = self.met.join(", ");
            self.note(format!("Called {words}, or made from what is, and therefore left out: {names}{more}."));
        }
    }

    /// Searches all footage, if nothing that may be shown was found in the footage that the brief names.
    pub(super) fn widened_search(&mut self) -> Option<Phase> {
        if self.widened || self.among.is_empty() || !self.moments(&BTreeMap::new()).is_empty() {
            return None;
        }
        self.widened = true;
        Some(Phase::Search)
    }

    /// Begins to search for what is to be left out, in the items that may be shown.
    pub(super) fn begin_to_leave_out(&mut self) -> Phase {
        let mut items: Vec<String> = self.found.iter().map(|one| one.item.clone()).collect();
        items.extend(self.shown_from_beginning().into_iter().map(|item| item.id.clone()));
        items.retain(|id| self.has_item(id));
        items.sort_unstable();
        items.dedup();
        self.unwanted.clear();
        for word in self.wishes.left_out() {
            let search = |items: &[String]| Unwanted { word: word.clone(), items: items.to_vec() };
            self.unwanted.extend(items.chunks(MOST_ITEMS).map(search));
        }
        self.leave_out_more()
    }

    fn leave_out_more(&mut self) -> Phase {
        if self.unwanted.is_empty() { self.after_search() } else { Phase::LeaveOut }
    }

    /// Takes in where a word was found that is to be left out, and goes on to the next search.
    pub(super) fn take_unwanted(&mut self, found: &[WordHit]) -> Phase {
        let Some(Unwanted { word, items }) = self.unwanted.pop() else { return self.after_search() };
        if !found.is_empty() && !self.met.contains(&word) {
            self.met.push(word.clone());
        }
        match items.as_slice() {
            [item] if found.len() >= MOST_PLACES => self.keep_whole_apart(item, &word),
            many if found.len() >= MOST_PLACES => {
                let each = many.iter().map(|item| Unwanted { word: word.clone(), items: vec![item.clone()] });
                self.unwanted.extend(each);
            }
            _ => {
                for one in found {
                    if let Some(lasts) = self.length_of(&one.item) {
                        self.keep_apart(&one.item, around(one, lasts));
                    }
                }
            }
        }
        self.leave_out_more()
    }

    /// Keeps a whole item apart, since the word may be in more places of it than a search answers.
    fn keep_whole_apart(&mut self, id: &str, word: &str) {
        let Some(item) = self.footage.iter().find(|item| item.id == id) else { return };
        let (name, lasts) = (item.name.clone(), item.ms);
        self.keep_apart(id, (0, lasts));
        self.note(format!("In {name}, {word} is said or written so often that all of it is left out."));
    }

    fn keep_apart(&mut self, item: &str, stretch: Stretch) {
        let own = self.apart.entry(item.to_owned()).or_default();
        own.push(stretch);
        *own = joined(std::mem::take(own));
    }

    /// Goes on once all is searched for: with all footage, or with the film.
    fn after_search(&mut self) -> Phase {
        if let Some(search) = self.widened_search() {
            return search;
        }
        let words: Vec<String> = self.wishes.left_out().iter().map(|word| unmarked(word)).collect();
        for one in &mut self.found {
            // It would describe a scene that does not have them.
            let is_out = |own: &str| words.iter().any(|word| is_same_word(own, word));
            if taken_apart(&unmarked(&one.text)).iter().any(|own| is_out(&own.text)) {
                one.text.clear();
            }
        }
        self.note_missed();
        self.begin_pauses()
    }

    /// Whether this item is among the footage.
    pub(super) fn has_item(&self, id: &str) -> bool {
        self.footage.iter().any(|item| item.id == id)
    }
}

#[cfg(test)]
mod tests;
