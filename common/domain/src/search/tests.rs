//! Tests of `search`: where a query is said, and how well that fits.

use super::query::plain;
use super::*;
use proptest::prelude::*;

/// A dictionary as simple as may be: no common words, and one plural.
fn term(word: &str) -> Term {
    let word_plain = plain(word);
    let common = ["the", "about", "is", "of", "it"].contains(&word_plain.as_str());
    let lexeme = if common { "" } else { word_plain.strip_suffix('s').unwrap_or(&word_plain) };
    Term::new(word, lexeme)
}

fn find(query: &str, said: &str, own: usize, fit: Fit) -> Option<Spoken> {
    all(query, said, own, fit).into_iter().next()
}

fn asked(query: &str) -> Asked {
    let lexemes: Vec<String> = words(query).iter().map(|word| term(word).lexeme).collect();
    Asked::new(query, &lexemes)
}

fn all(query: &str, said: &str, own: usize, fit: Fit) -> Vec<Spoken> {
    let words: Vec<Said> = said
        .split(' ')
        .zip(0..)
        .map(|(word, n)| Said { word: word.to_owned(), start_ms: n * 100, end_ms: n * 100 + 90 })
        .collect();
    let heard: Vec<Term> = words.iter().map(|word| term(&word.word)).collect();
    narrow(&mut Judged::by(&asked(query), fit), &words, &heard, own)
}

fn range(found: &Spoken) -> (i32, i32) {
    (found.start_ms, found.end_ms)
}

const TALK: &str = "Then let us look for the part about the river. A part of it is cold";

#[test]
fn a_phrase_is_narrowed_to_its_words_the_common_ones_included() {
    let found = find("the part about the river", TALK, 16, Fit::Exact).unwrap();
    assert_eq!((range(&found), found.score), ((500, 990), 1.0));
    assert_eq!(found.text, TALK);
    let apart = find("part cold", TALK, 16, Fit::Exact).unwrap();
    assert_eq!(range(&apart), (1_100, 1_590), "the nearer of two parts");
    assert!(apart.score > 0.5 && apart.score < 1.0, "{}", apart.score);
    assert_eq!(range(&find("rivers", TALK, 16, Fit::Exact).unwrap()), (900, 990), "by its lexeme");
}

#[test]
fn what_begins_after_a_passage_s_own_words_is_left_to_the_next_one() {
    assert!(find("river", TALK, 9, Fit::Exact).is_none());
    assert_eq!(range(&find("part river", TALK, 9, Fit::Exact).unwrap()), (600, 990), "it ends where it ends");
}

#[test]
fn a_word_that_the_index_takes_apart_is_found_by_any_of_its_parts() {
    let words = [("we", "we"), ("rock'n'roll", "rock roll"), ("on", "")];
    let said: Vec<Said> =
        words.iter().zip(0..).map(|((word, _), n)| Said { word: (*word).to_owned(), start_ms: n, end_ms: n }).collect();
    let heard = words.map(|(word, lexeme)| Term::new(word, lexeme));
    let at = |word: &str, lexeme: &str| {
        let found = narrow(&mut Judged::by(&Asked::new(word, &[lexeme.to_owned()]), Fit::Exact), &said, &heard, 3);
        found.iter().map(|found| (found.start_ms, found.score)).collect::<Vec<_>>()
    };
    assert_eq!(at("rock", "rock"), [(1, 1.0)]);
    assert_eq!(at("rocknrolling", "rocknrol"), [(0, 0.5)], "it is there, and no more is known");
}

#[test]
fn what_is_said_several_times_is_found_each_time_and_what_overlaps_once() {
    let ranges = |query: &str, said: &str, fit| all(query, said, 99, fit).iter().map(range).collect::<Vec<_>>();
    let twice = "cold river then quite a lot of other words and a river again";
    assert_eq!(ranges("river", twice, Fit::Exact), [(100, 190), (1_100, 1_190)]);
    assert_eq!(ranges("rivver", twice, Fit::Alike), [(100, 190), (1_100, 1_190)]);
    assert_eq!(ranges("cold river", twice, Fit::Exact), [(0, 190)], "cold is said once");
    assert_eq!(ranges("river", "river river", Fit::Exact), [(0, 190)], "a row of it is one place");
    assert_eq!(ranges("part river", "part river and part river", Fit::Exact), [(0, 190), (300, 490)]);
}

#[test]
fn of_alternatives_one_is_enough() {
    let said = "a cat sits here while many words are said about it until a dog comes and a cat barks";
    let ranges = |query: &str| {
        all(query, said, 99, Fit::Exact).iter().map(|found| (range(found), found.score)).collect::<Vec<_>>()
    };
    assert_eq!(ranges("cat or dog"), [((100, 190), 1.0), ((1_300, 1_390), 1.0), ((1_700, 1_790), 1.0)]);
    assert_eq!(ranges("cat barks OR bird"), [((1_700, 1_890), 1.0)], "all words of an alternative");
    assert_eq!(ranges("bird dog or dog comes").len(), 1, "a word of both");
    assert_eq!(ranges("or dog or")[0].0, (1_300, 1_390));
    let phrase = ranges("\"dog or cat\"");
    assert_eq!(phrase.len(), 1, "in quotes it is a word: {phrase:?}");
}

#[test]
fn a_slip_is_found_and_scores_less() {
    for query in ["the prat about the rivr", "let us look for the parrt", "abuot the river"] {
        let found = find(query, TALK, 16, Fit::Alike).unwrap_or_else(|| panic!("{query}"));
        assert!(found.score > 0.2 && found.score < 0.5, "{query}: {}", found.score);
    }
    for query in ["submarine", "river boat landing", "partly", "is", "quite another thing"] {
        let found = find(query, TALK, 16, Fit::Alike);
        assert!(query == "is" || found.is_none(), "{query}: {found:?}");
    }
}

#[test]
fn slips_are_counted_and_short_words_have_none() {
    for (one, other, expected) in [
        ("river", "rievr", Some(1)),
        ("interview", "intreveiw", Some(2)),
        ("music", "musik", Some(1)),
        ("look", "lok", None),
        ("marine", "submarine", None),
        ("cold", "cole", Some(1)),
        ("the", "teh", None),
    ] {
        assert_eq!((slips(one, other), slips(other, one)), (expected, expected), "{one} {other}");
    }
}

#[test]
fn signs_are_no_words_and_mean_that_nothing_alike_is_wanted() {
    assert_eq!(words("\"New York\" -boat or RIVER's !"), ["new", "york", "rivers"]);
    assert!(is_plain("the part, about the river!"));
    assert!(!is_plain("\"the part\"") && !is_plain("part -river") && !is_plain("part OR river"));
}

proptest! {
    #[test]
    fn what_is_found_is_within_the_passage_and_its_score_within_bounds(
        query in "[a-d ]{0,12}", said in "[a-e]{1,3}( [a-e]{1,3}){0,30}", own in 1_usize..40, exact: bool,
    ) {
        let fit = if exact { Fit::Exact } else { Fit::Alike };
        let count = i32::try_from(said.split(' ').count()).unwrap();
        let found = all(&query, &said, own, fit);
        for (number, one) in found.iter().enumerate() {
            prop_assert!(one.start_ms >= 0 && one.start_ms < one.end_ms && one.end_ms <= count * 100);
            prop_assert!((0.0..=1.0).contains(&one.score));
            let mut others = found.iter().take(number);
            prop_assert!(others.all(|other| other.end_ms < one.start_ms || one.end_ms < other.start_ms));
        }
    }
}
