//! Turns the probability of a voice in each frame into segments of speech.
//!
//! The rules are those of Silero's reference, with hysteresis: speech begins at a high threshold and ends below a lower
//! one that lasts, short bursts are dropped, and the rest is padded. Pure; it keeps segments and nothing per frame.

use crate::readers::stored::thousandths;
use serde::{Deserialize, Serialize};

/// The thresholds and times by which speech begins and ends.
#[derive(Debug, Clone, Copy)]
pub(in crate::readers) struct Rules {
    /// The probability from which speech begins.
    pub(in crate::readers) enter: f32,
    /// The probability below which speech may end.
    pub(in crate::readers) leave: f32,
    /// Milliseconds of speech below which it is dropped.
    pub(in crate::readers) min_speech_ms: u64,
    /// Milliseconds of silence below which it is part of the speech around it.
    pub(in crate::readers) min_silence_ms: u64,
    /// Milliseconds by which each segment begins before its first frame.
    pub(in crate::readers) pad_ms: u64,
    /// Milliseconds by which the probability falls after the voice has ended.
    pub(in crate::readers) lag_ms: u64,
}

/// A stretch of speech, in seconds from the media's start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(in crate::readers) struct Segment {
    /// Its start.
    pub(in crate::readers) start: f64,
    /// Its end.
    pub(in crate::readers) end: f64,
    /// The mean probability of a voice in it, 0 to 1.
    pub(in crate::readers) confidence: f64,
}

/// A stretch in samples.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    start: u64,
    end: u64,
    confidence: f64,
}

/// Speech that has begun and not ended.
#[derive(Debug, Clone, Copy)]
struct Open {
    start: u64,
    sum: f64,
    frames: u32,
    /// The start of the silence that may end it, and the sum and frames up to there.
    silent: Option<(u64, f64, u32)>,
}

/// Gathers segments from probabilities.
#[derive(Debug)]
pub(in crate::readers) struct Segmenter {
    rules: Rules,
    rate: u64,
    frame_samples: u64,
    at: u64,
    open: Option<Open>,
    stretches: Vec<Stretch>,
}

impl Segmenter {
    /// Returns a segmenter for frames of `frame_samples` samples at `rate` samples per second.
    pub(in crate::readers) fn new(rules: Rules, rate: u32, frame_samples: usize) -> Self {
        let (rate, frame_samples) = (u64::from(rate), frame_samples as u64);
        Self { rules, rate, frame_samples, at: 0, open: None, stretches: Vec::new() }
    }

    /// Takes the probability of the next frame.
    pub(in crate::readers) fn add(&mut self, probability: f32) {
        let start = self.at;
        self.at += self.frame_samples;
        let entering = probability >= self.rules.enter;
        let Some(mut open) = self.open else {
            if entering {
                self.open = Some(Open { start, sum: f64::from(probability), frames: 1, silent: None });
            }
            return;
        };
        if entering {
            open.silent = None;
        } else if probability < self.rules.leave && open.silent.is_none() {
            open.silent = Some((start, open.sum, open.frames));
        }
        open.sum += f64::from(probability);
        open.frames += 1;
        self.open = Some(open);
        if let Some((silent_from, sum, frames)) = open.silent
            && self.at - silent_from >= self.samples(self.rules.min_silence_ms)
        {
            self.close(open.start, self.before_lag(silent_from), sum / f64::from(frames));
        }
    }

    fn close(&mut self, start: u64, end: u64, confidence: f64) {
        self.open = None;
        if end.saturating_sub(start) >= self.samples(self.rules.min_speech_ms) {
            self.stretches.push(Stretch { start, end, confidence });
        }
    }

    fn before_lag(&self, sample: u64) -> u64 {
        sample.saturating_sub(self.samples(self.rules.lag_ms))
    }

    fn samples(&self, ms: u64) -> u64 {
        ms * self.rate / 1000
    }

    /// Returns the segments of a sound of `sound_samples` samples.
    pub(in crate::readers) fn finish(mut self, sound_samples: u64) -> Vec<Segment> {
        if let Some(open) = self.open {
            let (end, sum, frames) = match open.silent {
                Some((silent_from, sum, frames)) => (self.before_lag(silent_from), sum, frames),
                None => (sound_samples, open.sum, open.frames),
            };
            self.close(open.start, end, sum / f64::from(frames));
        }
        let pad = self.samples(self.rules.pad_ms);
        let mut last_end = 0;
        let padded = self.stretches.iter().map(|stretch| {
            let start = stretch.start.saturating_sub(pad).max(last_end);
            last_end = stretch.end.min(sound_samples);
            Stretch { start, end: last_end, confidence: stretch.confidence }
        });
        padded.map(|stretch| self.segment(stretch)).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "samples of a day stay far below 2^53")]
    fn segment(&self, stretch: Stretch) -> Segment {
        let seconds = |samples: u64| thousandths(samples as f64 / self.rate as f64);
        Segment {
            start: seconds(stretch.start),
            end: seconds(stretch.end),
            confidence: thousandths(stretch.confidence),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules =
        Rules { enter: 0.5, leave: 0.35, min_speech_ms: 20, min_silence_ms: 20, pad_ms: 10, lag_ms: 10 };

    /// Frames of 10 ms.
    fn segments(probabilities: &[f32]) -> Vec<(f64, f64)> {
        let mut segmenter = Segmenter::new(RULES, 1000, 10);
        for probability in probabilities {
            segmenter.add(*probability);
        }
        let segments = segmenter.finish(probabilities.len() as u64 * 10);
        segments.into_iter().map(|segment| (segment.start, segment.end)).collect()
    }

    #[test]
    fn speech_begins_early_by_the_pad_and_ends_early_by_the_lag() {
        assert_eq!(segments(&[0.0, 0.0, 0.9, 0.9, 0.9, 0.0, 0.0, 0.0]), [(0.01, 0.04)]);
    }

    #[test]
    fn speech_at_either_end_stays_within_the_sound() {
        assert_eq!(segments(&[0.9, 0.9]), [(0.0, 0.02)]);
    }

    #[test]
    fn a_short_burst_is_no_speech_and_a_short_dip_no_silence() {
        assert_eq!(segments(&[0.0, 0.9, 0.0, 0.0, 0.0]), []);
        assert_eq!(segments(&[0.9, 0.9, 0.0, 0.9, 0.9]), [(0.0, 0.05)]);
    }

    #[test]
    fn a_probability_between_the_thresholds_changes_nothing() {
        assert_eq!(segments(&[0.9, 0.9, 0.4, 0.4, 0.4, 0.9]), [(0.0, 0.06)]);
        assert_eq!(segments(&[0.4, 0.4, 0.4]), []);
    }

    #[test]
    fn a_pad_never_reaches_into_the_speech_before() {
        let rules = Rules { pad_ms: 50, lag_ms: 0, ..RULES };
        let mut segmenter = Segmenter::new(rules, 1000, 10);
        for probability in [0.9, 0.9, 0.0, 0.0, 0.9, 0.9] {
            segmenter.add(probability);
        }
        let segments = segmenter.finish(60);
        let ends: Vec<_> = segments.iter().map(|segment| (segment.start, segment.end)).collect();
        assert_eq!(ends, [(0.0, 0.02), (0.02, 0.06)]);
    }
}
