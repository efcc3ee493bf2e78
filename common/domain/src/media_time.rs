//! Spans of media time, and frame rates, whose frames a video's cuts must coincide with.
//!
//! Times are whole microseconds: fine enough that the time of a frame, which is seldom a round number, leads back to
//! the same frame, and exact where floats are not. Neighbours: `silence` decides what is kept of a media, `ducking`
//! what is turned down.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The microseconds in a second.
const SECOND_US: i128 = 1_000_000;
/// The most frames per second of a [`FrameRate`].
pub const MOST_FRAMES_A_SECOND: u32 = 120;

/// A span of media time, which ends after it starts. As JSON: `[start_us, end_us]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "(i64, i64)", from = "(i64, i64)")]
pub struct Span {
    /// Its start in microseconds from the media's start.
    pub start_us: i64,
    /// Its end in microseconds from the media's start.
    pub end_us: i64,
}

impl Span {
    /// Returns the span with this start and end, in microseconds.
    pub const fn new(start_us: i64, end_us: i64) -> Self {
        Self { start_us, end_us }
    }

    /// Returns its length in microseconds.
    pub const fn len_us(self) -> i64 {
        self.end_us - self.start_us
    }
}

impl From<(i64, i64)> for Span {
    fn from((start_us, end_us): (i64, i64)) -> Self {
        Self { start_us, end_us }
    }
}

impl From<Span> for (i64, i64) {
    fn from(span: Span) -> Self {
        (span.start_us, span.end_us)
    }
}

/// Returns these spans within the media, sorted; those that overlap or touch are joined.
pub fn tidied(spans: &[Span], duration_us: i64) -> Vec<Span> {
    let clamped = spans.iter().map(|span| Span::new(span.start_us.max(0), span.end_us.min(duration_us)));
    let mut sorted: Vec<Span> = clamped.filter(|span| span.len_us() > 0).collect();
    sorted.sort_unstable();
    joined(sorted, 0)
}

/// Returns these sorted spans; those whose gap is at most `gap_us` microseconds are joined.
pub fn joined(sorted: impl IntoIterator<Item = Span>, gap_us: i64) -> Vec<Span> {
    let mut whole: Vec<Span> = Vec::new();
    for span in sorted {
        match whole.last_mut() {
            Some(last) if span.start_us - last.end_us <= gap_us => last.end_us = last.end_us.max(span.end_us),
            _ => whole.push(span),
        }
    }
    whole
}

/// Returns the sum of their lengths, in microseconds.
pub fn total_us(spans: &[Span]) -> i64 {
    spans.iter().map(|span| span.len_us()).sum()
}

/// Returns the speech of a stored `speech` read (docs/reads.md, "The stored result"); `None` if it is no such read.
pub fn speech_of(read: &Value) -> Option<Vec<Span>> {
    let segments = read["data"]["segments"].as_array()?;
    segments.iter().map(|one| Some(Span::new(microseconds(&one["start"])?, microseconds(&one["end"])?))).collect()
}

/// Returns the best known length of a media in milliseconds: the length of its sound, as a stored read has counted it.
/// The declared length may be a guess, and is used only if it is longer and there is a picture, or if nothing was
/// counted.
pub fn true_duration_ms(declared_ms: Option<i64>, has_picture: bool, read: &Value) -> Option<i64> {
    let counted_ms = microseconds(&read["duration_seconds"]).map(|us| us / 1000).filter(|ms| *ms > 0);
    if has_picture { declared_ms.max(counted_ms) } else { counted_ms.or(declared_ms) }
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn microseconds(seconds: &Value) -> Option<i64> {
    let us = seconds.as_f64()? * 1e6;
    (us.abs() < 1e15).then(|| us.round() as i64)
}

/// Frames per second, as a fraction: 30000/1001 for 29.97.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FrameRate {
    frames: u32,
    seconds: u32,
}

impl FrameRate {
    /// One frame per second, the slowest rate.
    pub const ONE_A_SECOND: Self = Self { frames: 1, seconds: 1 };

    /// Returns the rate of so many frames in so many seconds; `None` unless it is from one to [`MOST_FRAMES_A_SECOND`].
    pub fn new(frames: u32, seconds: u32) -> Option<Self> {
        let sane = seconds > 0
            && frames >= seconds
            && u64::from(frames) <= u64::from(seconds) * u64::from(MOST_FRAMES_A_SECOND);
        sane.then_some(Self { frames, seconds })
    }

    /// Returns the numerator: the number of frames in [`Self::seconds`].
    pub const fn frames(self) -> u32 {
        self.frames
    }

    /// Returns the denominator: the number of seconds that [`Self::frames`] take.
    pub const fn seconds(self) -> u32 {
        self.seconds
    }

    /// Returns the start of this frame, to the nearest microsecond.
    pub fn us_of(self, frame: i64) -> i64 {
        rounded(i128::from(frame) * i128::from(self.seconds) * SECOND_US, i128::from(self.frames))
    }

    /// Returns the frame whose start is nearest to this microsecond.
    pub fn nearest(self, us: i64) -> i64 {
        rounded(i128::from(us) * i128::from(self.frames), i128::from(self.seconds) * SECOND_US)
    }

    /// Returns the last frame that starts at this microsecond or before.
    pub fn at_or_before(self, us: i64) -> i64 {
        let near = self.nearest(us);
        if self.us_of(near) <= us { near } else { near - 1 }
    }

    /// Returns the first frame that starts at this microsecond or later.
    pub fn at_or_after(self, us: i64) -> i64 {
        let near = self.nearest(us);
        if self.us_of(near) >= us { near } else { near + 1 }
    }

    /// Returns the sample nearest to the start of this frame, at `rate` samples per second.
    pub fn sample_of(self, frame: i64, rate: u32) -> i64 {
        rounded(i128::from(frame) * i128::from(self.seconds) * i128::from(rate), i128::from(self.frames))
    }
}

impl std::fmt::Display for FrameRate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.frames, self.seconds)
    }
}

/// Returns the quotient as the nearest whole number, with halves rounded up; the divisor must be positive.
fn rounded(dividend: i128, divisor: i128) -> i64 {
    i64::try_from((2 * dividend + divisor).div_euclid(2 * divisor)).unwrap_or(i64::MAX)
}

/// Returns the sample nearest to this microsecond, at `rate` samples per second.
pub fn sample_at(us: i64, rate: u32) -> i64 {
    rounded(i128::from(us) * i128::from(rate), SECOND_US)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn only_rates_that_a_video_may_have_are_rates() {
        assert_eq!(FrameRate::new(30_000, 1_001).map(|rate| rate.to_string()), Some("30000/1001".to_owned()));
        for (frames, seconds) in [(0, 1), (1, 0), (121, 1), (1, 2), (90_000, 1)] {
            assert_eq!(FrameRate::new(frames, seconds), None, "{frames}/{seconds}");
        }
    }

    #[test]
    fn a_stored_read_is_taken_for_speech_only_if_it_is() {
        let read = json!({ "data": { "segments": [{ "start": 0.5, "end": 1.234, "confidence": 0.9 }] } });
        assert_eq!(speech_of(&read), Some(vec![Span::new(500_000, 1_234_000)]));
        assert_eq!(speech_of(&json!({ "data": { "segments": [] } })), Some(vec![]));
        assert_eq!(speech_of(&json!({ "data": { "segments": [{ "start": "x", "end": 1 }] } })), None);
        assert_eq!(speech_of(&json!({ "data": {} })), None);
    }

    #[test]
    fn what_was_counted_stands_above_what_is_declared() {
        let counted = json!({ "duration_seconds": 60.029 });
        assert_eq!(true_duration_ms(Some(21_490), false, &counted), Some(60_029));
        assert_eq!(true_duration_ms(Some(1_041_000), false, &counted), Some(60_029));
        assert_eq!(true_duration_ms(Some(21_490), true, &counted), Some(60_029));
        // Its picture goes on after its sound.
        assert_eq!(true_duration_ms(Some(90_000), true, &counted), Some(90_000));
        for nothing in [json!({}), json!({ "duration_seconds": 0.0 })] {
            assert_eq!(true_duration_ms(Some(21_490), false, &nothing), Some(21_490));
        }
    }

    #[test]
    fn a_span_is_a_pair_as_json() {
        let spans = vec![Span::new(1, 2), Span::new(3, 4)];
        let text = serde_json::to_string(&spans).unwrap();
        assert_eq!(text, "[[1,2],[3,4]]");
        assert_eq!(serde_json::from_str::<Vec<Span>>(&text).unwrap(), spans);
    }

    proptest! {
        #[test]
        fn a_frame_comes_back_from_its_time(
            frame in 0_i64..100_000_000, frames in 1_u32..=120_000, seconds in 1_u32..=1_001,
        ) {
            prop_assume!(FrameRate::new(frames, seconds).is_some());
            let rate = FrameRate::new(frames, seconds).unwrap();
            let us = rate.us_of(frame);
            prop_assert_eq!(rate.nearest(us), frame);
            prop_assert_eq!(rate.at_or_before(us), frame);
            prop_assert_eq!(rate.at_or_after(us), frame);
            prop_assert_eq!(rate.at_or_before(us + 1), frame);
            prop_assert_eq!(rate.at_or_after(us + 1), frame + 1);
        }

        #[test]
        fn tidied_spans_are_sorted_apart_and_inside(
            spans in proptest::collection::vec((-50_i64..500, -50_i64..500), 0..20),
        ) {
            let spans: Vec<Span> = spans.into_iter().map(Span::from).collect();
            let tidy = tidied(&spans, 400);
            let is_inside = |span: &Span| 0 <= span.start_us && span.start_us < span.end_us && span.end_us <= 400;
            prop_assert!(tidy.iter().all(is_inside));
            prop_assert!(tidy.windows(2).all(|pair| pair[0].end_us < pair[1].start_us));
            for us in 0..400 {
                let inside = |all: &[Span]| all.iter().any(|span| span.start_us <= us && us < span.end_us);
                prop_assert_eq!(inside(&tidy), inside(&spans));
            }
        }
    }
}
