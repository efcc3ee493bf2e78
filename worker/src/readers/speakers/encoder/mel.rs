//! The log mel spectrogram that the voice encoder takes: the power in eighty bands, a hundred times per second.
//!
//! The bands, the window and the emphasis of high tones are those that its network was trained with (Kaldi's `fbank`):
//! triangles of equal height on the mel scale from 20 Hz to 8 kHz. Each frame's mean is subtracted, so that a
//! recording with an offset (DC) is no other voice. A frame's middle is at each hundredth of a second.

use crate::readers::ReadError;
use crate::readers::speech::detector::RATE;
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::f32::consts::PI;
use std::sync::Arc;

/// Bands of a frame.
pub(in crate::readers::speakers) const BANDS: usize = 80;
/// The logarithms of the power of a frame's bands.
pub(in crate::readers::speakers) type Mel = [f32; BANDS];
/// Frames per second.
pub(in crate::readers::speakers) const FRAMES: u32 = 100;
/// The hop: samples from frame to frame.
const HOP: usize = (RATE / FRAMES) as usize;
/// The window: samples of a frame.
const FRAME: usize = 400;
/// Samples of the transform: a frame, and zeros after it.
const TRANSFORM: usize = 512;
const BINS: usize = TRANSFORM / 2 + 1;
/// The part of the sample before that each sample is lessened by.
const EMPHASIS: f32 = 0.97;
/// The least power of a band.
const LEAST: f32 = f32::EPSILON;

/// Turns samples into frames.
pub(in crate::readers::speakers) struct Mels {
    transform: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    /// Each band's first bin and weights.
    bands: Vec<(usize, Vec<f32>)>,
    pending: Vec<f32>,
    scratch: Vec<f32>,
    spectrum: Vec<Complex<f32>>,
}

#[expect(clippy::cast_precision_loss, reason = "a frame has few samples")]
impl Mels {
    /// Starts at the beginning of a sound.
    pub(in crate::readers::speakers) fn new() -> Self {
        let transform = RealFftPlanner::new().plan_fft_forward(TRANSFORM);
        let hann = |n: usize| 0.5 - 0.5 * (2.0 * PI * n as f32 / (FRAME - 1) as f32).cos();
        Self {
            spectrum: transform.make_output_vec(),
            scratch: transform.make_input_vec(),
            transform,
            window: (0..FRAME).map(|n| hann(n).powf(0.85)).collect(),
            bands: bands(),
            // The first frame's middle is the first sample.
            pending: vec![0.0; FRAME / 2],
        }
    }

    /// Takes the next samples, and calls `each` with every frame that is complete.
    pub(in crate::readers::speakers) fn add(
        &mut self,
        samples: &[f32],
        mut each: impl FnMut(&Mel) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.pending.extend_from_slice(samples);
        let mut at = 0;
        while let Some(frame) = self.pending.get(at..at + FRAME) {
            let mean = frame.iter().sum::<f32>() / FRAME as f32;
            // Before the first sample there is another like it.
            let mut before = frame.first().map_or(0.0, |first| first - mean);
            self.scratch.fill(0.0);
            for ((slot, sample), weight) in self.scratch.iter_mut().zip(frame).zip(&self.window) {
                let sample = sample - mean;
                *slot = (sample - EMPHASIS * before) * weight;
                before = sample;
            }
            at += HOP;
            each(&self.frame()?)?;
        }
        self.pending.drain(..at);
        Ok(())
    }

    /// Hands over the frames whose second half is beyond the end of the sound.
    pub(in crate::readers::speakers) fn finish(
        &mut self,
        each: impl FnMut(&Mel) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.add(&[0.0; FRAME / 2], each)
    }

    fn frame(&mut self) -> Result<Mel, ReadError> {
        let failed = |error: realfft::FftError| ReadError::Internal(error.to_string());
        self.transform.process(&mut self.scratch, &mut self.spectrum).map_err(failed)?;
        let mut frame = [0.0; BANDS];
        for (slot, (first, weights)) in frame.iter_mut().zip(&self.bands) {
            let bins = self.spectrum.iter().skip(*first);
            let power: f32 = weights.iter().zip(bins).map(|(weight, bin)| weight * bin.norm_sqr()).sum();
            *slot = power.max(LEAST).ln();
        }
        Ok(frame)
    }
}

/// Returns triangles that are as far apart as they are wide on the mel scale.
#[expect(clippy::cast_precision_loss, reason = "there are few bins and bands")]
fn bands() -> Vec<(usize, Vec<f32>)> {
    let mel = |hertz: f64| 1127.0 * (1.0 + hertz / 700.0).ln();
    let (lowest, highest) = (mel(20.0), mel(f64::from(RATE) / 2.0));
    let half = (highest - lowest) / (BANDS + 1) as f64;
    let band = |n: usize| {
        let top = lowest + half * (n + 1) as f64;
        let weight = |bin: usize| {
            let at = mel(bin as f64 * f64::from(RATE) / TRANSFORM as f64);
            (1.0 - (at - top).abs() / half).max(0.0)
        };
        #[expect(clippy::cast_possible_truncation, reason = "a weight needs few digits")]
        let weights: Vec<f32> = (0..BINS).map(|bin| weight(bin) as f32).collect();
        let first = weights.iter().position(|weight| *weight > 0.0).unwrap_or(0);
        let last = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
        (first, weights.get(first..=last).unwrap_or_default().to_vec())
    };
    (0..BANDS).map(band).collect()
}
