//! A look-ahead limiter: what exceeds the ceiling is turned down before it comes, and nothing else is touched.
//!
//! Pure. The gain that each frame needs is held over the next five milliseconds, released slowly, and averaged over the
//! same five: so it is down in time, it never jumps, and it is exactly 1 where nothing is too loud.

use std::collections::VecDeque;

/// The ceiling of a sample, −1 dBFS: a lossy format may overshoot its input a little.
pub(super) const CEILING: f32 = 0.891_25;
/// How far it looks ahead, in milliseconds.
const AHEAD_MS: u32 = 5;
/// Milliseconds in which two thirds of a reduction are released.
const RELEASE_MS: u32 = 100;

/// A gain above this becomes 1 at once, a step of 0.01 dB: otherwise the steps of a release would in the end be too
/// small for an `f32`.
const NEARLY_ONE: f32 = 0.999;

/// Limits interleaved samples.
#[derive(Debug)]
pub(super) struct Limiter {
    channels: usize,
    ahead: usize,
    /// The part of the difference from 1 that is released per frame.
    release: f32,
    /// Samples that were not returned yet.
    delayed: VecDeque<f32>,
    /// The smallest gains of the frames ahead, with the frame of each, ascending from the front.
    lowest: VecDeque<(u64, f32)>,
    held: f32,
    /// The last gains, `ahead` of them, and their sum.
    recent: VecDeque<f32>,
    sum: f64,
    frame: u64,
}

impl Limiter {
    /// Returns a limiter for `channels` channels at this sample rate.
    #[expect(clippy::cast_precision_loss, reason = "rates of sound are small numbers")]
    pub(super) fn new(sample_rate: u32, channels: usize) -> Self {
        let ahead = usize::try_from(sample_rate * AHEAD_MS / 1000).unwrap_or(0).max(1);
        Self {
            channels,
            ahead,
            release: 1.0 / (sample_rate as f32 * RELEASE_MS as f32 / 1000.0).max(1.0),
            delayed: VecDeque::new(),
            lowest: VecDeque::new(),
            held: 1.0,
            recent: std::iter::repeat_n(1.0, ahead).collect(),
            sum: ahead as f64,
            frame: 0,
        }
    }

    /// Takes whole frames, and returns those from five milliseconds before.
    pub(super) fn limit(&mut self, samples: &[f32]) -> Vec<f32> {
        let mut out = Vec::with_capacity(samples.len());
        for frame in samples.chunks_exact(self.channels) {
            let peak = frame.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
            self.delayed.extend(frame);
            self.step(if peak > CEILING { CEILING / peak } else { 1.0 }, &mut out);
        }
        out
    }

    /// Returns the remaining samples.
    pub(super) fn finish(&mut self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.delayed.len());
        while !self.delayed.is_empty() {
            self.step(1.0, &mut out);
        }
        out
    }

    /// Moves on by one frame that needs this gain.
    fn step(&mut self, needed: f32, out: &mut Vec<f32>) {
        while self.lowest.back().is_some_and(|(_, gain)| *gain >= needed) {
            self.lowest.pop_back();
        }
        self.lowest.push_back((self.frame, needed));
        while self.lowest.front().is_some_and(|(frame, _)| frame + (self.ahead as u64) < self.frame) {
            self.lowest.pop_front();
        }
        let lowest = self.lowest.front().map_or(1.0, |(_, gain)| *gain);
        let let_go = self.held + (1.0 - self.held) * self.release;
        self.held = lowest.min(if let_go > NEARLY_ONE { 1.0 } else { let_go });
        self.average(self.held);
        self.frame += 1;
        if self.frame > self.ahead as u64 {
            let gain = self.gain();
            out.extend(self.delayed.drain(..self.channels.min(self.delayed.len())).map(|sample| sample * gain));
        }
    }

    fn average(&mut self, gain: f32) {
        self.recent.push_back(gain);
        self.sum += f64::from(gain) - f64::from(self.recent.pop_front().unwrap_or(1.0));
    }

    /// Returns the mean gain; exactly 1 where nothing was turned down.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "an average of some hundred gains"
    )]
    fn gain(&self) -> f32 {
        let gain = (self.sum / self.ahead as f64) as f32;
        if gain > 0.999_999 { 1.0 } else { gain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(samples: &[f32], channels: usize) -> Vec<f32> {
        let mut limiter = Limiter::new(48_000, channels);
        let mut out = limiter.limit(samples);
        out.extend(limiter.finish());
        assert_eq!(out.len(), samples.len());
        out
    }

    /// A tone of this loudness with one frame that is louder.
    fn tone_with_a_peak(loudness: f32, peak: f32, at: usize) -> Vec<f32> {
        let mut samples: Vec<f32> = (0_u16..48_000).map(|n| (f32::from(n) * 0.05).sin() * loudness).collect();
        samples[at] = peak;
        samples
    }

    #[test]
    fn what_is_not_too_loud_is_not_touched() {
        let samples = tone_with_a_peak(0.89, 0.89, 5);
        assert_eq!(limited(&samples, 1), samples);
    }

    #[test]
    fn what_comes_a_second_after_a_reduction_is_not_touched() {
        let samples = tone_with_a_peak(0.8, 4.0, 100);
        let out = limited(&samples, 1);
        assert!(out[2_000..3_000] != samples[2_000..3_000]);
        assert_eq!(out[44_000..], samples[44_000..]);
    }

    #[test]
    fn nothing_passes_the_ceiling_wherever_it_stands() {
        for at in [0, 1, 239, 240, 241, 20_000, 47_999] {
            for peak in [0.95, -1.5, 8.0] {
                let out = limited(&tone_with_a_peak(0.8, peak, at), 1);
                let loudest = out.iter().fold(0.0_f32, |most, sample| most.max(sample.abs()));
                assert!(loudest <= CEILING * 1.000_01, "{loudest} with {peak} at {at}");
            }
        }
        let noise: Vec<f32> = (0_u32..96_000)
            .map(|n| f32::from((n.wrapping_mul(2_654_435_761) >> 16).to_le_bytes()[0]) / 32.0 - 4.0)
            .collect();
        assert!(limited(&noise, 2).iter().all(|sample| sample.abs() <= CEILING * 1.000_01));
    }

    #[test]
    fn a_reduction_is_let_go_and_never_jumps() {
        let samples = tone_with_a_peak(0.0, 2.0, 10_000);
        let constant: Vec<f32> = samples.iter().map(|sample| sample.max(0.5)).collect();
        let out = limited(&constant, 1);
        assert!((out[9_000] - 0.5).abs() < 1e-6, "{}", out[9_000]);
        assert!((out[47_000] - 0.5).abs() < 0.001, "{}", out[47_000]);
        assert!(out[10_500] < 0.4 && out[20_000] > 0.45, "{} {}", out[10_500], out[20_000]);
        let jump = |pair: &[f32]| (pair[0] - pair[1]).abs();
        let largest = out[..9_990].windows(2).chain(out[10_010..].windows(2)).map(jump).fold(0.0_f32, f32::max);
        assert!(largest < 0.002, "{largest}");
    }
}
