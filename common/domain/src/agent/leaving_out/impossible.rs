//! Notes for people what could not be done as it was asked for: lengths that no film can have, words that could not be
//! left out, and words that were not found.

use crate::agent::lengths::{LONGEST_SECONDS, SHORTEST_SECONDS};
use crate::agent::memory::Memory;
use crate::agent::moments::words_found;
use crate::agent::wishes::MOST_LEFT_OUT;
use std::collections::BTreeMap;

/// Seconds from which on a length is not told as a number.
const VERY_LONG_SECONDS: f64 = 1e7;

impl Memory {
    /// Notes a length that no film can have, and words that are to be left out but are to be shown or are too many.
    pub(super) fn note_impossible(&mut self) {
        if let Some(seconds) = self.wishes.refused_seconds {
            let asked = if seconds < 0.0 {
                "so much shorter".to_owned()
            } else if seconds < VERY_LONG_SECONDS {
                format!("of {} seconds", (seconds * 100.0).round() / 100.0)
            } else {
                "of so many seconds".to_owned()
            };
            let bound = if seconds < SHORTEST_SECONDS {
                format!("the shortest, {SHORTEST_SECONDS} seconds,")
            } else {
                format!("the longest, {LONGEST_SECONDS} seconds,")
            };
            self.note(format!("A film {asked} can't be made; {bound} was planned instead."));
        }
        let contrary = self.wishes.contrary();
        if !contrary.is_empty() {
            let words = contrary.join(", ");
            self.note(format!("Both asked for and to be left out, and therefore not left out: {words}."));
        }
        if !self.wishes.not_left_out.is_empty() {
            let words = self.wishes.not_left_out.join(", ");
            self.note(format!("More than {MOST_LEFT_OUT} words were to be left out; not left out: {words}."));
        }
    }

    /// Notes which wished words were not found, or only where something is left out, and for which words nothing could
    /// be left out: those of `not_sought` are told otherwise.
    pub(super) fn note_missed(&mut self, not_sought: &[String]) {
        let here: Vec<usize> = self.found.iter().filter(|one| self.has_item(&one.item)).map(|one| one.word).collect();
        let shown = words_found(&self.footage_with(&BTreeMap::new(), &|id: &str| self.length_of(id)));
        let words = |is_one: &dyn Fn(usize, &str) -> bool| -> String {
            let all = self.wishes.words.iter().enumerate().filter(|(place, word)| is_one(*place, word));
            all.map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(", ")
        };
        let missed = words(&|place, word| !here.contains(&place) && !self.names_some(word));
        let hidden = words(&|place, _| here.contains(&place) && !shown.contains_key(&place));
        let alike = words(&|place, _| shown.get(&place).is_some_and(|shown| self.is_far_better_hidden(place, *shown)));
        if !missed.is_empty() && !shown.is_empty() {
            self.note(format!("Not found: {missed}."));
        }
        if !hidden.is_empty() {
            self.note(format!("Found only beside what is left out: {hidden}."));
        }
        if !alike.is_empty() {
            self.note(format!("Found beside what is left out, and elsewhere only something like it: {alike}."));
        }
        let left_out = self.wishes.left_out();
        let is_unmet = |word: &&String| !self.met.contains(*word) && !not_sought.contains(*word);
        let unmet: Vec<&str> = left_out.iter().filter(is_unmet).map(String::as_str).collect();
        if !unmet.is_empty() {
            self.note(format!("Nothing was found to leave out for: {}.", unmet.join(", ")));
        }
        if !left_out.is_empty() {
            self.note("It left out by words alone, and did not look at the pictures.".to_owned());
        }
    }

    /// Whether a word was found far better where something is left out than where it is shown: a search takes `down`
    /// for `town` where nothing better is said.
    fn is_far_better_hidden(&self, word: usize, shown: i64) -> bool {
        let here = self.found.iter().filter(|one| one.word == word && self.has_item(&one.item));
        here.map(|one| one.score).max().is_some_and(|best| shown * 4 < best * 3)
    }

    /// Notes for which words not all footage was searched, though they are to be left out.
    pub(super) fn note_not_sought(&mut self, words: &[String]) {
        if !words.is_empty() {
            let told =
                "The budget's steps did not suffice to look for these in all of the footage, so they may be seen";
            self.note_first(format!("{told}: {}.", words.join(", ")));
        }
    }

    /// Whether the name or a tag of some footage begins with this word.
    fn names_some(&self, word: &str) -> bool {
        self.footage.iter().any(|item| item.named_by(&[word.to_owned()]) > 0)
    }
}
