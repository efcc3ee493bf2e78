//! Makes segments of a transcript, with the speakers of a speakers read. Times are in microseconds.
//!
//! A segment is what one speaker says without a pause, and not much longer than a breath. Its translation is spoken in
//! the same time, so long segments would drift and short ones would be torn out of their sentence.

use super::{Dub, Language, ONE_SPEAKER, Segment, one_line, usual_voice};
use crate::comment::is_blank;
use crate::ids::ItemId;
use crate::timeline::Micros;
use serde_json::Value;
use std::collections::HashMap;

/// A pause that ends a segment.
const PAUSE: i64 = 600_000;
/// A pause that ends a segment of at least `LONG`.
const SHORT_PAUSE: i64 = 200_000;
const LONG: i64 = 8_000_000;
/// A segment ends before the next word once it is as long as this, or would have so many characters.
const LONGEST: i64 = 15_000_000;
const MOST_CHARACTERS: usize = 300;
/// A shorter segment is lengthened to this, up to the next one.
const LEAST: i64 = 300_000;

/// A word of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidWord {
    /// The word.
    pub word: String,
    /// Its start in the item.
    pub start: Micros,
    /// Its end in the item.
    pub end: Micros,
}

/// A stretch in which one speaker speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidTurn {
    /// The speaker's name.
    pub speaker: String,
    /// Its start in the item.
    pub start: Micros,
    /// Its end in the item.
    pub end: Micros,
}

/// A stored `transcript` read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Its words.
    pub words: Vec<SaidWord>,
    /// The tag of its language, if it names one.
    pub language: Option<String>,
}

/// Returns the words and the language of a stored `transcript` read; `None` if it is no such read.
pub fn words_of(read: &Value) -> Option<Transcript> {
    let words = read["data"]["words"].as_array()?;
    let words = words.iter().filter_map(|one| {
        let (start, end) = (micros(&one["start"])?, micros(&one["end"])?);
        Some(SaidWord { word: one["word"].as_str()?.to_owned(), start, end })
    });
    let language = read["data"]["language"].as_str().map(str::to_owned);
    Some(Transcript { words: words.collect(), language })
}

/// Returns the turns of a stored `speakers` read; `None` if it is no such read.
pub fn turns_of(read: &Value) -> Option<Vec<SaidTurn>> {
    let turns = read["data"]["segments"].as_array()?;
    let turns = turns.iter().filter_map(|one| {
        let speaker = one["speaker"].as_str()?.to_owned();
        Some(SaidTurn { speaker, start: micros(&one["start"])?, end: micros(&one["end"])? })
    });
    Some(turns.collect())
}

fn micros(seconds: &Value) -> Option<Micros> {
    serde_json::from_value(seconds.clone()).ok()
}

/// An item, and the results of the reads of its speech.
#[derive(Debug, Clone, Copy)]
pub struct Recording<'a> {
    /// The item.
    pub item: ItemId,
    /// Its duration.
    pub duration: Micros,
    /// The spoken language.
    pub language: &'a Language,
    /// The words, in the order of their starts.
    pub words: &'a [SaidWord],
    /// The speakers' turns, in the order of their starts.
    pub turns: &'a [SaidTurn],
}

/// Returns a dub of what is said in an item, still to be translated into the `target` language.
pub fn said(recording: Recording<'_>, target: &Language) -> Dub {
    let Recording { item, duration, language, words, turns } = recording;
    let mut segments: Vec<Segment> = Vec::new();
    let mut turn = 0;
    for word in words.iter().filter(|word| word.start >= Micros::ZERO && word.start < duration) {
        let text = one_line(&word.word);
        // A provider would be paid to translate what is blank.
        if is_blank(&text) {
            continue;
        }
        let speaker = speaker_of(word, turns, &mut turn);
        let end = Micros(word.end.0.clamp(word.start.0, duration.0));
        match segments.last_mut().filter(|last| goes_on(last, word, speaker)) {
            Some(last) => {
                let source = last.source.get_or_insert_default();
                source.push(' ');
                source.push_str(&text);
                last.end = last.end.max(end);
            }
            None => segments.push(Segment {
                id: String::new(),
                start: word.start,
                end,
                speaker: speaker.to_owned(),
                source: Some(text),
                translation: String::new(),
                voice: String::new(),
            }),
        }
    }
    let mut dub = Dub {
        source: item,
        timeline: None,
        source_language: Some(language.clone()),
        target_language: target.clone(),
        keep_background: false,
        segments,
    };
    spaced(&mut dub.segments, duration);
    voiced(&mut dub);
    dub
}

/// Returns the speaker of a word: whose turn has its middle or is nearest to it. Turns and words must come in order.
fn speaker_of<'a>(word: &SaidWord, turns: &'a [SaidTurn], turn: &mut usize) -> &'a str {
    let middle = i64::midpoint(word.start.0, word.end.0);
    while turns.get(*turn).is_some_and(|one| one.end.0 <= middle) && *turn + 1 < turns.len() {
        *turn += 1;
    }
    let here = turns.get(*turn);
    let before = turn.checked_sub(1).and_then(|before| turns.get(before));
    let away = |one: &SaidTurn| (one.start.0 - middle).max(middle - one.end.0).max(0);
    match (before, here) {
        (Some(before), Some(here)) if away(before) < away(here) => &before.speaker,
        (_, Some(here)) => &here.speaker,
        _ => ONE_SPEAKER,
    }
}

/// Whether a word belongs to the segment before it.
fn goes_on(last: &Segment, word: &SaidWord, speaker: &str) -> bool {
    let (pause, len) = (word.start.0 - last.end.0, last.span().0);
    let text = last.source.as_deref().unwrap_or_default();
    let ended = text.ends_with(['.', '!', '?', '\u{2026}', '\u{3002}']);
    let long = text.chars().count() + word.word.chars().count() >= MOST_CHARACTERS;
    let breath = len >= LONG && pause >= SHORT_PAUSE;
    last.speaker == speaker && pause < PAUSE && len < LONGEST && !long && !ended && !breath
}

/// Lengthens short segments into free time, shortens those that overlap, and drops those that are still too short.
fn spaced(segments: &mut Vec<Segment>, duration: Micros) {
    segments.sort_by_key(|segment| segment.start);
    for place in 0..segments.len() {
        let next = segments.get(place + 1).map_or(duration, |next| next.start);
        let segment = &mut segments[place];
        let end = segment.end.0.max(segment.start.0 + LEAST);
        segment.end = Micros(end.min(next.0.max(segment.start.0)));
    }
    segments.retain(|segment| segment.span() >= super::SHORTEST);
}

/// Gives each speaker a default voice.
fn voiced(dub: &mut Dub) {
    let mut voices: HashMap<String, String> = HashMap::new();
    for segment in &mut dub.segments {
        let number = voices.len();
        let voice = voices.entry(segment.speaker.clone()).or_insert_with(|| usual_voice(&dub.target_language, number));
        segment.voice.clone_from(voice);
    }
}
