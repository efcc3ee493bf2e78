//! Bounds of a length: `at most 30 seconds`, `30 seconds or more`. `wishes` has their tests.

use super::words::{Mark, Word};
use std::ops::Range;

/// What a length bounds; a negation before it turns it around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The film is as long at most.
    Most,
    /// The film is as long at least.
    Least,
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

/// Returns what the length in these words bounds, if it does, and the length with the words that say so.
pub fn bound(words: &[Word], length: &Range<usize>) -> (Option<Bound>, Range<usize>) {
    let before = |phrases: &[&[&str]]| phrases.iter().find_map(|phrase| begin_before(words, length.start, phrase));
    let behind = |phrases: &[&[&str]]| phrases.iter().find_map(|phrase| end_behind(words, length.end, phrase));
    let start = of_either(before(BEFORE_MOST), before(BEFORE_LEAST));
    let end = of_either(behind(BEHIND_MOST), behind(BEHIND_LEAST));
    let range = start.map_or(length.start, |(_, place)| place)..end.map_or(length.end, |(_, place)| place);
    (start.or(end).map(|(bound, _)| bound), range)
}

fn of_either(most: Option<usize>, least: Option<usize>) -> Option<(Bound, usize)> {
    most.map(|place| (Bound::Most, place)).or(least.map(|place| (Bound::Least, place)))
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
