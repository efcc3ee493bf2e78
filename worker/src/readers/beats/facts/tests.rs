//! Tempo, bars and first beats of rows of beats that are known.

use super::*;
use crate::readers::beats::tracker::Stroke;

fn run(count: usize, frame: impl Fn(usize) -> f64, low: impl Fn(usize) -> f32) -> Vec<FoundBeat> {
    (0..count)
        .map(|n| FoundBeat {
            frame: frame(n),
            strength: 0.9,
            low: low(n),
            around: 0.1,
            half: Stroke::default(),
            quarters: 0.0,
        })
        .collect()
}

fn numbers(beats: &[FoundBeat]) -> Vec<i64> {
    beats.iter().map(|beat| (beat.frame / 50.0).round() as i64).collect()
}

#[test]
fn bars_begin_where_the_bass_is() {
    let march = run(17, |n| n as f64 * 50.0, |n| if n % 4 == 2 { 0.9 } else { 0.2 });
    assert_eq!(numbers(&downbeats(&march)), [2, 6, 10, 14]);
    let waltz = run(16, |n| n as f64 * 50.0, |n| if n % 3 == 1 { 0.9 } else { 0.2 });
    assert_eq!(numbers(&downbeats(&waltz)), [1, 4, 7, 10, 13]);
}

/// Beats whose bass comes round with each bar, after a pick-up.
fn barred(count: usize, bar: &[f32], pick_up: usize) -> Vec<FoundBeat> {
    let place = |n: usize| (n + bar.len() - pick_up) % bar.len();
    run(count, |n| n as f64 * 50.0, |n| bar[place(n)])
}

#[test]
fn a_pick_up_comes_before_the_first_bar() {
    for bar in [&[0.95, 0.3, 0.8, 0.3][..], &[0.95, 0.1, 0.1], &[0.95, 0.05, 0.05, 0.6, 0.05, 0.05]] {
        for pick_up in 0..bar.len() {
            let count = 8 * bar.len() + pick_up;
            let begins: Vec<i64> = (0..8).map(|number| i64::try_from(pick_up + number * bar.len()).unwrap()).collect();
            assert_eq!(numbers(&downbeats(&barred(count, bar, pick_up))), begins, "{bar:?} after {pick_up}");
        }
    }
}

#[test]
fn six_beats_are_a_bar_where_its_second_half_begins_weaker() {
    let length = |bar: &[f32]| {
        let begins = numbers(&downbeats(&barred(48, bar, 0)));
        begins[1] - begins[0]
    };
    assert_eq!(length(&[1.0, 0.05, 0.05, 0.65, 0.05, 0.05]), 6);
    assert_eq!(length(&[1.0, 0.1, 0.1, 0.1, 0.1, 0.1]), 6);
    // A waltz has two bars that hardly differ, and three bars are too few to tell.
    assert_eq!(length(&[1.0, 0.1, 0.1, 0.9, 0.1, 0.3]), 3);
    let few = barred(18, &[1.0, 0.05, 0.05, 0.65, 0.05, 0.05], 0);
    assert_eq!(numbers(&downbeats(&few)), [0, 3, 6, 9, 12, 15]);
}

#[test]
fn a_fill_that_masks_the_first_beat_does_not_move_the_bar() {
    // As measured on a bass drum on each beat at 150 a minute, louder on the first, and a fill before each fourth bar.
    let mut beats = barred(100, &[0.95, 0.88, 0.88, 0.88], 0);
    for beat in beats.iter_mut().step_by(16) {
        beat.strength = 0.26;
    }
    let begins: Vec<i64> = (0..25).map(|number| number * 4).collect();
    assert_eq!(numbers(&downbeats(&beats)), begins);
}

#[test]
fn beats_without_a_bass_have_bars_by_their_strength() {
    let mut beats = run(32, |n| n as f64 * 50.0, |_| 0.0);
    for (n, beat) in beats.iter_mut().enumerate() {
        beat.strength = if n % 4 == 1 { 1.0 } else { 0.5 };
    }
    assert_eq!(numbers(&downbeats(&beats)), [1, 5, 9, 13, 17, 21, 25, 29]);
}

#[test]
fn beats_that_are_all_alike_are_counted_in_fours_from_the_first() {
    let alike = run(10, |n| n as f64 * 50.0, |_| 0.5);
    assert_eq!(numbers(&downbeats(&alike)), [0, 4, 8]);
}

/// A run with strokes between: how strong each beat is, what is played half-way, and at the quarters.
fn played(count: usize, frames: f64, strength: impl Fn(usize) -> f32, half: f32, quarters: f32) -> Vec<FoundBeat> {
    let mut beats = run(count, |n| n as f64 * frames, |_| 0.5);
    for (n, beat) in beats.iter_mut().enumerate() {
        (beat.strength, beat.quarters) = (strength(n), quarters);
        beat.half = Stroke { frame: beat.frame - frames / 2.0, strength: half, low: 0.2 };
    }
    beats
}

#[test]
fn beats_are_counted_at_the_level_that_is_played() {
    // 86 a minute with strokes as strong between them, and hats between those: 172.
    let fast = counted(played(20, 70.0, |_| 0.7, 0.65, 0.25));
    assert_eq!(fast.len(), 39);
    assert!(fast.windows(2).all(|pair| (pair[1].frame - pair[0].frame - 35.0).abs() < 1e-6));
    // The same with hats alone between them stays, and so do clicks.
    assert_eq!(counted(played(20, 70.0, |_| 0.8, 0.45, 0.02)).len(), 20);
    assert_eq!(counted(played(20, 45.0, |_| 1.0, 0.0, 0.0)).len(), 20);
    // Every second one a hat and nothing between: half as many, the strong ones.
    let slow = counted(played(20, 50.0, |n| if n % 2 == 1 { 0.9 } else { 0.5 }, 0.05, 0.0));
    assert_eq!(numbers(&slow)[..3], [1, 3, 5]);
}

#[test]
fn one_beat_out_of_place_leaves_the_tempo_alone() {
    let beats = run(20, |n| if n == 7 { 360.0 } else { n as f64 * 50.0 }, |_| 0.5);
    assert!((tempo_of(&beats).unwrap() - 120.0).abs() < 0.01);
    assert_eq!(tempo_of(&beats[..1]), None);
}

#[test]
fn what_stands_out_of_nothing_is_no_beat() {
    let mut beats = run(40, |n| n as f64 * 50.0, |_| 0.5);
    for beat in beats.iter_mut().skip(20) {
        beat.around = 0.6;
    }
    let runs = real(&beats);
    assert_eq!(runs.len(), 1);
    assert!((15..25).contains(&runs[0].len()), "{}", runs[0].len());
    assert!(real(&beats[24..]).is_empty());
}

#[test]
fn the_curve_follows_a_tempo_that_drifts() {
    // From 100 to 150 a minute, a little with each beat.
    let at = |n: usize| (0..n).map(|n| 60.0 - 0.25 * n as f64).sum::<f64>();
    let points = curve(&run(81, at, |_| 0.5));
    assert!(points.len() > 5 && points.windows(2).all(|pair| pair[0].bpm < pair[1].bpm), "{points:?}");
    assert!((points[0].bpm - 101.0).abs() < 1.5 && points.last().unwrap().bpm > 135.0, "{points:?}");
}

#[test]
fn the_curve_follows_a_tempo_that_changes() {
    let faster = run(100, |n| if n < 50 { n as f64 * 60.0 } else { 3_000.0 + (n - 50) as f64 * 40.0 }, |_| 0.5);
    let points = curve(&faster);
    assert!((points.first().unwrap().bpm - 100.0).abs() < 0.1 && (points.last().unwrap().bpm - 150.0).abs() < 0.1);
}
