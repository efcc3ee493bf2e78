//! The passages of speech that are heard at once, some seconds each, and the windows in them that voices are compared
//! in. Pure.
//!
//! Times are frames of the encoder, hundredths of a second from the media's start.

use super::encoder::mel::FRAMES;
use crate::readers::speech::segments::Segment;

/// Frames of a window: the length that the encoder was trained on. Shorter speech is a window of its own.
pub(super) const LENGTH: u32 = 160;
/// The hop between the windows of a passage in frames, at most. It misplaces changes of voice without a pause, whose
/// places are looked for again (`embedded`); windows closer to each other place them no better (decision 660).
const HOP: u32 = 120;
/// Frames of a passage, at most: the longest speech that is assumed to be one voice's.
pub(super) const PASSAGE: u32 = 400;
/// Frames of speech below which a voice can't be recognised.
const LEAST: u32 = 25;

/// A part of one segment of speech, which the encoder hears at once.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    /// The segment's number.
    pub(super) segment: usize,
    /// What is heard.
    pub(super) whole: Window,
    /// The windows in it that have an embedding each.
    pub(super) windows: Vec<Window>,
}

/// A stretch of speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// Its first frame.
    pub(super) from: u32,
    /// The frame after its last.
    pub(super) to: u32,
}

impl Window {
    /// Returns the number of its frames.
    pub(super) fn length(self) -> u32 {
        self.to - self.from
    }

    /// Returns the second at which the next window takes over: half-way between both windows' middles.
    pub(super) fn takes_over(self, next: Self) -> f64 {
        f64::from(self.from + self.to + next.from + next.to) / f64::from(4 * FRAMES)
    }

    /// Returns as many equal parts as it has if none is longer than `most`.
    fn parts(self, most: u32) -> impl Iterator<Item = Self> {
        let parts = self.length().div_ceil(most).max(1);
        let edge = move |part: u32| {
            self.from + u32::try_from(u64::from(self.length()) * u64::from(part) / u64::from(parts)).unwrap_or(0)
        };
        (0..parts).map(move |part| Self { from: edge(part), to: edge(part + 1) })
    }

    /// Returns the windows that cover it to its ends.
    fn covered(self) -> Vec<Self> {
        let slack = self.length().saturating_sub(LENGTH);
        let steps = slack.div_ceil(HOP);
        let from = |step: u32| self.from + (slack * step).checked_div(steps).unwrap_or(0);
        (0..=steps).map(|step| Self { from: from(step), to: (from(step) + LENGTH).min(self.to) }).collect()
    }
}

/// Returns the passages of this speech, in order: equal parts of each segment that is long enough.
pub(super) fn passages(speech: &[Segment]) -> Vec<Passage> {
    let segments = speech.iter().enumerate();
    let spoken = segments.map(|(segment, spoken)| (segment, frame(spoken.start), frame(spoken.end)));
    let long_enough = spoken.filter(|(_, from, to)| to.saturating_sub(*from) >= LEAST);
    let parts = long_enough.flat_map(|(segment, from, to)| {
        let parts = Window { from, to }.parts(PASSAGE);
        parts.map(move |whole| Passage { segment, whole, windows: whole.covered() })
    });
    parts.collect()
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
    fn windows_cover_each_passage_and_passages_each_segment_to_its_ends() {
        let speech = [(0.0, 0.2), (1.0, 2.0), (3.0, 6.0), (10.0, 15.0)];
        let speech = speech.map(|(start, end)| Segment { start, end, confidence: 1.0 });
        let ends = |window: &Window| (window.from, window.to);
        let told: Vec<_> = passages(&speech).iter().map(|one| (one.segment, ends(&one.whole))).collect();
        assert_eq!(told, [(1, (100, 200)), (2, (300, 600)), (3, (1000, 1250)), (3, (1250, 1500))]);
        let told: Vec<Vec<_>> = passages(&speech).iter().map(|one| one.windows.iter().map(ends).collect()).collect();
        let [short, long] = [vec![(100, 200)], vec![(300, 460), (370, 530), (440, 600)]];
        assert_eq!(told, [short, long, vec![(1000, 1160), (1090, 1250)], vec![(1250, 1410), (1340, 1500)]]);
        let [one, other] = [(300, 460), (370, 530)].map(|(from, to)| Window { from, to });
        assert!((one.takes_over(other) - 4.15).abs() < 1e-9);
    }
}
