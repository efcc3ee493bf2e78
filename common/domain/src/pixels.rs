//! How large pictures are, in pixels, how large those may be that are read and made, and what work on so many is worth.

use crate::media_time::FrameRate;

/// Pixels of a picture that is read, at most.
pub const MOST_READ_PIXELS: u32 = 64_000_000;
/// Pixels of a film's picture that is made, at most: those of 4096 × 2160.
pub const MOST_FILM_PIXELS: u32 = 4_096 * 2_160;

/// Pixels that are drawn in a millisecond of what a film is worth: those of 1920 × 1080 at 30 frames a second, with one
/// picture over all of each. Of films that are drawn with more, the pixels count and not their length.
pub(crate) const PIXELS_A_MS: i64 = 1_920 * 1_080 * 30 / 1_000 * 3 / 2;
/// Pixels of an image that are worth a second of film: those of 3840 × 2160.
pub(crate) const STILL_PIXELS: i64 = 3_840 * 2_160;
/// How many pixels are decoded for what drawing and encoding one costs: measured, 3 to 6.
const DECODED_FOR_DRAWN: i64 = 4;

/// The milliseconds of film that so many pixels are worth. What is decoded beyond what is drawn costs less.
pub(crate) const fn worth_ms(drawn: i64, decoded: i64) -> i64 {
    let beyond = decoded.saturating_sub(drawn);
    let beyond = if beyond > 0 { beyond / DECODED_FOR_DRAWN } else { 0 };
    drawn.saturating_add(beyond) / PIXELS_A_MS
}

/// The pictures of an item, as far as work on them costs by them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pictures {
    /// Pixels of one; none of what has no picture.
    pub pixels: i64,
    /// How many are shown in a second; nothing of an image.
    pub rate: Option<FrameRate>,
}

impl Pictures {
    /// Of this width and height, if they are known.
    pub fn of(width: Option<i32>, height: Option<i32>, rate: Option<FrameRate>) -> Self {
        let side = |side: Option<i32>| i64::from(side.unwrap_or(0).max(0));
        Self { pixels: side(width).saturating_mul(side(height)), rate }
    }

    /// Pixels that so many milliseconds of it have; of what has no rate those of one picture.
    pub fn pixels_in(self, ms: i64) -> i64 {
        let frames = self.rate.map_or(1, |rate| rate.nearest(ms.saturating_mul(1_000)).max(1));
        self.pixels.saturating_mul(frames)
    }

    /// The milliseconds that work on so many of it is worth which draws it anew: as many, or more where its pictures
    /// have more pixels a second than 1920 × 1080 at 45; of an image a second for each 3840 × 2160 pixels that are
    /// begun.
    pub fn worth_ms(self, ms: i64) -> i64 {
        ms.max(match self.rate {
            Some(_) => self.pixels_in(ms) / PIXELS_A_MS,
            None => self.pixels.saturating_add(STILL_PIXELS - 1) / STILL_PIXELS * 1_000,
        })
    }

    /// The milliseconds of film that an image's pixels are worth beyond the first 3840 × 2160, 350 for each as many:
    /// measured, it lies between what those of 8 bits cost and those of 16.
    pub(crate) const fn beyond_ms(self) -> i64 {
        let beyond = self.pixels.saturating_sub(STILL_PIXELS);
        if self.rate.is_some() || beyond <= 0 { 0 } else { beyond.saturating_mul(350) / STILL_PIXELS }
    }

    /// The milliseconds of film that going through so many of it is worth, of which nothing is drawn.
    pub fn decoded_worth_ms(self, ms: i64) -> i64 {
        if ms <= 0 { 0 } else { worth_ms(0, self.pixels_in(ms)) }
    }

    /// They, enlarged so many times each way.
    #[must_use]
    pub fn enlarged(self, factor: i64) -> Self {
        Self { pixels: self.pixels.saturating_mul(factor.saturating_mul(factor)), ..self }
    }
}

/// The size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PictureSize {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
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
