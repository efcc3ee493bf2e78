//! How a length is meant: as a bound (`at most 30 seconds`, `30 seconds or more`) or as a change (`5 seconds longer`,
//! `twice as long`). `wishes` has their tests.

use super::words::{Mark, Word};
use std::ops::Range;

/// How a length is meant, where it is not the film's; a negation before it turns it around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The film is as long at most.
    Most,
    /// The film is as long at least.
    Least,
    /// The film gets longer by it.
    Longer,
    /// The film gets shorter by it.
    Shorter,
    /// The film's length is multiplied by it.
    Times,
}

/// Words before a length that is the most.
const BEFORE_MOST: &[&[&str]] = &[
    &["at", "most"],
    &["up", "to"],
    &["under"],
    &["below"],
    &["within"],
    &["max"],
    &["max", "of"],
    &["maximum"],
    &["maximum", "of"],
    &["less", "than"],
    &["fewer", "than"],
    &["shorter", "than"],
];
/// Words before a length that is the least.
const BEFORE_LEAST: &[&[&str]] = &[
    &["at", "least"],
    &["run", "over"],
    &["running", "over"],
    &["going", "over"],
    &["over"],
    &["above"],
    &["exceed"],
    &["exceeding"],
    &["min"],
    &["min", "of"],
    &["minimum"],
    &["minimum", "of"],
    &["more", "than"],
    &["longer", "than"],
];
/// Words behind a length that is the most.
const BEHIND_MOST: &[&[&str]] =
    &[&["at", "most"], &["max"], &["maximum"], &["tops"], &["or", "less"], &["or", "shorter"], &["or", "under"]];
/// Words behind a length that is the least.
const BEHIND_LEAST: &[&[&str]] =
    &[&["at", "least"], &["min"], &["minimum"], &["or", "more"], &["or", "longer"], &["or", "over"]];

/// Words before a length by which a film gets longer.
const BEFORE_LONGER: &[&[&str]] =
    &[&["add"], &["another"], &["longer", "by"], &["extend", "it", "by"], &["extend", "by"], &["lengthen", "it", "by"]];
/// Words before a length by which a film gets shorter.
const BEFORE_SHORTER: &[&[&str]] = &[
    &["cut"],
    &["cut", "off"],
    &["trim"],
    &["trim", "off"],
    &["shorter", "by"],
    &["shorten", "it", "by"],
    &["shorten", "by"],
    &["cut", "it", "by"],
];
/// Words behind a length by which a film gets longer.
const BEHIND_LONGER: &[&[&str]] = &[&["longer"]];
/// Words behind a length by which a film gets shorter.
const BEHIND_SHORTER: &[&[&str]] = &[&["shorter"]];
/// Words between those and the length: `no longer than about 15 seconds`.
const ROUGHLY: [&str; 6] = ["about", "approximately", "around", "circa", "roughly", "some"];
/// Words that multiply a film's length.
const FACTORS: &[(&[&str], f64)] = &[
    (&["twice", "as", "long"], 2.0),
    (&["double", "the", "length"], 2.0),
    (&["twice", "the", "length"], 2.0),
    (&["half", "as", "long"], 0.5),
    (&["half", "the", "length"], 0.5),
];

/// Returns the factor by which the film's length changes, and the words that say so.
pub fn factor(words: &[Word]) -> Option<(f64, Range<usize>)> {
    let here = |place: usize| {
        let named = FACTORS.iter().find(|(phrase, _)| are_these(words, place, phrase))?;
        is_joined(words, place + 1, named.0.len() - 1).then_some((named.1, place..place + named.0.len()))
    };
    (0..words.len()).find_map(here)
}

/// Returns what the length in these words bounds, if it does, and the length with the words that say so.
pub fn bound(words: &[Word], length: &Range<usize>) -> (Option<Bound>, Range<usize>) {
    let is_rough = |before: &usize| words.get(*before).is_some_and(|word| ROUGHLY.contains(&word.text.as_str()));
    let is_joined = words.get(length.start).is_some_and(|word| word.mark == Mark::None);
    let begin = length.start.checked_sub(1).filter(|before| is_joined && is_rough(before)).unwrap_or(length.start);
    let before = |phrases: &[&[&str]]| phrases.iter().find_map(|phrase| begin_before(words, begin, phrase));
    let behind = |phrases: &[&[&str]]| phrases.iter().find_map(|phrase| end_behind(words, length.end, phrase));
    let first = |bounds: [(Bound, Option<usize>); 4]| {
        bounds.into_iter().find_map(|(bound, place)| place.map(|place| (bound, place)))
    };
    let start = first([
        (Bound::Most, before(BEFORE_MOST)),
        (Bound::Least, before(BEFORE_LEAST)),
        (Bound::Longer, before(BEFORE_LONGER)),
        (Bound::Shorter, before(BEFORE_SHORTER)),
    ]);
    let end = first([
        (Bound::Most, behind(BEHIND_MOST)),
        (Bound::Least, behind(BEHIND_LEAST)),
        (Bound::Longer, behind(BEHIND_LONGER)),
        (Bound::Shorter, behind(BEHIND_SHORTER)),
    ]);
    let range = start.map_or(length.start, |(_, place)| place)..end.map_or(length.end, |(_, place)| place);
    (start.or(end).map(|(bound, _)| bound), range)
}

/// Returns the place of these words, if they are right before `place`.
fn begin_before(words: &[Word], place: usize, phrase: &[&str]) -> Option<usize> {
    let begin = place.checked_sub(phrase.len())?;
    // What separates the first of them from the words before it separates none of them.
    (are_these(words, begin, phrase) && is_joined(words, begin + 1, phrase.len())).then_some(begin)
}

/// Returns the place after these words, if they are at `place`.
fn end_behind(words: &[Word], place: usize, phrase: &[&str]) -> Option<usize> {
    (are_these(words, place, phrase) && is_joined(words, place, phrase.len())).then_some(place + phrase.len())
}

fn are_these(words: &[Word], place: usize, phrase: &[&str]) -> bool {
    let here = words.iter().skip(place).map(|word| word.text.as_str());
    here.take(phrase.len()).eq(phrase.iter().copied())
}

/// Whether none of so many words from this place on has a mark before it.
fn is_joined(words: &[Word], place: usize, many: usize) -> bool {
    words.iter().skip(place).take(many).all(|word| word.mark == Mark::None)
}
