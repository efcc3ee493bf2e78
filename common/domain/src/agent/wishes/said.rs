//! Reads what a single text asks for: what is wanted and what is not, how long, with what, and in which proportions.

use super::{MOST_LEFT_OUT, MOST_TOLD_WORDS, MOST_WORDS};
use crate::agent::bounds::{Bound, bound};
use crate::agent::lengths::{is_length, length};
use crate::agent::scope::{Named, Scope};
use crate::agent::words::{Mark, Word, says_something, taken_apart};

/// The most letters of a word that are kept.
const MOST_LETTERS: usize = 40;

/// The wishes of a single text; `None` where it says nothing.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub words: Vec<String>,
    pub without: Vec<String>,
    pub not_left_out: Vec<String>,
    pub length: Option<Length>,
    pub music: Option<bool>,
    pub captions: Option<bool>,
    pub aspect: Option<String>,
    /// Whether it names all that is wanted: earlier words are dropped.
    pub only: bool,
}

/// A length that a text asks for, in seconds but for `Times`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Length {
    Exactly(f64),
    AtMost(f64),
    AtLeast(f64),
    /// The factor by which the film's length changes.
    Times(f64),
}

impl Length {
    /// Returns the length of these seconds, which may be bounds: `not longer than` makes them the most.
    const fn of(seconds: f64, bound: Option<Bound>, is_negated: bool) -> Self {
        match (bound, is_negated) {
            (None, _) => Self::Exactly(seconds),
            (Some(Bound::Most), false) | (Some(Bound::Least), true) => Self::AtMost(seconds),
            (Some(Bound::Least), false) | (Some(Bound::Most), true) => Self::AtLeast(seconds),
        }
    }

    /// Returns the seconds of a film that was to have `now`.
    fn after(self, now: f64) -> f64 {
        match self {
            Self::Exactly(seconds) => seconds,
            Self::AtMost(seconds) => now.min(seconds),
            Self::AtLeast(seconds) => now.max(seconds),
            Self::Times(times) => now * times,
        }
    }
}

impl Said {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let mut said = Self::default();
        let mut words = taken_apart(text);
        said.aspect = aspect(&mut words);
        let length = length(&words).map(|(seconds, range)| (seconds, bound(&words, &range)));
        let (mut scope, mut place) = (Scope::default(), 0);
        while let Some(word) = words.get(place) {
            if let Some((seconds, (bound, range))) = length.as_ref().filter(|(_, (_, range))| range.start == place) {
                let is_negated = word.mark == Mark::None && scope.is_negation();
                let asked = Length::of(*seconds, *bound, is_negated);
                // What follows a length of its own is no list any more. `Not longer than 8 seconds` has ended too.
                if word.mark != Mark::None || !matches!(asked, Length::Exactly(_)) {
                    scope.close();
                }
                said.length = Some(asked);
                place = range.end;
                continue;
            }
            if !scope.read(&words, place) {
                said.take(&word.text, &mut scope);
            }
            place += 1;
        }
        said
    }

    /// Returns the seconds of a film that was to have `now`.
    pub fn seconds(&self, now: f64) -> f64 {
        self.length.map_or(now, |length| length.after(now))
    }

    /// Takes a word as something that is wanted, or that is to be left out.
    fn take(&mut self, word: &str, scope: &mut Scope) {
        let wanted = !scope.is_open();
        match word {
            "music" | "musical" | "soundtrack" | "song" | "score" => {
                self.music = Some(wanted);
                scope.name(Named::Setting);
            }
            "captions" | "caption" | "subtitles" | "subtitle" | "subtitled" => {
                self.captions = Some(wanted);
                scope.name(Named::Setting);
            }
            "shorter" | "longer" => {
                let times = if word == "shorter" { 0.5 } else { 2.0 };
                // "Don't make it shorter" keeps the length.
                if scope.is_negation() {
                    scope.name(Named::Length);
                } else {
                    self.length = self.length.or(Some(Length::Times(times)));
                }
            }
            "only" => self.only = true,
            word if says_something(word) && !is_length(word) => {
                self.add(word.chars().take(MOST_LETTERS).collect(), wanted);
                scope.name(Named::Thing);
            }
            _ => {}
        }
    }

    fn add(&mut self, word: String, wanted: bool) {
        let (list, most) = if wanted { (&mut self.words, MOST_WORDS) } else { (&mut self.without, MOST_LEFT_OUT) };
        if list.contains(&word) {
            return;
        }
        if list.len() < most {
            list.push(word);
        } else if !wanted && self.not_left_out.len() < MOST_TOLD_WORDS && !self.not_left_out.contains(&word) {
            self.not_left_out.push(word);
        }
    }
}

/// Returns the aspect ratio that is named, and removes the word that names it: `9:16` is no time.
fn aspect(words: &mut Vec<Word>) -> Option<String> {
    let named = |word: &str| match word {
        "9:16" | "vertical" | "portrait" => Some("9:16"),
        "1:1" | "square" => Some("1:1"),
        "16:9" | "landscape" | "widescreen" => Some("16:9"),
        _ => None,
    };
    let place = words.iter().position(|word| named(&word.text).is_some())?;
    let removed = words.remove(place);
    // What follows a format of its own is no list any more.
    if let Some(next) = words.get_mut(place).filter(|_| removed.mark != Mark::None) {
        next.mark = Mark::Stop;
    }
    named(&removed.text).map(str::to_owned)
}
