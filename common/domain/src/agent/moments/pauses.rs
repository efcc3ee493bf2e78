//! Where nobody speaks: the pauses between the words of a transcript, in which scenes may begin and end.

use crate::footage::milliseconds;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// The shortest silence, in milliseconds, that ends what was said as a full stop does.
const LONG_MS: i64 = 600;
/// How far a cut stays away from a word, in milliseconds, where the silence is long enough: the times of words are not
/// exact, and a film is cut between its pictures. In a shorter silence it is a third of it.
const ASIDE_MS: i64 = 150;
/// The signs that end a sentence.
const SIGNS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];
/// What may stand behind such a sign.
const BEHIND: [char; 6] = ['"', '\'', '”', '’', ')', '»'];

/// A word that is said in an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaidWord {
    /// Its start in milliseconds.
    pub start: i64,
    /// Its end in milliseconds.
    pub end: i64,
    /// Whether a sentence ends with it.
    pub is_end: bool,
}

/// The times of a pause at which a scene may begin or end. Where one word follows the other at once it is one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// The first of them in milliseconds.
    pub start: i64,
    /// The last of them in milliseconds.
    pub end: i64,
    /// Whether a sentence ends before it, or nobody speaks for long.
    pub is_end: bool,
}

impl SaidWord {
    /// Returns a word with these times.
    pub fn of(word: &str, start: i64, end: i64) -> Self {
        let is_end = word.trim_end_matches(BEHIND).ends_with(SIGNS);
        Self { start, end: end.max(start), is_end }
    }
}

/// A word as transcripts store it.
#[derive(Deserialize)]
struct StoredWord<'a> {
    #[serde(borrow, default)]
    word: Cow<'a, str>,
    #[serde(default)]
    start: f64,
    #[serde(default)]
    end: f64,
}

/// Reads a word of a stored transcript. Its letters are not kept.
impl<'de> Deserialize<'de> for SaidWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredWord { word, start, end } = StoredWord::deserialize(deserializer)?;
        Ok(Self::of(&word, milliseconds(start).into(), milliseconds(end).into()))
    }
}

impl Pause {
    /// Returns the times between two words, or between a word and the start or end of an item of `lasts` milliseconds.
    fn between(start: i64, end: i64, is_end: bool, lasts: i64) -> Self {
        let aside = ((end - start) / 3).min(ASIDE_MS);
        Self {
            start: if start == 0 { 0 } else { start + aside },
            end: if end == lasts { lasts } else { end - aside },
            is_end: is_end || end - start >= LONG_MS,
        }
    }

    /// Returns those of its times that are not before `from` and not after `to`.
    pub(super) fn within(self, from: i64, to: i64) -> Option<Self> {
        let (start, end) = (self.start.max(from), self.end.min(to));
        (start <= end).then_some(Self { start, end, ..self })
    }

    /// Returns how far a time is from it in milliseconds; 0 for one of its own.
    pub(super) fn away(self, time: i64) -> i64 {
        (self.start - time).max(time - self.end).max(0)
    }
}

/// Returns the pauses of an item of `lasts` milliseconds, in which these words are said, in the order of their starts:
/// those that are to be kept.
pub fn pauses(words: &[SaidWord], lasts: i64, is_kept: impl Fn(&Pause) -> bool) -> Vec<Pause> {
    let mut pauses = Vec::new();
    let mut note = |pause: Pause| {
        if is_kept(&pause) {
            pauses.push(pause);
        }
    };
    let (mut silent_from, mut is_end) = (0, true);
    for word in words.iter().filter(|word| word.start < lasts) {
        if word.start >= silent_from {
            note(Pause::between(silent_from, word.start, is_end, lasts));
        }
        // Of words that are said at once, the last to end counts.
        if word.end >= silent_from {
            (silent_from, is_end) = (word.end, word.is_end);
        }
    }
    if silent_from <= lasts {
        note(Pause::between(silent_from, lasts, true, lasts));
    }
    pauses
}
