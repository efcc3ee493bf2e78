//! Turns tracked beats into results: which of them are real, where bars begin, and the tempo over time.
//!
//! Pure. The tracker finds the best beats of any sound, even of noise; `real` keeps stretches where beats stand out.

use super::onsets::{EARLY_SECONDS, FRAME_RATE};
use super::tracker::FoundBeat;
use crate::readers::stored::thousandths;
use serde::Serialize;

/// Beats on each side that a beat's evidence is averaged over.
const EVIDENCE: usize = 6;
/// The least mean strength of real beats.
const LEAST_STRENGTH: f32 = 0.3;
/// The least ratio of real beats' mean strength to the mean activation between them.
const LEAST_CONTRAST: f32 = 2.5;
/// A beat weaker than this is hardly audible.
const WEAK: f32 = 0.2;
/// The largest share of weak beats, unless the mean strength is `CLEAR_CONTRAST` times what is around them. Speech has
/// steady syllables, but more gaps.
const MOST_WEAK: f32 = 0.2;
const CLEAR_CONTRAST: f32 = 8.0;
/// The least number of beats in a row.
const SHORTEST_RUN: usize = 6;
/// How much better bars of three must fit than bars of four: a factor, and a constant that is added.
const WALTZ_MARGIN: (f32, f32) = (1.15, 1.0);
/// How much weaker the fourth beat of a bar of six is than its first, as a part of how much weaker the others are. Bars
/// of three are all alike, so that two of them have hardly a difference.
const HALF_BAR_WEAKER: f32 = 0.33;
/// The least number of beats in which bars of six are told from bars of three: four bars.
const FEWEST_IN_SIXES: usize = 24;
/// How much an onset over all bands counts as an accent, where no bass is played.
const WITHOUT_BASS: f32 = 0.5;
/// The score that a bar which is cut short costs: the evidence of several clear bars.
const CUT_BAR_COST: f32 = 12.0;
/// A tempo up to this, in beats per minute, may be half of the real one.
const MAY_BE_HALF: f64 = 95.0;
/// Such a tempo is half of the real one when the strength half-way between beats and that at the quarters, relative to
/// the beats' own, add up to this.
const HALF_PLAYED: f32 = 0.88;
/// A tempo from this on, in beats per minute, may be twice the real one.
const MAY_BE_TWICE: f64 = 110.0;
/// Such a tempo is twice the real one when every second beat has less than `TWICE_WEAK` of the others' strength, and
/// the strength half-way between beats is below `TWICE_EMPTY`: hardly any onset is there.
const TWICE_WEAK: f32 = 0.7;
const TWICE_EMPTY: f32 = 0.2;
/// Seconds between points of the tempo curve.
const CURVE_SECONDS: f64 = 5.0;

/// The tempo at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct TempoPoint {
    /// Seconds from the media's start.
    pub(super) time: f64,
    /// Beats per minute.
    pub(super) bpm: f64,
}

/// Returns the runs of beats that stand out of their surroundings, at the tempo that a listener would count.
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

/// Cuts weak beats off the ends of a run: the tracker goes on before the first stroke and after the last.
fn without_weak_ends(run: Vec<FoundBeat>) -> Vec<FoundBeat> {
    let played = |beat: &FoundBeat| beat.strength > 0.1;
    let (Some(first), Some(last)) = (run.iter().position(played), run.iter().rposition(played)) else {
        return Vec::new();
    };
    run.into_iter().take(last + 1).skip(first).collect()
}

/// Returns the beats that a listener would count. At the edge of its range the tracker may take half or twice the
/// tempo; onsets between the beats reveal that. Where there are none, as between clicks, the beats stay.
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

/// Returns the beats with those half-way between them.
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

/// Returns the mean of these numbers, 0 if there are none.
fn mean(numbers: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = numbers.fold((0.0, 0.0_f32), |(sum, count), number| (sum + number, count + 1.0));
    sum / count.max(1.0)
}

/// Returns a beat's time in seconds.
pub(super) fn time(beat: &FoundBeat) -> f64 {
    thousandths((beat.frame / f64::from(FRAME_RATE) + EARLY_SECONDS).max(0.0))
}

/// A division of beats into bars.
struct Bars {
    /// The place of each beat in its bar, from 0. The first beats may be a pick-up, whose bar has no beginning.
    places: Vec<usize>,
    /// How well it fits the accents.
    score: f32,
}

/// Returns the beats that begin a bar of four, three or six beats, whichever fits the accents better.
pub(super) fn downbeats(run: &[FoundBeat]) -> Vec<FoundBeat> {
    let accents = accents(run);
    let (four, three) = (bars_of(4, &accents), bars_of(3, &accents));
    let is_triple = three.score > four.score.max(0.0) * WALTZ_MARGIN.0 + WALTZ_MARGIN.1;
    let bars = if is_triple { sixes(&accents).unwrap_or(three) } else { four };
    run.iter().zip(bars.places).filter_map(|(beat, place)| (place == 0).then_some(*beat)).collect()
}

/// Returns bars of six, where every second bar of three begins clearly weaker than the others.
fn sixes(accents: &[f32]) -> Option<Bars> {
    if accents.len() < FEWEST_IN_SIXES {
        return None;
    }
    let bars = bars_of(6, accents);
    let accent = |at: &[usize]| {
        let placed = bars.places.iter().zip(accents).filter(|(place, _)| at.contains(place));
        mean(placed.map(|(_, accent)| *accent))
    };
    let (first, fourth, others) = (accent(&[0]), accent(&[3]), accent(&[1, 2, 4, 5]));
    (first - fourth >= HALF_BAR_WEAKER * (first - others)).then_some(bars)
}

/// Returns each beat's accent, relative to the beats around it. Where a bass is played it counts alone: a fill before a
/// bar masks the other onsets of its first beat.
fn accents(run: &[FoundBeat]) -> Vec<f32> {
    let weight = |beat: &FoundBeat| beat.low.max(WITHOUT_BASS * beat.strength);
    let around = |at: usize| {
        let near = || run.iter().take(at + 9).skip(at.saturating_sub(8)).map(weight);
        #[expect(clippy::cast_precision_loss, reason = "there are few beats near a beat")]
        let mean = near().sum::<f32>() / near().count() as f32;
        mean
    };
    run.iter().enumerate().map(|(at, beat)| weight(beat) - around(at)).collect()
}

/// Returns the best division into bars of `meter` beats, by Viterbi over the position in the bar.
#[expect(clippy::cast_precision_loss, reason = "a bar has few beats")]
fn bars_of(meter: usize, accents: &[f32]) -> Bars {
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
    // Among equal scores, the one that begins a bar on the first beat wins.
    let first_on_one = (accents.len() + meter - 1) % meter;
    let order = (0..meter).map(|turn| (first_on_one + turn) % meter);
    let best = order.fold((0, f32::NEG_INFINITY), |best, place| {
        let score = scores.get(place).copied().unwrap_or(f32::NEG_INFINITY);
        if score > best.1 + 1e-3 { (place, score) } else { best }
    });
    Bars { places: places(&backs, best.0), score: best.1 }
}

/// Returns the place of each beat, followed back from that of the last one.
fn places(backs: &[Vec<usize>], last: usize) -> Vec<usize> {
    let mut place = last;
    let mut places: Vec<usize> = Vec::with_capacity(backs.len());
    for back in backs.iter().rev() {
        places.push(place);
        place = back.get(place).copied().unwrap_or(0);
    }
    places.reverse();
    places
}

/// Returns a run's tempo in beats per minute, by its middle intervals, so that a misplaced beat changes it little.
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

/// Returns the tempo of a run over time: a point every few seconds, the first on its first beat.
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

/// Rounds to two decimals.
pub(super) fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a test's beats are few")]
mod tests;
