//! Which moments the planner chooses, and where they begin and end.

use super::*;
use proptest::prelude::*;

fn hit(item: &str, start: i64, word: usize, score: i64) -> WordHit {
    WordHit { item: item.to_owned(), start, end: start + 500, shot: None, score, word, text: "x".to_owned() }
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
    let moments = chosen(&found, hour, 14_500);
    assert_eq!(spans(&moments), [("b", 8_500, 14_000), ("b", 98_500, 103_000), ("a", 48_500, 53_000)]);
}

#[test]
fn what_is_found_once_is_shown_with_what_is_around_it_until_the_film_is_as_long_as_asked() {
    let moments = chosen(&[hit("a", 12_000, 0, 100)], |_| Some(60_000), 30_000);
    assert_eq!(moments.len(), 1);
    assert_eq!(moments[0].ms(), 30_000);
    assert!(moments[0].start < 12_000 && moments[0].end > 12_500);
    let short = chosen(&[hit("a", 12_000, 0, 100)], |_| Some(20_000), 30_000);
    assert_eq!(spans(&short), [("a", 0, 20_000)], "no more than there is");
    assert!(chosen(&[hit("gone", 1, 0, 100)], |_| None, 30_000).is_empty());
}

#[test]
fn a_moment_begins_and_ends_with_its_shot_where_that_is_near() {
    let found = [WordHit { shot: Some((11_000, 15_000)), ..hit("a", 12_000, 0, 100) }];
    assert_eq!(spans(&chosen(&found, |_| Some(60_000), 4_000)), [("a", 11_000, 15_000)]);
}

#[test]
fn a_scene_that_is_made_longer_or_shorter_still_ends_with_its_shot_and_the_film_is_as_long_as_asked() {
    // It is lengthened by 50 ms on each side.
    let found = [WordHit { shot: Some((8_000, 15_400)), ..hit("a", 12_000, 0, 100) }];
    assert_eq!(spans(&chosen(&found, |_| Some(60_000), 5_000)), [("a", 10_400, 15_400)]);
    // The second is cut 300 ms before its shot ends, and begins with it: the first begins later.
    let second = WordHit { shot: Some((19_000, 22_800)), ..hit("b", 20_000, 0, 50) };
    let found = [hit("a", 12_000, 0, 100), second.clone()];
    assert_eq!(spans(&chosen(&found, |_| Some(60_000), 8_000)), [("a", 10_800, 15_000), ("b", 19_000, 22_800)]);
    // Where nothing may begin otherwise, or no border is near, all stays as it is.
    assert_eq!(spans(&chosen(std::slice::from_ref(&second), |_| Some(60_000), 3_500)), [("b", 19_000, 22_500)]);
    let found = [hit("a", 12_000, 0, 100), second];
    assert_eq!(spans(&chosen(&found, |_| Some(60_000), 7_700)), [("a", 10_500, 15_000), ("b", 19_000, 22_200)]);
}

proptest! {
    #[test]
    fn moments_lie_in_their_items_never_overlap_and_are_as_long_as_asked_or_all_there_is(
        hits in prop::collection::vec((0_usize..3, 0_i64..90_000, 0_usize..3, 1_i64..100), 0..30),
        length in 2_000_i64..120_000,
        shots in 1_000_i64..9_000,
    ) {
        let found: Vec<WordHit> =
            hits.iter().map(|(item, start, word, score)| hit(&item.to_string(), *start, *word, *score)).collect();
        let lasts = |_: &str| Some(60_000);
        let total = |moments: &[Moment]| moments.iter().map(Moment::ms).sum::<i64>();
        let shot = |found: &WordHit| {
            let first = found.start / shots * shots;
            WordHit { shot: Some((first, first + shots)), ..found.clone() }
        };
        let found: Vec<WordHit> = found.iter().map(shot).collect();
        let moments = chosen(&found, lasts, length);
        prop_assert!(total(&moments) <= length);
        let mut again = moments.clone();
        end_with_shots(&mut again, &found, &lasts);
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
