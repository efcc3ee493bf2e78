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
use super::windows::{LENGTH, Window, frame, second, windows};
use crate::readers::speech::audio_spool::{AudioSpool, SpooledBlocks};
use crate::readers::speech::segments::Segment;
use crate::readers::stored::thousandths;
use crate::readers::{JobCtx, ReadError};
use std::collections::VecDeque;
use std::sync::Arc;

/// The longest stretch of speech that is assumed to be one voice's, in frames.
const STRETCH: u32 = 400;
/// Windows of fewer frames say too little to found a voice.
const LEAST: u32 = 60;
/// The cosine similarity, of a whole window, that a change of voice costs.
const CHANGE_COST: ChangeCost = ChangeCost { inside: 0.1, in_a_pause: 0.05 };
/// How far around a change its true place is looked for, and in which steps, in frames.
const AROUND: u32 = 60;
const FINELY: usize = 20;
/// Frames on each side of a place that are compared.
const SIDE: u32 = 100;
/// The part of the progress that finding the voices takes, in percent.
const FOUND: u8 = 80;

/// Returns the turns of the speakers in this sound.
pub(super) async fn diarize(
    encoder: &Arc<VoiceEncoder>,
    sound: &Arc<AudioSpool>,
    speech: &Arc<[Segment]>,
    ctx: &JobCtx,
) -> Result<Vec<VoiceTurn>, ReadError> {
    let (windows, listening) = (windows(speech), encoder.at_work());
    let (heard, spoken) = (windows.clone(), Arc::clone(speech));
    let find = move |blocks| {
        let directions = directions(blocks, &heard, &listening)?;
        let voices = voices(&stretches(&heard, &directions));
        let (turns, order) = turns(&steps(&heard, &directions, &voices), &spoken);
        // Voices in the order of their names.
        let voices: Vec<Voice> = order.into_iter().filter_map(|voice| voices.get(voice).copied()).collect();
        Ok((turns, voices, listening))
    };
    let (turns, voices, listening) = sound.gone_through(&ctx.step(0, FOUND), find).await?;
    let changes = changes(&turns, speech);
    if changes.is_empty() {
        return Ok(turns);
    }
    let refine = move |blocks| refined(blocks, turns, &changes, &voices, &listening);
    sound.gone_through(&ctx.step(FOUND, 100), refine).await
}

/// Returns the embedding of each window; the windows' ends must be in order.
fn directions(blocks: SpooledBlocks, windows: &[Window], listening: &Listening) -> Result<Vec<Voice>, ReadError> {
    let directions = Vec::with_capacity(windows.len());
    let mut hearing =
        Hearing { waiting: windows.iter().peekable(), recent: VecDeque::new(), at: 0, listening, directions };
    let mut mels = Mels::new();
    for block in blocks {
        mels.add(&block?, |frame| hearing.take(frame))?;
    }
    mels.finish(|frame| hearing.take(frame))?;
    hearing.end()?;
    Ok(hearing.directions)
}

/// Cuts windows out of a stream of frames, and embeds them.
struct Hearing<'a> {
    waiting: std::iter::Peekable<std::slice::Iter<'a, Window>>,
    /// The last frames, as many as a window has at most.
    recent: VecDeque<Mel>,
    /// The number of frames so far.
    at: u32,
    listening: &'a Listening,
    directions: Vec<Voice>,
}

impl Hearing<'_> {
    fn take(&mut self, frame: &Mel) -> Result<(), ReadError> {
        if self.recent.len() >= usize::try_from(LENGTH).unwrap_or(usize::MAX) {
            self.recent.pop_front();
        }
        self.recent.push_back(*frame);
        self.at += 1;
        while let Some(window) = self.waiting.next_if(|window| window.to <= self.at) {
            self.cut(*window)?;
        }
        Ok(())
    }

    /// Cuts the windows that go beyond the end of the sound from what is left of it.
    fn end(&mut self) -> Result<(), ReadError> {
        while let Some(window) = self.waiting.next() {
            self.cut(*window)?;
        }
        Ok(())
    }

    fn cut(&mut self, window: Window) -> Result<(), ReadError> {
        let first = self.at - u32::try_from(self.recent.len()).unwrap_or(self.at);
        let skip = usize::try_from(window.from.saturating_sub(first)).unwrap_or(usize::MAX);
        let length = usize::try_from(window.length()).unwrap_or(0);
        let frames: Vec<Mel> = self.recent.iter().skip(skip).take(length).copied().collect();
        self.directions.push(self.listening.voice(&frames)?);
        Ok(())
    }
}

/// Returns the stretches that the voices are looked for in: equal parts of each segment, some seconds each, without a
/// short rest.
#[expect(clippy::cast_precision_loss, reason = "a segment has few frames and windows")]
fn stretches(windows: &[Window], directions: &[Voice]) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut at = 0;
    for segment in windows.chunk_by(|one, other| one.segment == other.segment) {
        let heard = directions.get(at..at + segment.len()).unwrap_or_default();
        at += segment.len();
        let frames = segment.last().map_or(0, |last| last.to) - segment.first().map_or(0, |first| first.from);
        if frames < LEAST {
            continue;
        }
        let parts = usize::try_from(frames.div_ceil(STRETCH)).unwrap_or(1).min(heard.len()).max(1);
        let seconds = frames as f32 / FRAMES as f32 / parts as f32;
        let part = |number: usize| heard.len() * number / parts;
        let founds = |number| Stretch { mean: mean(&heard[part(number)..part(number + 1)]), seconds };
        stretches.extend((0..parts).map(founds));
    }
    if let (true, Some(first)) = (stretches.is_empty(), directions.first()) {
        stretches.push(Stretch { mean: *first, seconds: 1.0 });
    }
    stretches
}

/// Returns how well each voice fits each window.
#[expect(clippy::cast_precision_loss, reason = "a window has few frames")]
fn steps(windows: &[Window], directions: &[Voice], voices: &[Voice]) -> Steps {
    let mut steps = Steps::new(voices.len(), CHANGE_COST);
    let before = std::iter::once(None).chain(windows.iter().map(Some));
    for ((window, before), direction) in windows.iter().zip(before).zip(directions) {
        let before = before.filter(|before| before.segment == window.segment);
        steps.begin(window.segment, before.map_or(second(window.from), |before| before.takes_over(window)));
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
    /// The windows before each place, and those after it.
    sides: [Vec<Window>; 2],
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
        let places: Vec<u32> = (first..=last).step_by(FINELY).collect();
        let left =
            places.iter().map(|place| Window { segment, from: place.saturating_sub(SIDE).max(from), to: *place });
        let right = places.iter().map(|place| Window { segment, from: *place, to: (place + SIDE).min(to) });
        let sides = [left.collect(), right.collect()];
        changes.push(VoiceChange { turn: number + 1, places, sides });
    }
    changes
}

/// Returns the turns, with each change where the two voices differ most.
fn refined(
    blocks: SpooledBlocks,
    mut turns: Vec<VoiceTurn>,
    changes: &[VoiceChange],
    voices: &[Voice],
    listening: &Listening,
) -> Result<Vec<VoiceTurn>, ReadError> {
    let mut windows: Vec<Window> = changes.iter().flat_map(|change| change.sides.concat()).collect();
    windows.sort_by_key(|window| (window.to, window.from));
    windows.dedup();
    let heard = directions(blocks, &windows, listening)?;
    let names = speakers(&turns);
    let voice = |turn: Option<&VoiceTurn>| {
        let speaker = &turn?.speaker;
        names.iter().position(|name| name == speaker).and_then(|at| voices.get(at))
    };
    for change in changes {
        let before = change.turn.checked_sub(1).and_then(|before| turns.get(before));
        let (Some(one), Some(other)) = (voice(before), voice(turns.get(change.turn))) else { continue };
        // By how much the window is more similar to the one voice than to the other.
        let leans = |window: &Window| {
            let found = windows.binary_search_by_key(&(window.to, window.from), |window| (window.to, window.from));
            let heard = found.ok().and_then(|found| heard.get(found));
            heard.map_or(0.0, |heard| alike(heard, one) - alike(heard, other))
        };
        let [left, right] = &change.sides;
        let clear = left.iter().zip(right).map(|(left, right)| leans(left) - leans(right));
        let best = change.places.iter().zip(clear).max_by(|a, b| a.1.total_cmp(&b.1));
        let Some(place) = best.map(|(place, _)| thousandths(second(*place))) else { continue };
        if let Some([before, after]) = turns.get_mut(change.turn - 1..=change.turn) {
            (before.end, after.start) = (place, place);
        }
    }
    Ok(turns)
}
