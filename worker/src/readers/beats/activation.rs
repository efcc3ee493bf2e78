//! Turns spectral flux into onset activations, 0 to 1 per frame, independent of the media's loudness and density.
//!
//! Each frame is normalized by the strongest frames within a few seconds around it; where those are weak, as in noise
//! or between songs, by the least rise that is an onset. Works as a delay line: memory is the seconds around a frame.

use super::onsets::{FRAME_RATE, Onset};
use std::collections::VecDeque;

/// Frames on each side that a frame is normalized by: three seconds.
const AROUND: usize = 3 * FRAME_RATE as usize;
/// Frames on each side whose mean is subtracted as the noise floor.
const GROUND: usize = FRAME_RATE as usize / 4;
/// The least rise that counts as an onset when nothing around it is stronger, in nepers over all bands.
const LEAST: f32 = 0.35;
/// The least rise of the bass that counts as an onset when nothing around it is stronger, in amplitude.
const LEAST_LOW: f32 = 0.005;

/// The onset activation of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Activation {
    /// The onset strength over all bands, 0 to 1.
    pub(super) all: f32,
    /// The onset strength of the bass, 0 to 1.
    pub(super) low: f32,
}

/// Turns onsets into activations, with a delay of three seconds.
#[derive(Debug, Default)]
pub(super) struct Activations {
    /// Smoothed onsets: up to `AROUND` frames before the next one to be handed over, and those after it.
    frames: VecDeque<Onset>,
    last: [Onset; 2],
    /// The index in `frames` of the next frame to be handed over.
    next: usize,
    begun: bool,
}

impl Activations {
    /// Takes the next frame, and hands over the one whose surroundings are now complete.
    pub(super) fn add(&mut self, onset: Onset, each: &mut impl FnMut(Activation)) {
        // Smoothing makes a peak three frames wide, so that a beat interval between two whole frames meets it too.
        let [older, old] = self.last;
        let smooth = |a: f32, b: f32, c: f32| 0.25 * a + 0.5 * b + 0.25 * c;
        if self.begun {
            self.frames.push_back(Onset {
                all: smooth(older.all, old.all, onset.all),
                low: smooth(older.low, old.low, onset.low),
            });
        }
        self.begun = true;
        self.last = [old, onset];
        if self.frames.len() > self.next + AROUND {
            self.answer(each);
        }
    }

    /// Hands over the frames that are left.
    pub(super) fn finish(&mut self, each: &mut impl FnMut(Activation)) {
        if self.begun {
            self.frames.push_back(self.last[1]);
        }
        while self.next < self.frames.len() {
            self.answer(each);
        }
    }

    fn answer(&mut self, each: &mut impl FnMut(Activation)) {
        let Some(onset) = self.frames.get(self.next).copied() else { return };
        let near = |reach: usize| self.frames.iter().take(self.next + reach + 1).skip(self.next.saturating_sub(reach));
        let (sum, count) = near(GROUND).fold((0.0, 0.0_f32), |(sum, count), frame| (sum + frame.all, count + 1.0));
        let ground = sum / count.max(1.0);
        let strongest = near(AROUND).fold(LEAST, |most, frame| most.max(frame.all - ground));
        let strongest_low = near(AROUND).fold(LEAST_LOW, |most, frame| most.max(frame.low));
        each(Activation {
            all: ((onset.all - ground) / strongest).clamp(0.0, 1.0),
            low: (onset.low / strongest_low).clamp(0.0, 1.0),
        });
        if self.next < AROUND {
            self.next += 1;
        } else {
            self.frames.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_is_answered_once_and_peaks_are_near_one() {
        let (mut activations, mut found) = (Activations::default(), Vec::new());
        for frame in 0..1000 {
            let all = if frame % 50 == 0 { 2.0 } else { 0.0 };
            activations.add(Onset { all, low: 0.0 }, &mut |activation| found.push(activation));
        }
        activations.finish(&mut |activation| found.push(activation));
        assert_eq!(found.len(), 1000);
        assert!(found[500].all > 0.9 && found[525].all < 0.01, "{:?} {:?}", found[500], found[525]);
    }

    #[test]
    fn weak_rises_alone_do_not_become_strong() {
        let (mut activations, mut found) = (Activations::default(), Vec::new());
        for frame in 0..1000 {
            let all = if frame % 50 == 0 { 0.1 } else { 0.05 };
            activations.add(Onset { all, low: 0.0 }, &mut |activation| found.push(activation));
        }
        activations.finish(&mut |activation| found.push(activation));
        assert!(found.iter().all(|activation| activation.all < 0.2));
    }
}
