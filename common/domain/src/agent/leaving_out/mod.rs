//! What the built-in planner does with what a brief leaves out. Items that are called so go with all that was made from
//! them, once the library is listed. In the items that may be shown each place is then searched at which a word is said
//! or written, and the stretch around it is kept apart. What could not be done so is told (`impossible`).

mod impossible;

use super::Budget;
use super::library::{Item, called_or_made_from};
use super::memory::{Memory, Phase};
use super::moments::{Footage, Stretch, WordHit, around, items_found, joined};
use super::words::{is_same_word, taken_apart, unmarked};
use std::collections::BTreeMap;

/// The most places that one search answers.
pub(super) const MOST_PLACES: usize = 50;
/// The most items that one search looks through.
const MOST_ITEMS: usize = 20;
/// The most names of items that its message has.
const MOST_NAMES: usize = 5;
/// The searches take at most one in so many of the budget's steps.
const PART_OF_STEPS: u32 = 4;

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
            self.note(format!(
                "Left out because they are called {words}, or were made from an item that is: {names}{more}."
            ));
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
        (self.at, self.alone) = (0, 0);
        self.leave_out_more()
    }

    /// Goes on with the search that it is at, if there is one and it may take that step.
    fn leave_out_more(&mut self) -> Phase {
        let all = Budget { steps: self.most_steps, ..Budget::default() }.steps_left(0);
        let may_search = self.searches < all / PART_OF_STEPS && self.steps_beside_films() > 0;
        if may_search && self.at < self.many_searches() { Phase::LeaveOut } else { self.after_search() }
    }

    /// Returns how many searches there are, one for each word and so many items: all words are searched for in the
    /// first items before any is in the next ones.
    fn many_searches(&self) -> usize {
        self.wishes.left_out().len() * self.may_be_shown().len().div_ceil(MOST_ITEMS)
    }

    /// Returns the word of the search that it is at, and the items that are searched.
    pub(super) fn unwanted_search(&self) -> (String, Vec<String>) {
        let words = self.wishes.left_out();
        let many = words.len().max(1);
        let items = self.may_be_shown();
        let own = items.chunks(MOST_ITEMS).nth(self.at / many).unwrap_or_default();
        let searched = match self.alone.checked_sub(1) {
            Some(place) => own.get(place..=place).unwrap_or_default(),
            None => own,
        };
        let word = words.get(self.at % many).cloned().unwrap_or_default();
        (word, searched.to_vec())
    }

    /// Returns the ids of the items that may be shown, those of the best moments first. What is kept apart makes no
    /// difference: they stay the same from search to search.
    fn may_be_shown(&self) -> Vec<String> {
        let (unknown, nothing) = (BTreeMap::new(), BTreeMap::new());
        let lasts = |id: &str| self.length_of(id);
        let mut items = items_found(&Footage { apart: &nothing, ..self.footage_with(&unknown, &lasts) });
        for item in self.shown_from_beginning() {
            if !items.contains(&item.id) {
                items.push(item.id.clone());
            }
        }
        items
    }

    /// Takes in where a word was found that is to be left out, and goes on to the next search.
    pub(super) fn take_unwanted(&mut self, found: &[WordHit]) -> Phase {
        if !self.unwanted.is_empty() {
            // It may answer a search that the release before began, in an order of its own.
            self.unwanted.clear();
            return self.begin_to_leave_out();
        }
        let (word, items) = self.unwanted_search();
        self.searches += 1;
        if !found.is_empty() && !self.met.contains(&word) {
            self.met.push(word.clone());
        }
        for one in found {
            if let Some(lasts) = self.length_of(&one.item) {
                self.keep_apart(&one.item, around(one, lasts));
            }
        }
        match items.as_slice() {
            [item] if found.len() >= MOST_PLACES => self.keep_whole_apart(item, &word),
            many if found.len() >= MOST_PLACES => {
                self.alone = many.len();
                return self.leave_out_more();
            }
            _ => {}
        }
        self.alone = self.alone.saturating_sub(1);
        if self.alone == 0 {
            self.at += 1;
        }
        self.leave_out_more()
    }

    /// Returns the words for which not all items were searched.
    fn not_sought(&self) -> Vec<String> {
        let words = self.wishes.left_out();
        let (first, left) = (self.at % words.len().max(1), self.many_searches().saturating_sub(self.at));
        let is_left = |place: usize| (place + words.len() - first) % words.len() < left;
        words.iter().enumerate().filter(|(place, _)| is_left(*place)).map(|(_, word)| word.clone()).collect()
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
        let not_sought = self.not_sought();
        (self.at, self.alone) = (0, 0);
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
        self.note_not_sought(&not_sought);
        self.note_missed(&not_sought);
        self.begin_pauses()
    }

    /// Whether this item is among the footage.
    pub(super) fn has_item(&self, id: &str) -> bool {
        self.footage.iter().any(|item| item.id == id)
    }
}

#[cfg(test)]
mod tests;
