//! Tests of `paid`: the arithmetic of what is charged for, and the pace of pictures.

use super::*;
use crate::readers::tests::an_hour;
use domain::minutes::{Minutes, Rates};
use domain::read::Read;

fn paid(ms: i64) -> Paid {
    Paid::of(&JobCtx { paid_ms: Some(ms), ..an_hour() })
}

/// Lengths and rates of every size, the awkward ones among them.
fn lengths() -> impl Iterator<Item = i64> {
    let near = |ms: i64| [ms - 1, ms, ms + 1];
    [1, 599, 600, 10_031, 59_999, 600_000, 86_400_000]
        .into_iter()
        .flat_map(near)
        .chain((0..2_000).map(|n| n * n * 21 + n))
}

#[test]
fn what_is_handed_out_never_costs_more_than_is_held_nor_less_than_its_rate() {
    for ms in lengths() {
        for samples in [1, 7, 8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 192_000, 2_147_483_647] {
            let frames = paid(ms).frames(samples);
            let decoded_ms = i64::try_from(u128::from(frames) * 1000 / u128::from(samples)).unwrap();
            assert!(decoded_ms <= ms, "{decoded_ms} of {ms} at {samples}");
            assert!(samples < 1_000 || decoded_ms == ms, "all of it is handed out: {decoded_ms} of {ms} at {samples}");
            for rate in Read::ALL.map(|read| Rates::default().of(read)).into_iter().chain([Minutes::from_hundredths(1)])
            {
                let (hold, charge) = (rate.price(ms), rate.price(decoded_ms));
                assert!(charge <= hold, "{charge} of {hold} for {decoded_ms} of {ms}");
                let worth = i128::from(rate.hundredths()) * i128::from(decoded_ms);
                assert!(i128::from(charge.hundredths()) * 60_000 >= worth, "{charge} for {decoded_ms} ms");
            }
        }
    }
}

#[test]
fn a_child_is_told_to_stop_soon_after_what_is_paid_for_and_never_after_what_is_allowed() {
    let limits = MediaLimits { duration_ms: 60_000, ..MediaLimits::default() };
    assert_eq!(paid(500).seconds(&limits), "2.000");
    assert_eq!(paid(10_031).seconds(&limits), "11.531");
    assert_eq!(paid(i64::MAX).seconds(&limits), "62.000");
    assert_eq!(Paid::of(&an_hour()).seconds(&limits), "62.000");
}

#[test]
fn an_honest_overrun_is_dropped_without_a_word_and_a_long_one_is_told() {
    assert_eq!(paid(5_000).passed(256), None);
    assert_eq!(Paid::of(&an_hour()).passed(1_000_000), None);
    let told = paid(500).passed(599_500).unwrap();
    assert_eq!(told, "The file goes on after the 500 ms that the item is long; what comes after them was not read.");
}

#[test]
fn pixels_are_bounded_by_the_second_and_a_hopeless_pace_ends_early() {
    let pace = |pixels, whole_ms, minutes| Pace {
        pixels,
        whole_ms: Some(whole_ms),
        began: Instant::now(),
        time: Duration::from_mins(minutes),
    };
    let (film, skips) = (pace(3_840 * 2_160, 600_000, 21), pace(64_000_000, 14_400_000, 481));
    for second in 1..600 {
        assert!(film.judge(120 * second, i64::try_from(second * 1_000).unwrap()).is_ok(), "{second}");
    }
    let refused = (1..600).find(|second| skips.judge(30 * second, i64::try_from(second * 1_000).unwrap()).is_err());
    assert!(refused.is_some_and(|second| second < 30), "{refused:?}");
    // A file of thousands of tiny frames that all have the same time.
    assert!(pace(4, 500, 1).judge(2_000, 0).is_err());
    assert!(pace(4, 500, 1).judge(1_000, 0).is_ok());

    let minutes = |minutes| Duration::from_mins(minutes);
    // Two minutes in, with eight hours for four: at least a second and a half of a minute's four hours.
    assert!(skips.keeps_up(20_000, minutes(1)).is_ok(), "it is not judged before a minute has passed");
    assert!(skips.keeps_up(29_000, minutes(2)).is_err());
    assert!(skips.keeps_up(61_000, minutes(2)).is_ok());
}
