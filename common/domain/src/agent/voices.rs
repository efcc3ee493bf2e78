//! Looks up what is said in the items that are shown, so that their moments begin and end in pauses.

use super::Budget;
use super::memory::{Memory, Phase};
use super::moments::{Pause, REACH_MS, SaidWord, Stretch, pauses};
use crate::project::OutputType;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most pauses that are kept at once: its memory is stored after each step.
const MOST_PAUSES: usize = 6_000;
/// The steps that a film takes: its timeline, its price and its render.
const STEPS_A_FILM: usize = 3;

/// What is looked up in an item: where nobody speaks near the moments that are shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// The item's id.
    pub item: String,
    /// Its length in milliseconds.
    lasts: i64,
    /// The stretches in which its moments may begin and end.
    near: Vec<Stretch>,
    /// The most pauses that are kept of it.
    most: usize,
}

/// The part of a stored transcript that is read.
#[derive(Deserialize)]
struct Stored {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    words: Option<Vec<SaidWord>>,
}

impl Listening {
    /// Returns the pauses near the moments, by the words of a stored transcript; `None` if it has none. All words are
    /// read, since a pause ends with a word that may be far away, but only the times of each are held.
    ///
    /// # Errors
    /// If the document is not a stored transcript.
    pub fn pauses(&self, document: &[u8]) -> serde_json::Result<Option<Vec<Pause>>> {
        let Stored { data } = serde_json::from_slice(document)?;
        let Some(mut said) = data.words else { return Ok(None) };
        said.sort_by_key(|word| word.start);
        let is_near = |pause: &Pause| self.near.iter().any(|(from, to)| *from <= pause.end && pause.start <= *to);
        let mut near = pauses(&said, self.lasts, is_near);
        near.truncate(self.most);
        near.shrink_to_fit();
        Ok(Some(near))
    }
}

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

    /// Returns what is looked up in the item that it is at; `None` in any other phase. It follows from the memory
    /// alone, so whoever takes over the step looks up the same.
    pub(super) fn listening(&self) -> Option<Listening> {
        if self.phase != Phase::Pauses {
            return None;
        }
        let item = self.voices().into_iter().nth(self.at)?;
        let moments = self.shown_moments(&BTreeMap::new()).into_iter().filter(|moment| moment.item == item);
        let near = moments.map(|moment| (moment.start - REACH_MS, moment.end + REACH_MS)).collect();
        let lasts = self.length_of(&item).unwrap_or(0);
        let most = MOST_PAUSES.saturating_sub(self.pauses.values().map(Vec::len).sum());
        Some(Listening { item, lasts, near, most })
    }

    /// Takes in the pauses of the item that it is at, and goes on to the next one.
    pub(super) fn take_pauses(&mut self, heard: Option<Vec<Pause>>) -> Phase {
        let voices = self.voices();
        if let (Some(id), Some(pauses)) = (voices.get(self.at), heard) {
            self.pauses.insert(id.clone(), pauses);
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

    /// A transcript of so many sentences of six seconds, with a word each half second.
    fn sentences(many: u32) -> String {
        let word = |place: u32| {
            let (start, text) = (f64::from(place) / 2.0, if place % 12 == 11 { "\\u0074here." } else { "river" });
            format!(r#"{{"word":"{text}","start":{start},"end":{},"confidence":0.5}}"#, start + 0.4)
        };
        let words: Vec<String> = (0..12 * many).map(word).collect();
        format!(r#"{{"schema":1,"data":{{"text":"","segments":[],"words":[{}]}}}}"#, words.join(","))
    }

    /// Looks up what is said in the item that it is at.
    fn heard(memory: &mut Memory, transcript: &str) -> Option<Vec<Pause>> {
        memory.phase = Phase::Pauses;
        memory.listening().unwrap().pauses(transcript.as_bytes()).unwrap()
    }

    #[test]
    fn each_clip_has_whole_sentences_and_none_is_left_out_for_those_of_another() {
        let mut memory = searching(OutputType::Clips);
        assert_eq!(memory.begin_pauses(), Phase::Pauses);
        for next in [Phase::Pauses, Phase::Build] {
            let heard = heard(&mut memory, &sentences(2));
            assert_eq!(memory.take_pauses(heard), next);
        }
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
        assert_eq!(memory.take_pauses(None), Phase::Build);
    }

    #[test]
    fn of_a_long_transcript_what_is_near_is_kept_and_no_pause_is_longer_than_it_is() {
        let mut memory = searching(OutputType::Assembled);
        for item in &mut memory.footage {
            item.ms = 3_600_000;
        }
        for hit in &mut memory.found {
            (hit.start, hit.end) = (1_802_500, 1_802_900);
        }
        let heard = heard(&mut memory, &sentences(600)).unwrap();
        let shown = memory.shown_moments(&BTreeMap::new());
        let own = shown.iter().find(|moment| moment.item == "a").unwrap();
        let (from, to) = (own.start - REACH_MS, own.end + REACH_MS);
        assert!(heard.iter().all(|pause| from <= pause.end && pause.start <= to), "{from} to {to}: {heard:?}");
        // One behind each word, of a tenth of a second.
        let many = heard.len();
        assert!((60..200).contains(&many) && heard.iter().all(|pause| pause.end - pause.start < 100), "{heard:?}");
        let ends = heard.iter().filter(|pause| pause.is_end).count();
        assert!((many / 12..=many / 12 + 1).contains(&ends), "{heard:?}");

        assert!(memory.listening().unwrap().pauses(b"{\"data\":{\"words\":null}}").unwrap().is_none());
        assert!(memory.listening().unwrap().pauses(b"[]").is_err());
        memory.phase = Phase::Build;
        assert_eq!(memory.listening(), None, "every other call is made");
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
