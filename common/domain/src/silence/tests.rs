//! What is kept and what goes, by examples and for any speech there may be.

use super::*;
use proptest::prelude::*;

const MS: i64 = 1_000;

fn spans(ms: &[(i64, i64)]) -> Vec<Span> {
    ms.iter().map(|(start, end)| Span::new(start * MS, end * MS)).collect()
}

fn kept(speech: &[(i64, i64)], duration_ms: i64, rule: SilenceRule) -> Vec<Span> {
    keep(&spans(speech), duration_ms * MS, rule, None).keep
}

#[test]
fn silence_goes_but_for_its_padding() {
    let rule = SilenceRule::new(500, 100);
    assert_eq!(kept(&[(1000, 2000), (4000, 5000)], 9000, rule), spans(&[(900, 2100), (3900, 5100)]));
}

#[test]
fn a_silence_shorter_than_the_minimum_stays_whole_wherever_it_is() {
    let rule = SilenceRule::new(500, 0);
    assert_eq!(kept(&[(499, 2000), (2499, 3000)], 3499, rule), spans(&[(0, 3499)]));
    assert_eq!(kept(&[(500, 2000), (2500, 3000)], 3500, rule), spans(&[(500, 2000), (2500, 3000)]));
}

#[test]
fn paddings_that_meet_leave_nothing_to_cut() {
    let rule = SilenceRule::new(500, 400);
    assert_eq!(kept(&[(1000, 2000), (2800, 3000), (3801, 4000)], 5000, rule), spans(&[(600, 3400), (3401, 4400)]));
}

#[test]
fn padding_never_leaves_the_media() {
    let rule = SilenceRule::new(100, 5_000);
    assert_eq!(kept(&[(1000, 2000)], 3000, rule), spans(&[(0, 3000)]));
}

#[test]
fn nothing_is_kept_where_nobody_speaks() {
    let all = Kept { keep: vec![], removed_us: 3_000 * MS };
    assert_eq!(keep(&[], 3_000 * MS, SilenceRule::new(500, 100), None), all);
    assert_eq!(keep(&spans(&[(4000, 5000)]), 3_000 * MS, SilenceRule::new(500, 100), FrameRate::new(25, 1)), all);
}

#[test]
fn a_videos_cuts_stand_on_frames_and_lose_no_speech() {
    let ntsc = FrameRate::new(30_000, 1_001).unwrap();
    let found = keep(&spans(&[(1000, 2000)]), 10_010 * MS, SilenceRule::new(500, 0), Some(ntsc));
    // The frames from the 29th, at 0.968 s, up to the 60th, at 2.002 s.
    assert_eq!(found.keep, [Span::new(967_633, 2_002_000)]);
    assert_eq!(found.removed_us, 10_010_000 - (2_002_000 - 967_633));
}

#[test]
fn a_video_that_is_kept_whole_is_all_of_its_frames() {
    let rate = FrameRate::new(25, 1).unwrap();
    let found = keep(&spans(&[(0, 4030)]), 4_030 * MS, SilenceRule::new(500, 0), Some(rate));
    // No frame ends at 4.03 s.
    assert_eq!(found, Kept { keep: spans(&[(0, 4000)]), removed_us: 30 * MS });
    // A hundred frames of a film are 4.170833 s, which is 4.171 s in milliseconds.
    let film = FrameRate::new(24_000, 1_001).unwrap();
    let found = keep(&spans(&[(0, 4171)]), 4_171 * MS, SilenceRule::new(500, 0), Some(film));
    assert_eq!(found.keep, [Span::new(0, 4_170_833)]);
}

fn any_rate() -> impl Strategy<Value = Option<FrameRate>> {
    let rates = [(25, 1), (24, 1), (30_000, 1_001), (24_000, 1_001), (60, 1), (15, 2), (120, 1)];
    prop_oneof![
        Just(None),
        proptest::sample::select(rates.to_vec()).prop_map(|(frames, seconds)| FrameRate::new(frames, seconds))
    ]
}

proptest! {
    #[test]
    fn what_is_kept_is_sorted_apart_and_inside_and_holds_all_speech(
        speech in proptest::collection::vec((-1_000_000_i64..70_000_000, -1_000_000_i64..70_000_000), 0..30),
        duration_us in 0_i64..60_000_000,
        min_silence_ms in 0_u32..70_000,
        padding_ms in 0_u32..7_000,
        rate in any_rate(),
    ) {
        let speech: Vec<Span> = speech.into_iter().map(Span::from).collect();
        let rule = SilenceRule::new(min_silence_ms, padding_ms);
        let Kept { keep: kept, removed_us } = keep(&speech, duration_us, rule, rate);
        let frame_us = rate.map_or(0, |rate| rate.us_of(1) + 1);

        prop_assert!(kept.iter().all(|span| 0 <= span.start_us && span.start_us < span.end_us));
        prop_assert!(kept.windows(2).all(|pair| pair[0].end_us < pair[1].start_us));
        // Half a millisecond more, because the duration is rounded to one.
        prop_assert!(kept.last().is_none_or(|last| last.end_us <= duration_us + rate.map_or(0, |_| 500)));
        if let Some(rate) = rate {
            let on_grid = |us| rate.us_of(rate.nearest(us)) == us;
            prop_assert!(kept.iter().all(|span| on_grid(span.start_us) && on_grid(span.end_us)));
        }
        prop_assert!(removed_us >= 0);
        prop_assert_eq!(removed_us, (duration_us - total_us(&kept)).max(0));

        let spoken = tidied(&speech, duration_us);
        for span in &spoken {
            // All of it, but for what ends after the last whole frame.
            let last_us = rate.map_or(duration_us, |rate| rate.us_of(last_frame(duration_us, rate)));
            let held = kept.iter().any(|one| one.start_us <= span.start_us && one.end_us >= span.end_us.min(last_us));
            prop_assert!(held || span.start_us >= last_us, "{span:?} is not in {kept:?}");
        }
        // What is between two kept spans is silence, and what is left of it after padding and frames was long enough.
        for pair in kept.windows(2) {
            prop_assert!(!spoken.iter().any(|one| one.start_us < pair[1].start_us && one.end_us > pair[0].end_us));
            let shortest = rule.min_silence_us - 2 * rule.padding_us - 2 * frame_us;
            prop_assert!(pair[1].start_us - pair[0].end_us >= shortest.max(1));
        }
    }
}
