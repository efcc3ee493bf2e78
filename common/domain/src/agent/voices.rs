//! Looks up what is said in the items that are shown, so that their moments begin and end in pauses.

use super::Budget;
use super::memory::{Memory, Phase};
use super::moments::{Pause, REACH_MS, SaidWord, pauses};
use crate::project::OutputType;
use std::collections::BTreeMap;

/// The most pauses that are kept at once: its memory is stored after each step.
const MOST_PAUSES: usize = 6_000;
/// The steps that a film takes: its timeline, its price and its render.
const STEPS_A_FILM: usize = 3;

impl Memory {
    /// Returns the ids of the items that are shown and whose transcripts are stored, each once.
    pub(super) fn voices(&self) -> Vec<String> {
        let is_read = |id: &str| self.footage.iter().any(|item| item.id == id && item.sounds && item.has("transcript"));
        let mut voices: Vec<String> = Vec::new();
        for moment in self.shown_moments(&BTreeMap::new()) {
            if is_read(&moment.item) && !voices.contains(&moment.item) {
                voices.push(moment.item);
            }
        }
        voices
    }

    /// Begins to look up what is said in the items that are shown.
    pub(super) fn begin_pauses(&mut self) -> Phase {
        self.at = 0;
        let many = self.voices().len();
        self.look_up_or_cut(many)
    }

    /// Looks up what is said in so many more items. Where there are none, or too few steps would be left for the films,
    /// it plans these.
    fn look_up_or_cut(&mut self, many: usize) -> Phase {
        if many > 0 && many <= self.steps_beside_films() { Phase::Pauses } else { self.cut() }
    }

    /// Returns how many steps are left beside those that the films take.
    pub(super) fn steps_beside_films(&self) -> usize {
        let is_clips = self.output == OutputType::Clips;
        let films = if is_clips { self.shown_moments(&BTreeMap::new()).len() } else { 1 };
        let left = Budget { steps: self.most_steps, ..Budget::default() }.steps_left(self.steps);
        usize::try_from(left).unwrap_or(usize::MAX).saturating_sub(STEPS_A_FILM * films)
    }

    /// Takes in what is said in the item that it is at, and goes on to the next one. Of its pauses those are kept that
    /// are within reach of its moments.
    pub(super) fn take_words(&mut self, said: Option<Vec<SaidWord>>) -> Phase {
        let voices = self.voices();
        if let (Some(id), Some(said)) = (voices.get(self.at), said) {
            let moments = self.shown_moments(&BTreeMap::new());
            let is_near = |pause: &Pause| {
                let mut own = moments.iter().filter(|moment| moment.item == *id);
                own.any(|moment| moment.start - REACH_MS <= pause.end && pause.start <= moment.end + REACH_MS)
            };
            let room = MOST_PAUSES.saturating_sub(self.pauses.values().map(Vec::len).sum());
            let all = pauses(&said, self.length_of(id).unwrap_or(0)).into_iter();
            self.pauses.insert(id.clone(), all.filter(is_near).take(room).collect());
        }
        self.at += 1;
        self.look_up_or_cut(voices.len().saturating_sub(self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::library::Item;
    use super::super::moments::WordHit;
    use super::super::{Move, Planner, Refused, Wishes};
    use super::*;
    use serde_json::json;

    /// One that has found the river in two items of a minute, whose transcripts are stored; its search ends next.
    fn searching(output: OutputType) -> Memory {
        let mut memory = Memory::new("prj_1".to_owned(), Wishes::of("9 seconds of the river"), output);
        let item = |id: &str| json!({ "id": id, "duration_seconds": 60.0, "reads": { "transcript": {} } });
        memory.footage = Item::listed(&json!({ "data": { "items": [item("a"), item("b")] } })).collect();
        let hit = |item: &str| {
            let (item, text) = (item.to_owned(), "river".to_owned());
            WordHit { item, start: 2_500, end: 2_900, shot: None, score: 100, word: 0, text }
        };
        memory.found = vec![hit("a"), hit("b")];
        memory.phase = Phase::Search;
        memory
    }

    /// Two sentences of six seconds, with a word each half second.
    fn sentences() -> Vec<SaidWord> {
        let word = |place: i64| {
            let (start, text) = (place * 500, if place % 12 == 11 { "there." } else { "river" });
            SaidWord::of(text, start, start + 400)
        };
        (0..24).map(word).collect()
    }

    #[test]
    fn each_clip_has_whole_sentences_and_none_is_left_out_for_those_of_another() {
        let mut memory = searching(OutputType::Clips);
        assert_eq!(memory.begin_pauses(), Phase::Pauses);
        assert_eq!(memory.take_words(Some(sentences())), Phase::Pauses);
        assert_eq!(memory.take_words(Some(sentences())), Phase::Build);
        let moments = memory.films.iter().flat_map(|film| &film.moments);
        let shown: Vec<_> = moments.map(|one| (one.item.as_str(), one.start, one.end, one.silent)).collect();
        assert_eq!(shown, [("a", 0, 5_933, 0), ("b", 0, 5_933, 0)]);
    }

    #[test]
    fn no_step_that_a_film_needs_is_taken_to_look_up_what_is_said() {
        let next = |output, steps| {
            let budget = Budget { steps: Some(steps), ..Budget::default() };
            let mut planner = Planner::Keywords(Box::new(searching(output)));
            planner.hear_answer(&json!({}), budget);
            match planner.next(budget) {
                Move::Call { tool, .. } => tool,
                other => panic!("{other:?}"),
            }
        };
        // Two items are shown, as one film or as two clips.
        for (output, needed) in [(OutputType::Assembled, 5), (OutputType::Clips, 8)] {
            assert_eq!(next(output, needed), "transcribe_media", "{output:?}");
            assert_eq!(next(output, needed - 1), "create_timeline", "{output:?}");
        }
        // It goes on to the next item only where that is still so.
        let mut memory = searching(OutputType::Assembled);
        memory.most_steps = Some(5);
        assert_eq!(memory.begin_pauses(), Phase::Pauses);
        memory.steps = 2;
        assert_eq!(memory.take_words(None), Phase::Build);
    }

    #[test]
    fn after_a_refusal_no_other_item_is_looked_up() {
        let mut memory = searching(OutputType::Assembled);
        memory.phase = memory.begin_pauses();
        assert_eq!(memory.phase, Phase::Pauses);
        memory.hear_refusal(&Refused { code: "unavailable".to_owned(), message: "It took too long.".to_owned() });
        assert_eq!(memory.phase, Phase::Build);
    }
}
