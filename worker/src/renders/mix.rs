//! Mixes a voice with music that an envelope turns down, without ever clipping.
//!
//! Pure: stereo frames in, stereo frames out. The voice is unchanged, and so is the music where its gain is 0 dB; only
//! where their sum would exceed the ceiling does `limiter` turn both down, for as long as needed.

use super::limiter::Limiter;
use domain::ducking::GainPoint;
use domain::media_time::sample_at;

/// Channels of a mix.
pub(super) const CHANNELS: usize = 2;
/// Milliseconds of fade-out for music that goes on after the voice: enough to avoid a click.
const FADE_MS: u32 = 10;

/// Follows the gain of an envelope, sample by sample.
#[derive(Debug)]
pub(super) struct Gain {
    /// Sample numbers, each with its gain in decibels.
    points: Vec<(i64, f64)>,
    /// The index of the point that was passed last.
    passed: usize,
    sample: i64,
}

impl Gain {
    fn new(envelope: &[GainPoint], sample_rate: u32) -> Self {
        Self::from(envelope, sample_rate, 0)
    }

    /// Returns the gain from this sample on.
    pub(super) fn from(envelope: &[GainPoint], sample_rate: u32, sample: i64) -> Self {
        let points = envelope.iter().map(|point| (sample_at(point.t_us, sample_rate), point.gain_db())).collect();
        Self { points, passed: 0, sample }
    }

    /// Returns the gain of the next sample, as a factor.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "counts and gains of sound")]
    pub(super) fn next(&mut self) -> f32 {
        while self.points.get(self.passed + 1).is_some_and(|next| next.0 <= self.sample) {
            self.passed += 1;
        }
        let here = self.points.get(self.passed).copied().unwrap_or_default();
        let there = self.points.get(self.passed + 1).copied().unwrap_or(here);
        let past = (self.sample - here.0) as f64 / (there.0 - here.0).max(1) as f64;
        self.sample += 1;
        let db = here.1 + (there.1 - here.1) * past.clamp(0.0, 1.0);
        if db == 0.0 { 1.0 } else { 10_f64.powf(db / 20.0) as f32 }
    }
}

/// Takes a voice's frames and the music's, and returns their mix.
#[derive(Debug)]
pub(super) struct Mixer {
    gain: Gain,
    limiter: Limiter,
    /// Frames that the mix will have.
    len: i64,
    fade: i64,
    /// Frames that were mixed so far.
    mixed: i64,
}

impl Mixer {
    /// Returns a mixer for `len` frames.
    pub(super) fn new(envelope: &[GainPoint], len: i64, sample_rate: u32) -> Self {
        let fade = i64::from(sample_rate * FADE_MS / 1000).max(1);
        Self {
            gain: Gain::new(envelope, sample_rate),
            limiter: Limiter::new(sample_rate, CHANNELS),
            len,
            fade,
            mixed: 0,
        }
    }

    /// Returns the number of frames that are still to be mixed.
    pub(super) const fn left(&self) -> i64 {
        self.len - self.mixed
    }

    /// Mixes as many frames as the longer of the two has, up to the mix's length: the shorter one has ended, and is
    /// silent.
    pub(super) fn mix(&mut self, voice: &[f32], music: &[f32]) -> Vec<f32> {
        let frames = voice.len().max(music.len()) / CHANNELS;
        let frames = frames.min(usize::try_from(self.left()).unwrap_or(0));
        let mut sum = Vec::with_capacity(frames * CHANNELS);
        for place in (0..frames * CHANNELS).step_by(CHANNELS) {
            let gain = self.gain.next() * fade_out(self.left(), self.fade);
            let of = |sound: &[f32], channel: usize| sound.get(place + channel).copied().unwrap_or(0.0);
            sum.extend((0..CHANNELS).map(|channel| of(voice, channel) + of(music, channel) * gain));
            self.mixed += 1;
        }
        self.limiter.limit(&sum)
    }

    /// Returns the samples that the limiter still holds.
    pub(super) fn finish(&mut self) -> Vec<f32> {
        self.limiter.finish()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a fade has a few hundred samples")]
fn fade_out(left: i64, fade: i64) -> f32 {
    left.min(fade) as f32 / fade as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 8_000;

    fn envelope(points: &[(i64, i32)]) -> Vec<GainPoint> {
        points.iter().map(|(ms, db)| GainPoint { t_us: ms * 1000, gain: db * 100 }).collect()
    }

    /// A mix of constant sounds, handed over in blocks of this many frames.
    fn mixed(points: &[(i64, i32)], voice: f32, music: f32, block: usize) -> Vec<f32> {
        let mut mixer = Mixer::new(&envelope(points), 8_000, RATE);
        let mut mix = Vec::new();
        while mixer.left() > 0 {
            mix.extend(mixer.mix(&vec![voice; block * CHANNELS], &vec![music; block * CHANNELS]));
        }
        mix.extend(mixer.finish());
        mix
    }

    fn at(mix: &[f32], ms: usize) -> f32 {
        mix[ms * 8 * CHANNELS]
    }

    #[test]
    fn music_follows_the_envelope_and_the_voice_stays_as_it_is() {
        let points = [(0, 0), (200, 0), (400, -20), (600, -20), (800, 0), (1000, 0)];
        let mix = mixed(&points, 0.5, 0.1, 100);
        assert_eq!(mix.len(), 8_000 * CHANNELS);
        for (ms, wanted) in [(0, 0.6), (199, 0.6), (300, 0.5 + 0.1 * 0.316_23), (400, 0.51), (599, 0.51), (900, 0.6)] {
            assert!((at(&mix, ms) - wanted).abs() < 1e-4, "{} at {ms} ms, not {wanted}", at(&mix, ms));
        }
        assert!(mix.chunks_exact(2).all(|frame| (frame[0] - frame[1]).abs() < 1e-6));
    }

    #[test]
    fn a_mix_does_not_depend_on_the_blocks_it_comes_in() {
        let points = [(0, 0), (200, 0), (400, -20), (1000, -20)];
        let whole = mixed(&points, 0.7, 0.6, 8_000);
        for block in [1, 17, 1000] {
            assert_eq!(mixed(&points, 0.7, 0.6, block), whole, "{block}");
        }
    }

    #[test]
    fn a_mix_never_passes_the_ceiling() {
        let mix = mixed(&[(0, 0), (1000, 0)], 0.9, 0.9, 64);
        assert!(mix.iter().all(|sample| sample.abs() <= 0.892), "{:?}", mix.iter().copied().reduce(f32::max));
    }

    #[test]
    fn music_that_has_ended_leaves_the_voice_alone_and_the_voices_length_is_the_mixs() {
        let mut mixer = Mixer::new(&envelope(&[(0, 0), (1000, 0)]), 1000, RATE);
        let mut mix = mixer.mix(&[0.5; 600 * 2], &[0.1; 400 * 2]);
        mix.extend(mixer.mix(&[0.5; 600 * 2], &[]));
        mix.extend(mixer.finish());
        assert_eq!((mix.len(), mixer.left()), (2_000, 0));
        assert!((mix[0] - 0.6).abs() < 1e-6 && (mix[1_000] - 0.5).abs() < 1e-6, "{} {}", mix[0], mix[1_000]);
    }
}
