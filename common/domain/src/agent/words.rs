//! The words of a brief: which can be searched for, and which are the same word.

use std::collections::HashSet;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// Words that can't be searched for: small words, and those about making films.
const SAY_NOTHING: &str = "\
    a about above across add after again ago ahead all also an and any are around as at back be been before best both \
    but by can cinematic clip clips come continue could create cut cuts did do does edit edited end feature featuring \
    film films find first focus footage for from get give go good great had has have he her here his hour hours how i \
    if in include including instead into is it its just keep last leave length let like long longer made make making \
    material may me min mins minute minutes moments more most movie must my nice now of ok okay on one only or our out \
    over part parts piece please prefer proceed produce project put reel s scene scenes sec second seconds secs see \
    shall she short shorter shot shots should show showing shows so some speak speaks such take talk talking talks \
    tell tells than that the their them then there these they this those through to too under us use using very video \
    videos want was we were what when where which who will with would yes you your";
/// The same words, each to be found without a look at the others: a brief may have hundreds of thousands.
static SAYS_NOTHING: LazyLock<HashSet<&str>> = LazyLock::new(|| SAY_NOTHING.split(' ').collect());

/// Nouns whose plural does not end as that of others, with it. Longer words may end in them.
const PLURALS: &[(&str, &str)] = &[
    ("calf", "calves"),
    ("child", "children"),
    ("dwarf", "dwarves"),
    ("elf", "elves"),
    ("foot", "feet"),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Nothing, or a sign that separates nothing.
    None,
    /// A comma.
    Comma,
    /// A sign that ends what was said, or the text's beginning.
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

/// Splits a text into words. `1.5`, `1,5` and `1:30` stay whole, and so do words with an apostrophe.
pub fn taken_apart(text: &str) -> Vec<Word> {
    let letters: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let (mut words, mut text, mut mark) = (Vec::new(), String::new(), Mark::Stop);
    for (place, letter) in letters.iter().copied().enumerate() {
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
        mark = match letter {
            ';' | '.' | '!' | '?' | ':' | '\n' | '(' | ')' => Mark::Stop,
            ',' if mark == Mark::None => Mark::Comma,
            _ => mark,
        };
    }
    if !text.is_empty() {
        words.push(Word { text, mark });
    }
    words
}

/// Whether a word can be searched for: it may be seen or said in footage.
pub fn says_something(word: &str) -> bool {
    word.chars().count() > 1 && word.chars().any(char::is_alphabetic) && !SAYS_NOTHING.contains(word)
}

/// Returns a text without the marks on its letters: `é` becomes `e`.
pub fn unmarked(text: &str) -> String {
    text.nfd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).collect()
}

/// Whether two words in lower case and without marks are the same word: in the singular or the plural, or with `'s`.
pub fn is_same_word(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_end_matches("'s"), other.trim_end_matches("'s"));
    let begin_alike = one.chars().next() == other.chars().next();
    let is_in_another_number =
        || is_plural(one, other) || is_plural(other, one) || other_number(one).as_deref() == Some(other);
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
    }
}
