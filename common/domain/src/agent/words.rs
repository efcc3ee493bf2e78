//! The words of a brief: which can be searched for, and how long a film they ask for.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// The shortest film that is made, in seconds.
pub const SHORTEST_SECONDS: f64 = 2.0;
/// The longest film that is made, in seconds.
pub const LONGEST_SECONDS: f64 = 600.0;

/// Words that can't be searched for: small words, and those about making films.
const SAY_NOTHING: &str = "\
    a about above across after again ahead all also an and any are around as at back be been before best both \
    but by can cinematic clip clips come continue could create cut cuts did do does edit edited end film films \
    find first footage for from get give go good great had has have he her here his how i if in instead into is \
    it its just keep last length let like long longer made make making material may me min mins minute minutes \
    moments more most movie must my nice now of ok okay on one only or our out over part parts piece please \
    proceed produce project put reel s scene scenes sec second seconds secs shall she short shorter shot shots \
    should show showing shows so some speak speaks such take talk talking talks tell tells than that the their \
    them then there these they this those through to too under us use using very video videos want was we were \
    what when where which who will with would yes you your";
/// The same words, each to be found without a look at the others: a brief may have hundreds of thousands.
static SAYS_NOTHING: LazyLock<HashSet<&str>> = LazyLock::new(|| SAY_NOTHING.split(' ').collect());

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
    ("twelve", 12.0),
    ("fifteen", 15.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("ninety", 90.0),
    ("a", 1.0),
    ("an", 1.0),
];

/// A word, and whether it begins a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its letters, in lower case.
    pub text: String,
    /// Whether it is the first word, or a punctuation mark stands before it.
    pub begins: bool,
}

/// Splits a text into words. `1.5` and `1:30` stay whole, and so do words with an apostrophe.
pub fn taken_apart(text: &str) -> Vec<Word> {
    let letters: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let (mut words, mut text, mut begins) = (Vec::new(), String::new(), true);
    for (place, letter) in letters.iter().copied().enumerate() {
        let next = letters.get(place + 1).copied();
        let in_number = matches!(letter, '.' | ':')
            && text.ends_with(|last: char| last.is_ascii_digit())
            && next.is_some_and(|next| next.is_ascii_digit());
        let in_word = matches!(letter, '\'' | '’') && next.is_some_and(char::is_alphanumeric) && !text.is_empty();
        if letter.is_alphanumeric() || in_number {
            text.push(letter);
            continue;
        }
        if in_word {
            text.push('\'');
            continue;
        }
        if !text.is_empty() {
            words.push(Word { text: std::mem::take(&mut text), begins });
            begins = false;
        }
        begins |= matches!(letter, ',' | ';' | '.' | '!' | '?' | ':' | '\n' | '(' | ')');
    }
    if !text.is_empty() {
        words.push(Word { text, begins });
    }
    words
}

/// Whether a word can be searched for: it may be seen or said in footage.
pub fn says_something(word: &str) -> bool {
    word.chars().count() > 1
        && word.chars().any(char::is_alphabetic)
        && !SAYS_NOTHING.contains(word)
        && amount_and_unit(word).is_none()
}

/// Returns a text without the marks on its letters: `é` becomes `e`.
pub fn unmarked(text: &str) -> String {
    text.nfd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).collect()
}

/// Whether two words in lower case and without marks are the same word: in the singular or the plural, or with `'s`.
pub fn is_same_word(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_end_matches("'s"), other.trim_end_matches("'s"));
    one == other || is_plural(one, other) || is_plural(other, one)
}

/// Whether `many` is the plural of `one`, which has two letters at least.
fn is_plural(many: &str, one: &str) -> bool {
    let ends_in_ies = |stem: &str| stem.strip_suffix("ie").is_some_and(|stem| one.strip_suffix('y') == Some(stem));
    let stem = many.strip_suffix('s').filter(|_| one.chars().nth(1).is_some());
    stem.is_some_and(|stem| stem == one || stem.strip_suffix('e') == Some(one) || ends_in_ies(stem))
}

/// Returns the first length that the words name, in seconds, and the words that name it.
pub fn length(words: &[Word]) -> Option<(f64, Range<usize>)> {
    (0..words.len()).find_map(|start| length_at(words, start))
}

fn length_at(words: &[Word], start: usize) -> Option<(f64, Range<usize>)> {
    let text = |place: usize| words.get(place).map(|word| word.text.as_str());
    let first = text(start)?;
    if let Some((minutes, seconds)) = first.split_once(':') {
        let (minutes, seconds): (f64, f64) = (minutes.parse().ok()?, seconds.parse().ok()?);
        return Some((minutes * 60.0 + seconds, start..start + 1));
    }
    let (seconds, end) = if let Some((amount, unit)) = amount_and_unit(first) {
        (amount * unit, start + 1)
    } else if first == "half" {
        let after = start + 1 + usize::from(matches!(text(start + 1), Some("a" | "an")));
        (0.5 * unit(text(after)?)?, after + 1)
    } else {
        (number(first)? * unit(text(start + 1)?)?, start + 2)
    };
    // "A minute and a half".
    let is_and_half = (text(end), text(end + 1), text(end + 2)) == (Some("and"), Some("a"), Some("half"));
    if is_and_half {
        let unit = if seconds >= 60.0 { 60.0 } else { 1.0 };
        return Some((seconds + unit / 2.0, start..end + 3));
    }
    // "One minute 30 seconds", "a minute and twenty seconds".
    let after = end + usize::from(text(end) == Some("and"));
    if seconds >= 60.0
        && let (Some(more), Some(1.0)) = (text(after).and_then(number), text(after + 1).and_then(unit))
    {
        return Some((seconds + more, start..after + 2));
    }
    Some((seconds, start..end))
}

fn number(word: &str) -> Option<f64> {
    let written = word.starts_with(|first: char| first.is_ascii_digit()).then(|| word.parse().ok()).flatten();
    written.or_else(|| NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, number)| *number))
}

/// Returns the seconds of a unit; `None` for other words.
fn unit(word: &str) -> Option<f64> {
    match word {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60.0),
        _ => None,
    }
}

/// Returns the number and the unit's seconds of a word such as `30s` or `2min`.
fn amount_and_unit(word: &str) -> Option<(f64, f64)> {
    let end = word.find(|letter: char| letter.is_alphabetic())?;
    let amount: f64 = word[..end].parse().ok()?;
    Some((amount, unit(&word[end..])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<f64> {
        length(&taken_apart(text)).map(|(seconds, _)| seconds)
    }

    #[test]
    fn a_length_is_understood_however_it_is_written() {
        for (text, wanted) in [
            ("A 30 second film about the river", 30.0),
            ("a 30-second film", 30.0),
            ("30s of it", 30.0),
            ("make it 1 minute, please", 60.0),
            ("half a minute about boats", 30.0),
            ("a minute and a half", 90.0),
            ("1.5 minutes", 90.0),
            ("exactly 1:30", 90.0),
            ("two minutes", 120.0),
            ("one minute 20 seconds", 80.0),
            ("twenty seconds", 20.0),
            ("2min", 120.0),
        ] {
            assert_eq!(seconds(text), Some(wanted), "{text}");
        }
        for text in ["a film about the river", "the second river", "3 boats", "half of the river", ""] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_word_is_the_same_in_the_plural_and_no_part_of_a_longer_one() {
        for (one, other) in
            [("boat", "boats"), ("bus", "buses"), ("pony", "ponies"), ("movie", "movies"), ("boat's", "boats")]
        {
            assert!(is_same_word(one, other) && is_same_word(other, one), "{one} {other}");
        }
        for (one, other) in
            [("art", "part"), ("art", "artful"), ("boat", "boating"), ("", "s"), ("a", "as"), ("car", "care")]
        {
            assert!(!is_same_word(one, other) && !is_same_word(other, one), "{one} {other}");
        }
        assert_eq!(unmarked("Café, cafe\u{301}, Ångström"), "Cafe, cafe, Angstrom");
    }

    #[test]
    fn a_word_is_not_looked_for_among_all_that_say_nothing() {
        let began = std::time::Instant::now();
        assert!((0..2_000_000).all(|_| !says_something("your")));
        assert!(began.elapsed() < std::time::Duration::from_secs(10), "{:?}", began.elapsed());
    }

    #[test]
    fn clauses_begin_behind_their_signs_and_numbers_stay_whole() {
        let words = taken_apart("Don't, 1.5 m.");
        let shown: Vec<(&str, bool)> = words.iter().map(|word| (word.text.as_str(), word.begins)).collect();
        assert_eq!(shown, [("don't", true), ("1.5", true), ("m", false)]);
    }
}
