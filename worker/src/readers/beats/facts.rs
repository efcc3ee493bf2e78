//! What follows from found beats: which of them are real, where bars begin, and the tempo over time.
//!
//! Pure. The tracker finds the best beats of any sound, of noise too; `real` keeps stretches where beats stand out.

use super::onsets::{EARLY_SECONDS, FRAME_RATE};
use super::tracker::FoundBeat;
use crate::readers::stored::thousandths;
use serde::Serialize;

/// Beats on each side that a beat's evidence is averaged over.
const EVIDENCE: usize = 6;
/// The mean strength of real beats, at least.
const LEAST_STRENGTH: f32 = 0.3;
/// How many times stronger real beats are than what lies between them, at least.
const LEAST_CONTRAST: f32 = 2.5;
/// A beat weaker than this was hardly played.
const WEAK: f32 = 0.2;
/// The part of beats that may be weak, unless the others stand out by so much. Speech has steady syllables and more
/// gaps.
const MOST_WEAK: f32 = 0.2;
const CLEAR_CONTRAST: f32 = 8.0;
/// Fewer beats in a row are none.
const SHORTEST_RUN: usize = 6;
/// How much better bars of three have to fit than bars of four, as a factor and on top of it.
const WALTZ_MARGIN: (f32, f32) = (1.15, 1.0);
/// What a bar that is cut short costs: the evidence of several clear bars.
const CUT_BAR_COST: f32 = 12.0;
/// Beats no faster than this may be every second one only: of music twice as fast, in beats a minute.
const MAY_BE_HALF: f64 = 95.0;
/// They are when what is played half-way and at the quarters, compared with the beats, comes to this.
const HALF_PLAYED: f32 = 0.88;
/// Beats no slower than this may be twice as many as there are.
const MAY_BE_TWICE: f64 = 110.0;
/// They are when every second one is this weak beside the others, and hardly anything is played between them.
const TWICE_WEAK: f32 = 0.7;
const TWICE_EMPTY: f32 = 0.2;
/// Seconds from point to point of the tempo curve.
const CURVE_SECONDS: f64 = 5.0;

/// The tempo at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct TempoPoint {
    /// Seconds from the media's start.
    pub(super) time: f64,
    /// Beats a minute.
    pub(super) bpm: f64,
}

/// Keeps stretches of beats that stand out of their surroundings.
pub(super) fn real(beats: &[FoundBeat]) -> Vec<Vec<FoundBeat>> {
    let convincing = |at: usize| {
        let near = || beats.iter().take(at + EVIDENCE + 1).skip(at.saturating_sub(EVIDENCE));
        #[expect(clippy::cast_precision_loss, reason = "there are few beats near a beat")]
        let count = near().count() as f32;
        let strength = near().map(|beat| beat.strength).sum::<f32>() / count;
        let around = near().map(|beat| beat.around).sum::<f32>() / count;
        #[expect(clippy::cast_precision_loss, reason = "there are few beats near a beat")]
        let weak = near().filter(|beat| beat.strength < WEAK).count() as f32;
        let steady = weak <= MOST_WEAK * count || strength >= CLEAR_CONTRAST * around;
        steady && strength >= LEAST_STRENGTH && strength >= LEAST_CONTRAST * around
    };
    let mut runs = vec![Vec::new()];
    for (at, beat) in beats.iter().enumerate() {
        if !convincing(at) {
            runs.push(Vec::new());
        } else if let Some(run) = runs.last_mut() {
            run.push(*beat);
        }
    }
    let runs = runs.into_iter().map(without_weak_ends).filter(|run| run.len() >= SHORTEST_RUN);
    runs.map(counted).collect()
}

/// Before the first stroke and after the last the tracker goes on counting; those beats were not played.
fn without_weak_ends(run: Vec<FoundBeat>) -> Vec<FoundBeat> {
    let played = |beat: &FoundBeat| beat.strength > 0.1;
    let (Some(first), Some(last)) = (run.iter().position(played), run.iter().rposition(played)) else {
        return Vec::new();
    };
    run.into_iter().take(last + 1).skip(first).collect()
}

/// The beats that a listener would count: the tracker takes music at the edge of its tempi for half or twice as fast,
/// and what is played between the beats tells. Where nothing is, as between clicks, they stay.
fn counted(run: Vec<FoundBeat>) -> Vec<FoundBeat> {
    let Some(tempo) = tempo_of(&run) else { return run };
    let (beats, half) = (mean(run.iter().map(|beat| beat.strength)), mean(run.iter().map(|beat| beat.half.strength)));
    let quarters = mean(run.iter().map(|beat| beat.quarters));
    if tempo <= MAY_BE_HALF && half / beats.max(WEAK) + quarters >= HALF_PLAYED {
        return doubled(&run);
    }
    let every_second = |from: usize| run.iter().skip(from).step_by(2);
    let strengths = [0, 1].map(|from| mean(every_second(from).map(|beat| beat.strength)));
    let (from, weak, strong) =
        if strengths[0] >= strengths[1] { (0, strengths[1], strengths[0]) } else { (1, strengths[0], strengths[1]) };
    if tempo >= MAY_BE_TWICE && half < TWICE_EMPTY && weak < TWICE_WEAK * strong {
        return every_second(from).copied().collect();
    }
    run
}

/// The beats with those half-way between them.
fn doubled(run: &[FoundBeat]) -> Vec<FoundBeat> {
    let mut all: Vec<FoundBeat> = Vec::with_capacity(2 * run.len());
    for beat in run {
        if let Some(before) = all.last().copied() {
            let half = beat.half;
            let between = before.frame < half.frame && half.frame < beat.frame;
            let frame = if between { half.frame } else { f64::midpoint(before.frame, beat.frame) };
            all.push(FoundBeat { frame, strength: half.strength, low: half.low, ..*beat });
        }
        all.push(*beat);
    }
    all
}

/// The mean of some numbers; 0 of none.
fn mean(numbers: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = numbers.fold((0.0, 0.0_f32), |(sum, count), number| (sum + number, count + 1.0));
    sum / count.max(1.0)
}

/// When a beat is, in seconds.
pub(super) fn time(beat: &FoundBeat) -> f64 {
    thousandths((beat.frame / f64::from(FRAME_RATE) + EARLY_SECONDS).max(0.0))
}

/// Which beats of a run begin a bar, of four beats or of three, whichever the bass and the strokes tell.
pub(super) fn downbeats(run: &[FoundBeat]) -> Vec<FoundBeat> {
    let accents = accents(run);
    let (four, four_score) = bars_of(4, &accents);
    let (three, three_score) = bars_of(3, &accents);
    let begins = if three_score > four_score.max(0.0) * WALTZ_MARGIN.0 + WALTZ_MARGIN.1 { three } else { four };
    run.iter().zip(begins).filter_map(|(beat, begins)| begins.then_some(*beat)).collect()
}

/// How much each beat is accented, compared with those around it.
fn accents(run: &[FoundBeat]) -> Vec<f32> {
    let weight = |beat: &FoundBeat| beat.low + 0.5 * beat.strength;
    let around = |at: usize| {
        let near = || run.iter().take(at + 9).skip(at.saturating_sub(8)).map(weight);
        #[expect(clippy::cast_precision_loss, reason = "there are few beats near a beat")]
        let mean = near().sum::<f32>() / near().count() as f32;
        mean
    };
    run.iter().enumerate().map(|(at, beat)| weight(beat) - around(at)).collect()
}

/// The best way to count these accents in bars of `meter`, and how well it fits, by Viterbi over the place in the bar.
#[expect(clippy::cast_precision_loss, reason = "a bar has few beats")]
fn bars_of(meter: usize, accents: &[f32]) -> (Vec<bool>, f32) {
    let fit = |place: usize, accent: f32| if place == 0 { accent } else { -accent / (meter - 1) as f32 };
    let mut scores = vec![0.0; meter];
    let mut backs: Vec<Vec<usize>> = Vec::with_capacity(accents.len());
    for accent in accents {
        let step = |place: usize| {
            let usual = (place + meter - 1) % meter;
            let cut = (0..meter).map(|from| (from, scores.get(from).copied().unwrap_or(0.0) - CUT_BAR_COST));
            let usual = (usual, scores.get(usual).copied().unwrap_or(0.0));
            // The usual step comes first and wins a tie.
            cut.fold(usual, |best, one| if place == 0 && one.1 > best.1 { one } else { best })
        };
        let steps: Vec<(usize, f32)> = (0..meter).map(step).collect();
        scores = steps.iter().enumerate().map(|(place, (_, score))| score + fit(place, *accent)).collect();
        backs.push(steps.into_iter().map(|(from, _)| from).collect());
    }
    // Of counts that fit alike, the one that begins a bar on the first beat.
    let first_on_one = (accents.len() + meter - 1) % meter;
    let order = (0..meter).map(|turn| (first_on_one + turn) % meter);
    let best = order.fold((0, f32::NEG_INFINITY), |best, place| {
        let score = scores.get(place).copied().unwrap_or(f32::NEG_INFINITY);
        if score > best.1 + 1e-3 { (place, score) } else { best }
    });
    let mut place = best.0;
    let mut begins: Vec<bool> = Vec::with_capacity(accents.len());
    for back in backs.iter().rev() {
        begins.push(place == 0);
        place = back.get(place).copied().unwrap_or(0);
    }
    begins.reverse();
    (begins, best.1)
}

/// Beats a minute of a run: of its middle intervals, so that a beat out of place moves it little.
pub(super) fn tempo_of(run: &[FoundBeat]) -> Option<f64> {
    let mut intervals: Vec<f64> =
        run.windows(2).filter_map(|pair| Some(pair.last()?.frame - pair.first()?.frame)).collect();
    intervals.sort_by(f64::total_cmp);
    let (quarter, count) = (intervals.len() / 4, intervals.len());
    let middle = intervals.get(quarter..count - quarter).filter(|middle| !middle.is_empty())?;
    #[expect(clippy::cast_precision_loss, reason = "beats of a day stay far below 2^53")]
    let mean = middle.iter().sum::<f64>() / middle.len() as f64;
    Some(60.0 * f64::from(FRAME_RATE) / mean)
}

/// The tempo of a run over time: a point every few seconds, the first on its first beat.
pub(super) fn curve(run: &[FoundBeat]) -> Vec<TempoPoint> {
    let mut points: Vec<TempoPoint> = Vec::new();
    for (at, beat) in run.iter().enumerate() {
        let time = time(beat);
        if points.last().is_some_and(|point| time - point.time < CURVE_SECONDS) {
            continue;
        }
        let around = run.get(at.saturating_sub(4)..(at + 5).min(run.len())).unwrap_or_default();
        points.extend(tempo_of(around).map(|bpm| TempoPoint { time, bpm: hundredths(bpm) }));
    }
    points
}

/// To two decimals.
pub(super) fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a test's beats are few")]
#[path = "facts_tests.rs"]
mod tests;
