//! Computes how far and when `duck_music` turns music down, from where somebody speaks (contract §4.4).
//!
//! Pure. The envelope is a list of points between which the gain in decibels is linear; the worker's mixer follows it,
//! and any editor can. Gains are whole hundredths of a decibel.

use crate::media_time::{Span, joined, tidied};
use serde::{Deserialize, Serialize};

/// The most points of an envelope. If speech has more turns, the music stays down through the shortest pauses.
pub const MOST_POINTS: usize = 4_000;
/// The points that a ducked stretch takes.
const POINTS_A_STRETCH: usize = 4;

/// How far music is turned down under speech, and how fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuckRule {
    down: i32,
    attack_us: i64,
    release_us: i64,
}

impl DuckRule {
    /// The default decibels by which music goes down.
    pub const DUCK_DB: f64 = 12.0;
    /// The most decibels that a call may ask for: music is inaudible then.
    pub const MOST_DUCK_DB: f64 = 60.0;
    /// The default milliseconds in which it goes down.
    pub const ATTACK_MS: u32 = 200;
    /// The default milliseconds in which it comes back.
    pub const RELEASE_MS: u32 = 500;
    /// The fewest milliseconds of either that a call may ask for: a jump in level would click.
    pub const LEAST_RAMP_MS: u32 = 10;
    /// The most milliseconds of either.
    pub const MOST_RAMP_MS: u32 = 10_000;

    /// Down by `duck_db` decibels within `attack_ms` milliseconds, and back within `release_ms`. Values beyond the
    /// limits become the limit.
    pub fn new(duck_db: f64, attack_ms: u32, release_ms: u32) -> Self {
        let ramp_us = |ms: u32| i64::from(ms.clamp(Self::LEAST_RAMP_MS, Self::MOST_RAMP_MS)) * 1000;
        Self { down: hundredths(duck_db), attack_us: ramp_us(attack_ms), release_us: ramp_us(release_ms) }
    }
}

/// Converts decibels to hundredths, within the limits; 0 for infinity or NaN.
#[expect(clippy::cast_possible_truncation, reason = "the range is made sure of first")]
fn hundredths(db: f64) -> i32 {
    let db = if db.is_finite() { db.clamp(0.0, DuckRule::MOST_DUCK_DB) } else { 0.0 };
    (db * 100.0).round() as i32
}

/// The gain at one time. As JSON: `[t_us, gain]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "(i64, i32)", from = "(i64, i32)")]
pub struct GainPoint {
    /// Microseconds from the start.
    pub t_us: i64,
    /// The gain in hundredths of a decibel: 0 leaves the music as it is, and less is quieter.
    pub gain: i32,
}

impl GainPoint {
    /// Returns the gain in decibels.
    pub fn gain_db(self) -> f64 {
        f64::from(self.gain) / 100.0
    }
}

impl From<(i64, i32)> for GainPoint {
    fn from((t_us, gain): (i64, i32)) -> Self {
        Self { t_us, gain }
    }
}

impl From<GainPoint> for (i64, i32) {
    fn from(point: GainPoint) -> Self {
        (point.t_us, point.gain)
    }
}

/// Returns the gain of music under a voice item of this duration, with the given speech: points from 0 to the duration,
/// in order.
///
/// Under speech it is down by the rule's amount. The way down ends when speech starts, the way back starts when speech
/// ends, and elsewhere the gain is 0. Where the way back would meet the next way down the music stays down; it does so
/// too where there is no room for a way down at the start, or for a way back at the end.
pub fn envelope(speech: &[Span], duration_us: i64, rule: DuckRule) -> Vec<GainPoint> {
    let point = |t_us, gain| GainPoint { t_us, gain };
    let mut points = Vec::new();
    for span in stretches(speech, duration_us, rule) {
        let (lead, back) = (span.start_us - rule.attack_us, span.end_us + rule.release_us);
        if lead <= 0 {
            points.push(point(0, -rule.down));
        } else {
            if points.is_empty() {
                points.push(point(0, 0));
            }
            points.extend([point(lead, 0), point(span.start_us, -rule.down)]);
        }
        if back >= duration_us {
            points.push(point(duration_us, -rule.down));
        } else {
            points.extend([point(span.end_us, -rule.down), point(back, 0)]);
        }
    }
    if points.is_empty() {
        points.push(point(0, 0));
    }
    if points.last().is_some_and(|last| last.t_us < duration_us) {
        points.push(point(duration_us, 0));
    }
    points
}

/// Returns the stretches in which the music is fully down, joined across short pauses so that the points suffice.
fn stretches(speech: &[Span], duration_us: i64, rule: DuckRule) -> Vec<Span> {
    let mut gap_us = rule.attack_us + rule.release_us;
    let mut stretches = joined(tidied(speech, duration_us), gap_us);
    while stretches.len() * POINTS_A_STRETCH + 2 > MOST_POINTS {
        gap_us *= 2;
        stretches = joined(stretches, gap_us);
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ducked(speech_ms: &[(i64, i64)], duration_ms: i64, rule: DuckRule) -> Vec<(i64, f64)> {
        let speech: Vec<Span> = speech_ms.iter().map(|(start, end)| Span::new(start * 1000, end * 1000)).collect();
        let points = envelope(&speech, duration_ms * 1000, rule);
        points.into_iter().map(|point| (point.t_us / 1000, point.gain_db())).collect()
    }

    /// The gain at a time, in hundredths of a decibel, as anyone who follows the points has it.
    fn gain_at(points: &[GainPoint], t_us: i64) -> i64 {
        let after = points.iter().position(|point| point.t_us > t_us).unwrap_or(points.len() - 1).max(1);
        let (from, to) = (points[after - 1], points[after]);
        let (span, past) = (to.t_us - from.t_us, t_us - from.t_us);
        i64::from(from.gain) + i64::from(to.gain - from.gain) * past / span
    }

    #[test]
    fn music_goes_down_before_speech_and_comes_back_after_it() {
        let rule = DuckRule::new(12.0, 200, 500);
        let expected = [(0, 0.0), (1800, 0.0), (2000, -12.0), (4000, -12.0), (4500, 0.0), (9000, 0.0)];
        assert_eq!(ducked(&[(2000, 4000)], 9000, rule), expected);
    }

    #[test]
    fn music_stays_down_where_the_way_back_would_meet_the_next_way_down() {
        let rule = DuckRule::new(6.5, 200, 500);
        let together = [(0, 0.0), (800, 0.0), (1000, -6.5), (4000, -6.5), (4500, 0.0), (9000, 0.0)];
        assert_eq!(ducked(&[(1000, 2000), (2700, 4000)], 9000, rule), together);
        assert_eq!(ducked(&[(1000, 2000), (2701, 4000)], 9000, rule).len(), 10);
    }

    #[test]
    fn without_room_for_a_ramp_music_is_down_from_the_start_or_to_the_end() {
        let rule = DuckRule::new(12.0, 200, 500);
        assert_eq!(ducked(&[(200, 1000)], 9000, rule), [(0, -12.0), (1000, -12.0), (1500, 0.0), (9000, 0.0)]);
        assert_eq!(ducked(&[(8000, 8500)], 9000, rule), [(0, 0.0), (7800, 0.0), (8000, -12.0), (9000, -12.0)]);
        assert_eq!(ducked(&[(0, 9000)], 9000, rule), [(0, -12.0), (9000, -12.0)]);
    }

    #[test]
    fn music_is_left_as_it_is_where_nobody_speaks() {
        assert_eq!(ducked(&[], 9000, DuckRule::new(12.0, 200, 500)), [(0, 0.0), (9000, 0.0)]);
    }

    #[test]
    fn a_rule_beyond_the_limits_is_the_limit() {
        assert_eq!(DuckRule::new(f64::NAN, 0, u32::MAX), DuckRule::new(0.0, 10, 10_000));
        assert_eq!(DuckRule::new(1e300, 0, 0), DuckRule::new(60.0, 10, 10));
    }

    #[test]
    fn a_day_of_short_words_has_a_bounded_envelope() {
        let words: Vec<Span> = (0..240_000).map(|n| Span::new(n * 360_000, n * 360_000 + 250_000)).collect();
        let points = envelope(&words, 86_400_000_000, DuckRule::new(12.0, 10, 10));
        assert!((2..=MOST_POINTS).contains(&points.len()), "{}", points.len());
        assert!(words.iter().all(|word| gain_at(&points, word.start_us) == -1200));
    }

    proptest! {
        #[test]
        fn an_envelope_is_down_under_speech_and_zero_away_from_it(
            speech in proptest::collection::vec((-1_000_000_i64..70_000_000, -1_000_000_i64..70_000_000), 0..30),
            duration_us in 1_i64..60_000_000,
            duck_db in 0.0..70.0,
            attack_ms in 0_u32..12_000,
            release_ms in 0_u32..12_000,
        ) {
            let speech: Vec<Span> = speech.into_iter().map(Span::from).collect();
            let rule = DuckRule::new(duck_db, attack_ms, release_ms);
            let points = envelope(&speech, duration_us, rule);
            prop_assert_eq!(points[0].t_us, 0);
            prop_assert_eq!(points[points.len() - 1].t_us, duration_us);
            prop_assert!(points.windows(2).all(|pair| pair[0].t_us < pair[1].t_us));
            prop_assert!(points.len() <= MOST_POINTS);
            prop_assert!(points.iter().all(|point| (-rule.down..=0).contains(&point.gain)));

            let spoken = tidied(&speech, duration_us);
            for t_us in (0..duration_us).step_by(usize::try_from(duration_us / 500 + 1).unwrap()) {
                let near = |before, after| {
                    spoken.iter().any(|span| span.start_us - before <= t_us && t_us <= span.end_us + after)
                };
                let gain = gain_at(&points, t_us);
                if near(0, 0) {
                    prop_assert_eq!(gain, i64::from(-rule.down), "at {}", t_us);
                } else if !near(rule.attack_us + rule.release_us, rule.attack_us + rule.release_us) {
                    prop_assert_eq!(gain, 0, "at {}", t_us);
                }
            }
        }
    }
}
