//! Decides which footage is read, which moments are shown, and which films are made of them.

use super::film::{FilmDraft, Music};
use super::library::{footage, without_copies};
use super::memory::{Memory, Phase};
use super::moments::{Footage, Moment, Pause, chosen, each_in_pauses, in_pauses};
use super::music::music;
use super::{End, telling};
use crate::project::OutputType;
use std::collections::BTreeMap;

/// The most items that are read for a film, which is as many as one call takes.
pub(super) const MOST_READ: usize = 20;
/// The most clips of a project.
const MOST_CLIPS: usize = 10;
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

    pub(super) fn length_ms(&self) -> i64 {
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
    pub(super) fn shown_moments(&self, pauses: &BTreeMap<String, Vec<Pause>>) -> Vec<Moment> {
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
