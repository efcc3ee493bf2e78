//! What is seen and said in an item, as the rows that are stored when a read ends, and how these are joined
//! (docs/reads.md, "The stored result").
//!
//! `search_index` has moments and the text in them, `transcript` passages of words, `speakers` turns. Each read writes
//! only its own rows; who says what in which moment is computed when somebody asks, so the order in which reads end
//! does not matter. Neighbours: `store::footage` stores the rows, `domain::search` finds words in them.

use crate::read::Read;
use serde_json::Value;

/// The most own words of a passage: some twenty seconds of talk.
const OWN_WORDS: usize = 50;
/// Words of the next passages that a passage repeats, so that phrases of that length are found across any border.
const MORE_WORDS: usize = 25;
/// The most characters of a word that are stored; longer ones are no words.
const WORD_CHARS: usize = 64;

/// A spoken word. Its text has no white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The word as the engine wrote it.
    pub word: String,
    /// Its start in milliseconds from the media's start.
    pub start_ms: i32,
    /// Its end in milliseconds.
    pub end_ms: i32,
}

/// A passage: some words of a transcript, or those in a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its own words, and then the first ones after them, with single spaces in between.
    pub text: String,
    /// The number of its own words, at least one.
    pub own_words: usize,
    /// Start and end of each word, in milliseconds.
    pub times: Vec<(i32, i32)>,
}

/// A shot of a video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Its number in the video, from 1.
    pub number: i32,
    /// Its start in milliseconds.
    pub start_ms: i32,
    /// Its end in milliseconds.
    pub end_ms: i32,
    /// The key of its still in the media store, if it has one.
    pub thumbnail_key: Option<String>,
}

/// A stretch in which one speaker speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeakerTurn {
    /// Its start in milliseconds.
    pub start_ms: i32,
    /// Its end in milliseconds.
    pub end_ms: i32,
    /// The speaker's name.
    pub speaker: String,
}

/// The rows of one stored read; empty for reads that are not joined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// The shots, from a `search_index`.
    pub moments: Vec<Moment>,
    /// The text in the pictures, from a `search_index`: a passage per picture, whose words last as long as it is shown.
    pub written: Vec<Passage>,
    /// The words, from a `transcript`.
    pub passages: Vec<Passage>,
    /// The turns, from a `speakers` read.
    pub turns: Vec<SpeakerTurn>,
}

impl Rows {
    /// Returns the rows of a read with this `data`. Malformed entries are left out.
    pub fn of(read: Read, data: &Value) -> Self {
        let list = |name: &str| data.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut rows = Self::default();
        match read {
            Read::SearchIndex => {
                rows.moments = moments(list("moments"));
                rows.written = list("written").iter().filter_map(written).collect();
            }
            Read::Transcript => rows.passages = passages(&words(list("words"))),
            Read::Speakers => rows.turns = list("segments").iter().filter_map(turn).collect(),
            Read::Speech | Read::Beats | Read::Levels => {}
        }
        rows
    }
}

fn moments(listed: &[Value]) -> Vec<Moment> {
    let mut moments: Vec<Moment> = Vec::with_capacity(listed.len());
    for one in listed {
        let Some((start_ms, end_ms)) = span(one) else { continue };
        if moments.last().is_some_and(|last| start_ms <= last.start_ms) {
            continue;
        }
        let thumbnail_key = one.get("thumbnail").and_then(Value::as_str).map(str::to_owned);
        let number = i32::try_from(moments.len() + 1).unwrap_or(i32::MAX);
        moments.push(Moment { number, start_ms, end_ms, thumbnail_key });
    }
    moments
}

/// Returns the text in a picture; `None` if it has no words.
fn written(one: &Value) -> Option<Passage> {
    let time = span(one)?;
    let clean = |word: &str| word.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(WORD_CHARS).collect();
    let texts = one.get("words")?.as_array()?.iter().filter_map(|word| word.get("text")?.as_str());
    let words: Vec<String> = texts.map(clean).filter(|word: &String| !word.is_empty()).collect();
    let passage = Passage { text: words.join(" "), own_words: words.len(), times: vec![time; words.len()] };
    (!words.is_empty()).then_some(passage)
}

fn words(listed: &[Value]) -> Vec<Said> {
    let mut words: Vec<Said> = Vec::with_capacity(listed.len());
    for one in listed {
        let (Some(text), Some((start_ms, end_ms))) = (one.get("word").and_then(Value::as_str), span(one)) else {
            continue;
        };
        // A server may return several words as one; each then has the time of all.
        let parts = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|part| !part.is_empty());
        words.extend(parts.map(|part| Said { word: part.chars().take(WORD_CHARS).collect(), start_ms, end_ms }));
    }
    words.sort_by_key(|word| word.start_ms);
    words
}

fn turn(one: &Value) -> Option<SpeakerTurn> {
    let (start_ms, end_ms) = span(one)?;
    let speaker: String = one.get("speaker")?.as_str()?.chars().filter(|c| !c.is_control()).take(WORD_CHARS).collect();
    Some(SpeakerTurn { start_ms, end_ms, speaker })
}

/// Returns `start` and `end` in milliseconds, from seconds; the end is not before the start.
fn span(one: &Value) -> Option<(i32, i32)> {
    let at = |name: &str| Some(milliseconds(one.get(name)?.as_f64()?));
    let (start_ms, end_ms) = (at("start")?, at("end")?);
    Some((start_ms, end_ms.max(start_ms)))
}

/// Converts seconds to whole milliseconds.
#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates, and no media lasts 24 days")]
pub fn milliseconds(seconds: f64) -> i32 {
    (seconds.max(0.0) * 1000.0).round() as i32
}

/// Converts milliseconds to seconds.
pub fn seconds(milliseconds: i32) -> f64 {
    f64::from(milliseconds) / 1000.0
}

/// Returns the passages of these words, which are in order.
pub fn passages(words: &[Said]) -> Vec<Passage> {
    let starts = (0..words.len()).step_by(OWN_WORDS);
    starts
        .map(|start| {
            let own_words = OWN_WORDS.min(words.len() - start);
            let all = words.iter().skip(start).take(OWN_WORDS + MORE_WORDS);
            let text: Vec<&str> = all.clone().map(|word| word.word.as_str()).collect();
            Passage { text: text.join(" "), own_words, times: all.map(|word| (word.start_ms, word.end_ms)).collect() }
        })
        .collect()
}

impl Passage {
    /// Returns all words of its text, with their times.
    pub fn words(&self) -> impl Iterator<Item = Said> {
        let timed = self.text.split(' ').zip(&self.times);
        timed.map(|(word, &(start_ms, end_ms))| Said { word: word.to_owned(), start_ms, end_ms })
    }
}

/// Returns what is written in a moment's pictures: the passages that are shown while it lasts.
pub fn written_in<'a>(moment: &Moment, written: &'a [Passage]) -> impl Iterator<Item = &'a str> {
    let (start_ms, end_ms) = (moment.start_ms, moment.end_ms);
    let is_in = move |passage: &&Passage| {
        let shown = passage.times.first();
        shown.is_some_and(|&(from, until)| from < end_ms && (until > start_ms || from >= start_ms))
    };
    written.iter().filter(is_in).map(|passage| passage.text.as_str())
}

/// Returns the text of each moment: the words that start in it. The last moment has all words after it too.
pub fn texts(moments: &[Moment], passages: &[Passage]) -> Vec<String> {
    let words = passages.iter().flat_map(|passage| passage.words().take(passage.own_words));
    let mut words = words.peekable();
    let last = moments.len().saturating_sub(1);
    moments
        .iter()
        .enumerate()
        .map(|(place, moment)| {
            let mut said: Vec<String> = Vec::new();
            while let Some(word) = words.next_if(|word| word.start_ms < moment.end_ms || place == last) {
                said.push(word.word);
            }
            said.join(" ")
        })
        .collect()
}

#[cfg(test)]
mod tests;
