//! Reads what a single text asks for: what is wanted and what is not, how long, with what, and in which proportions.

use super::{MOST_LEFT_OUT, MOST_TOLD_WORDS, MOST_WORDS};
use crate::agent::bounds::{Bound, bound, factor};
use crate::agent::lengths::{is_length, length};
use crate::agent::scope::{CAPTIONS, MUSIC, Role, read};
use crate::agent::words::{Mark, Word, says_something, taken_apart};
use std::ops::Range;

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
    /// By how much the film's length changes.
    By(f64),
    /// The factor by which the film's length changes.
    Times(f64),
}

impl Length {
    /// Returns the length of this amount, which may be a bound or a change: `not longer than` makes it the most.
    const fn of(amount: f64, bound: Option<Bound>, is_negated: bool) -> Self {
        match (bound, is_negated) {
            (None, _) => Self::Exactly(amount),
            (Some(Bound::Most), false) | (Some(Bound::Least), true) => Self::AtMost(amount),
            (Some(Bound::Least), false) | (Some(Bound::Most), true) => Self::AtLeast(amount),
            (Some(Bound::Longer), false) => Self::By(amount),
            (Some(Bound::Shorter), false) => Self::By(-amount),
            (Some(Bound::Times), false) => Self::Times(amount),
            // "Don't make it 5 seconds longer" keeps the length.
            (Some(Bound::Longer | Bound::Shorter | Bound::Times), true) => Self::Times(1.0),
        }
    }

    /// Returns the seconds of a film that was to have `now`.
    fn after(self, now: f64) -> f64 {
        match self {
            Self::Exactly(seconds) => seconds,
            Self::AtMost(seconds) => now.min(seconds),
            Self::AtLeast(seconds) => now.max(seconds),
            Self::By(seconds) => now + seconds,
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
        let asked = asked(&words);
        let range = asked.clone().map(|(_, bound, range)| (range, bound.is_some()));
        let reading = read(&words, range);
        said.length = asked.map(|(amount, bound, _)| Length::of(amount, bound, reading.negates_length));
        for (word, role) in words.iter().zip(reading.roles) {
            match role {
                Role::Wanted => said.take(&word.text, true),
                Role::LeftOut => said.take(&word.text, false),
                Role::Nothing => {}
            }
        }
        said
    }

    /// Returns the seconds of a film that was to have `now`.
    pub fn seconds(&self, now: f64) -> f64 {
        self.length.map_or(now, |length| length.after(now))
    }

    /// Takes a word as something that is wanted, or that is to be left out.
    fn take(&mut self, word: &str, wanted: bool) {
        match word {
            word if MUSIC.contains(&word) => self.music = Some(wanted),
            word if CAPTIONS.contains(&word) => self.captions = Some(wanted),
            // "Don't make it shorter" keeps the length.
            "shorter" if wanted => self.length = self.length.or(Some(Length::Times(0.5))),
            "longer" if wanted => self.length = self.length.or(Some(Length::Times(2.0))),
            "only" => self.only |= wanted,
            word if says_something(word) && !is_length(word) => {
                self.add(word.chars().take(MOST_LETTERS).collect(), wanted);
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

/// Returns the length that is named or the factor by which it changes, how it is meant, and the words that say so.
fn asked(words: &[Word]) -> Option<(f64, Option<Bound>, Range<usize>)> {
    if let Some((seconds, range)) = length(words) {
        let (bound, range) = bound(words, &range);
        return Some((seconds, bound, range));
    }
    factor(words).map(|(times, range)| (times, Some(Bound::Times), range))
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
