//! The windows over the speech that voices are compared in, 1.6 s long. Pure.
//!
//! Times are frames of the encoder, hundredths of a second from the media's start.

use super::encoder::mel::FRAMES;
use crate::readers::speech::segments::Segment;

/// Frames of a window: the length that the encoder was trained on. Shorter speech is a window of its own.
pub(super) const LENGTH: u32 = 160;
/// The hop between windows in frames, at most. With 100, changes of voice without a pause were misplaced.
const HOP: u32 = 80;
/// Frames of speech below which a voice can't be recognised.
const LEAST: u32 = 25;

/// A stretch of one segment of speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// The segment's number.
    pub(super) segment: usize,
    /// Its first frame.
    pub(super) from: u32,
    /// The frame after its last.
    pub(super) to: u32,
}

impl Window {
    /// Returns the number of its frames.
    pub(super) fn length(&self) -> u32 {
        self.to - self.from
    }

    /// Returns the second at which the next window takes over: half-way between both windows' middles.
    pub(super) fn takes_over(&self, next: &Self) -> f64 {
        f64::from(self.from + self.to + next.from + next.to) / f64::from(4 * FRAMES)
    }
}

/// Returns the windows over this speech, in order. Each segment that is long enough is covered to its ends.
pub(super) fn windows(speech: &[Segment]) -> Vec<Window> {
    let mut windows = Vec::new();
    for (segment, spoken) in speech.iter().enumerate() {
        let (from, to) = (frame(spoken.start), frame(spoken.end));
        let length = to.saturating_sub(from);
        if length < LEAST {
            continue;
        }
        let slack = length.saturating_sub(LENGTH);
        let steps = slack.div_ceil(HOP);
        for step in 0..=steps {
            let from = from + (slack * step).checked_div(steps).unwrap_or(0);
            windows.push(Window { segment, from, to: (from + LENGTH).min(to) });
        }
    }
    windows
}

/// Returns the frame at this second.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "media times are small and positive")]
pub(super) fn frame(second: f64) -> u32 {
    (second.max(0.0) * f64::from(FRAMES)).round() as u32
}

/// Returns the second of this frame.
pub(super) fn second(frame: u32) -> f64 {
    f64::from(frame) / f64::from(FRAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_each_segment_to_its_ends() {
        let speech = [(0.0, 0.2), (1.0, 2.0), (3.0, 6.0)].map(|(start, end)| Segment { start, end, confidence: 1.0 });
        let found: Vec<_> = windows(&speech).iter().map(|window| (window.segment, window.from, window.to)).collect();
        assert_eq!(found, [(1, 100, 200), (2, 300, 460), (2, 370, 530), (2, 440, 600)]);
        assert!((windows(&speech)[1].takes_over(&windows(&speech)[2]) - 4.15).abs() < 1e-9);
    }
}
