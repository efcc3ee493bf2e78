//! Decides which footage is read, which moments are shown, and which films are made of them.

use super::film::{FilmDraft, Music};
use super::library::{Item, footage, music, without_copies};
use super::memory::{Memory, Phase};
use super::moments::{Moment, SHORTEST_MS, chosen};
use super::telling;
use crate::project::OutputType;

/// The most items that are read for a film, which is as many as one call takes.
const MOST_READ: usize = 20;
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
        self.footage = without_copies(std::mem::take(&mut self.footage), &self.wishes);
        if self.footage.is_empty() {
            return Phase::Over(telling::no_footage(&self.notes));
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
        let mut wanted = if self.wishes.words.is_empty() { Vec::new() } else { vec!["transcript", "search_index"] };
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
        self.cut(Vec::new())
    }

    fn length_ms(&self) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "ten minutes at most")]
        let ms = (self.wishes.seconds * 1000.0).round() as i64;
        ms
    }

    pub(super) fn moments(&self) -> Vec<Moment> {
        let lasts = |id: &str| self.footage.iter().find(|item| item.id == id).map(|item| item.ms);
        chosen(&self.found, lasts, self.length_ms())
    }

    /// Plans films of these moments; if there are none, of the beginnings of the footage that the brief names.
    pub(super) fn cut(&mut self, mut moments: Vec<Moment>) -> Phase {
        if moments.is_empty() {
            moments = self.beginnings();
        }
        if moments.is_empty() {
            return Phase::Over(telling::nothing_found(&self.wishes.words, &self.notes));
        }
        let total: i64 = moments.iter().map(Moment::ms).sum();
        if self.output != OutputType::Clips && total + 100 < self.length_ms() {
            self.note("There is no more of it, so it is shorter than was asked for.".to_owned());
        }
        let length = if self.output == OutputType::Clips { 0 } else { total };
        let music = self.music(length);
        if self.wishes.music && music.is_none() {
            self.note("There is no music in the workspace: name or tag a sound `music`.".to_owned());
        }
        let (captions, aspect) = (self.wishes.captions, self.wishes.aspect.clone());
        let film =
            |name: String, moments| FilmDraft { name, moments, music: music.clone(), captions, aspect: aspect.clone() };
        self.films = if self.output == OutputType::Clips {
            let clips = moments.into_iter().take(MOST_CLIPS).zip(1..);
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

    /// Returns the beginnings of the footage that the brief names, or of all footage if it names nothing to look for.
    fn beginnings(&self) -> Vec<Moment> {
        let takes_all = self.wishes.words.is_empty();
        let named = self.footage.iter().filter(|item| takes_all || self.among.contains(&item.id));
        let named: Vec<&Item> =
            named.take(usize::try_from(self.length_ms() / SHORTEST_MS).unwrap_or(1).max(1)).collect();
        let mut missing = self.length_ms();
        let mut moments = Vec::new();
        for (place, item) in named.iter().enumerate() {
            let rest = i64::try_from(named.len() - place).unwrap_or(1);
            let end = (missing / rest).min(item.ms);
            missing -= end;
            moments.push(Moment { item: item.id.clone(), start: 0, end, text: String::new() });
        }
        moments.retain(|moment| moment.ms() > 0);
        moments
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
