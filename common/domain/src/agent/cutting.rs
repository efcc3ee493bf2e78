//! Decides which footage is read, which moments are shown, and which films are made of them.

use super::film::{FilmDraft, Music};
use super::library::{Item, footage, music, without_copies};
use super::memory::{Memory, Phase};
use super::moments::{
    Footage, Moment, Pause, REACH_MS, SHORTEST_MS, SaidWord, Stretch, chosen, each_in_pauses, in_pauses, pauses,
};
use super::{Budget, End, telling};
use crate::project::OutputType;
use std::collections::BTreeMap;

/// The most items that are read for a film, which is as many as one call takes.
const MOST_READ: usize = 20;
/// The most clips of a project.
const MOST_CLIPS: usize = 10;
/// The most pauses that are kept at once: its memory is stored after each step.
const MOST_PAUSES: usize = 6_000;
/// The steps that a film takes: its timeline, its price and its render.
const STEPS_A_FILM: usize = 3;
/// The most characters of a timeline's name.
const MOST_NAME: usize = 100;

impl Memory {
    /// Returns the phase that follows once the library has been listed.
    pub(super) fn after_look(&mut self) -> Phase {
        if let Some(over) = self.missed_items() {
            return over;
        }
        self.leave_out_items();
        self.footage = without_copies(std::mem::take(&mut self.footage), &self.wishes);
        if self.footage.is_empty() {
            return Phase::Over(if self.left_out.is_empty() {
                telling::no_footage(&self.notes)
            } else {
                telling::nothing_left(&self.met, &self.notes)
            });
        }
        let wanted = self.wanted();
        let (chosen, is_named) = footage(&self.footage, &self.wishes, MOST_READ);
        let to_read = chosen.iter().filter(|item| item.lacks(&wanted)).map(|item| item.id.clone()).collect();
        self.among = if is_named { chosen.iter().map(|item| item.id.clone()).collect() } else { Vec::new() };
        self.to_read = to_read;
        if self.to_read.is_empty() { self.begin_search() } else { Phase::PriceReads }
    }

    /// Returns the names of the reads that it needs of footage.
    pub(super) fn wanted(&self) -> Vec<&'static str> {
        let searches = !self.wishes.words.is_empty() || !self.wishes.left_out().is_empty();
        let mut wanted = if searches { vec!["transcript", "search_index"] } else { Vec::new() };
        if self.wishes.music {
            wanted.push("speech");
        }
        wanted
    }

    /// Begins to search for the words; without any, each item is shown from its beginning.
    pub(super) fn begin_search(&mut self) -> Phase {
        self.at = 0;
        if !self.wishes.words.is_empty() {
            return Phase::Search;
        }
        self.note("The brief names nothing to look for: each item is shown from its beginning.".to_owned());
        self.begin_to_leave_out()
    }

    fn length_ms(&self) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "ten minutes at most")]
        let ms = (self.wishes.seconds * 1000.0).round() as i64;
        ms
    }

    pub(super) fn length_of(&self, id: &str) -> Option<i64> {
        self.footage.iter().find(|item| item.id == id).map(|item| item.ms)
    }

    /// Returns what moments are chosen from, with these pauses of its items; `lasts` is [`Memory::length_of`].
    pub(super) fn footage_with<'a>(
        &'a self,
        pauses: &'a BTreeMap<String, Vec<Pause>>,
        lasts: &'a dyn Fn(&str) -> Option<i64>,
    ) -> Footage<'a> {
        Footage { found: &self.found, lasts, pauses, apart: &self.apart }
    }

    /// Returns the moments in which something was found, with these pauses of their items.
    pub(super) fn moments(&self, pauses: &BTreeMap<String, Vec<Pause>>) -> Vec<Moment> {
        chosen(&self.footage_with(pauses, &|id: &str| self.length_of(id)), self.length_ms())
    }

    /// Returns the moments that are shown: those in which something was found or, if there are none, the beginnings of
    /// the footage that the brief names. Clips are films of their own, so each has its own length.
    fn shown_moments(&self, pauses: &BTreeMap<String, Vec<Pause>>) -> Vec<Moment> {
        let lasts = |id: &str| self.length_of(id);
        let footage = self.footage_with(pauses, &lasts);
        let (unknown, is_clips) = (BTreeMap::new(), self.output == OutputType::Clips);
        let mut moments = self.moments(if is_clips { &unknown } else { pauses });
        let is_found = !moments.is_empty();
        if !is_found {
            moments = self.beginnings();
        }
        if is_clips {
            moments.truncate(MOST_CLIPS);
            return each_in_pauses(moments, &footage);
        }
        if is_found { moments } else { in_pauses(moments, &footage) }
    }

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
        let is_clips = self.output == OutputType::Clips;
        let films = if is_clips { self.shown_moments(&BTreeMap::new()).len() } else { 1 };
        let left = Budget { steps: self.most_steps, ..Budget::default() }.steps_left(self.steps);
        let suffice = u32::try_from(many + STEPS_A_FILM * films).is_ok_and(|needed| needed <= left);
        if many > 0 && suffice { Phase::Pauses } else { self.cut() }
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

    /// Plans films of the moments that are shown.
    pub(super) fn cut(&mut self) -> Phase {
        let pauses = std::mem::take(&mut self.pauses);
        let moments = self.shown_moments(&pauses);
        if moments.is_empty() {
            return Phase::Over(self.nothing());
        }
        let total: i64 = moments.iter().map(Moment::ms).sum();
        if self.output != OutputType::Clips && total + 100 < self.length_ms() {
            self.note("There is no more of it, so it is shorter than was asked for.".to_owned());
        }
        let length = if self.output == OutputType::Clips { 0 } else { total };
        let music = self.music(length);
        if self.wishes.music && music.is_none() {
            let besides = if self.left_out.is_empty() { "" } else { " besides what is left out" };
            self.note(format!("There is no music in the workspace{besides}: name or tag a sound `music`."));
        }
        let (captions, aspect) = (self.wishes.captions, self.wishes.aspect.clone());
        let film =
            |name: String, moments| FilmDraft { name, moments, music: music.clone(), captions, aspect: aspect.clone() };
        self.films = if self.output == OutputType::Clips {
            let clips = moments.into_iter().zip(1..);
            clips.map(|(moment, number)| film(format!("{}, clip {number}", self.name()), vec![moment])).collect()
        } else {
            vec![film(self.name(), moments)]
        };
        self.at = 0;
        Phase::Build
    }

    /// Returns the music for a film of this many milliseconds.
    fn music(&self, length: i64) -> Option<Music> {
        let item = music(&self.sounds, &self.wishes, length)?;
        Some(Music { item: item.id.clone(), name: item.name.clone(), ms: item.ms })
    }

    /// Returns the name of its timelines.
    fn name(&self) -> String {
        let words = if self.wishes.words.is_empty() { "footage".to_owned() } else { self.wishes.words.join(", ") };
        format!("Film: {words}").chars().take(MOST_NAME).collect()
    }

    /// Returns the footage that is shown from its beginning if no word is found: that which the brief names, or all if
    /// it names nothing to look for. Where something is to be left out, it is footage that was to be read.
    pub(super) fn shown_from_beginning(&self) -> Vec<&Item> {
        let takes_all = self.wishes.words.is_empty();
        let named = self.footage.iter().filter(|item| takes_all || self.among.contains(&item.id));
        let most = if self.wishes.left_out().is_empty() { usize::MAX } else { MOST_READ };
        named.take(self.most_beginnings().min(most)).collect()
    }

    /// Returns how many of the shortest scenes a film has room for.
    fn most_beginnings(&self) -> usize {
        usize::try_from(self.length_ms() / SHORTEST_MS).unwrap_or(1).max(1)
    }

    /// Returns the beginnings of the footage that is shown from its beginning, without what is left out.
    fn beginnings(&self) -> Vec<Moment> {
        let named = self.shown_from_beginning();
        let mut missing = self.length_ms();
        let mut moments = Vec::new();
        for (place, item) in named.iter().enumerate() {
            let rest = i64::try_from(named.len() - place).unwrap_or(1);
            for (start, end) in self.beginning(item, (missing / rest).min(item.ms)) {
                missing -= end - start;
                moments.push(Moment { item: item.id.clone(), start, end, text: String::new(), silent: 0 });
            }
        }
        moments.retain(|moment| moment.ms() > 0);
        moments.truncate(self.most_beginnings());
        moments
    }

    /// Returns the first stretch of an item that lasts so long without what is left out, or as many shorter ones as are
    /// needed.
    fn beginning(&self, item: &Item, ms: i64) -> Vec<Stretch> {
        let apart = self.apart.get(&item.id).map(Vec::as_slice).unwrap_or_default();
        let starts = std::iter::once(0).chain(apart.iter().map(|one| one.1));
        let free = starts.zip(apart.iter().map(|one| one.0).chain([item.ms]));
        let free: Vec<Stretch> = free.filter(|(start, end)| end - start >= SHORTEST_MS.min(item.ms)).collect();
        if let Some((start, _)) = free.iter().find(|(start, end)| end - start >= ms) {
            return vec![(*start, start + ms)];
        }
        let mut left = ms;
        let parts = free.into_iter().map(|(start, end)| {
            let part = (end - start).min(left);
            left -= part;
            (start, start + part)
        });
        parts.filter(|(start, end)| end - start >= SHORTEST_MS).collect()
    }

    /// Returns the end of a run that has nothing to show.
    fn nothing(&self) -> End {
        // Without what is left out something would be shown: what was found, or a beginning.
        let is_found = self.found.iter().any(|one| self.has_item(&one.item));
        if !self.apart.is_empty() && (is_found || !self.shown_from_beginning().is_empty()) {
            return telling::nothing_left(&self.met, &self.notes);
        }
        telling::nothing_found(&self.wishes.words, !self.left_out.is_empty(), &self.notes)
    }

    /// Returns the end of a run that has made what was asked for.
    pub(super) fn done(&self) -> Phase {
        let shown = self.films.iter().flat_map(|film| &film.moments);
        let names: Vec<String> = shown
            .filter_map(|moment| self.footage.iter().find(|item| item.id == moment.item))
            .map(|item| item.name.clone())
            .collect();
        Phase::Over(telling::done(self.output, &self.films, &self.outputs, &names, &self.notes))
    }
}

#[cfg(test)]
mod tests {
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
