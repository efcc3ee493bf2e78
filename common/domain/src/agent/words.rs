//! The words of a brief: which can be searched for, and which are the same word.

use std::collections::HashSet;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// Words that can't be searched for: small words, and those about making films.
const SAY_NOTHING: &str = "\
    a about above across add after again ago ahead all also an and any anybody anyone anything are around as at back \
    be been before best bit both but by can cinematic clip clips come continue could create cut cuts did do does \
    edit edited else end ever everybody everyone everything feature featuring fewer film films find first focus \
    footage for from get give go good great had has have he her here his hour hours how i if in include including \
    instead into is it its just keep last leave length less let like long longer made make making material may me \
    min mins minute minutes moments more most movie must my need needs nice nobody none nothing now of ok okay on \
    one only or our out over part parts piece please prefer proceed produce project put reel s scene scenes sec \
    second seconds secs see shall she short shorter shot shots should show showing shows so some something speak \
    speaks such take talk talking talks tell tells than thank thanks that the their them then there these they this \
    those through to too under us use using very video videos want was we were what when where which who will with \
    would yes you your";
/// The same words, each to be found without a look at the others: a brief may have hundreds of thousands.
static SAYS_NOTHING: LazyLock<HashSet<&str>> = LazyLock::new(|| SAY_NOTHING.split(' ').collect());

/// Nouns whose plural does not end as that of others, with it. Longer words may end in them.
const PLURALS: &[(&str, &str)] = &[
    ("cactus", "cacti"),
    ("calf", "calves"),
    ("child", "children"),
    ("dwarf", "dwarves"),
    ("elf", "elves"),
    ("foot", "feet"),
    ("fungus", "fungi"),
    ("goose", "geese"),
    ("half", "halves"),
    ("hoof", "hooves"),
    ("knife", "knives"),
    ("leaf", "leaves"),
    ("life", "lives"),
    ("loaf", "loaves"),
    ("louse", "lice"),
    ("man", "men"),
    ("mouse", "mice"),
    ("ox", "oxen"),
    ("person", "people"),
    ("persons", "people"),
    ("scarf", "scarves"),
    ("sheaf", "sheaves"),
    ("shelf", "shelves"),
    ("thief", "thieves"),
    ("tooth", "teeth"),
    ("wharf", "wharves"),
    ("wife", "wives"),
    ("wolf", "wolves"),
    ("woman", "women"),
];
/// The fewest letters before such a noun in a longer word: `fisherman`, but not `Oman`.
const FEWEST_LETTERS: usize = 3;

/// What stands between a word and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Nothing, or a sign that separates nothing.
    None,
    /// A comma.
    Comma,
    /// A colon or a line break, with the bullet behind it if there is one.
    Line,
    /// A question mark.
    Question,
    /// Another sign that ends what was said, or the text's beginning.
    Stop,
}

/// A word, and what stands before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its letters, in lower case.
    pub text: String,
    /// The mark before it.
    pub mark: Mark,
}

/// Splits a text into words. `1.5`, `1,5` and `1:30` stay whole, and so do words with an apostrophe. `-5` and the
/// `-free` of `boat-free` keep their sign, since it says something.
pub fn taken_apart(text: &str) -> Vec<Word> {
    let letters = plain(text);
    let (mut words, mut text, mut mark) = (Vec::new(), String::new(), Mark::Stop);
    for (place, letter) in letters.iter().copied().enumerate() {
        let last = place.checked_sub(1).and_then(|last| letters.get(last)).copied();
        let next = letters.get(place + 1).copied();
        let in_number = matches!(letter, '.' | ',' | ':')
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
            words.push(Word { text: std::mem::take(&mut text), mark });
            mark = Mark::None;
        }
        if is_sign_of_word(&letters, place) {
            text.push('-');
            continue;
        }
        let is_bullet = mark == Mark::Line && matches!(letter, '-' | '–' | '—' | '•' | '*');
        mark = if is_bullet { mark } else { mark.max(mark_of(letter, last, next)) };
    }
    if !text.is_empty() {
        words.push(Word { text, mark });
    }
    words
}

/// Returns the letters of a text in lower case, with figures of any width and fractions in plain figures.
fn plain(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = Vec::with_capacity(text.len());
    for letter in text.chars().flat_map(char::to_lowercase) {
        let fraction = match letter {
            '½' => ".5",
            '¼' => ".25",
            '¾' => ".75",
            '０'..='９' => {
                let figure = u32::from(letter) - u32::from('０');
                letters.extend(char::from_digit(figure, 10));
                continue;
            }
            _ => {
                letters.push(letter);
                continue;
            }
        };
        if !letters.last().is_some_and(char::is_ascii_digit) {
            letters.push('0');
        }
        letters.extend(fraction.chars());
    }
    letters
}

/// Whether the letter here is the sign of `-5`, or the hyphen of `boat-free`.
fn is_sign_of_word(letters: &[char], place: usize) -> bool {
    let is_letter = |place: usize| letters.get(place).is_some_and(|letter| letter.is_alphanumeric());
    let follows_letter = place.checked_sub(1).is_some_and(is_letter);
    let is_number = !follows_letter && letters.get(place + 1).is_some_and(char::is_ascii_digit);
    let is_free = || letters.iter().skip(place + 1).take(4).copied().eq("free".chars()) && !is_letter(place + 5);
    matches!(letters.get(place), Some('-' | '−')) && (is_number || follows_letter && is_free())
}

/// Returns the mark that a letter is, between these.
fn mark_of(letter: char, last: Option<char>, next: Option<char>) -> Mark {
    let is_blank = |letter: Option<char>| letter.is_none_or(char::is_whitespace);
    let is_figure = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    match letter {
        ';' | '.' | '!' | '(' | ')' | '[' | ']' | '•' => Mark::Stop,
        // "10–15 seconds" is one thing, as is a word with a hyphen.
        '–' | '—' if !(is_figure(last) && is_figure(next)) => Mark::Stop,
        '-' | '/' if is_blank(last) && is_blank(next) => Mark::Stop,
        '?' => Mark::Question,
        ':' | '\n' => Mark::Line,
        ',' => Mark::Comma,
        _ => Mark::None,
    }
}

/// Whether a word can be searched for: it may be seen or said in footage.
pub fn says_something(word: &str) -> bool {
    let is_word = word.chars().count() > 1 && !word.starts_with('-') && word.chars().any(char::is_alphabetic);
    is_word && !SAYS_NOTHING.contains(word)
}

/// Returns a text without the marks on its letters: `é` becomes `e`.
pub fn unmarked(text: &str) -> String {
    text.nfd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).collect()
}

/// Whether two words in lower case and without marks are the same word: in the singular or the plural, or with `'s`.
pub fn is_same_word(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_end_matches("'s"), other.trim_end_matches("'s"));
    let begin_alike = one.chars().next() == other.chars().next();
    let is_other_number = |one: &str, other: &str| other_number(one).as_deref() == Some(other);
    let is_in_another_number =
        || is_plural(one, other) || is_plural(other, one) || is_other_number(one, other) || is_other_number(other, one);
    one == other || begin_alike && is_in_another_number()
}

/// Returns the plural or the singular of a noun of `PLURALS`, or of one that ends in it.
pub fn other_number(word: &str) -> Option<String> {
    let stem = |end: &str| {
        let stem = word.strip_suffix(end)?;
        (stem.is_empty() || stem.chars().count() >= FEWEST_LETTERS).then_some(stem)
    };
    PLURALS.iter().find_map(|(one, many)| {
        let plural = stem(one).map(|stem| format!("{stem}{many}"));
        plural.or_else(|| stem(many).map(|stem| format!("{stem}{one}")))
    })
}

/// Whether `many` is the plural of `one`, which has two letters at least.
fn is_plural(many: &str, one: &str) -> bool {
    let ends_in_ies = |stem: &str| stem.strip_suffix("ie").is_some_and(|stem| one.strip_suffix('y') == Some(stem));
    let stem = many.strip_suffix('s').filter(|_| one.chars().nth(1).is_some());
    stem.is_some_and(|stem| stem == one || stem.strip_suffix('e') == Some(one) || ends_in_ies(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_in_the_plural_and_no_part_of_a_longer_one() {
        for (one, other) in [
            ("boat", "boats"),
            ("bus", "buses"),
            ("pony", "ponies"),
            ("movie", "movies"),
            ("boat's", "boats"),
            ("fisherman", "fishermen"),
            ("woman", "women's"),
            ("person", "people"),
            ("persons", "people"),
            ("grandchild", "grandchildren"),
            ("tooth", "teeth"),
            ("mouse", "mice"),
            ("leaf", "leaves"),
            ("knife", "knives"),
            ("wildlife", "wildlives"),
            ("bookshelf", "bookshelves"),
        ] {
            assert!(is_same_word(one, other) && is_same_word(other, one), "{one} {other}");
        }
        for (one, other) in [
            ("art", "part"),
            ("art", "artful"),
            ("boat", "boating"),
            ("", "s"),
            ("a", "as"),
            ("car", "care"),
            ("cafe", "caves"),
            ("oman", "omen"),
            ("man", "woman"),
            ("child", "grandchildren"),
        ] {
            assert!(!is_same_word(one, other) && !is_same_word(other, one), "{one} {other}");
        }
        assert_eq!(unmarked("Café, cafe\u{301}, Ångström"), "Cafe, cafe, Angstrom");
    }

    #[test]
    fn a_word_is_not_looked_for_among_all_that_say_nothing() {
        // A set finds a word without a look at the others; a list would be gone through for each word of a brief.
        let all: &HashSet<&str> = &SAYS_NOTHING;
        let listed: Vec<&str> = SAY_NOTHING.split(' ').collect();
        assert_eq!(all.len(), listed.len(), "each is there once");
        assert!(listed.iter().all(|word| all.contains(word) && !says_something(word)));
        assert!(says_something("river"));
    }

    #[test]
    fn clauses_begin_behind_their_signs_and_numbers_stay_whole() {
        let words = taken_apart("Don't, 1.5 m. 1,000 boats,3");
        let shown: Vec<(&str, Mark)> = words.iter().map(|word| (word.text.as_str(), word.mark)).collect();
        let after_stop = [("1,000", Mark::Stop), ("boats", Mark::None), ("3", Mark::Comma)];
        assert_eq!(shown[..3], [("don't", Mark::Stop), ("1.5", Mark::Comma), ("m", Mark::None)]);
        assert_eq!(shown[3..], after_stop);
        let marks = |text: &str| taken_apart(text).iter().map(|word| word.mark).collect::<Vec<_>>();
        assert_eq!(marks("a - b – c—d (e"), [Mark::Stop; 5], "dashes and brackets");
        assert_eq!(marks("a-b 10–15 and/or")[1..], [Mark::None; 5], "no dash");
        assert_eq!(marks("a:\n- b? c\n* d\n\n- e"), [Mark::Stop, Mark::Line, Mark::Question, Mark::Line, Mark::Line]);
        let texts = |text: &str| taken_apart(text).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        assert_eq!(
            texts("１５ s, 1½ m, ½ m, -5 s, 10-15, boat-free, freeze-freed"),
            texts("15 s, 1.5 m, 0.5 m, ") + " -5 s 10 15 boat -free freeze freed"
        );
    }
}
