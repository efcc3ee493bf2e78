//! What the built-in planner does with what a brief leaves out. Items that are called so go with all that was made from
//! them, once the library is listed. In the items that may be shown each place is then searched at which a word is said
//! or written, and the stretch around it is kept apart. What could not be done so is told.

use super::lengths::{LONGEST_SECONDS, SHORTEST_SECONDS};
use super::library::{Item, called_or_made_from};
use super::memory::{Memory, Phase, Unwanted};
use super::moments::{Stretch, WordHit, around, joined, words_found};
use super::wishes::MOST_LEFT_OUT;
use super::words::{is_same_word, taken_apart, unmarked};
use std::collections::BTreeMap;

/// The most places that one search answers.
pub(super) const MOST_PLACES: usize = 50;
/// The most items that one search looks through.
const MOST_ITEMS: usize = 20;
/// The most names of items that its message has.
const MOST_NAMES: usize = 5;
/// Seconds from which on a length is not told as a number.
const VERY_LONG_SECONDS: f64 = 1e7;

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

    /// Notes a length that no film can have, and words that are to be left out but are to be shown or are too many.
    fn note_impossible(&mut self) {
        if let Some(seconds) = self.wishes.refused_seconds {
            let asked = if seconds < VERY_LONG_SECONDS {
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

    /// Notes which wished words were not found, or only where something is left out, and for which words nothing could
    /// be left out.
    fn note_missed(&mut self) {
        let here: Vec<usize> = self.found.iter().filter(|one| self.has_item(&one.item)).map(|one| one.word).collect();
        let shown = words_found(&self.footage_with(&BTreeMap::new(), &|id: &str| self.length_of(id)));
        let words = |is_one: &dyn Fn(usize, &str) -> bool| -> String {
            let all = self.wishes.words.iter().enumerate().filter(|(place, word)| is_one(*place, word));
            all.map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(", ")
        };
        let missed = words(&|place, word| !here.contains(&place) && !self.names_some(word));
        let hidden = words(&|place, _| here.contains(&place) && !shown.contains(&place));
        if !missed.is_empty() && !shown.is_empty() {
            self.note(format!("Not found: {missed}."));
        }
        if !hidden.is_empty() {
            self.note(format!("Found only beside what is left out: {hidden}."));
        }
        let (met, unmet): (Vec<String>, Vec<String>) =
            self.wishes.left_out().into_iter().partition(|word| self.met.contains(word));
        if !unmet.is_empty() {
            let words = unmet.join(", ");
            self.note(format!("Nothing to leave out was said, written or called so: {words}."));
        }
        if !met.is_empty() || !unmet.is_empty() {
            self.note("It left out by words alone, and did not look at the pictures.".to_owned());
        }
    }

    /// Whether this item is among the footage.
    pub(super) fn has_item(&self, id: &str) -> bool {
        self.footage.iter().any(|item| item.id == id)
    }

    /// Whether the name or a tag of some footage begins with this word.
    fn names_some(&self, word: &str) -> bool {
        self.footage.iter().any(|item| item.named_by(&[word.to_owned()]) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{End, Move, Wishes};
    use super::*;
    use crate::project::{OutputType, ProjectStatus};
    use serde_json::{Value, json};

    /// An item of a minute that is read, and was made from these.
    fn item(id: &str, name: &str, tags: &[&str], from: &[&str]) -> Value {
        let tool = if from.is_empty() { Value::Null } else { "duck_music".into() };
        json!({
            "id": id, "name": name, "tags": tags, "duration_seconds": 60.0,
            "reads": { "transcript": {}, "search_index": {}, "speech": {} },
            "made_by": { "tool": tool, "source_item_ids": from },
        })
    }

    fn planner(brief: &str, videos: &[Value]) -> Memory {
        let mut memory = Memory::new("prj_1".to_owned(), Wishes::of(brief), OutputType::Timeline);
        memory.hear_answer(&json!({ "data": { "items": videos } }), None);
        memory
    }

    /// Answers all searches and what else is looked up, until timelines are made: in each of the items that are asked
    /// for, a query is found at these seconds. Returns the queries.
    fn searched(memory: &mut Memory, places: &[(&str, &str, f64)]) -> Vec<String> {
        let mut queries = Vec::new();
        while let Move::Call { tool, arguments } = memory.next(100)
            && tool != "create_timeline"
        {
            let mut matches = Vec::new();
            if let Some(query) = arguments["query"].as_str() {
                let refs = arguments["refs"].as_array();
                let is_asked = |item: &str| refs.is_none_or(|refs| refs.iter().any(|one| one == item));
                let here = places.iter().filter(|(item, said, _)| is_asked(item) && *said == query);
                let one = |start: f64, item: &str| {
                    let text = "the river and its boats";
                    json!({ "item_id": item, "start": start, "end": start + 0.5, "score": 1.0, "text": text })
                };
                matches.extend(here.map(|(item, _, start)| one(*start, item)));
                queries.push(query.to_owned());
            }
            memory.hear_answer(&json!({ "data": { "matches": matches } }), None);
        }
        queries
    }

    /// What is shown: items with their starts and ends in seconds.
    fn shown(memory: &Memory) -> Vec<(&str, i64, i64)> {
        let moments = memory.films.iter().flat_map(|film| &film.moments);
        moments.map(|one| (one.item.as_str(), one.start / 1_000, one.end / 1_000)).collect()
    }

    /// How it ended, with its timeline if it made one.
    fn ended(mut memory: Memory) -> End {
        if memory.phase == Phase::Build {
            memory.hear_answer(&json!({ "data": { "timeline": { "id": "tml_1" } } }), None);
        }
        match memory.phase {
            Phase::Over(end) => end,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_film_stays_apart_from_the_places_at_which_the_word_is_found() {
        let videos = [item("talk", "River talk", &[], &[])];
        let mut memory = planner("40 seconds about the river without the boats", &videos);
        let queries = searched(&mut memory, &[("talk", "river", 20.0), ("talk", "\"boats\"", 30.0)]);
        assert_eq!(queries, ["river", "\"boats\""], "nothing that is only alike is left out");
        let kept: Memory = serde_json::from_value(serde_json::to_value(&memory).unwrap()).unwrap();
        assert_eq!(kept, memory, "whoever goes on with it leaves out the same");
        assert_eq!(shown(&memory), [("talk", 0, 28)]);
        assert_eq!(memory.films[0].moments[0].text, "", "nor does the scene's description name them");
        let told = ended(memory).message;
        assert!(told.contains("did not look at the pictures") && !told.contains("Nothing to leave out"), "{told}");
    }

    #[test]
    fn a_beginning_is_shown_without_what_is_left_out_and_that_is_told() {
        let videos = [item("talk", "River talk", &[], &[])];
        let places = [("talk", "river", 3.0), ("talk", "\"boats\"", 4.0)];
        let mut memory = planner("20 seconds about the river without the boats", &videos);
        searched(&mut memory, &places);
        assert_eq!(shown(&memory), [("talk", 7, 27)]);
        let told = ended(memory).message;
        assert!(told.contains("Found only beside what is left out: river."), "{told}");
        // Without words to look for, likewise.
        let mut memory = planner("20 seconds without the boats", &videos);
        searched(&mut memory, &places);
        assert_eq!(shown(&memory), [("talk", 7, 27)]);
    }

    #[test]
    fn what_is_left_out_by_its_name_does_not_come_back_as_what_was_made_from_it() {
        let talk = item("talk", "River interview", &["Boat"], &[]);
        let (copy, other) = (item("copy", "River, mixed", &[], &["talk"]), item("other", "River bank", &[], &[]));
        let mut memory = planner("9 seconds about the river without the boats", &[copy.clone(), talk.clone(), other]);
        searched(&mut memory, &[("copy", "river", 5.0), ("talk", "river", 5.0)]);
        assert_eq!(shown(&memory), [("other", 0, 9)]);
        let told = ended(memory).message;
        assert!(told.contains("left out: River, mixed, River interview."), "{told}");

        let end = ended(planner("9 seconds about the river without the boats", &[copy.clone(), talk.clone()]));
        assert_eq!(end.status, ProjectStatus::Failed);
        assert!(end.message.contains("Nothing of the footage is left to show without: boats."), "{}", end.message);

        let harbour = item("harbour", "Harbour", &[], &[]);
        let mut memory = planner("9 seconds about the river without the boats", &[copy, talk, harbour]);
        searched(&mut memory, &[]);
        let told = ended(memory).message;
        assert!(told.contains("Nothing in the rest of the footage is said, shown or called like: river."), "{told}");
    }

    #[test]
    fn a_plural_of_its_own_is_searched_for_in_both_numbers() {
        let mut memory = planner("9 seconds without the fishermen", &[item("talk", "River talk", &[], &[])]);
        let queries = searched(&mut memory, &[("talk", "\"fishermen\" or \"fisherman\"", 4.0)]);
        assert_eq!((queries.len(), shown(&memory)), (1, vec![("talk", 7, 16)]));
    }

    #[test]
    fn a_part_of_a_longer_word_is_not_left_out() {
        let videos = [item("talk", "River party", &["artful"], &[])];
        let mut memory = planner("9 seconds about the river, no art", &videos);
        searched(&mut memory, &[("talk", "river", 20.0)]);
        assert_eq!(shown(&memory).len(), 1);
        assert_ne!(memory.films[0].moments[0].text, "");
        let told = ended(memory).message;
        assert!(told.contains("Nothing to leave out was said, written or called so: art."), "{told}");
    }

    #[test]
    fn where_all_is_left_out_the_run_ends_and_says_so() {
        let videos = [item("talk", "River talk", &[], &[]), item("bank", "River bank", &[], &[])];
        let often = |item: &'static str| (0_i32..60).map(move |place| (item, "\"boats\"", f64::from(place)));
        let all: Vec<(&str, &str, f64)> = often("talk").chain(often("bank")).collect();
        let mut memory = planner("9 seconds about the river without the boats", &videos);
        let queries = searched(&mut memory, &all);
        assert!(queries.len() > 3, "where one search may not answer all places, each item is searched: {queries:?}");
        let end = ended(memory);
        assert_eq!(end.status, ProjectStatus::Failed);
        assert!(end.message.contains("Nothing of the footage is left to show without: boats."), "{}", end.message);
        assert!(end.message.contains("In River talk, boats is said or written so often"), "{}", end.message);

        let mut memory = planner("9 seconds about the river without the boats", &videos);
        searched(&mut memory, &all[..60]);
        assert_eq!(shown(&memory), [("bank", 0, 9)]);
    }

    #[test]
    fn wishes_that_cannot_come_true_are_told() {
        let videos = [item("talk", "River talk", &[], &[])];
        for (brief, expected) in [
            (
                "0 seconds of the river",
                "A film of 0 seconds can't be made; the shortest, 2 seconds, was planned instead.",
            ),
            ("90 minutes of the river", "A film of 5400 seconds can't be made; the longest, 600 seconds,"),
            (
                "2 hours of the river",
                "A film of 7200 seconds can't be made; the longest, 600 seconds, was planned instead.",
            ),
            ("The river without the river", "Both asked for and to be left out, and therefore not left out: river."),
        ] {
            let mut memory = planner(brief, &videos);
            searched(&mut memory, &[("talk", "river", 20.0)]);
            let told = ended(memory).message;
            assert!(told.contains(expected), "{told}");
        }
    }
}
