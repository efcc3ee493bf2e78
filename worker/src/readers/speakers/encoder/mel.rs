//! The mel spectrogram that the voice encoder takes: the power in forty bands, a hundred times per second.
//!
//! The bands, the window and the padding are those that its network was trained with (librosa's): triangles of equal
//! area on Slaney's scale up to 8 kHz, and a frame's middle at each hundredth of a second. What its training had no
//! need of: each frame's mean is subtracted, since a recording with an offset (DC) would be another voice.

use crate::readers::ReadError;
use crate::readers::speech::detector::RATE;
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::f32::consts::PI;
use std::sync::Arc;

/// Bands of a frame.
pub(in crate::readers::speakers) const BANDS: usize = 40;
/// The powers of a frame's bands.
pub(in crate::readers::speakers) type Mel = [f32; BANDS];
/// Frames per second.
pub(in crate::readers::speakers) const FRAMES: u32 = 100;
/// The hop: samples from frame to frame.
const HOP: usize = (RATE / FRAMES) as usize;
/// The window: samples of a frame.
const FRAME: usize = 400;
const BINS: usize = FRAME / 2 + 1;

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
        let transform = RealFftPlanner::new().plan_fft_forward(FRAME);
        Self {
            spectrum: transform.make_output_vec(),
            scratch: transform.make_input_vec(),
            transform,
            window: (0..FRAME).map(|n| 0.5 - 0.5 * (2.0 * PI * n as f32 / FRAME as f32).cos()).collect(),
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
            for ((slot, sample), weight) in self.scratch.iter_mut().zip(frame).zip(&self.window) {
                *slot = (sample - mean) * weight;
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
            *slot = weights.iter().zip(bins).map(|(weight, bin)| weight * bin.norm_sqr()).sum();
        }
        Ok(frame)
    }
}

/// Returns triangles on Slaney's scale: linear below a kilohertz, logarithmic above.
#[expect(clippy::cast_precision_loss, reason = "there are few bins and bands")]
fn bands() -> Vec<(usize, Vec<f32>)> {
    const EVEN: f64 = 200.0 / 3.0;
    const TURN: f64 = 1_000.0;
    let growth = 6.4_f64.ln() / 27.0;
    let highest = TURN / EVEN + (f64::from(RATE) / 2.0 / TURN).ln() / growth;
    let hertz = |n: usize| {
        let mel = highest * n as f64 / (BANDS + 1) as f64;
        if mel < TURN / EVEN { mel * EVEN } else { TURN * (growth * (mel - TURN / EVEN)).exp() }
    };
    let band = |n: usize| {
        let (from, top, to) = (hertz(n), hertz(n + 1), hertz(n + 2));
        let weight = |bin: usize| {
            let at = bin as f64 * f64::from(RATE) / FRAME as f64;
            ((at - from) / (top - from)).min((to - at) / (to - top)).max(0.0) * 2.0 / (to - from)
        };
        #[expect(clippy::cast_possible_truncation, reason = "a weight needs few digits")]
        let weights: Vec<f32> = (0..BINS).map(|bin| weight(bin) as f32).collect();
        let first = weights.iter().position(|weight| *weight > 0.0).unwrap_or(0);
        let last = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
        (first, weights.get(first..=last).unwrap_or_default().to_vec())
    };
    (0..BANDS).map(band).collect()
}
