//! Mel-frequency cepstral coefficients of a voice: from a stream of samples, a small vector for each hundredth of a
//! second. The first coefficient, loudness, is left out.

use crate::readers::ReadError;
use crate::readers::speech::detector::RATE;
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::f32::consts::PI;
use std::sync::Arc;

/// Coefficients per frame.
pub(super) const COEFFICIENTS: usize = 19;
/// A frame's coefficients.
pub(super) type Cepstrum = [f64; COEFFICIENTS];
/// The hop: samples from frame to frame.
pub(super) const HOP: usize = 160;
/// The window: samples of a frame.
pub(super) const FRAME: usize = 400;
const TRANSFORM: usize = 512;
const FILTERS: usize = 28;
/// The lowest and highest frequency of the filters, in hertz.
const HEARD: (f32, f32) = (80.0, 7_600.0);
/// The power that silence counts as, so that it has a logarithm.
const FLOOR: f32 = 1e-6;

/// Turns samples into cepstra, frame by frame.
pub(super) struct Cepstra {
    transform: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    /// Each filter's first bin and weights.
    filters: Vec<(usize, Vec<f32>)>,
    cosines: Vec<Vec<f32>>,
    pending: Vec<f32>,
    scratch: Vec<f32>,
    spectrum: Vec<Complex<f32>>,
}

#[expect(clippy::cast_precision_loss, reason = "a frame has few samples, bins and filters")]
impl Cepstra {
    /// Starts at the beginning of a sound.
    pub(super) fn new() -> Self {
        let transform = RealFftPlanner::new().plan_fft_forward(TRANSFORM);
        let hamming = |n: usize| 0.54 - 0.46 * (2.0 * PI * n as f32 / (FRAME - 1) as f32).cos();
        let cosine = |k: usize, n: usize| (PI * k as f32 * (n as f32 + 0.5) / FILTERS as f32).cos();
        Self {
            spectrum: transform.make_output_vec(),
            transform,
            window: (0..FRAME).map(hamming).collect(),
            filters: filters(),
            cosines: (1..=COEFFICIENTS).map(|k| (0..FILTERS).map(|n| cosine(k, n)).collect()).collect(),
            pending: Vec::new(),
            scratch: vec![0.0; TRANSFORM],
        }
    }

    /// Takes the next samples, and calls `each` with every frame that is complete.
    pub(super) fn add(&mut self, samples: &[f32], mut each: impl FnMut(&Cepstrum)) -> Result<(), ReadError> {
        self.pending.extend_from_slice(samples);
        let mut at = 0;
        while let Some(frame) = self.pending.get(at..at + FRAME) {
            // Pre-emphasis: voices have little energy at high frequencies, and differ there.
            let mut before = frame.first().copied().unwrap_or(0.0);
            self.scratch.fill(0.0);
            for ((slot, sample), weight) in self.scratch.iter_mut().zip(frame).zip(&self.window) {
                *slot = (sample - 0.97 * before) * weight;
                before = *sample;
            }
            at += HOP;
            each(&self.frame()?);
        }
        self.pending.drain(..at);
        Ok(())
    }

    fn frame(&mut self) -> Result<Cepstrum, ReadError> {
        let failed = |error: realfft::FftError| ReadError::Internal(error.to_string());
        self.transform.process(&mut self.scratch, &mut self.spectrum).map_err(failed)?;
        let heard = |(first, weights): &(usize, Vec<f32>)| {
            let bins = self.spectrum.iter().skip(*first);
            (weights.iter().zip(bins).map(|(weight, bin)| weight * bin.norm_sqr()).sum::<f32>() + FLOOR).ln()
        };
        let loudness: Vec<f32> = self.filters.iter().map(heard).collect();
        let mut cepstrum = [0.0; COEFFICIENTS];
        for (slot, cosines) in cepstrum.iter_mut().zip(&self.cosines) {
            *slot = f64::from(cosines.iter().zip(&loudness).map(|(cosine, value)| cosine * value).sum::<f32>());
        }
        Ok(cepstrum)
    }
}

/// Returns triangles, evenly spaced on the mel scale.
#[expect(clippy::cast_precision_loss, reason = "there are few bins and filters")]
fn filters() -> Vec<(usize, Vec<f32>)> {
    let mel = |hertz: f32| 1127.0 * (1.0 + hertz / 700.0).ln();
    let hertz = |mel: f32| 700.0 * ((mel / 1127.0).exp() - 1.0);
    let (low, high) = (mel(HEARD.0), mel(HEARD.1));
    let edge = |n: usize| hertz(low + (high - low) * n as f32 / (FILTERS + 1) as f32);
    let bin_hertz = RATE as f32 / TRANSFORM as f32;
    let filter = |n: usize| {
        let (from, top, to) = (edge(n), edge(n + 1), edge(n + 2));
        let weight = |bin: usize| {
            let at = bin as f32 * bin_hertz;
            ((at - from) / (top - from)).min((to - at) / (to - top)).max(0.0)
        };
        let first = (0..TRANSFORM / 2).find(|bin| weight(*bin) > 0.0).unwrap_or(0);
        let weights = (first..=TRANSFORM / 2).map(weight).take_while(|weight| *weight > 0.0).collect();
        (first, weights)
    };
    (0..FILTERS).map(filter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loudness_does_not_change_a_voice_and_pitch_does() {
        let cepstrum = |step: f32, level: f32| {
            let samples: Vec<f32> = (0..400_u16).map(|n| level * (f32::from(n) * step).sin()).collect();
            let (mut cepstra, mut found) = (Cepstra::new(), Vec::new());
            cepstra.add(&samples, |cepstrum| found.push(*cepstrum)).unwrap();
            assert_eq!(found.len(), 1);
            found[0]
        };
        let distance = |a: Cepstrum, b: Cepstrum| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!(distance(cepstrum(0.3, 0.5), cepstrum(0.3, 0.4)) < 1.0);
        assert!(distance(cepstrum(0.3, 0.5), cepstrum(1.5, 0.5)) > 10.0);
    }
}
