//! Which moments the planner chooses, and where they begin and end.

use super::*;
use proptest::prelude::*;

const MINUTE: i64 = 60_000;

fn hit(item: &str, start: i64, word: usize, score: i64) -> WordHit {
    WordHit { item: item.to_owned(), start, end: start + 500, shot: None, score, word, text: "x".to_owned() }
}

/// The moments of footage of which no word is known.
fn unheard(found: &[WordHit], lasts: impl Fn(&str) -> Option<i64>, length_ms: i64) -> Vec<Moment> {
    chosen(&Footage { found, lasts: &lasts, pauses: &BTreeMap::new(), apart: &BTreeMap::new() }, length_ms)
}

/// The moments of items of a minute in which these words are said.
fn heard(found: &[WordHit], said: &[(&str, &[SaidWord])], length_ms: i64) -> Vec<Moment> {
    let pauses = said.iter().map(|(item, words)| ((*item).to_owned(), pauses(words, MINUTE, |_| true))).collect();
    chosen(&Footage { found, lasts: &|_: &str| Some(MINUTE), pauses: &pauses, apart: &BTreeMap::new() }, length_ms)
}

/// Words of 400 ms each, `gap` milliseconds apart; those that end with a full stop are half a second before the next.
fn spoken(text: &str, gap: i64) -> Vec<SaidWord> {
    let mut at = 0;
    let said = text.split_whitespace().map(|word| {
        let said = SaidWord::of(word, at, at + 400);
        at += 400 + if said.is_end { 500 } else { gap };
        said
    });
    said.collect()
}

/// Whether a word is being said at this time.
fn is_in_word(words: &[SaidWord], time: i64) -> bool {
    words.iter().any(|word| word.start < time && time < word.end)
}

/// The starts and ends of what is heard of these moments that are in a word.
fn in_words<'a>(moments: &'a [Moment], said: &[(&str, &[SaidWord])]) -> Vec<(&'a str, i64)> {
    let ends = moments.iter().flat_map(|one| [one.start, one.end - one.silent].map(|time| (one.item.as_str(), time)));
    let is_in = |item: &str, time: i64| said.iter().any(|(other, words)| *other == item && is_in_word(words, time));
    ends.filter(|(item, time)| is_in(item, *time)).collect()
}

fn spans(moments: &[Moment]) -> Vec<(&str, i64, i64)> {
    moments.iter().map(|one| (one.item.as_str(), one.start, one.end)).collect()
}

#[test]
fn what_holds_more_of_the_words_comes_in_and_an_item_is_told_in_its_order() {
    let hour = |_: &str| Some(3_600_000);
    let found = [
        hit("b", 100_000, 0, 90),
        hit("b", 10_000, 0, 100),
        hit("b", 11_000, 1, 100),
        hit("a", 50_000, 0, 100),
        hit("a", 500_000, 0, 20),
    ];
    let moments = unheard(&found, hour, 14_500);
    assert_eq!(spans(&moments), [("b", 8_500, 14_000), ("b", 98_500, 103_000), ("a", 48_500, 53_000)]);
}

#[test]
fn what_is_found_once_is_shown_with_what_is_around_it_until_the_film_is_as_long_as_asked() {
    let moments = unheard(&[hit("a", 12_000, 0, 100)], |_| Some(60_000), 30_000);
    assert_eq!(moments.len(), 1);
    assert_eq!(moments[0].ms(), 30_000);
    assert!(moments[0].start < 12_000 && moments[0].end > 12_500);
    let short = unheard(&[hit("a", 12_000, 0, 100)], |_| Some(20_000), 30_000);
    assert_eq!(spans(&short), [("a", 0, 20_000)], "no more than there is");
    assert!(unheard(&[hit("gone", 1, 0, 100)], |_| None, 30_000).is_empty());
}

#[test]
fn a_moment_begins_and_ends_with_its_shot_where_that_is_near() {
    let found = [WordHit { shot: Some((11_000, 15_000)), ..hit("a", 12_000, 0, 100) }];
    assert_eq!(spans(&unheard(&found, |_| Some(60_000), 4_000)), [("a", 11_000, 15_000)]);
}

#[test]
fn a_scene_that_is_made_longer_or_shorter_still_ends_with_its_shot_and_the_film_is_as_long_as_asked() {
    // It is lengthened by 50 ms on each side.
    let found = [WordHit { shot: Some((8_000, 15_400)), ..hit("a", 12_000, 0, 100) }];
    assert_eq!(spans(&unheard(&found, |_| Some(60_000), 5_000)), [("a", 10_400, 15_400)]);
    // The second is cut 300 ms before its shot ends, and begins with it: the first begins later.
    let second = WordHit { shot: Some((19_000, 22_800)), ..hit("b", 20_000, 0, 50) };
    let found = [hit("a", 12_000, 0, 100), second.clone()];
    assert_eq!(spans(&unheard(&found, |_| Some(60_000), 8_000)), [("a", 10_800, 15_000), ("b", 19_000, 22_800)]);
    // Where nothing may begin otherwise, or no border is near, all stays as it is.
    assert_eq!(spans(&unheard(std::slice::from_ref(&second), |_| Some(60_000), 3_500)), [("b", 19_000, 22_500)]);
    let found = [hit("a", 12_000, 0, 100), second];
    assert_eq!(spans(&unheard(&found, |_| Some(60_000), 7_700)), [("a", 10_500, 15_000), ("b", 19_000, 22_200)]);
}

#[test]
fn where_words_are_known_a_scene_has_whole_sentences_and_the_film_is_as_long_as_asked() {
    let text = "We walked on for a while. The river was there at last. We sat down beside it and ate. ".repeat(4);
    let words = spoken(&text, 100);
    let river = |number: usize| {
        let (place, _) = text.split_whitespace().enumerate().filter(|(_, word)| *word == "river").nth(number).unwrap();
        WordHit { end: words[place].end, ..hit("a", words[place].start, 0, 100) }
    };
    let said: &[(&str, &[SaidWord])] = &[("a", words.as_slice())];
    for (found, length, silent) in [
        (vec![river(1)], 10_600, 0),
        (vec![river(1)], 11_500, 600),
        (vec![river(0), river(3)], 15_000, 0),
        (vec![river(2)], 7_000, 0),
    ] {
        let moments = heard(&found, said, length);
        assert_eq!((total(&moments), moments.iter().map(|one| one.silent).sum::<i64>()), (length, silent));
        for one in &moments {
            let before = words.iter().rfind(|word| word.start < one.start);
            let last = words.iter().rfind(|word| word.start < one.end - one.silent);
            assert!(before.is_none_or(|word| word.is_end && word.end <= one.start), "{one:?}");
            assert!(last.is_some_and(|word| word.is_end && word.end <= one.end - one.silent), "{one:?}");
        }
        for place in &found {
            assert!(moments.iter().any(|one| one.start <= place.start && place.end <= one.end - one.silent));
        }
        assert_eq!(heard(&found, said, length), moments, "it is the same each time");
    }
}

#[test]
fn rather_than_parts_of_several_sentences_fewer_are_shown_whole() {
    let words = spoken(&"One two three four five river seven eight nine ten eleven twelve. ".repeat(4), 100);
    let river = |place: usize, score| WordHit { end: words[place].end, ..hit("a", words[place].start, 0, score) };
    let said: &[(&str, &[SaidWord])] = &[("a", words.as_slice())];
    let moments = heard(&[river(5, 50), river(29, 100)], said, 7_000);
    assert_eq!(spans(&moments), [("a", 12_450, 19_450)]);
    let moments = heard(&[river(5, 50), river(29, 100)], said, 13_000);
    assert_eq!(spans(&moments), [("a", 0, 6_250), ("a", 12_450, 19_200)], "both are");
}

#[test]
fn a_word_or_an_item_is_not_left_out_for_whole_sentences() {
    let words = spoken(&"One two three four five river seven eight nine ten eleven twelve. ".repeat(4), 100);
    let said: &[(&str, &[SaidWord])] = &[("a", words.as_slice())];
    let river =
        |place: usize, word, score| WordHit { end: words[place].end, ..hit("a", words[place].start, word, score) };
    let found = [river(5, 1, 50), river(29, 0, 100)];
    let moments = heard(&found, said, 7_000);
    for place in &found {
        let is_heard = |one: &Moment| one.start <= place.start && place.end <= one.end - one.silent;
        assert!(moments.iter().any(is_heard), "each shows another word: {moments:?}");
    }
    // The best moment alone is of an item of which no word is known.
    let moments = heard(&[river(5, 0, 50), hit("b", 30_000, 0, 100)], said, 6_800);
    let items: Vec<&str> = moments.iter().map(|one| one.item.as_str()).collect();
    assert_eq!((items, total(&moments)), (vec!["b", "a"], 6_800));
}

#[test]
fn where_no_sentence_ends_it_is_cut_between_words_and_goes_on_without_sound_if_it_must() {
    let words = spoken(&"one after another without a stop ".repeat(15), 0);
    let found = [WordHit { end: 12_400, ..hit("a", 12_000, 0, 100) }];
    let moments = heard(&found, &[("a", words.as_slice())], 10_100);
    let [one] = moments.as_slice() else { panic!("{moments:?}") };
    assert_eq!((one.ms(), one.silent), (10_100, 100), "{one:?}");
    assert_eq!((one.start % 400, (one.end - one.silent) % 400), (0, 0), "{one:?}");
    let parts: Vec<_> = one.parts().map(|part| (part.start, part.ms, part.is_heard)).collect();
    assert_eq!(parts, [(one.start, 10_000, true), (one.start + 10_000, 100, false)]);
    let shorter = Moment { silent: 99, ..one.clone() };
    let parts: Vec<_> = shorter.parts().map(|part| (part.start, part.ms, part.is_heard)).collect();
    assert_eq!(parts, [(one.start, 10_100, true)], "it is too short for a scene of its own");
}

#[test]
fn what_is_made_shorter_still_has_the_best_of_what_was_found_in_it() {
    let shot = Some((9_000, 15_000));
    let found = [WordHit { shot, ..hit("a", 12_000, 0, 100) }, WordHit { shot, ..hit("a", 9_500, 1, 50) }];
    assert_eq!(spans(&unheard(&found[..1], |_| Some(MINUTE), 2_000)), [("a", 10_500, 12_500)]);
    assert_eq!(spans(&unheard(&found, |_| Some(MINUTE), 2_000)), [("a", 10_500, 12_500)]);
    assert_eq!(spans(&unheard(&found, |_| Some(MINUTE), 4_000)), [("a", 9_000, 13_000)], "both are in it");
}

#[test]
fn between_what_is_left_out_no_word_that_was_found_is_given_up_for_a_pause() {
    let words = spoken(&"one after another without a stop ".repeat(15), 0);
    let pauses = BTreeMap::from([("a".to_owned(), pauses(&words, MINUTE, |_| true))]);
    let apart = BTreeMap::from([("a".to_owned(), vec![(0, 3_900), (12_100, 20_000)])]);
    let found = [WordHit { end: 12_000, ..hit("a", 11_600, 0, 100) }];
    let footage = Footage { found: &found, lasts: &|_: &str| Some(MINUTE), pauses: &pauses, apart: &apart };
    assert_eq!(spans(&chosen(&footage, 5_000)), [("a", 7_100, 12_100)]);
    assert_eq!(spans(&chosen(&footage, 4_800)), [("a", 7_200, 12_000)], "where it can, it begins and ends in pauses");
}

#[test]
fn an_item_without_words_makes_up_for_those_that_have_some() {
    let words = spoken(&"one after another without a stop ".repeat(15), 0);
    let found = [WordHit { end: 12_400, ..hit("a", 12_000, 0, 100) }, hit("b", 30_000, 0, 50)];
    for length in [10_001, 10_150, 10_333] {
        let moments = heard(&found, &[("a", words.as_slice())], length);
        assert_eq!(total(&moments), length);
        assert_eq!(in_words(&moments, &[("a", words.as_slice())]), []);
        assert!(moments.iter().all(|one| one.silent == 0), "{moments:?}");
    }
}

#[test]
fn pauses_are_between_words_and_longer_ones_keep_away_from_them() {
    let word = |text: &str, start, end| SaidWord::of(text, start, end);
    let words = [word("So", 0, 200), word("it", 200, 500), word("is.”", 560, 1_000), word("Now", 1_300, 1_500)];
    let pause = |start, end, is_end| Pause { start, end, is_end };
    let expected = [
        pause(0, 0, true),
        pause(200, 200, false),
        pause(520, 540, false),
        pause(1_100, 1_200, true),
        pause(1_650, 9_000, true),
    ];
    assert_eq!(pauses(&words, 9_000, |_| true), expected);
    let together = [word("one", 100, 900), word("two", 300, 600), word("three", 800, 1_200)];
    assert_eq!(pauses(&together, 1_200, |_| true), [pause(0, 67, true), pause(1_200, 1_200, true)], "at once");
    assert_eq!(pauses(&[], 5_000, |_| true), [pause(0, 5_000, true)]);
}

#[test]
fn a_film_is_lengthened_up_to_what_is_left_out_and_no_further() {
    let found = [hit("a", 12_000, 0, 100), hit("a", 21_000, 1, 100), hit("a", 40_000, 2, 100)];
    let apart = BTreeMap::from([("a".to_owned(), vec![(5_000, 10_000), (20_000, 24_000), (38_000, 39_000)])]);
    let footage = Footage { found: &found, lasts: &|_: &str| Some(41_000), pauses: &BTreeMap::new(), apart: &apart };
    assert_eq!(spans(&chosen(&footage, MINUTE)), [("a", 10_000, 20_000), ("a", 39_000, 41_000)]);
    assert_eq!(words_found(&footage), BTreeMap::from([(0, 100), (2, 100)]), "the second one is left out itself");
    assert_eq!(joined(vec![(5, 9), (1, 2), (2, 3), (6, 7), (8, 11)]), [(1, 3), (5, 11)]);
}

proptest! {
    #[test]
    fn nothing_that_is_left_out_is_shown(
        words in prop::collection::vec((80_i64..700, 0_i64..900, prop::bool::weighted(0.12)), 0..90),
        hits in prop::collection::vec((0_i64..MINUTE - 500, 0_usize..3, 1_i64..100, 1_000_i64..9_000), 1..12),
        apart in prop::collection::vec((0_i64..MINUTE, 1_i64..8_000), 1..6),
        length in 2_000_i64..MINUTE,
        is_clips in prop::bool::ANY,
    ) {
        let mut at = 0;
        let words = words.iter().map(|(word, pause, is_end)| {
            let said = SaidWord::of(if *is_end { "so." } else { "so" }, at, at + word);
            at += word + pause;
            said
        });
        let said = pauses(&words.filter(|word| word.end <= MINUTE).collect::<Vec<_>>(), MINUTE, |_| true);
        let pauses = BTreeMap::from([("a".to_owned(), said)]);
        let found: Vec<WordHit> = hits.iter().map(|(start, word, score, shots)| {
            let first = start / shots * shots;
            WordHit { shot: Some((first, first + shots)), ..hit("a", *start, *word, *score) }
        }).collect();
        let stretches = apart.iter().map(|(start, ms)| (*start, (start + ms).min(MINUTE)));
        let apart = BTreeMap::from([("a".to_owned(), joined(stretches.collect()))]);
        let footage = Footage { found: &found, lasts: &|_: &str| Some(MINUTE), pauses: &pauses, apart: &apart };
        let mut moments = chosen(&footage, length);
        let is_found = !words_found(&footage).is_empty();
        prop_assert_eq!(is_found, !footage.words_in(&moments).is_empty(), "what is shown was found in it");
        if is_clips {
            moments = each_in_pauses(moments, &footage);
        }
        for one in &moments {
            prop_assert!(0 <= one.start && one.start <= one.end && one.end <= MINUTE, "{one:?}");
            prop_assert!(apart["a"].iter().all(|out| one.end <= out.0 || out.1 <= one.start), "{one:?} {apart:?}");
        }
    }

    #[test]
    fn no_scene_begins_or_ends_in_a_word_and_the_film_is_as_long_as_without_words(
        lengths in prop::collection::vec((80_i64..700, 0_i64..900, prop::bool::weighted(0.12)), 40..90),
        hits in prop::collection::vec((0_usize..2, 0_usize..40, 1_i64..100), 1..8),
        length in 2_000_i64..60_000,
        most in prop::sample::select(vec![0_i64, 60, 200, 900]),
    ) {
        let mut at = 0;
        let words: Vec<SaidWord> = lengths.iter().map(|(word, pause, is_end)| {
            let said = SaidWord::of(if *is_end { "so." } else { "so" }, at, at + word);
            at += word + pause.min(&most);
            said
        }).filter(|word| word.end <= MINUTE).collect();
        let said: &[(&str, &[SaidWord])] = &[("0", words.as_slice()), ("1", &words[1..])];
        let found: Vec<WordHit> = hits.iter().map(|(item, place, score)| {
            let word = words[(place + item).min(words.len() - 1)];
            WordHit { end: word.end, ..hit(&item.to_string(), word.start, 0, *score) }
        }).collect();
        let moments = heard(&found, said, length);
        prop_assert_eq!(in_words(&moments, said), vec![]);
        prop_assert_eq!(total(&moments), total(&unheard(&found, |_| Some(MINUTE), length)));
        for (place, one) in moments.iter().enumerate() {
            prop_assert!(0 <= one.start && one.start < one.end && one.end <= MINUTE && one.silent >= 0, "{:?}", one);
            for other in &moments[place + 1..] {
                prop_assert!(one.item != other.item || one.end <= other.start, "{:?} {:?}", one, other);
            }
        }
    }

    #[test]
    fn moments_lie_in_their_items_never_overlap_and_are_as_long_as_asked_or_all_there_is(
        hits in prop::collection::vec((0_usize..3, 0_i64..90_000, 0_usize..3, 1_i64..100), 0..30),
        length in 2_000_i64..120_000,
        shots in 1_000_i64..9_000,
    ) {
        let found: Vec<WordHit> =
            hits.iter().map(|(item, start, word, score)| hit(&item.to_string(), *start, *word, *score)).collect();
        let lasts = |_: &str| Some(60_000);
        let shot = |found: &WordHit| {
            let first = found.start / shots * shots;
            WordHit { shot: Some((first, first + shots)), ..found.clone() }
        };
        let found: Vec<WordHit> = found.iter().map(shot).collect();
        let moments = unheard(&found, lasts, length);
        prop_assert!(total(&moments) <= length);
        let mut again = moments.clone();
        let (pauses, apart) = (BTreeMap::new(), BTreeMap::new());
        end_with_shots(&mut again, &Footage { found: &found, lasts: &lasts, pauses: &pauses, apart: &apart });
        prop_assert_eq!(total(&again), total(&moments), "moved ends do not change the length");
        for one in &moments {
            prop_assert!(0 <= one.start && one.start < one.end && one.end <= 60_000, "{one:?}");
        }
        for (place, one) in moments.iter().enumerate() {
            for other in &moments[place + 1..] {
                prop_assert!(one.item != other.item || one.end <= other.start, "{one:?} {other:?}");
            }
        }
    }
}
