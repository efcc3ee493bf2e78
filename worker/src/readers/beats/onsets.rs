//! Onset strength at each hundredth of a second: spectral flux over bands spaced by pitch.
//!
//! A stream of samples in, two numbers per frame out; nothing is kept beyond the window. A rise is measured in the
//! logarithm of a band's power, so that a quiet passage has onsets as a loud one does. Neighbour: `activation`, which
//! makes the numbers comparable across media.

use crate::readers::ReadError;
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::collections::VecDeque;
use std::f32::consts::PI;
use std::sync::Arc;

/// The sample rate of the analysed sound, in hertz.
pub(in crate::readers) const RATE: u32 = 24_000;
/// Frames per second.
pub(in crate::readers) const FRAME_RATE: u32 = 100;
/// The hop: samples from frame to frame.
const HOP: usize = (RATE / FRAME_RATE) as usize;
/// Samples per window.
const WINDOW: usize = 1024;
/// Bands per octave, once a band is wide enough to hold a bin of its own.
const BANDS_PER_OCTAVE: f32 = 4.0;
/// The lowest and highest frequency that is analysed, in hertz.
const HEARD: (f32, f32) = (30.0, 11_500.0);
/// Bands below this frequency are the low ones, where a bass drum is.
const LOW_HZ: f32 = 180.0;
/// Frames between a frame and the earlier one that its rise is measured against.
const LAG: usize = 2;
/// Power of a band that counts as silence: −70 dB relative to a full-scale band.
const SILENCE: f32 = 1e-7;
/// A rise out of silence counts as this much at most, in nepers of power.
const HIGHEST_RISE: f32 = 4.0;
/// Seconds by which a window's flux rises before the onset reaches its middle, measured on clicks.
pub(in crate::readers) const EARLY_SECONDS: f64 = 0.005;

/// The onset strength of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::readers) struct Onset {
    /// The mean rise over all bands, in nepers.
    pub(in crate::readers) all: f32,
    /// The rise of the low bands in amplitude, where 1 is a full-scale sine: it tells heavy strokes from light ones.
    pub(in crate::readers) low: f32,
}

/// Turns samples into onsets, frame by frame.
pub(in crate::readers) struct Onsets {
    transform: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    /// The first and last bin of each band.
    bands: Vec<(usize, usize)>,
    low_bands: usize,
    pending: Vec<f32>,
    scratch: Vec<f32>,
    spectrum: Vec<Complex<f32>>,
    /// The band powers of the last frames, the oldest first.
    before: VecDeque<Vec<f32>>,
}

impl std::fmt::Debug for Onsets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Onsets").field("bands", &self.bands.len()).finish_non_exhaustive()
    }
}

impl Onsets {
    /// Starts at the beginning of a sound. The first window is centred on the first sample.
    pub(in crate::readers) fn new() -> Self {
        let transform = RealFftPlanner::new().plan_fft_forward(WINDOW);
        #[expect(clippy::cast_precision_loss, reason = "a window has few samples")]
        let hann = |n: usize| 0.5 - 0.5 * (2.0 * PI * n as f32 / WINDOW as f32).cos();
        let bands = bands();
        let low_bands = bands.iter().filter(|(first, _)| *first < bin(LOW_HZ)).count();
        Self {
            spectrum: transform.make_output_vec(),
            transform,
            window: (0..WINDOW).map(hann).collect(),
            bands,
            low_bands,
            pending: vec![0.0; WINDOW / 2],
            scratch: vec![0.0; WINDOW],
            before: VecDeque::new(),
        }
    }

    /// Takes the next samples, and calls `each` with every frame that is complete.
    pub(in crate::readers) fn add(&mut self, samples: &[f32], mut each: impl FnMut(Onset)) -> Result<(), ReadError> {
        self.pending.extend_from_slice(samples);
        let mut at = 0;
        while let Some(frame) = self.pending.get(at..at + WINDOW) {
            for ((slot, sample), weight) in self.scratch.iter_mut().zip(frame).zip(&self.window) {
                *slot = sample * weight;
            }
            at += HOP;
            each(self.frame()?);
        }
        self.pending.drain(..at);
        Ok(())
    }

    /// Hands over the frames whose windows reach beyond the end.
    pub(in crate::readers) fn finish(&mut self, each: impl FnMut(Onset)) -> Result<(), ReadError> {
        self.add(&[0.0; WINDOW / 2], each)
    }

    fn frame(&mut self) -> Result<Onset, ReadError> {
        let failed = |error: realfft::FftError| ReadError::Internal(error.to_string());
        self.transform.process(&mut self.scratch, &mut self.spectrum).map_err(failed)?;
        let spectrum = &self.spectrum;
        let power = |(first, last): &(usize, usize)| -> f32 {
            spectrum.iter().take(*last + 1).skip(*first).map(Complex::norm_sqr).sum()
        };
        // A full-scale sine has a squared bin of (WINDOW / 4)².
        #[expect(clippy::cast_precision_loss, reason = "a window has few samples")]
        let full = (WINDOW as f32 / 4.0).powi(2);
        let now: Vec<f32> = self.bands.iter().map(|band| (power(band) / full + SILENCE).ln()).collect();
        let onset = match self.before.front().filter(|_| self.before.len() == LAG) {
            Some(before) => rises(before, &now, self.low_bands),
            None => Onset::default(),
        };
        if self.before.len() == LAG {
            self.before.pop_front();
        }
        self.before.push_back(now);
        Ok(onset)
    }
}

/// Returns the mean rise of all bands, and that of the low ones. A band is compared with its loudest neighbour before,
/// so that a tone with glide or vibrato is no onset.
#[expect(clippy::cast_precision_loss, reason = "there are few bands")]
fn rises(before: &[f32], now: &[f32], low_bands: usize) -> Onset {
    let around = |band: usize| {
        let nearby = before.iter().take(band + 2).skip(band.saturating_sub(1));
        nearby.copied().fold(f32::NEG_INFINITY, f32::max)
    };
    let rises = now.iter().enumerate().map(|(band, power)| (power - around(band)).clamp(0.0, HIGHEST_RISE));
    let all = rises.sum::<f32>() / now.len().max(1) as f32;
    let amplitude = |bands: &[f32]| bands.iter().take(low_bands).map(|power| power.exp()).sum::<f32>().sqrt();
    Onset { all, low: (amplitude(now) - amplitude(before)).max(0.0) }
}

/// Returns the bin that holds a frequency.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "frequencies heard are small and positive")]
#[expect(clippy::cast_precision_loss, reason = "a window has few samples")]
fn bin(hertz: f32) -> usize {
    (hertz * WINDOW as f32 / RATE as f32).round() as usize
}

/// Returns the bands: a quarter octave each, or one bin where that is wider.
fn bands() -> Vec<(usize, usize)> {
    let mut bands: Vec<(usize, usize)> = Vec::new();
    let mut edge = HEARD.0;
    let mut first = bin(edge).max(1);
    while edge < HEARD.1 {
        edge *= (1.0 / BANDS_PER_OCTAVE).exp2();
        let next = bin(edge.min(HEARD.1));
        if next > first {
            bands.push((first, next - 1));
            first = next;
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn onsets(samples: &[f32]) -> Vec<Onset> {
        let (mut onsets, mut found) = (Onsets::new(), Vec::new());
        for block in samples.chunks(1000) {
            onsets.add(block, |onset| found.push(onset)).unwrap();
        }
        onsets.finish(|onset| found.push(onset)).unwrap();
        found
    }

    #[test]
    fn a_click_is_an_onset_where_it_is() {
        let mut samples = vec![0.0; RATE as usize];
        samples[12_000..12_200].fill(0.5);
        let found = onsets(&samples);
        assert_eq!(found.len(), 100 + 1);
        let loudest = (0..found.len()).max_by(|a, b| found[*a].all.total_cmp(&found[*b].all)).unwrap();
        assert!((48..=51).contains(&loudest), "{loudest}");
        assert!(found[30].all.abs() < 1e-6 && found[80].all.abs() < 1e-6);
    }

    #[test]
    fn silence_and_a_steady_tone_have_no_onsets() {
        let tone: Vec<f32> = (0..24_000_u16).map(|n| 0.3 * (f32::from(n) * 0.2).sin()).collect();
        assert!(onsets(&tone).iter().skip(10).take(80).all(|onset| onset.all < 0.01));
        assert!(onsets(&vec![0.0; 24_000]).iter().all(|onset| onset.all.abs() < 1e-6));
    }
}
