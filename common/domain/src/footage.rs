//! What is seen and said in an item, as the rows that a read's finish writes, and the one rule by which they are joined
//! (docs/reads.md, "The stored result").
//!
//! `search_index` gives moments and what is written in them, `transcript` passages of words, `speakers` turns. Each
//! read's rows are its own alone; who says what in which moment is worked out when somebody reads it, so that the order
//! in which reads ended can't show. Neighbours: `store::footage` keeps the rows, `domain::search` finds words in them.

use crate::read::Read;
use serde_json::Value;

/// Words a passage has of its own: some twenty seconds of talk.
const OWN_WORDS: usize = 50;
/// Words that it has of the passages after it. A phrase of up to so many is found across any border.
const MORE_WORDS: usize = 25;
/// Characters of a word that are kept for the search: what is longer is no word.
const WORD_CHARS: usize = 64;

/// A word that is said. Its text has no white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// As the engine wrote it.
    pub word: String,
    /// Where it begins, in milliseconds from the media's start.
    pub start_ms: i32,
    /// Where it ends.
    pub end_ms: i32,
}

/// Some of the words of a transcript, or those of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its own words, and then the first of those after it, with one space between any two.
    pub text: String,
    /// How many are its own; at least one.
    pub own_words: usize,
    /// When each word begins and ends, in milliseconds.
    pub times: Vec<(i32, i32)>,
}

/// A shot of a video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Its place in the video, from 1.
    pub number: i32,
    /// Where it begins, in milliseconds.
    pub start_ms: i32,
    /// Where it ends.
    pub end_ms: i32,
    /// The key of its still in the media store, where there is one.
    pub thumbnail_key: Option<String>,
}

/// One voice's turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Where it begins, in milliseconds.
    pub start_ms: i32,
    /// Where it ends.
    pub end_ms: i32,
    /// Who speaks.
    pub speaker: String,
}

/// The rows of one stored read. Reads that are not joined have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Of a `search_index`.
    pub moments: Vec<Moment>,
    /// What is written in its pictures: a passage for each, whose words last as long as the picture stands.
    pub written: Vec<Passage>,
    /// Of a `transcript`.
    pub passages: Vec<Passage>,
    /// Of a `speakers`.
    pub turns: Vec<Turn>,
}

impl Rows {
    /// The rows of a read with this `data`. What a reader wrote otherwise than agreed is left out.
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

/// What is written in a picture; nothing where there are no words.
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
        // A server may write several words as one: they have its time in common.
        let parts = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|part| !part.is_empty());
        words.extend(parts.map(|part| Said { word: part.chars().take(WORD_CHARS).collect(), start_ms, end_ms }));
    }
    words.sort_by_key(|word| word.start_ms);
    words
}

fn turn(one: &Value) -> Option<Turn> {
    let (start_ms, end_ms) = span(one)?;
    let speaker: String = one.get("speaker")?.as_str()?.chars().filter(|c| !c.is_control()).take(WORD_CHARS).collect();
    Some(Turn { start_ms, end_ms, speaker })
}

/// `start` and `end` of seconds in milliseconds, in their order.
fn span(one: &Value) -> Option<(i32, i32)> {
    let at = |name: &str| Some(milliseconds(one.get(name)?.as_f64()?));
    let (start_ms, end_ms) = (at("start")?, at("end")?);
    Some((start_ms, end_ms.max(start_ms)))
}

/// Seconds as whole milliseconds.
#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates, and no media lasts 24 days")]
pub fn milliseconds(seconds: f64) -> i32 {
    (seconds.max(0.0) * 1000.0).round() as i32
}

/// Milliseconds as seconds.
pub fn seconds(milliseconds: i32) -> f64 {
    f64::from(milliseconds) / 1000.0
}

/// Words, in their order, as passages.
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
    /// All of its words with their times.
    pub fn words(&self) -> impl Iterator<Item = Said> {
        let timed = self.text.split(' ').zip(&self.times);
        timed.map(|(word, &(start_ms, end_ms))| Said { word: word.to_owned(), start_ms, end_ms })
    }
}

/// What is said in each moment: the words that begin in it. What is said after the last moment's end is its.
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
#[path = "footage_tests.rs"]
mod tests;
