//! Decides what `remove_silence` keeps of a media, from where somebody speaks in it (contract §4.4).
//!
//! Pure: spans in, spans out. The `speech` read finds the speech; the worker makes the cuts that are decided here.

use crate::media_time::{FrameRate, Span, joined, tidied, total_us};

/// The shortest silence that is cut, and how much of it stays beside speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SilenceRule {
    min_silence_us: i64,
    padding_us: i64,
}

impl SilenceRule {
    /// The default length of the shortest silence that is cut, in milliseconds.
    pub const MIN_SILENCE_MS: u32 = 500;
    /// The most milliseconds that a call may ask for: a minute.
    pub const MOST_SILENCE_MS: u32 = 60_000;
    /// The fewest milliseconds that a call may ask for: below it, breaths and plosives would be cut.
    pub const LEAST_SILENCE_MS: u32 = 100;
    /// The default milliseconds that stay before and after speech. The read's segments themselves begin a little early
    /// and end a little late.
    pub const PADDING_MS: u32 = 50;
    /// The most milliseconds of padding that a call may ask for.
    pub const MOST_PADDING_MS: u32 = 5_000;

    /// Silence of at least `min_silence_ms` milliseconds is cut, except for `padding_ms` beside speech. Values beyond
    /// the limits become the limit.
    pub fn new(min_silence_ms: u32, padding_ms: u32) -> Self {
        Self {
            min_silence_us: i64::from(min_silence_ms.clamp(Self::LEAST_SILENCE_MS, Self::MOST_SILENCE_MS)) * 1000,
            padding_us: i64::from(padding_ms.min(Self::MOST_PADDING_MS)) * 1000,
        }
    }
}

/// The parts of a media that are kept, and the length of those that are removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The kept spans: sorted, apart from each other, within the media, none of them empty.
    pub keep: Vec<Span>,
    /// The removed length in microseconds.
    pub removed_us: i64,
}

/// Decides what is kept of a media of this duration in microseconds, with the given speech.
///
/// A silence shorter than the minimum stays whole, also before the first and after the last word. A longer one is cut
/// except for its padding, and stays if the paddings on both sides meet. A video's cuts move outwards to a frame's
/// border, so that no speech is lost. Without speech nothing is kept: all of it is silence.
pub fn keep(speech: &[Span], duration_us: i64, rule: SilenceRule, rate: Option<FrameRate>) -> Kept {
    let SilenceRule { min_silence_us, padding_us } = rule;
    // A silence of exactly the minimum length is cut.
    let mut spoken = joined(tidied(speech, duration_us), min_silence_us - 1);
    let last = spoken.len().saturating_sub(1);
    for (place, span) in spoken.iter_mut().enumerate() {
        let head = place == 0 && span.start_us < min_silence_us;
        let tail = place == last && duration_us - span.end_us < min_silence_us;
        *span = Span::new(
            if head { 0 } else { (span.start_us - padding_us).max(0) },
            if tail { duration_us } else { (span.end_us + padding_us).min(duration_us) },
        );
    }
    let keep = match rate {
        Some(rate) => on_frames(&spoken, duration_us, rate),
        None => joined(spoken, 0),
    };
    let removed_us = (duration_us - total_us(&keep)).max(0);
    Kept { keep, removed_us }
}

/// Returns the end of the media's last whole frame, as a frame number. Durations are known to the millisecond: up to
/// half of one may be missing.
fn last_frame(duration_us: i64, rate: FrameRate) -> i64 {
    rate.at_or_before(duration_us + 500)
}

/// Returns the spans widened to whole frames of the media.
fn on_frames(spans: &[Span], duration_us: i64, rate: FrameRate) -> Vec<Span> {
    let last = last_frame(duration_us, rate);
    let frames = spans.iter().filter_map(|span| {
        let (start, end) = (rate.at_or_before(span.start_us), rate.at_or_after(span.end_us).min(last));
        (start < end).then(|| Span::new(rate.us_of(start), rate.us_of(end)))
    });
    joined(frames, 0)
}

#[cfg(test)]
mod tests;
