//! Speaker diarization by voice embeddings: an embedding for each window of speech (`encoder`), the voices among them
//! (`groups`), the likeliest turns (`turns`), and where a voice takes over from another inside a stretch of speech.
//!
//! Two passes over the sound, or three where voices change without a pause. What is kept of a window is its embedding,
//! 768 bytes: at most 83 MB for a day of media in which somebody speaks all the time.

use super::encoder::mel::{FRAMES, Mel, Mels};
use super::encoder::network::{Voice, alike};
use super::encoder::{Listening, VoiceEncoder};
use super::groups::{Stretch, mean, voices};
use super::turns::{ChangeCost, Steps, VoiceTurn, speakers, turns};
use super::windows::{LENGTH, PASSAGE, Passage, Window, frame, passages, second};
use crate::readers::speech::audio_spool::{AudioSpool, SpooledBlocks};
use crate::readers::speech::segments::Segment;
use crate::readers::stored::thousandths;
use crate::readers::{JobCtx, ReadError};
use std::collections::VecDeque;
use std::sync::Arc;

/// Passages of fewer frames say too little to found a voice.
const LEAST: u32 = 60;
/// The cosine similarity, of a whole window, that a change of voice costs.
const CHANGE_COST: ChangeCost = ChangeCost { inside: 0.1, in_a_pause: 0.05 };
/// How far around a change its true place is looked for, and in which steps, in frames.
const AROUND: u32 = 80;
const FINELY: usize = 20;
/// Frames on each side of a place that are compared.
const SIDE: u32 = 100;
/// Frames of the longest passage.
const LONGEST: u32 = if PASSAGE > 2 * (AROUND + SIDE) { PASSAGE } else { 2 * (AROUND + SIDE) };
/// The part of the progress that finding the voices takes, in percent.
const FOUND: u8 = 80;

/// Returns the turns of the speakers in this sound.
pub(super) async fn diarize(
    encoder: &Arc<VoiceEncoder>,
    sound: &Arc<AudioSpool>,
    speech: &Arc<[Segment]>,
    ctx: &JobCtx,
) -> Result<Vec<VoiceTurn>, ReadError> {
    let (passages, spoken, listening) = (passages(speech), Arc::clone(speech), encoder.at_work());
    let find = move |blocks| {
        let directions = directions(blocks, &passages, &listening)?;
        let voices = voices(&stretches(&passages, &directions));
        let (turns, order) = turns(&steps(&passages, &directions, &voices), &spoken);
        // Voices in the order of their names.
        let voices: Vec<Voice> = order.into_iter().filter_map(|voice| voices.get(voice).copied()).collect();
        Ok((turns, voices, listening))
    };
    let (turns, voices, listening) = sound.gone_through(&ctx.step(0, FOUND), find).await?;
    let changes = changes(&turns, speech);
    if changes.is_empty() {
        return Ok(turns);
    }
    let refine = move |blocks| refined(blocks, turns, changes, &voices, &listening);
    sound.gone_through(&ctx.step(FOUND, 100), refine).await
}

/// Returns the embedding of each window of each passage; the passages' ends must be in order.
fn directions(blocks: SpooledBlocks, passages: &[Passage], listening: &Listening) -> Result<Vec<Voice>, ReadError> {
    let directions = Vec::with_capacity(passages.iter().map(|passage| passage.windows.len()).sum());
    let mut hearing =
        Hearing { waiting: passages.iter().peekable(), recent: VecDeque::new(), at: 0, listening, directions };
    let mut mels = Mels::new();
    for block in blocks {
        mels.add(&block?, |frame| hearing.take(frame))?;
    }
    mels.finish(|frame| hearing.take(frame))?;
    hearing.end()?;
    Ok(hearing.directions)
}

/// Cuts passages out of a stream of frames, and has them heard.
struct Hearing<'a> {
    waiting: std::iter::Peekable<std::slice::Iter<'a, Passage>>,
    /// The last frames, as many as a passage has at most.
    recent: VecDeque<Mel>,
    /// The number of frames so far.
    at: u32,
    listening: &'a Listening,
    directions: Vec<Voice>,
}

impl Hearing<'_> {
    fn take(&mut self, frame: &Mel) -> Result<(), ReadError> {
        if self.recent.len() >= usize::try_from(LONGEST).unwrap_or(usize::MAX) {
            self.recent.pop_front();
        }
        self.recent.push_back(*frame);
        self.at += 1;
        while let Some(passage) = self.waiting.next_if(|passage| passage.whole.to <= self.at) {
            self.hear(passage)?;
        }
        Ok(())
    }

    /// Cuts the passages that go beyond the end of the sound from what is left of it.
    fn end(&mut self) -> Result<(), ReadError> {
        while let Some(passage) = self.waiting.next() {
            self.hear(passage)?;
        }
        Ok(())
    }

    fn hear(&mut self, passage: &Passage) -> Result<(), ReadError> {
        let first = self.at - u32::try_from(self.recent.len()).unwrap_or(self.at);
        let place = |frame: u32, first: u32| usize::try_from(frame.saturating_sub(first)).unwrap_or(usize::MAX);
        let whole = place(passage.whole.from, first)..place(passage.whole.to, first).min(self.recent.len());
        let frames: Vec<Mel> = self.recent.range(whole).copied().collect();
        let first = first.max(passage.whole.from);
        let within = |frame: u32| place(frame, first).min(frames.len());
        let windows: Vec<_> = passage.windows.iter().map(|window| within(window.from)..within(window.to)).collect();
        self.directions.extend(self.listening.voices(&frames, &windows)?);
        Ok(())
    }
}

/// Returns the stretches that the voices are looked for in: the passages, without the short ones.
#[expect(clippy::cast_precision_loss, reason = "a passage has few frames")]
fn stretches(passages: &[Passage], directions: &[Voice]) -> Vec<Stretch> {
    let mut heard = directions;
    let stretch = |passage: &Passage| {
        let (windows, rest) = heard.split_at_checked(passage.windows.len())?;
        heard = rest;
        let frames = passage.whole.length();
        (frames >= LEAST).then(|| Stretch { mean: mean(windows), seconds: frames as f32 / FRAMES as f32 })
    };
    let mut stretches: Vec<Stretch> = passages.iter().filter_map(stretch).collect();
    if let (true, Some(first)) = (stretches.is_empty(), directions.first()) {
        stretches.push(Stretch { mean: *first, seconds: 1.0 });
    }
    stretches
}

/// Returns how well each voice fits each window.
#[expect(clippy::cast_precision_loss, reason = "a window has few frames")]
fn steps(passages: &[Passage], directions: &[Voice], voices: &[Voice]) -> Steps {
    let mut steps = Steps::new(voices.len(), CHANGE_COST);
    let windows = passages.iter().flat_map(|passage| passage.windows.iter().map(|window| (passage.segment, window)));
    let before = std::iter::once(None).chain(windows.clone().map(Some));
    for (((segment, window), before), direction) in windows.zip(before).zip(directions) {
        let before = before.filter(|(of, _)| *of == segment);
        steps.begin(segment, before.map_or(second(window.from), |(_, before)| before.takes_over(*window)));
        let weight = window.length() as f32 / LENGTH as f32;
        for (slot, voice) in steps.last_scores().iter_mut().zip(voices) {
            *slot = alike(direction, voice) * weight;
        }
    }
    steps
}

/// A change of voice inside a segment of speech: the turn that begins there, and the frames where it may begin.
struct VoiceChange {
    turn: usize,
    places: Vec<u32>,
    /// What is heard around it: the windows before each place, and then those after each.
    around: Passage,
}

/// Returns the changes without a pause.
fn changes(turns: &[VoiceTurn], speech: &[Segment]) -> Vec<VoiceChange> {
    let mut changes = Vec::new();
    for (number, pair) in turns.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let segment = speech.partition_point(|segment| segment.end <= after.start);
        let Some(within) = speech.get(segment).filter(|within| within.start < after.start) else { continue };
        if before.speaker == after.speaker || before.end < after.start {
            continue;
        }
        let (from, to) = (frame(within.start.max(before.start)), frame(within.end.min(after.end)));
        let at = frame(after.start);
        let (first, last) =
            (at.saturating_sub(AROUND).max(from + AROUND / 2), (at + AROUND).min(to.saturating_sub(AROUND / 2)));
        if first > last {
            continue;
        }
        let places: Vec<u32> = (first..=last).step_by(FINELY).collect();
        let left = places.iter().map(|place| Window { from: place.saturating_sub(SIDE).max(from), to: *place });
        let right = places.iter().map(|place| Window { from: *place, to: (place + SIDE).min(to) });
        let whole = Window { from: first.saturating_sub(SIDE).max(from), to: (last + SIDE).min(to) };
        let around = Passage { segment, whole, windows: left.chain(right).collect() };
        changes.push(VoiceChange { turn: number + 1, places, around });
    }
    changes
}

/// Returns the turns, with each change where the two voices differ most.
fn refined(
    blocks: SpooledBlocks,
    mut turns: Vec<VoiceTurn>,
    changes: Vec<VoiceChange>,
    voices: &[Voice],
    listening: &Listening,
) -> Result<Vec<VoiceTurn>, ReadError> {
    let (places, around): (Vec<_>, Vec<_>) =
        changes.into_iter().map(|change| ((change.turn, change.places), change.around)).unzip();
    let directions = directions(blocks, &around, listening)?;
    let mut heard = directions.as_slice();
    let names = speakers(&turns);
    let voice = |turn: Option<&VoiceTurn>| {
        let speaker = &turn?.speaker;
        names.iter().position(|name| name == speaker).and_then(|at| voices.get(at))
    };
    for (turn, places) in places {
        let Some((sides, rest)) = heard.split_at_checked(2 * places.len()) else { break };
        heard = rest;
        let before = turn.checked_sub(1).and_then(|before| turns.get(before));
        let (Some(one), Some(other)) = (voice(before), voice(turns.get(turn))) else { continue };
        // By how much a window is more similar to the one voice than to the other.
        let leans = |heard: &Voice| alike(heard, one) - alike(heard, other);
        let (left, right) = sides.split_at(places.len());
        let clear = left.iter().zip(right).map(|(left, right)| leans(left) - leans(right));
        let best = places.iter().zip(clear).max_by(|a, b| a.1.total_cmp(&b.1));
        let Some(place) = best.map(|(place, _)| thousandths(second(*place))) else { continue };
        if let Some([before, after]) = turns.get_mut(turn - 1..=turn) {
            (before.end, after.start) = (place, place);
        }
    }
    Ok(turns)
}
