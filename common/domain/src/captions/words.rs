//! Prepares the words of a transcript for layout: in order, without white space or control characters, none wider than
//! a line, each with its speaker. Engines write words without length, out of order, several in one, or thousands of
//! letters long: no text is left out for that.

use super::columns::{COLUMNS, columns_of};
use crate::footage::{SpeakerTurn, milliseconds};
use crate::voices::Voices;
use unicode_segmentation::UnicodeSegmentation;

/// A word, or a part of one, that is no wider than a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// Its text, without white space.
    pub text: String,
    /// Its width in columns.
    pub columns: usize,
    /// Its start in milliseconds.
    pub start_ms: i64,
    /// Its end in milliseconds, not before its start.
    pub end_ms: i64,
    /// The speaker's name, if it is known.
    pub speaker: Option<String>,
    /// Whether it continues a word that was too wide for a line.
    pub goes_on: bool,
}

impl Spoken {
    /// Whether no space stands between this word and the next one.
    pub fn is_glued_to(&self, next: &Self) -> bool {
        let ends = self.text.chars().next_back().is_some_and(is_written_without_spaces);
        next.goes_on || (ends && next.text.chars().next().is_some_and(is_written_without_spaces))
    }
}

/// Whether a letter is of Chinese or Japanese, which have no spaces between words.
fn is_written_without_spaces(letter: char) -> bool {
    matches!(u32::from(letter), 0x2E80..=0x9FFF | 0xF900..=0xFAFF | 0xFF00..=0xFF65 | 0x20000..=0x3_FFFF)
}

/// Whether a character turns the direction of the text after it, which could make a line read as something else.
pub const fn turns_direction(letter: char) -> bool {
    matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A text of a transcript and its times in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// The text.
    pub text: &'a str,
    /// Its start in seconds.
    pub start: f64,
    /// Its end in seconds.
    pub end: f64,
}

/// Returns the words of these texts, in the order of their starts.
pub fn spoken<'a>(said: impl Iterator<Item = Said<'a>>, turns: &[SpeakerTurn]) -> Vec<Spoken> {
    let mut said: Vec<Said> = said.collect();
    said.sort_by_key(|said| milliseconds(said.start));
    let mut voices = Voices::of(turns);
    let mut words: Vec<Spoken> = Vec::with_capacity(said.len());
    for Said { text, start, end } in said {
        let start_ms = milliseconds(start);
        let end_ms = milliseconds(end).max(start_ms);
        let speaker = speaker_of(&mut voices, start_ms, end_ms);
        add(&mut words, text, start_ms.into(), end_ms.into(), speaker.as_deref());
    }
    words
}

/// Adds the parts of a text, each with a share of the time by its width.
fn add(words: &mut Vec<Spoken>, text: &str, start_ms: i64, end_ms: i64, speaker: Option<&str>) {
    let text: String = text.chars().filter(|letter| !turns_direction(*letter)).collect();
    let is_gap = |letter: char| letter.is_whitespace() || letter.is_control();
    let parts = text.split(is_gap).filter(|part| !part.is_empty());
    let pieces: Vec<Piece> = parts.flat_map(pieces).collect();
    let all: usize = pieces.iter().map(|piece| piece.columns).sum();
    let mut before = 0;
    for Piece { text, columns, goes_on } in pieces {
        let at = |place: usize| {
            let part = i64::try_from(place).unwrap_or(0) * (end_ms - start_ms);
            start_ms + part / i64::try_from(all.max(1)).unwrap_or(1)
        };
        let (start_ms, end_ms) = (at(before), at(before + columns));
        words.push(Spoken { text, columns, start_ms, end_ms, speaker: speaker.map(str::to_owned), goes_on });
        before += columns;
    }
}

/// A part of a word that fits on a line.
struct Piece {
    text: String,
    columns: usize,
    /// Whether it continues the piece before it.
    goes_on: bool,
}

/// Returns a word in pieces that each fit on a line.
fn pieces(word: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for letter in word.graphemes(true) {
        let columns = columns_of(letter);
        match pieces.last_mut() {
            Some(last) if last.columns + columns <= COLUMNS => {
                last.text.push_str(letter);
                last.columns += columns;
            }
            last => {
                let goes_on = last.is_some();
                pieces.push(Piece { text: letter.to_owned(), columns, goes_on });
            }
        }
    }
    pieces
}

/// Returns the name of whoever says a word; `None` if no name is known.
fn speaker_of(voices: &mut Voices, start_ms: i32, end_ms: i32) -> Option<String> {
    // A word without length belongs to whoever speaks at that time.
    let until_ms = end_ms.max(start_ms.saturating_add(1));
    voices.longest_between(start_ms, until_ms).map(plain).filter(|name| !name.is_empty())
}

/// Returns a name on one line, without control characters.
fn plain(name: &str) -> String {
    let name: String = name.chars().filter(|letter| !letter.is_control() && !turns_direction(*letter)).collect();
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
