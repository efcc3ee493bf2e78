//! Which lengths of a brief are no film's: `the last 24 hours`, `the 2 hour interview`. `lengths` has their tests.

use super::words::{Mark, Word};
use std::ops::Range;

/// Words before a span of the past, or of what is there: `the last 24 hours`, `the first 10 minutes`.
const BEFORE_SPANS: [&str; 6] = ["last", "past", "previous", "first", "final", "opening"];
/// Words before `last` where it is a verb: `it should last 30 seconds`.
const BEFORE_VERBS: [&str; 11] =
    ["it", "to", "should", "must", "will", "can", "could", "would", "shall", "may", "that"];
/// Words between `from` and a span: `from our 2 hours`.
const BEFORE_NOUNS: [&str; 9] = ["the", "this", "these", "those", "all", "my", "our", "your", "their"];
/// What is filmed or recorded: `the 2 hour interview` is a source.
const SOURCES: [&str; 22] = [
    "concert",
    "conference",
    "conversation",
    "debate",
    "footage",
    "interview",
    "interviews",
    "keynote",
    "lecture",
    "livestream",
    "material",
    "meeting",
    "panel",
    "podcast",
    "presentation",
    "recording",
    "recordings",
    "session",
    "speech",
    "stream",
    "talk",
    "webinar",
];
/// What is made of it: `a 30 second interview clip` is none.
const FILMS: [&str; 10] = ["clip", "cut", "edit", "film", "movie", "reel", "summary", "teaser", "trailer", "video"];

/// The parts of a film: `3 second scenes, 12 seconds in all`.
const SCENES: [&str; 6] = ["each", "scene", "scenes", "shot", "shots", "takes"];
/// What is measured in metres, or away from here: `20 m wide`, `5 minutes away`.
const MEASURES: [&str; 6] = ["away", "deep", "high", "tall", "thick", "wide"];

/// Whether the number before this place measures something else than a film.
pub fn is_measure(words: &[Word], place: usize) -> bool {
    here(words, place).is_some_and(|word| MEASURES.contains(&word))
}

/// Whether `1:30` at this place is a time of the day: `at 6:30 in the evening`.
pub fn is_time_of_day(words: &[Word], place: usize) -> bool {
    let behind = [here(words, place + 1), here(words, place + 2), here(words, place + 3)];
    let is_half = matches!(behind[0], Some("am" | "pm" | "o'clock"));
    let is_part = matches!(behind, [Some("in"), Some("the"), Some("morning" | "afternoon" | "evening")]);
    place_before(words, place, &["at"]).is_some() || is_half || is_part
}

/// Whether the length before this place is that of all the film: `12 seconds in all`.
pub fn is_total(words: &[Word], place: usize) -> bool {
    let behind = (here(words, place), here(words, place + 1));
    matches!(behind, (Some("in"), Some("all" | "total")) | (Some("altogether" | "overall" | "total"), _))
}

/// Returns the word at this place, if no mark is before it.
fn here(words: &[Word], place: usize) -> Option<&str> {
    words.get(place).filter(|word| word.mark == Mark::None).map(|word| word.text.as_str())
}

/// Whether a length is that of a time that is past, or of what there is to make a film of.
pub fn is_span(words: &[Word], length: &Range<usize>) -> bool {
    let has_from = || {
        let place = place_before(words, length.start, &BEFORE_NOUNS).unwrap_or(length.start);
        place_before(words, place, &["from"]).is_some()
    };
    is_behind_span_word(words, length.start) || has_from() || is_of_source(words, length.end)
}

/// Returns the place of the word before this one, in the same part of a sentence, if it is one of these.
fn place_before(words: &[Word], place: usize, among: &[&str]) -> Option<usize> {
    let before = place.checked_sub(1).filter(|_| words.get(place).is_some_and(|word| word.mark == Mark::None))?;
    words.get(before).is_some_and(|word| among.contains(&word.text.as_str())).then_some(before)
}

/// Whether a word such as `last` is before this place.
pub fn is_behind_span_word(words: &[Word], place: usize) -> bool {
    let Some(before) = place_before(words, place, &BEFORE_SPANS) else { return false };
    let is_last = words.get(before).is_some_and(|word| word.text == "last");
    !(is_last && place_before(words, before, &BEFORE_VERBS).is_some())
}

/// Whether `ago`, or the name of a source or of a part of a film, is at this place.
fn is_of_source(words: &[Word], place: usize) -> bool {
    let noun = place + usize::from(here(words, place) == Some("long"));
    let is_one = |place: usize, nouns: &[&str]| here(words, place).is_some_and(|word| nouns.contains(&word));
    let is_source = is_one(noun, &SOURCES) && !is_one(noun + 1, &FILMS);
    here(words, place) == Some("ago") || is_source || is_one(noun, &SCENES)
}
