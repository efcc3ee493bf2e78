//! Sizes of pictures in pixels: limits for reading and making them, and the length of film that work on them is worth.

use crate::media_time::FrameRate;

/// The most pixels of a picture that is read.
pub const MOST_READ_PIXELS: u32 = 64_000_000;
/// The most pixels of a film's frame that is made: those of 4096 × 2160.
pub const MOST_FILM_PIXELS: u32 = 4_096 * 2_160;

/// Pixels drawn per millisecond of a film's worth: 1920 × 1080 at 30 frames per second, with one overlay over all of
/// each frame. Films that need more are priced by their pixels instead of their length.
pub(crate) const PIXELS_A_MS: i64 = 1_920 * 1_080 * 30 / 1_000 * 3 / 2;
/// Pixels of an image that are worth a second of film: those of 3840 × 2160.
pub(crate) const STILL_PIXELS: i64 = 3_840 * 2_160;
/// How many pixels are decoded at the cost of drawing and encoding one; 3 to 6 was measured.
const DECODED_FOR_DRAWN: i64 = 4;

/// Returns the milliseconds of film that drawing and decoding so many pixels is worth. Pixels that are only decoded
/// cost less.
pub(crate) const fn worth_ms(drawn: i64, decoded: i64) -> i64 {
    let beyond = decoded.saturating_sub(drawn);
    let beyond = if beyond > 0 { beyond / DECODED_FOR_DRAWN } else { 0 };
    drawn.saturating_add(beyond) / PIXELS_A_MS
}

/// The pictures of an item: what the cost of work on them depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pictures {
    /// The pixels of one picture; 0 without a picture.
    pub pixels: i64,
    /// The frame rate; `None` for an image.
    pub rate: Option<FrameRate>,
}

impl Pictures {
    /// Pictures of this width and height in pixels, with 0 for unknown sides.
    pub fn of(width: Option<i32>, height: Option<i32>, rate: Option<FrameRate>) -> Self {
        let side = |side: Option<i32>| i64::from(side.unwrap_or(0).max(0));
        Self { pixels: side(width).saturating_mul(side(height)), rate }
    }

    /// Returns the pixels of `ms` milliseconds of it; without a rate, those of one picture.
    pub fn pixels_in(self, ms: i64) -> i64 {
        let frames = self.rate.map_or(1, |rate| rate.nearest(ms.saturating_mul(1_000)).max(1));
        self.pixels.saturating_mul(frames)
    }

    /// Returns the milliseconds of film that drawing `ms` milliseconds of it anew is worth: as many, or more if it has
    /// more pixels per second than 1920 × 1080 at 45. An image is worth a second per 3840 × 2160 pixels, rounded up.
    pub fn worth_ms(self, ms: i64) -> i64 {
        ms.max(match self.rate {
            Some(_) => self.pixels_in(ms) / PIXELS_A_MS,
            None => self.pixels.saturating_add(STILL_PIXELS - 1) / STILL_PIXELS * 1_000,
        })
    }

    /// Returns the milliseconds of film that an image's pixels beyond the first 3840 × 2160 are worth: 350 per as many,
    /// which lies between the measured costs of 8-bit and of 16-bit images.
    pub(crate) const fn beyond_ms(self) -> i64 {
        let beyond = self.pixels.saturating_sub(STILL_PIXELS);
        if self.rate.is_some() || beyond <= 0 { 0 } else { beyond.saturating_mul(350) / STILL_PIXELS }
    }

    /// Returns the milliseconds of film that decoding `ms` milliseconds of it is worth, without drawing any.
    pub fn decoded_worth_ms(self, ms: i64) -> i64 {
        if ms <= 0 { 0 } else { worth_ms(0, self.pixels_in(ms)) }
    }

    /// Returns the pictures with both sides enlarged by this factor.
    #[must_use]
    pub fn enlarged(self, factor: i64) -> Self {
        Self { pixels: self.pixels.saturating_mul(factor.saturating_mul(factor)), ..self }
    }
}

/// Returns a side in pixels, of any number; 0 if that is not whole, is negative, or is more than `most`.
pub(crate) fn whole_side(given: f64, most: u32) -> u32 {
    let is_whole = given.fract() == 0.0 && (0.0..=f64::from(most)).contains(&given);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
    if is_whole { given as u32 } else { 0 }
}

/// The size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PictureSize {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_more_pixels_than_usual_is_worth_more_than_its_length() {
        let film = |width, height, rate| Pictures::of(Some(width), Some(height), FrameRate::new(rate, 1));
        assert_eq!([film(640, 360, 60), film(1_920, 1_080, 30)].map(|film| film.worth_ms(10_000)), [10_000; 2]);
        assert_eq!(film(1_920, 1_080, 60).worth_ms(10_000), 13_333);
        assert_eq!(film(1_024, 540, 60).enlarged(4).worth_ms(10_000), 56_888);
        assert_eq!(Pictures::default().worth_ms(10_000), 10_000, "sound has no pictures");
        assert_eq!(Pictures::of(Some(100), Some(50), None).pixels_in(9_000), 5_000, "an image is one");
        let image = |pixels| Pictures { pixels, rate: None }.worth_ms(0);
        assert_eq!([0, 1, STILL_PIXELS, STILL_PIXELS + 1, 64_000_000].map(image), [0, 1_000, 1_000, 2_000, 8_000]);
        assert_eq!(worth_ms(PIXELS_A_MS * 10, 0), 10);
        assert_eq!(worth_ms(PIXELS_A_MS * 10, PIXELS_A_MS * 50), 20, "a quarter of what is decoded beyond");
    }
}
