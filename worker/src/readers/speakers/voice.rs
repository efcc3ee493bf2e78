//! A voice as one Gaussian over its cepstra, and the distance between two voices. Pure.
//!
//! Only sums are kept, so that a day of speech is as small as a sentence, and two models merge by adding.

use super::mfcc::{COEFFICIENTS, Cepstrum};

/// Added to each variance, so that a few frames make a model too.
const LEAST_VARIANCE: f64 = 0.05;

type Matrix = [[f64; COEFFICIENTS]; COEFFICIENTS];

/// The sums of a voice's frames.
#[derive(Debug, Clone)]
pub(super) struct VoiceSums {
    /// The number of frames.
    pub(super) frames: f64,
    sum: Cepstrum,
    squares: Box<Matrix>,
}

impl Default for VoiceSums {
    fn default() -> Self {
        Self { frames: 0.0, sum: [0.0; COEFFICIENTS], squares: Box::new([[0.0; COEFFICIENTS]; COEFFICIENTS]) }
    }
}

impl VoiceSums {
    /// Adds a frame to the sums.
    pub(super) fn add(&mut self, frame: &Cepstrum) {
        self.frames += 1.0;
        for (row, (sum, value)) in self.squares.iter_mut().zip(self.sum.iter_mut().zip(frame)) {
            *sum += value;
            for (square, other) in row.iter_mut().zip(frame) {
                *square += value * other;
            }
        }
    }

    /// Returns the sums of both voices' frames.
    #[must_use]
    pub(super) fn merged(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.frames += other.frames;
        both.sum.iter_mut().zip(other.sum).for_each(|(sum, more)| *sum += more);
        for (row, more) in both.squares.iter_mut().zip(other.squares.iter()) {
            row.iter_mut().zip(more).for_each(|(square, more)| *square += more);
        }
        both
    }

    /// Returns the mean, and the lower triangle whose product with its transpose is the covariance (Cholesky).
    fn factor(&self) -> (Cepstrum, Box<Matrix>) {
        let count = self.frames.max(1.0);
        let mean = self.sum.map(|sum| sum / count);
        let mut factor: Box<Matrix> = Box::new([[0.0; COEFFICIENTS]; COEFFICIENTS]);
        for row in 0..COEFFICIENTS {
            for column in 0..=row {
                let ridge = if row == column { LEAST_VARIANCE } else { 0.0 };
                let covariance = self.squares[row][column] / count - mean[row] * mean[column] + ridge;
                let known: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
                let rest = covariance - known;
                factor[row][column] = if row == column { rest.max(1e-6).sqrt() } else { rest / factor[column][column] };
            }
        }
        (mean, factor)
    }

    /// Returns half the log-determinant of the covariance: the voice's spread per frame.
    pub(super) fn spread(&self) -> f64 {
        let (_, factor) = self.factor();
        (0..COEFFICIENTS).map(|n| factor[n][n].ln()).sum()
    }

    /// Returns the model of these frames.
    pub(super) fn model(&self) -> VoiceModel {
        let (mean, factor) = self.factor();
        let spread = (0..COEFFICIENTS).map(|n| factor[n][n].ln()).sum();
        VoiceModel { mean, factor, spread }
    }
}

/// The logarithm of likelihood, in nats, that each frame of the smaller voice must gain from a model of its own. The
/// criterion assumes independent frames. Frames of speech are not, so by itself it would split each voice that speaks
/// for long.
const LEAST_GAIN: f64 = 0.7;

/// Returns the Bayesian information criterion for keeping two voices apart: positive when two models are worth their
/// parameters. `strictness` is the weight of a parameter; each voice comes with its `spread()`.
pub(super) fn apart(one: (&VoiceSums, f64), other: (&VoiceSums, f64), both: &VoiceSums, strictness: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "there are few coefficients")]
    let numbers = COEFFICIENTS as f64 * (COEFFICIENTS as f64 + 3.0) / 2.0;
    let gain = both.frames * both.spread() - one.0.frames * one.1 - other.0.frames * other.1;
    gain - strictness * 0.5 * numbers * both.frames.max(2.0).ln() - LEAST_GAIN * one.0.frames.min(other.0.frames)
}

/// The distribution of a voice's frames.
#[derive(Debug, Clone)]
pub(super) struct VoiceModel {
    mean: Cepstrum,
    factor: Box<Matrix>,
    spread: f64,
}

impl VoiceModel {
    /// Returns the logarithm of a frame's likelihood, up to a constant.
    pub(super) fn likelihood(&self, frame: &Cepstrum) -> f64 {
        let mut solved = [0.0; COEFFICIENTS];
        let mut distance = 0.0;
        for row in 0..COEFFICIENTS {
            let known: f64 = (0..row).map(|k| self.factor[row][k] * solved[k]).sum();
            solved[row] = (frame[row] - self.mean[row] - known) / self.factor[row][row];
            distance += solved[row] * solved[row];
        }
        -0.5 * distance - self.spread
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Frames around a centre, by a fixed seed.
    pub(in crate::readers::speakers) fn frames(centre: f64, count: usize, seed: u32) -> Vec<Cepstrum> {
        let mut state = seed;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / 16_777_216.0 - 0.5
        };
        (0..count).map(|_| std::array::from_fn(|_| centre + 4.0 * (noise() + noise() + noise()))).collect()
    }

    pub(in crate::readers::speakers) fn sums(frames: &[Cepstrum]) -> VoiceSums {
        let mut sums = VoiceSums::default();
        for frame in frames {
            sums.add(frame);
        }
        sums
    }

    #[test]
    fn one_voice_is_one_and_two_are_two() {
        let (a, b, c) = (sums(&frames(0.0, 200, 1)), sums(&frames(0.0, 200, 2)), sums(&frames(15.0, 200, 3)));
        let distance = |one: &VoiceSums, other: &VoiceSums| {
            apart((one, one.spread()), (other, other.spread()), &one.merged(other), 1.0)
        };
        assert!(distance(&a, &b) < 0.0 && distance(&a, &c) > 0.0);
    }

    #[test]
    fn a_frame_is_likeliest_under_its_own_model() {
        let (a, b) = (sums(&frames(0.0, 300, 1)).model(), sums(&frames(4.0, 300, 3)).model());
        assert!(frames(0.0, 50, 9).iter().all(|frame| a.likelihood(frame) > b.likelihood(frame)));
    }
}
