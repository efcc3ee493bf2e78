//! Frame rates as `ffprobe` writes them: `30000/1001`.

use domain::media_time::MOST_FRAMES_A_SECOND;

/// A frame rate as a stream declares it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fraction {
    pub(super) frames: u32,
    pub(super) seconds: u32,
}

impl Fraction {
    /// Parses `30000/1001` as its two numbers; none for `0/0`.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (frames, seconds) = text.split_once('/')?;
        let (frames, seconds) = (frames.parse().ok()?, seconds.parse().ok()?);
        (frames > 0 && seconds > 0).then_some(Self { frames, seconds })
    }

    pub(super) fn a_second(self) -> f64 {
        f64::from(self.frames) / f64::from(self.seconds)
    }
}

/// Returns a rate as a number, rounded to three places.
pub(super) fn to_three_places(rate: Fraction) -> f64 {
    (rate.a_second() * 1000.0).round() / 1000.0
}

/// Returns the whole frame rate nearest to a rate, within the allowed range.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped to what fits")]
pub(super) fn whole(rate: f64) -> u32 {
    rate.round().clamp(1.0, f64::from(MOST_FRAMES_A_SECOND)) as u32
}
