//! Beats among strokes: over many windows, at a tempo that changes, and where strokes are too many or too few.

use super::*;

fn beats(frames: usize, active: impl Fn(usize) -> f32) -> Vec<FoundBeat> {
    let mut tracker = BeatTracker::new();
    for frame in 0..frames {
        tracker.add(Activation { all: active(frame), low: 0.0 });
    }
    assert!(tracker.backs.len() <= SETTLED + WINDOW, "memory grows with the sound");
    tracker.finish()
}

#[test]
fn every_beat_is_found_once_over_many_windows() {
    let found = beats(30_000, |frame| if frame % 47 == 20 { 1.0 } else { 0.0 });
    assert_eq!(found.len(), 638);
    for (beat, frame) in found.iter().zip((20_u32..).step_by(47)) {
        assert!((beat.frame - f64::from(frame)).abs() < 0.6, "{beat:?} should be at {frame}");
    }
}

/// Whether the beats that are found among strokes at these frames, and that have one, are these.
fn are_found(strokes: &[f64], expected: &[f64]) -> bool {
    let frame = |frame: usize| f64::from(u32::try_from(frame).unwrap());
    let is_struck = |at: f64| strokes.iter().any(|stroke| (stroke.round() - at).abs() < 0.5);
    let end = strokes.last().copied().unwrap() + 60.0;
    let frames = (0..1_000_000).find(|at| frame(*at) > end).unwrap();
    let found = beats(frames, |at| if is_struck(frame(at)) { 0.95 } else { 0.0 });
    let found: Vec<f64> = found.iter().filter(|beat| beat.strength > 0.1).map(|beat| beat.frame).collect();
    found.len() == expected.len() && found.iter().zip(expected).all(|(found, beat)| (found - beat).abs() < 1.0)
}

/// Strokes from a frame on, at these intervals.
fn at_intervals(start: f64, intervals: impl Iterator<Item = f64>) -> Vec<f64> {
    let steps = intervals.scan(start, |at, interval| {
        *at += interval;
        Some(*at)
    });
    std::iter::once(start).chain(steps).collect()
}

#[test]
fn a_tempo_that_drifts_or_sways_is_followed() {
    for (first, change) in [(80.0, 0.99), (40.0, 1.01), (40.0, 1.02)] {
        let intervals = (0..45).map(|n| first * f64::powi(change, n));
        let strokes = at_intervals(40.0, intervals);
        assert!(are_found(&strokes, &strokes), "{first} × {change}");
    }
    for period in [8.0, 16.0] {
        let sway = |n: i32| 55.0 * (1.0 + 0.08 * (2.0 * std::f64::consts::PI * f64::from(n) / period).sin());
        let strokes = at_intervals(40.0, (0..80).map(sway));
        assert!(are_found(&strokes, &strokes), "in {period} beats");
    }
}

#[test]
fn an_upbeat_of_half_a_beat_is_no_beat() {
    let beats = at_intervals(100.0, (0..40).map(|_| 60.0));
    let strokes: Vec<f64> = std::iter::once(70.0).chain(beats.iter().copied()).collect();
    assert!(are_found(&strokes, &beats));
}

#[test]
fn weak_strokes_between_do_not_double_the_tempo_and_missing_ones_do_not_halve_it() {
    let found = beats(6_000, |frame| match frame % 300 {
        0 | 60 | 120 | 240 => 0.9,
        30 | 90 | 150 | 210 | 270 => 0.35,
        _ => 0.0,
    });
    assert_eq!(found.len(), 100);
}
