//! The most likely beats of a stream of activations: a bar-pointer model, solved by Viterbi.
//!
//! The hidden state is (tempo, position within the beat). Within a beat the position only moves on, so a path is given
//! by its beats alone: `score(t, interval)` is the best path whose last beat is at `t`, `interval` frames after the one
//! before, and a step goes from beat to beat. A frame costs 82 intervals times the few that a tempo may change to, and
//! one byte of backpointer per interval. Frames older than a window are traced back and settled, so that memory does
//! not grow.

#[cfg(test)]
mod tests;

use super::activation::Activation;
use std::collections::VecDeque;

/// The shortest interval between beats, in frames: 214 beats per minute.
const SHORTEST: usize = 28;
/// The longest interval between beats, in frames: 55 beats per minute.
const LONGEST: usize = 109;
/// The number of intervals.
const INTERVALS: usize = LONGEST - SHORTEST + 1;
/// The backpointer of a path's first beat.
const FIRST: u8 = u8::MAX;
/// The largest relative change of the interval from one beat to the next.
const LARGEST_CHANGE: f32 = 0.12;
/// The score that a relative change of the interval costs, per unit.
const CHANGE_COST: f32 = 60.0;
/// The score that a tempo one octave from the usual one costs per beat.
const OCTAVE_COST: f32 = 1.0;
/// The usual interval, in frames: 120 beats per minute.
const USUAL: f32 = 50.0;
/// Added to activations, so that their log odds are finite.
const NOTHING: f32 = 0.02;
/// Frames that are traced back and settled at once.
const SETTLED: usize = 3000;
/// Frames after those, within which all likely paths have met.
const WINDOW: usize = 3000;

/// A tracked beat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FoundBeat {
    /// Its frame, with a fraction.
    pub(super) frame: f64,
    /// The onset strength on it, 0 to 1.
    pub(super) strength: f32,
    /// The onset strength of the bass on it, 0 to 1.
    pub(super) low: f32,
    /// The mean activation of the frames since the beat before.
    pub(super) around: f32,
    /// The stroke half-way from the beat before.
    pub(super) half: Stroke,
    /// The mean onset strength at a quarter and three quarters of the way from the beat before.
    pub(super) quarters: f32,
}

/// An onset between beats.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Stroke {
    /// Its frame, with a fraction.
    pub(super) frame: f64,
    /// Its onset strength, 0 to 1.
    pub(super) strength: f32,
    /// Its onset strength in the bass, 0 to 1.
    pub(super) low: f32,
}

/// Finds beats in activations.
#[derive(Debug)]
pub(super) struct BeatTracker {
    /// Scores of the last `LONGEST` frames, the oldest first.
    scores: VecDeque<Vec<f32>>,
    /// Backpointers for each frame of the window and each interval: the number of the interval before.
    backs: VecDeque<Vec<u8>>,
    activations: VecDeque<Activation>,
    /// The frame at the beginning of `backs`.
    base: u64,
    changes: Vec<Vec<(usize, f32)>>,
    usual: Vec<f32>,
    last_settled: Option<u64>,
    beats: Vec<FoundBeat>,
}

impl BeatTracker {
    /// Starts at the beginning of a sound.
    pub(super) fn new() -> Self {
        Self {
            scores: VecDeque::new(),
            backs: VecDeque::new(),
            activations: VecDeque::new(),
            base: 0,
            changes: (0..INTERVALS).map(changes_to).collect(),
            usual: (0..INTERVALS).map(usualness).collect(),
            last_settled: None,
            beats: Vec::new(),
        }
    }

    /// Takes the next frame.
    pub(super) fn add(&mut self, activation: Activation) {
        let gain = ((activation.all + NOTHING) / (1.0 - activation.all + NOTHING)).ln();
        let mut scores = vec![0.0; INTERVALS];
        let mut backs = vec![FIRST; INTERVALS];
        let slots = scores.iter_mut().zip(&mut backs).zip(self.changes.iter().zip(&self.usual));
        for (number, ((score, back), (changes, usual))) in slots.enumerate() {
            let interval = SHORTEST + number;
            let before = self.scores.len().checked_sub(interval).and_then(|at| self.scores.get(at));
            let mut best = 0.0;
            if let Some(before) = before {
                best = f32::NEG_INFINITY;
                for (from, cost) in changes {
                    let total = before.get(*from).copied().unwrap_or(f32::NEG_INFINITY) - cost;
                    if total > best {
                        best = total;
                        *back = u8::try_from(*from).unwrap_or(FIRST);
                    }
                }
            }
            *score = best + gain + usual;
        }
        if self.scores.len() == LONGEST {
            self.scores.pop_front();
        }
        self.scores.push_back(scores);
        self.backs.push_back(backs);
        self.activations.push_back(activation);
        if self.backs.len() >= SETTLED + WINDOW {
            self.settle(SETTLED);
        }
    }

    /// Returns the beats, in order.
    pub(super) fn finish(mut self) -> Vec<FoundBeat> {
        self.settle(self.backs.len());
        self.beats
    }

    /// Traces the best path back, and keeps its beats among the first `frames` frames of the window.
    fn settle(&mut self, frames: usize) {
        let mut path = self.path();
        path.reverse();
        for (frame, interval) in path.into_iter().filter(|(frame, _)| *frame < frames) {
            let at = self.base + frame as u64;
            // A path that differs from the settled one joins it after its last beat, not on it.
            if self.last_settled.is_none_or(|last| at >= last + interval as u64 * 3 / 5) {
                self.beats.push(self.beat(frame, interval));
                self.last_settled = Some(at);
            }
        }
        self.backs.drain(..frames);
        self.activations.drain(..frames);
        self.base += frames as u64;
        // Scores grow with every beat; only their differences count.
        let most = self.scores.iter().flatten().copied().fold(f32::NEG_INFINITY, f32::max);
        self.scores.iter_mut().flatten().for_each(|score| *score -= most);
    }

    /// Returns the beats of the best path, the last first: the frame in the window, and the interval before it.
    fn path(&self) -> Vec<(usize, usize)> {
        let first_scored = self.backs.len() - self.scores.len().min(self.backs.len());
        let ends = self.scores.iter().enumerate().flat_map(|(frame, scores)| {
            scores.iter().enumerate().map(move |(interval, score)| (first_scored + frame, interval, *score))
        });
        let mut path = Vec::new();
        let Some((mut frame, mut interval, _)) = ends.max_by(|a, b| a.2.total_cmp(&b.2)) else { return path };
        loop {
            path.push((frame, SHORTEST + interval));
            let back = self.backs.get(frame).and_then(|backs| backs.get(interval)).copied().unwrap_or(FIRST);
            let Some(before) = frame.checked_sub(SHORTEST + interval).filter(|_| back != FIRST) else { return path };
            (frame, interval) = (before, usize::from(back));
        }
    }

    /// Returns the beat at this frame, with the strokes and the mean activation since the one before.
    fn beat(&self, frame: usize, interval: usize) -> FoundBeat {
        let since = self.activations.iter().take(frame + 1).skip((frame + 1).saturating_sub(interval));
        let (sum, count) = since.fold((0.0, 0.0_f32), |(sum, count), activation| (sum + activation.all, count + 1.0));
        let Stroke { frame: at, strength, low } = self.stroke(frame);
        let between =
            |quarters: usize| frame.checked_sub(interval * quarters / 4).map(|at| self.stroke(at)).unwrap_or_default();
        let quarters = f32::midpoint(between(1).strength, between(3).strength);
        FoundBeat { frame: at, strength, low, around: sum / count.max(1.0), half: between(2), quarters }
    }

    /// Returns the stroke at this frame, moved to the strongest frame next to it.
    fn stroke(&self, frame: usize) -> Stroke {
        let near = |reach: usize| {
            self.activations.iter().enumerate().take(frame + reach + 1).skip(frame.saturating_sub(reach))
        };
        let strongest = near(2).max_by(|a, b| a.1.all.total_cmp(&b.1.all));
        let (peak, strength) = strongest.map_or((frame, 0.0), |(at, activation)| (at, activation.all));
        let low = near(3).fold(0.0_f32, |most, (_, activation)| most.max(activation.low));
        let at = if strength > 0.1 { peak } else { frame };
        #[expect(clippy::cast_precision_loss, reason = "frames of a day stay far below 2^53")]
        let frame = (self.base + at as u64) as f64 + if strength > 0.1 { self.offset(peak) } else { 0.0 };
        Stroke { frame, strength, low }
    }

    /// Returns a peak's offset from its frame, in frames: that of the parabola through it and its neighbours.
    fn offset(&self, peak: usize) -> f64 {
        let at =
            |frame: Option<usize>| frame.and_then(|frame| self.activations.get(frame)).map(|activation| activation.all);
        let (Some(before), Some(top), Some(after)) = (at(peak.checked_sub(1)), at(Some(peak)), at(peak.checked_add(1)))
        else {
            return 0.0;
        };
        let bend = before - 2.0 * top + after;
        if bend >= 0.0 { 0.0 } else { f64::from((0.5 * (before - after) / bend).clamp(-0.5, 0.5)) }
    }
}

/// Returns the intervals that may precede this one, with what the change costs.
fn changes_to(number: usize) -> Vec<(usize, f32)> {
    let to = frames(number);
    let change = |from: usize| ((to / frames(from)) - 1.0).abs();
    (0..INTERVALS)
        .filter(|from| change(*from) <= LARGEST_CHANGE)
        .map(|from| (from, CHANGE_COST * change(from)))
        .collect()
}

/// Returns the score of an interval: 0 for the usual one, less for others.
fn usualness(number: usize) -> f32 {
    -OCTAVE_COST * (frames(number) / USUAL).log2().powi(2)
}

#[expect(clippy::cast_precision_loss, reason = "intervals are small")]
fn frames(number: usize) -> f32 {
    (SHORTEST + number) as f32
}
