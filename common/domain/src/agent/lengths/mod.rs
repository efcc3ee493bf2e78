//! How long a film a brief asks for: numbers in figures and in words, and units of time.

use super::spans::{is_behind_span_word, is_measure, is_span, is_time_of_day, is_total};
use super::words::{Mark, Word};
use std::ops::Range;

/// The shortest film that is made, in seconds.
pub const SHORTEST_SECONDS: f64 = 2.0;
/// The longest film that is made, in seconds.
pub const LONGEST_SECONDS: f64 = 600.0;

/// Numbers in words.
const NUMBERS: &[(&str, f64)] = &[
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("dozen", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
];

/// Formats that look like a time.
const FORMATS: [&str; 6] = ["9:16", "9:18", "9:20", "9:21", "10:16", "16:10"];

/// A length among words.
struct Measure {
    seconds: f64,
    /// The seconds of its last unit.
    unit: f64,
    /// The place of the word after it.
    end: usize,
}

/// Returns the length that the words name, in seconds, and the words that name it: the one that is that of all, or else
/// the first one. A span of the past, of a source or of a scene is one only where there is no other, and where a film
/// can be as long.
pub fn length(words: &[Word]) -> Option<(f64, Range<usize>)> {
    let (mut place, mut first, mut span) = (0, None, None);
    while place < words.len() {
        let Some((seconds, range)) = length_at(words, place) else {
            place += 1;
            continue;
        };
        place = range.end;
        if is_total(words, range.end) {
            return Some((seconds, range));
        }
        if is_span(words, &range) {
            let is_possible = (SHORTEST_SECONDS..=LONGEST_SECONDS).contains(&seconds);
            span = span.or(Some((seconds, range)).filter(|_| is_possible));
        } else {
            first = first.or_else(|| corrected(words, &range).or(Some((seconds, range))));
        }
    }
    first.or(span)
}

/// Returns what is meant instead of a length that is negated: `not 20 seconds but 10`.
fn corrected(words: &[Word], length: &Range<usize>) -> Option<(f64, Range<usize>)> {
    let before = length.start.checked_sub(1).filter(|before| text(words, *before) == Some("not"))?;
    let after = Some(length.end + 1).filter(|_| text(words, length.end) == Some("but"))?;
    if let Some((seconds, range)) = length_at(words, after) {
        return Some((seconds, before..range.end));
    }
    let last = text(words, length.end - 1)?;
    let unit = unit(last).or_else(|| amounts_and_units(last).map(|(_, unit)| unit))?;
    let (amount, end) = amount(words, after)?;
    Some((amount * unit, before..end))
}

/// Whether a word is a length by itself, such as `30s`.
pub fn is_length(word: &str) -> bool {
    amounts_and_units(word).is_some()
}

fn text(words: &[Word], place: usize) -> Option<&str> {
    words.get(place).map(|word| word.text.as_str())
}

/// Returns the place after this word, or the same place if another word is there.
fn past(words: &[Word], place: usize, word: &str) -> usize {
    place + usize::from(text(words, place) == Some(word))
}

fn is_and_a_half(words: &[Word], place: usize) -> bool {
    let three = [text(words, place), text(words, place + 1), text(words, place + 2)];
    three == [Some("and"), Some("a"), Some("half")]
}

fn length_at(words: &[Word], start: usize) -> Option<(f64, Range<usize>)> {
    let first = text(words, start)?;
    if first.contains(':') {
        return Some((clock(first).filter(|_| !is_time_of_day(words, start))?, start..start + 1));
    }
    let Measure { mut seconds, mut unit, mut end } = measure(words, start)?;
    if is_measure(words, end) {
        return None;
    }
    // "A minute and a half".
    if is_and_a_half(words, end) {
        return Some((seconds + unit / 2.0, start..end + 3));
    }
    // "One minute 30 seconds", "an hour and twenty minutes". In "the last 24 hours, 30 seconds" they are two lengths.
    let within = if is_behind_span_word(words, start) { Mark::None } else { Mark::Comma };
    while let Some(more) = measure(words, past(words, end, "and")).filter(|more| more.unit < unit)
        && words.get(end).is_some_and(|word| word.mark == Mark::None || word.mark == within)
    {
        (seconds, unit, end) = (seconds + more.seconds, more.unit, more.end);
    }
    Some((seconds, start..end))
}

/// Returns the seconds of `1:30` or `1:00:00`. `4:3` and `16:10` are formats.
fn clock(word: &str) -> Option<f64> {
    let has_two = |part: &str| part.split('.').next().is_some_and(|whole| whole.len() == 2);
    if FORMATS.contains(&word) || !word.split(':').skip(1).all(has_two) {
        return None;
    }
    let parts = word.split(':').map(|part| part.parse().ok()).collect::<Option<Vec<f64>>>()?;
    (parts.len() <= 3).then(|| parts.iter().fold(0.0, |seconds, part| seconds * 60.0 + part))
}

/// Reads a number with its unit, or a part of a unit.
fn measure(words: &[Word], start: usize) -> Option<Measure> {
    if let Some((seconds, unit)) = text(words, start).and_then(amounts_and_units) {
        return Some(Measure { seconds, unit, end: start + 1 });
    }
    if let Some((part, after)) = part(words, start) {
        let after = past(words, after, "of");
        let after = after + usize::from(is_one(words, after));
        let unit = text(words, after).and_then(unit)?;
        return Some(Measure { seconds: part * unit, unit, end: after + 1 });
    }
    let (mut amount, mut after) = amount(words, start)?;
    if is_and_a_half(words, after) {
        (amount, after) = (amount + 0.5, after + 3);
    }
    // "A second film" is another film.
    let is_ordinal = is_one(words, start) && after == start + 1 && text(words, after) == Some("second");
    let unit = text(words, after).filter(|_| !is_ordinal).and_then(unit)?;
    Some(Measure { seconds: amount * unit, unit, end: after + 1 })
}

/// Whether the word at this place is `a` or `an`, which counts as one before what is counted.
fn is_one(words: &[Word], place: usize) -> bool {
    matches!(text(words, place), Some("a" | "an"))
}

/// Reads `half`, `a quarter` or `three quarters`.
fn part(words: &[Word], start: usize) -> Option<(f64, usize)> {
    match (text(words, start)?, text(words, start + 1)) {
        ("half", _) => Some((0.5, start + 1)),
        ("quarter", _) => Some((0.25, start + 1)),
        ("a", Some("quarter")) => Some((0.25, start + 2)),
        ("three", Some("quarters")) => Some((0.75, start + 2)),
        _ => None,
    }
}

/// Reads a number, and returns the place after it.
fn amount(words: &[Word], start: usize) -> Option<(f64, usize)> {
    if let Some(number) = text(words, start).and_then(figures) {
        return Some((number, start + 1));
    }
    let (number, end) = below_thousand(words, start)?;
    if text(words, end) != Some("thousand") {
        return Some((number, end));
    }
    let (more, end) = below_thousand(words, past(words, end + 1, "and")).unwrap_or((0.0, end + 1));
    Some((number * 1000.0 + more, end))
}

fn below_thousand(words: &[Word], start: usize) -> Option<(f64, usize)> {
    let (number, end) = if is_one(words, start) { (1.0, start + 1) } else { below_hundred(words, start)? };
    if text(words, end) == Some("dozen") {
        return Some((number * 12.0, end + 1));
    }
    if text(words, end) != Some("hundred") {
        return Some((number, end));
    }
    let (more, end) = below_hundred(words, past(words, end + 1, "and")).unwrap_or((0.0, end + 1));
    Some((number * 100.0 + more, end))
}

fn below_hundred(words: &[Word], start: usize) -> Option<(f64, usize)> {
    let number = named(text(words, start)?)?;
    let next = words.get(start + 1).filter(|next| number >= 20.0 && next.mark == Mark::None);
    match next.and_then(|next| named(&next.text)).filter(|ones| *ones < 10.0) {
        Some(ones) => Some((number + ones, start + 2)),
        None => Some((number, start + 1)),
    }
}

fn named(word: &str) -> Option<f64> {
    NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, number)| *number)
}

/// Returns the number that is written in figures. Three figures after each comma are thousands; one or two after a
/// single comma are a fraction.
fn figures(word: &str) -> Option<f64> {
    if !word.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let Some((whole, rest)) = word.split_once(',') else { return word.parse().ok() };
    let is_thousands = rest.split('.').next()?.split(',').all(|part| part.len() == 3);
    if is_thousands {
        return word.replace(',', "").parse().ok();
    }
    let is_fraction = rest.len() <= 2 && rest.chars().all(|figure| figure.is_ascii_digit());
    is_fraction.then(|| format!("{whole}.{rest}").parse().ok()).flatten()
}

/// Returns the seconds of a unit; `None` for other words.
fn unit(word: &str) -> Option<f64> {
    match word {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3600.0),
        _ => None,
    }
}

/// Whether a word names ten years: `1960s`.
fn is_decade(word: &str) -> bool {
    let is_number = |year: &str| year.chars().all(|figure| figure.is_ascii_digit());
    let is_year =
        |year: &str| year.len() == 4 && year.ends_with('0') && year.starts_with(['1', '2']) && is_number(year);
    word.strip_suffix('s').is_some_and(is_year)
}

/// Returns the seconds of a word such as `30s`, `2min` or `1m30s`, and those of its last unit.
fn amounts_and_units(word: &str) -> Option<(f64, f64)> {
    if is_decade(word) {
        return None;
    }
    let (mut rest, mut seconds, mut last) = (word, 0.0, f64::INFINITY);
    while !rest.is_empty() {
        let (amount, named) = rest.split_at(rest.find(char::is_alphabetic)?);
        let (name, after) = named.split_at(named.find(|letter: char| letter.is_ascii_digit()).unwrap_or(named.len()));
        let unit = unit(name).filter(|unit| *unit < last)?;
        (rest, seconds, last) = (after, seconds + figures(amount)? * unit, unit);
    }
    last.is_finite().then_some((seconds, last))
}

#[cfg(test)]
mod tests;
