//! The outline of a sound for drawing: the lowest and the highest sample of each of 2,000 equal parts.
//!
//! The length is not known before the end, so the buckets double in width whenever they run out: memory is the same for
//! a second and for a day.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Pairs of the finished outline.
pub(super) const PAIRS: usize = 2_000;
/// Buckets that are kept: at least eight for each pair, so that a pair's edges are exact to an eighth of it.
const BUCKETS: usize = PAIRS * 16;

/// The lowest and the highest sample of a stretch.
#[derive(Debug, Clone, Copy)]
struct Extent {
    low: f32,
    high: f32,
}

impl Extent {
    const NOTHING: Self = Self { low: f32::INFINITY, high: f32::NEG_INFINITY };

    fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Returns it as two signed bytes, full scale at ±127.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to an i8 first")]
    fn bytes(self) -> [u8; 2] {
        [self.low, self.high].map(|sample| (sample * 127.0).round().clamp(-127.0, 127.0) as i8 as u8)
    }
}

/// Gathers an outline from frames of interleaved samples.
#[derive(Debug)]
pub(super) struct Outline {
    channels: usize,
    buckets: Vec<Extent>,
    frames_a_bucket: usize,
    open: Extent,
    open_frames: usize,
}

impl Outline {
    /// Returns an outline over all `channels` together.
    pub(super) fn new(channels: usize) -> Self {
        let buckets = Vec::with_capacity(BUCKETS);
        Self { channels, buckets, frames_a_bucket: 1, open: Extent::NOTHING, open_frames: 0 }
    }

    /// Takes whole frames.
    pub(super) fn add(&mut self, samples: &[f32]) {
        for frame in samples.chunks_exact(self.channels) {
            for &sample in frame {
                self.open = self.open.with(Extent { low: sample, high: sample });
            }
            self.open_frames += 1;
            if self.open_frames == self.frames_a_bucket {
                self.close_bucket();
            }
        }
    }

    fn close_bucket(&mut self) {
        self.buckets.push(self.open);
        (self.open, self.open_frames) = (Extent::NOTHING, 0);
        if self.buckets.len() == BUCKETS {
            self.buckets =
                self.buckets.chunks(2).map(|pair| pair.iter().copied().fold(Extent::NOTHING, Extent::with)).collect();
            self.buckets.reserve_exact(BUCKETS / 2);
            self.frames_a_bucket *= 2;
        }
    }

    /// Returns the 2,000 pairs as base64 of signed bytes: low, high, low, high, … Empty when there was no sound.
    pub(super) fn base64(mut self) -> String {
        if self.open_frames > 0 {
            self.buckets.push(self.open);
        }
        let count = self.buckets.len();
        if count == 0 {
            return String::new();
        }
        let pairs = (0..PAIRS).flat_map(|part| {
            let first = part * count / PAIRS;
            // A sound of fewer than 2,000 samples repeats them.
            let end = ((part + 1) * count / PAIRS).max(first + 1);
            self.buckets.iter().take(end).skip(first).copied().fold(Extent::NOTHING, Extent::with).bytes()
        });
        STANDARD.encode(pairs.collect::<Vec<u8>>())
    }
}
