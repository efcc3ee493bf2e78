//! Decides who speaks when, once the voices are known: Viterbi over short steps of speech. Pure.

use crate::readers::speech::segments::Segment;
use crate::readers::stored::thousandths;
use serde::Serialize;
use std::collections::HashSet;

/// A pause of so many seconds or fewer within what one voice says is part of its turn: the rule of NIST's evaluations.
const PAUSE_SECONDS: f64 = 0.3;

/// The score that a change of voice costs, in the unit of the steps' scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChangeCost {
    /// Within a stretch of speech.
    pub(super) inside: f64,
    /// From one stretch to the next.
    pub(super) in_a_pause: f64,
}

/// Consecutive steps of speech: where each begins, and each voice's score in it. A day has 345,600 steps, so they are
/// stored in two lists.
#[derive(Debug)]
pub(super) struct Steps {
    /// The speech segment of each step, and the second at which the step begins.
    places: Vec<(usize, f64)>,
    /// The voices' scores, such as log-likelihoods, step after step.
    scores: Vec<f32>,
    voices: usize,
    cost: ChangeCost,
}

impl Steps {
    /// Returns one without steps, for this many voices.
    pub(super) fn new(voices: usize, cost: ChangeCost) -> Self {
        Self { places: Vec::new(), scores: Vec::new(), voices, cost }
    }

    /// Begins a step in this segment of speech, at this second.
    pub(super) fn begin(&mut self, segment: usize, start: f64) {
        self.places.push((segment, start));
        self.scores.resize(self.places.len() * self.voices, 0.0);
    }

    /// Returns the segment of the last step.
    pub(super) fn last_segment(&self) -> Option<usize> {
        self.places.last().map(|(segment, _)| *segment)
    }

    /// Returns the scores of the last step.
    pub(super) fn last_scores(&mut self) -> &mut [f32] {
        let from = self.scores.len().saturating_sub(self.voices);
        self.scores.get_mut(from..).unwrap_or_default()
    }

    /// Returns each step's segment and scores.
    fn each(&self) -> impl Iterator<Item = (usize, &[f32])> {
        let segments = self.places.iter().map(|(segment, _)| *segment);
        segments.zip(self.scores.chunks(self.voices.max(1)))
    }
}

/// One voice's turn, in seconds from the media's start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct VoiceTurn {
    /// Its start.
    pub(super) start: f64,
    /// Its end.
    pub(super) end: f64,
    /// `A` speaks first, `B` next, and so on.
    pub(super) speaker: String,
}

/// Returns the likeliest turns, and the numbers of their voices in the order of their names.
pub(super) fn turns(steps: &Steps, speech: &[Segment]) -> (Vec<VoiceTurn>, Vec<usize>) {
    let path = likeliest(steps);
    let mut order: Vec<usize> = Vec::new();
    let mut turns: Vec<(usize, usize, VoiceTurn)> = Vec::new();
    for ((within, start), voice) in steps.places.iter().copied().zip(path) {
        let Some(segment) = speech.get(within) else { continue };
        if !order.contains(&voice) {
            order.push(voice);
        }
        let number = order.iter().position(|known| *known == voice).unwrap_or(0);
        match turns.last_mut() {
            Some((last, speaker, _)) if *last == within && *speaker == number => {}
            Some((last, _, before)) if *last == within => {
                before.end = thousandths(start);
                let turn = VoiceTurn { start: before.end, end: segment.end, speaker: name(number) };
                turns.push((within, number, turn));
            }
            _ => turns.push((
                within,
                number,
                VoiceTurn { start: segment.start, end: segment.end, speaker: name(number) },
            )),
        }
    }
    (turns.into_iter().map(|(.., turn)| turn).collect(), order)
}

/// Joins the turns of one voice that only a short pause separates.
pub(super) fn joined(turns: Vec<VoiceTurn>) -> Vec<VoiceTurn> {
    let mut joined: Vec<VoiceTurn> = Vec::with_capacity(turns.len());
    for turn in turns {
        match joined.last_mut() {
            Some(before) if before.speaker == turn.speaker && turn.start - before.end <= PAUSE_SECONDS => {
                before.end = turn.end;
            }
            _ => joined.push(turn),
        }
    }
    joined
}

/// Returns the names of all speakers, in the order of their first turns.
pub(super) fn speakers(turns: &[VoiceTurn]) -> Vec<String> {
    let mut known = HashSet::new();
    turns.iter().map(|turn| &turn.speaker).filter(|name| known.insert(*name)).cloned().collect()
}

/// Returns `A` to `Z`.
fn name(number: usize) -> String {
    char::from(u8::try_from(number).map_or(b'Z', |number| b'A' + number.min(25))).to_string()
}

/// Returns the voice of each step on the likeliest path. Takes a byte of backpointer per step and voice.
fn likeliest(steps: &Steps) -> Vec<usize> {
    let mut scores = vec![0.0_f64; steps.voices];
    let mut backs: Vec<u8> = Vec::with_capacity(steps.scores.len());
    let mut segment = 0;
    for (within, fits) in steps.each() {
        let cost = if within == segment { steps.cost.inside } else { steps.cost.in_a_pause };
        segment = within;
        let (best, best_score) = highest(&scores);
        for (voice, (score, fit)) in scores.iter_mut().zip(fits).enumerate() {
            let changed = best_score - cost > *score;
            backs.push(u8::try_from(if changed { best } else { voice }).unwrap_or(0));
            *score = if changed { best_score - cost } else { *score } + f64::from(*fit);
        }
    }
    let (mut voice, _) = highest(&scores);
    let mut path: Vec<usize> = Vec::with_capacity(steps.places.len());
    for back in backs.chunks(steps.voices.max(1)).rev() {
        path.push(voice);
        voice = back.get(voice).map_or(0, |before| usize::from(*before));
    }
    path.reverse();
    path
}

fn highest(scores: &[f64]) -> (usize, f64) {
    let highest = scores.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    highest.unwrap_or((0, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubtful_step_is_no_turn_and_a_clear_change_is_one() {
        let speech = [(0.0, 2.0), (3.0, 4.0)].map(|(start, end)| Segment { start, end, confidence: 1.0 });
        let mut steps = Steps::new(2, ChangeCost { inside: 60.0, in_a_pause: 10.0 });
        for (segment, start, voices) in [
            (0, 0.0, [-50.0, 0.0]),
            (0, 0.5, [0.0, -10.0]),
            (0, 1.0, [-60.0, 0.0]),
            (1, 3.0, [0.0, -90.0]),
            (1, 3.5, [-200.0, 0.0]),
        ] {
            steps.begin(segment, start);
            steps.last_scores().copy_from_slice(&voices);
        }
        assert_eq!(steps.last_segment(), Some(1));
        let (turns, order) = turns(&steps, &speech);
        assert_eq!(order, [1, 0]);
        let told: Vec<_> = turns.iter().map(|turn| (turn.start, turn.end, turn.speaker.as_str())).collect();
        assert_eq!(told, [(0.0, 2.0, "A"), (3.0, 3.5, "B"), (3.5, 4.0, "A")]);
        assert_eq!(speakers(&turns), ["A", "B"]);
        assert!(super::turns(&Steps::new(0, ChangeCost { inside: 1.0, in_a_pause: 1.0 }), &[]).0.is_empty());
    }

    #[test]
    fn a_short_pause_is_part_of_a_turn_and_a_long_one_or_another_voice_ends_it() {
        let heard = [
            (0.876, 3.312, "A"),
            (3.552, 4.1, "A"),
            (4.1, 5.2, "B"),
            (5.36, 6.384, "A"),
            (6.7, 9.616, "A"),
            (9.8, 10.0, "A"),
            (10.28, 11.0, "A"),
        ];
        let turn = |(start, end, speaker): (f64, f64, &str)| VoiceTurn { start, end, speaker: speaker.to_owned() };
        let told = joined(heard.map(turn).to_vec());
        let whole = [(0.876, 4.1, "A"), (4.1, 5.2, "B"), (5.36, 6.384, "A"), (6.7, 11.0, "A")];
        assert_eq!(told, whole.map(turn));
        assert!(joined(Vec::new()).is_empty());
    }
}
