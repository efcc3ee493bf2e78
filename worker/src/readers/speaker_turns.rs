//! Who speaks when, once the voices are known: Viterbi over short steps of speech. Pure.

use super::speech_segments::{Segment, thousandths};
use serde::Serialize;

/// Frames of a step: a quarter of a second.
pub(super) const STEP_FRAMES: usize = 25;
/// What a change of voice costs inside a stretch of speech, and what in a pause, in nepers.
const CHANGE_COST: (f64, f64) = (60.0, 10.0);

/// A step of speech: where it begins, and how likely each voice is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// The speech segment that it is in.
    pub(super) segment: usize,
    /// Where it begins, in seconds.
    pub(super) start: f64,
    /// The logarithm of each voice's likelihood.
    pub(super) voices: Vec<f32>,
}

/// One voice's turn, in seconds from the media's start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Turn {
    /// Where it begins.
    pub(super) start: f64,
    /// Where it ends.
    pub(super) end: f64,
    /// `A` is who speaks first, `B` the next one.
    pub(super) speaker: String,
}

/// The likeliest turns.
pub(super) fn turns(steps: &[Step], speech: &[Segment]) -> Vec<Turn> {
    let path = likeliest(steps);
    let mut order: Vec<usize> = Vec::new();
    let mut turns: Vec<(usize, usize, Turn)> = Vec::new();
    for (step, voice) in steps.iter().zip(path) {
        let Some(segment) = speech.get(step.segment) else { continue };
        if !order.contains(&voice) {
            order.push(voice);
        }
        let number = order.iter().position(|known| *known == voice).unwrap_or(0);
        match turns.last_mut() {
            Some((within, speaker, _)) if *within == step.segment && *speaker == number => {}
            Some((within, _, before)) if *within == step.segment => {
                before.end = thousandths(step.start);
                let turn = Turn { start: before.end, end: segment.end, speaker: name(number) };
                turns.push((step.segment, number, turn));
            }
            _ => turns.push((
                step.segment,
                number,
                Turn { start: segment.start, end: segment.end, speaker: name(number) },
            )),
        }
    }
    turns.into_iter().map(|(.., turn)| turn).collect()
}

/// The names of all who have a turn, in the order of their first.
pub(super) fn speakers(turns: &[Turn]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for turn in turns {
        if !names.contains(&turn.speaker) {
            names.push(turn.speaker.clone());
        }
    }
    names
}

/// `A` to `Z`.
fn name(number: usize) -> String {
    char::from(u8::try_from(number).map_or(b'Z', |number| b'A' + number.min(25))).to_string()
}

/// The voice of each step on the likeliest path. A byte of backpointer a step and voice.
fn likeliest(steps: &[Step]) -> Vec<usize> {
    let voices = steps.first().map_or(0, |step| step.voices.len());
    let mut scores = vec![0.0_f64; voices];
    let mut backs: Vec<Vec<u8>> = Vec::with_capacity(steps.len());
    let mut segment = 0;
    for step in steps {
        let cost = if step.segment == segment { CHANGE_COST.0 } else { CHANGE_COST.1 };
        segment = step.segment;
        let (best, best_score) = highest(&scores);
        let mut back = Vec::with_capacity(voices);
        for (voice, (score, likelihood)) in scores.iter_mut().zip(&step.voices).enumerate() {
            let changed = best_score - cost > *score;
            back.push(u8::try_from(if changed { best } else { voice }).unwrap_or(0));
            *score = if changed { best_score - cost } else { *score } + f64::from(*likelihood);
        }
        backs.push(back);
    }
    let (mut voice, _) = highest(&scores);
    let mut path: Vec<usize> = Vec::with_capacity(steps.len());
    for back in backs.iter().rev() {
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

    fn step(segment: usize, start: f64, voices: [f32; 2]) -> Step {
        Step { segment, start, voices: voices.to_vec() }
    }

    #[test]
    fn a_doubtful_step_is_no_turn_and_a_clear_change_is_one() {
        let speech = [(0.0, 2.0), (3.0, 4.0)].map(|(start, end)| Segment { start, end, confidence: 1.0 });
        let steps = [
            step(0, 0.0, [-50.0, 0.0]),
            step(0, 0.5, [0.0, -10.0]),
            step(0, 1.0, [-60.0, 0.0]),
            step(1, 3.0, [0.0, -90.0]),
            step(1, 3.5, [-200.0, 0.0]),
        ];
        let turns = turns(&steps, &speech);
        let told: Vec<_> = turns.iter().map(|turn| (turn.start, turn.end, turn.speaker.as_str())).collect();
        assert_eq!(told, [(0.0, 2.0, "A"), (3.0, 3.5, "B"), (3.5, 4.0, "A")]);
        assert_eq!(speakers(&turns), ["A", "B"]);
        assert!(super::turns(&[], &[]).is_empty());
    }
}
