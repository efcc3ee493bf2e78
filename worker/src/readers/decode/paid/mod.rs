//! How much of a media is decoded: only what is paid for, whatever its container declares.
//!
//! A hold is made for the length that an item has in our tables, and a charge never passes its hold. So a file that
//! goes on after its declared end would be read for nothing. The child is told to stop, and since it is not trusted,
//! its output is counted and cut off at the same place: the charge is at least the rate times what was handed out.

use super::MediaLimits;
use crate::readers::{JobCtx, Limit, Probe, ReadError};
use std::time::Duration;
use tokio::time::Instant;

/// Milliseconds that honest media may have beyond the declared length. Of 105 files of every kind the most was 15 ms
/// (an AAC encoder's padding), and 256 ms for an Ogg that was cut without decoding. They are dropped without a warning.
const OVERRUN_MS: u64 = 300;
/// Milliseconds that a child may decode beyond the paid length: more than `OVERRUN_MS`, so that it shows whether there
/// is more.
const CHILD_MS: i64 = 1_500;
/// Pixels per second that a video may have: those of 3840 x 2160 at 120 frames per second, or of 7680 x 4320 at 30.
const MOST_PIXELS_A_SECOND: u64 = 1_200_000_000;
/// Seconds' worth of these pixels that a video may have at once, at its beginning or where its frame rate is higher for
/// a while.
const BURST_SECONDS: u64 = 5;
/// Pixels that the smallest picture counts as, so that no video has more than 286 frames per second in the long run:
/// otherwise a file of half a second with thousands of frames would cost half a second.
const LEAST_PIXELS: u64 = 4 << 20;
/// How long a video is decoded before its pace is judged.
const FIRST_LOOK: Duration = Duration::from_mins(1);

/// The length of a media that is paid for; none where nobody pays, as when an import's length is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paid {
    ms: Option<u64>,
}

impl Paid {
    /// Returns the length that the job pays for.
    pub(crate) fn of(ctx: &JobCtx) -> Self {
        Self { ms: ctx.paid_ms.map(|ms| u64::try_from(ms).unwrap_or(0)) }
    }

    /// Returns the seconds after which a child is told to stop, as an argument of ffmpeg: a little more than is paid
    /// for or allowed, to tell what is too long from what just fits.
    pub(crate) fn seconds(self, limits: &MediaLimits) -> String {
        let allowed_ms = limits.duration_ms.saturating_add(2_000);
        let paid_ms = self.ms.and_then(|ms| i64::try_from(ms).ok()).unwrap_or(allowed_ms);
        let ms = paid_ms.saturating_add(CHILD_MS).min(allowed_ms);
        format!("{}.{:03}", ms / 1000, ms % 1000)
    }

    /// Returns how many samples per channel are paid for at this rate: as many as round down to the paid milliseconds.
    pub(super) fn frames(self, rate: u64) -> u64 {
        self.ms.map_or(u64::MAX, |ms| (ms.saturating_add(1).saturating_mul(rate) - 1) / 1000)
    }

    /// Whether this millisecond of the media is paid for.
    pub(super) fn covers(self, at_ms: i64) -> bool {
        self.ms.is_none_or(|ms| at_ms.unsigned_abs() <= ms)
    }

    /// Returns the milliseconds to charge: those counted, but no more than are paid for.
    pub(super) fn at_most(self, counted_ms: i64) -> i64 {
        self.ms.and_then(|ms| i64::try_from(ms).ok()).map_or(counted_ms, |ms| counted_ms.min(ms))
    }

    /// Returns the warning for a media that goes on for `beyond_ms` after the paid length, if that is more than honest
    /// media do.
    pub(super) fn passed(self, beyond_ms: u64) -> Option<String> {
        let ms = self.ms.filter(|_| beyond_ms > OVERRUN_MS)?;
        Some(format!("The file goes on after the {ms} ms that the item is long; what comes after them was not read."))
    }
}

/// Refuses a video that declares more pixels per second than are decoded.
pub(crate) fn fits_a_second(probe: &Probe) -> Result<(), ReadError> {
    let Some(rate) = probe.frame_rate else { return Ok(()) };
    let found = pixels(probe).saturating_mul(u64::from(rate.frames())) / u64::from(rate.seconds()).max(1);
    refused_above(found, MOST_PIXELS_A_SECOND)
}

fn refused_above(found: u64, allowed: u64) -> Result<(), ReadError> {
    let limit = Limit::PixelsASecond;
    if found > allowed { Err(ReadError::LimitExceeded { limit, found, allowed }) } else { Ok(()) }
}

fn pixels(probe: &Probe) -> u64 {
    u64::from(probe.width.unwrap_or(0)) * u64::from(probe.height.unwrap_or(0))
}

/// Watches a video's pace: its pixels per second of media, and the time that decoding takes.
#[derive(Debug)]
pub(super) struct Pace {
    pixels: u64,
    /// Milliseconds of the whole video, if known.
    whole_ms: Option<u64>,
    began: Instant,
    time: Duration,
}

impl Pace {
    /// Starts to watch a video that is decoded from now on.
    pub(super) fn of(probe: &Probe, ctx: &JobCtx) -> Self {
        let began = Instant::now();
        let whole_ms = ctx.paid_ms.or(probe.duration_ms).map(i64::unsigned_abs);
        Self { pixels: pixels(probe), whole_ms, began, time: ctx.deadline.saturating_duration_since(began) }
    }

    /// Refuses a video with more frames than its time allows (`LimitExceeded`), and one that would take more than twice
    /// its time limit at this pace (`Timeout`), so that it does not hold a slot until then.
    pub(super) fn judge(&self, frames: u64, seen_ms: i64) -> Result<(), ReadError> {
        let seen_ms = seen_ms.unsigned_abs();
        let found = frames.saturating_mul(self.pixels.max(LEAST_PIXELS));
        refused_above(found / (seen_ms / 1000 + BURST_SECONDS), MOST_PIXELS_A_SECOND)?;
        self.keeps_up(seen_ms, self.began.elapsed())
    }

    fn keeps_up(&self, seen_ms: u64, took: Duration) -> Result<(), ReadError> {
        let Some(whole_ms) = self.whole_ms.filter(|_| took > FIRST_LOOK) else { return Ok(()) };
        let hopeless = took.as_millis().saturating_mul(whole_ms.into())
            > self.time.as_millis().saturating_mul(2).saturating_mul(seen_ms.into());
        if hopeless { Err(ReadError::Timeout) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
