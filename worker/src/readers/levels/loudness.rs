//! Loudness of a sound by EBU R 128, block by block: what the `levels` read stores.
//!
//! `ebur128` filters, gates and finds the peaks. Momentary and short-term loudness are taken every 10 ms: at the 100 ms
//! of a common meter a tone as short as the window reads up to 0.5 LU low, by where it begins (EBU Tech 3341, case 13).
//! Both are means of the energies of the last steps, so each sample is summed once. No file and no child process here.

use super::peaks::Outline;
use crate::readers::ReadError;
use ebur128::{Channel, EbuR128, Mode};
use serde::Serialize;
use std::collections::VecDeque;

/// Steps per second, of 10 ms each.
const STEPS_A_SECOND: u64 = 100;
/// Steps in the window of momentary loudness: 400 ms.
const MOMENTARY_STEPS: usize = 40;
/// Steps in the window of short-term loudness: 3 s.
const SHORT_TERM_STEPS: usize = 300;
/// Steps between two values of the stored series: 1 s.
const SERIES_STEPS: u64 = STEPS_A_SECOND;

/// The `data` of a `levels` read (docs/reads.md, "The stored result"). A level that silence would make −∞ is null.
#[derive(Debug, Serialize)]
pub(super) struct LevelsData {
    integrated_lufs: Option<f64>,
    loudness_range_lu: f64,
    true_peak_dbtp: Option<f64>,
    sample_peak_dbfs: Option<f64>,
    max_momentary_lufs: Option<f64>,
    max_short_term_lufs: Option<f64>,
    /// Seconds between two values of `short_term`.
    short_term_interval_seconds: f64,
    /// Loudness of the three seconds that end 1 s, 2 s, 3 s, … after the start.
    short_term: Vec<Option<f64>>,
    /// Seconds of sound that were measured, over which `peaks` are spread. A film may last longer than its sound.
    sound_seconds: f64,
    /// 2,000 pairs of lowest and highest sample as signed bytes, base64.
    peaks: String,
}

impl LevelsData {
    /// Returns the integrated loudness in LUFS; none for silence.
    pub(super) const fn integrated_lufs(&self) -> Option<f64> {
        self.integrated_lufs
    }
}

/// Measures a sound that is given to it in blocks.
pub(super) struct Meter {
    ebur128: EbuR128,
    outline: Outline,
    rate: u64,
    channels: usize,
    /// Samples of an incomplete step.
    pending: Vec<f32>,
    energies: VecDeque<f64>,
    steps: u64,
    max_momentary: f64,
    max_short_term: f64,
    short_term: Vec<Option<f64>>,
}

impl Meter {
    /// Returns a meter for sound of this sample rate with these channels.
    pub(super) fn new(rate: u32, channels: u32, layout: Option<&str>) -> Result<Self, ReadError> {
        let mode = Mode::I | Mode::LRA | Mode::S | Mode::M | Mode::TRUE_PEAK | Mode::SAMPLE_PEAK;
        let mut ebur128 = EbuR128::new(channels, rate, mode).map_err(internal)?;
        ebur128.set_channel_map(&channel_map(channels, layout)).map_err(internal)?;
        Ok(Self {
            ebur128,
            outline: Outline::new(channels as usize),
            rate: u64::from(rate),
            channels: channels as usize,
            pending: Vec::new(),
            energies: VecDeque::with_capacity(SHORT_TERM_STEPS),
            steps: 0,
            max_momentary: f64::NEG_INFINITY,
            max_short_term: f64::NEG_INFINITY,
            short_term: Vec::new(),
        })
    }

    /// Takes whole frames of interleaved samples.
    pub(super) fn add(&mut self, samples: &[f32]) -> Result<(), ReadError> {
        self.outline.add(samples);
        let mut rest = samples;
        while !rest.is_empty() {
            let step_samples = self.step_samples();
            let (now, later) = rest.split_at(rest.len().min(step_samples - self.pending.len()));
            self.pending.extend_from_slice(now);
            rest = later;
            if self.pending.len() == step_samples {
                self.ebur128.add_frames_f32(&self.pending).map_err(internal)?;
                self.pending.clear();
                self.close_step()?;
            }
        }
        Ok(())
    }

    /// Returns the number of samples in the current step. Where 10 ms is not a whole number of frames, steps differ by
    /// one frame, so that their ends never drift from the clock.
    fn step_samples(&self) -> usize {
        let end = |step: u64| step * self.rate / STEPS_A_SECOND;
        usize::try_from(end(self.steps + 1) - end(self.steps)).unwrap_or(1).max(1) * self.channels
    }

    /// Returns how long the sound was so far, to the millisecond.
    #[expect(clippy::cast_precision_loss, reason = "a day has some 10⁷ ms")]
    fn seconds(&self) -> f64 {
        let frames = self.steps * self.rate / STEPS_A_SECOND + (self.pending.len() / self.channels) as u64;
        (frames * 1_000 / self.rate) as f64 / 1_000.0
    }

    /// Takes the energy of the 10 ms that just ended.
    fn close_step(&mut self) -> Result<(), ReadError> {
        if self.energies.len() == SHORT_TERM_STEPS {
            self.energies.pop_front();
        }
        self.energies.push_back(energy(self.ebur128.loudness_window(10).map_err(internal)?));
        self.steps += 1;
        let short_term = self.loudness_of_last(SHORT_TERM_STEPS);
        self.max_momentary = self.max_momentary.max(self.loudness_of_last(MOMENTARY_STEPS));
        self.max_short_term = self.max_short_term.max(short_term);
        if self.steps.is_multiple_of(SERIES_STEPS) {
            self.short_term.push(level(short_term));
        }
        Ok(())
    }

    /// Returns the loudness of the last `steps` in LUFS, with silence before the start.
    #[expect(clippy::cast_precision_loss, reason = "at most 300 steps")]
    fn loudness_of_last(&self, steps: usize) -> f64 {
        let sum: f64 = self.energies.iter().rev().take(steps).sum();
        10.0 * (sum / steps as f64).log10() - 0.691
    }

    /// Returns the measurement, once all the sound was given.
    pub(super) fn finish(mut self) -> Result<LevelsData, ReadError> {
        self.ebur128.add_frames_f32(&self.pending).map_err(internal)?;
        let (mut true_peak, mut sample_peak) = (0.0_f64, 0.0_f64);
        for channel in 0..self.ebur128.channels() {
            true_peak = true_peak.max(self.ebur128.true_peak(channel).map_err(internal)?);
            sample_peak = sample_peak.max(self.ebur128.sample_peak(channel).map_err(internal)?);
        }
        Ok(LevelsData {
            integrated_lufs: level(self.ebur128.loudness_global().map_err(internal)?),
            loudness_range_lu: level(self.ebur128.loudness_range().map_err(internal)?).unwrap_or(0.0),
            true_peak_dbtp: level(20.0 * true_peak.log10()),
            sample_peak_dbfs: level(20.0 * sample_peak.log10()),
            max_momentary_lufs: level(self.max_momentary),
            max_short_term_lufs: level(self.max_short_term),
            short_term_interval_seconds: 1.0,
            sound_seconds: self.seconds(),
            short_term: self.short_term,
            peaks: self.outline.base64(),
        })
    }
}

/// Below this there is nothing to hear: the last bit of 24 is at -144 dB. A sum over digital silence is some -1,800 dB.
const SILENCE: f64 = -150.0;

/// Rounds a level to a hundredth; none for silence.
fn level(decibels: f64) -> Option<f64> {
    (decibels.is_finite() && decibels > SILENCE).then(|| (decibels * 100.0).round() / 100.0)
}

/// Returns the energy of a loudness in LUFS (the inverse of ITU-R BS.1770, formula 2).
fn energy(lufs: f64) -> f64 {
    10.0_f64.powf((lufs + 0.691) / 10.0)
}

fn internal(error: ebur128::Error) -> ReadError {
    ReadError::Internal(format!("ebur128: {error}"))
}

/// Returns each channel's position, which gives its weight: surround counts 1.41, the low-frequency channel 0 (ITU-R
/// BS.1770, table 3). An unknown layout is taken as the common one of its size.
fn channel_map(channels: u32, layout: Option<&str>) -> Vec<Channel> {
    use Channel::{
        Center, Left, LeftSurround, Mm060, Mm090, Mm135, Mp060, Mp090, Mp135, Mp180, Right, RightSurround, Unused,
    };
    let known: &[Channel] = match (layout, channels) {
        (Some("2.1"), 3) => &[Left, Right, Unused],
        (Some("3.0(back)"), 3) => &[Left, Right, Mp180],
        (Some("3.1"), 4) => &[Left, Right, Center, Unused],
        (Some("4.0"), 4) => &[Left, Right, Center, Mp180],
        (Some("4.1"), 5) => &[Left, Right, Center, Unused, Mp180],
        (Some("6.0"), 6) => &[Left, Right, Center, Mp180, Mp090, Mm090],
        (Some("6.0(front)"), 6) => &[Left, Right, Mp060, Mm060, Mp090, Mm090],
        (Some("hexagonal"), 6) => &[Left, Right, Center, LeftSurround, RightSurround, Mp180],
        (Some("6.1"), 7) => &[Left, Right, Center, Unused, Mp180, Mp090, Mm090],
        (Some("6.1(back)"), 7) => &[Left, Right, Center, Unused, LeftSurround, RightSurround, Mp180],
        (Some("6.1(front)"), 7) => &[Left, Right, Unused, Mp060, Mm060, Mp090, Mm090],
        (Some("7.0"), 7) => &[Left, Right, Center, Mp135, Mm135, Mp090, Mm090],
        (Some("7.0(front)"), 7) => &[Left, Right, Center, Mp060, Mm060, Mp090, Mm090],
        (Some("7.1(wide)"), 8) => &[Left, Right, Center, Unused, LeftSurround, RightSurround, Mp060, Mm060],
        (Some("7.1(wide-side)"), 8) => &[Left, Right, Center, Unused, Mp060, Mm060, Mp090, Mm090],
        (_, 3) => &[Left, Right, Center],
        (_, 4) => &[Left, Right, LeftSurround, RightSurround],
        (_, 5) => &[Left, Right, Center, LeftSurround, RightSurround],
        (_, 6) => &[Left, Right, Center, Unused, LeftSurround, RightSurround],
        (_, 8) => &[Left, Right, Center, Unused, Mp135, Mm135, Mp090, Mm090],
        _ => &[],
    };
    // One and two channels, and those of unknown position, all count as front channels.
    if known.is_empty() { vec![Center; channels as usize] } else { known.to_vec() }
}
