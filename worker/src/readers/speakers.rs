//! The `speakers` read: who speaks when, and with it the `speech` read that it rests on.
//!
//! Own engine, in three passes over the sound: where speech is, which voices are in it (`mfcc`, `voice_model`,
//! `voice_clusters`), and who speaks when (`speaker_turns`). What is kept is sums and a few bytes a step, so that a day
//! of media fits. Voices that are much alike are taken for one: the result is a draft.

use super::decode::{Channels, SoundBlocks, SoundFormat, decode_sound};
use super::mfcc::{Cepstra, Cepstrum, FRAME, HOP};
use super::speaker_turns::{STEP_FRAMES, Step, Turn, speakers, turns};
use super::speech::Speech;
use super::speech_segments::Segment;
use super::voice_clusters::voices;
use super::voice_detector::RATE;
use super::voice_model::{VoiceModel, VoiceSums};
use super::{Engine, JobCtx, MediaSource, ReadError, ReadOutcome, Reader};
use common::domain::read::Read;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Serialize;
use std::sync::Arc;

/// Where the passes end, in percent of the progress.
const PASSES: (u8, u8) = (40, 70);
/// The longest stretch that is taken to be one voice at first, in seconds.
const STRETCH_SECONDS: f64 = 3.0;
/// A shorter stretch tells nothing of its voice, in frames.
const LEAST_FRAMES: f64 = 50.0;

/// The `data` of a `speakers` read (reads.md, "Stored results").
#[derive(Debug, Serialize)]
struct SpeakersData {
    speakers: Vec<String>,
    segments: Vec<Turn>,
}

/// Tells voices apart.
#[derive(Debug)]
pub(super) struct Speakers {
    speech: Arc<Speech>,
}

impl Speakers {
    /// On the speech that this engine finds.
    pub(super) fn on(speech: &Arc<Speech>) -> Self {
        Self { speech: Arc::clone(speech) }
    }

    async fn tell(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let (speech, decoded) = self.speech.known_or_heard(media, &ctx.step(0, PASSES.0)).await?;
        let wanted = SoundFormat { rate: RATE, channels: Channels::Mono };
        let spoken: Arc<[Segment]> = speech.as_slice().into();
        let mut segments = Vec::new();
        if !spoken.is_empty() {
            let heard = Arc::clone(&spoken);
            let voices = move |blocks| stretches(blocks, &heard).map(voices);
            let (voices, _) = decode_sound(media, wanted, &ctx.step(PASSES.0, PASSES.1), voices).await?;
            let heard = Arc::clone(&spoken);
            let models: Vec<VoiceModel> = voices.iter().map(VoiceSums::model).collect();
            let told = move |blocks| steps(blocks, &heard, &models).map(|steps| turns(&steps, &heard));
            (segments, _) = decode_sound(media, wanted, &ctx.step(PASSES.1, 100), told).await?;
        }
        ctx.progress.reach(100);
        let data = SpeakersData { speakers: speakers(&segments), segments };
        let warnings = decoded.warnings.clone();
        let outcome = ReadOutcome::new(self.read(), self.engine(), decoded.duration_ms, warnings, &data)?;
        let mut outcome = outcome.into_draft();
        outcome.also.push(self.speech.outcome(speech, decoded)?.stored);
        Ok(outcome)
    }
}

impl Reader for Speakers {
    fn read(&self) -> Read {
        Read::Speakers
    }

    fn engine(&self) -> Engine {
        let model = self.speech.engine();
        Engine { name: "mws-speakers".to_owned(), version: "1".to_owned(), model: Some(model.name) }
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.tell(media, ctx).boxed()
    }
}

/// Goes through the frames in speech: each with its segment and its second.
fn each_frame(
    blocks: SoundBlocks,
    speech: &[Segment],
    mut each: impl FnMut(usize, f64, &Cepstrum),
) -> Result<(), ReadError> {
    let (mut cepstra, mut number, mut at) = (Cepstra::new(), 0_u32, 0);
    let rate = f64::from(RATE);
    #[expect(clippy::cast_precision_loss, reason = "a frame has few samples")]
    let (hop, middle) = (HOP as f64 / rate, FRAME as f64 / 2.0 / rate);
    for block in blocks {
        cepstra.add(&block, |frame| {
            let second = f64::from(number) * hop + middle;
            number += 1;
            while speech.get(at).is_some_and(|segment| segment.end <= second) {
                at += 1;
            }
            if speech.get(at).is_some_and(|segment| segment.start <= second) {
                each(at, second, frame);
            }
        })?;
    }
    Ok(())
}

/// The sums of each stretch of speech that is short enough to be one voice's.
fn stretches(blocks: SoundBlocks, speech: &[Segment]) -> Result<Vec<VoiceSums>, ReadError> {
    let mut stretches: Vec<VoiceSums> = Vec::new();
    // Parts of a segment are equally long: a short rest of it would sound like nobody else.
    let part = |segment: usize, second: f64| {
        let Some(segment) = speech.get(segment) else { return 0.0 };
        let seconds = segment.end - segment.start;
        let parts = (seconds / STRETCH_SECONDS).ceil().max(1.0);
        ((second - segment.start) / seconds * parts).floor().min(parts - 1.0)
    };
    let mut open: Option<((usize, f64), VoiceSums)> = None;
    let mut close = |sums: VoiceSums| {
        if sums.frames >= LEAST_FRAMES || stretches.is_empty() {
            stretches.push(sums);
        }
    };
    each_frame(blocks, speech, |segment, second, frame| {
        let now = (segment, part(segment, second));
        if let Some((_, sums)) = open.take_if(|(before, _)| *before != now) {
            close(sums);
        }
        open.get_or_insert_with(|| (now, VoiceSums::default())).1.add(frame);
    })?;
    if let Some((_, sums)) = open {
        close(sums);
    }
    Ok(stretches)
}

/// How likely each voice is in each step of speech.
fn steps(blocks: SoundBlocks, speech: &[Segment], models: &[VoiceModel]) -> Result<Vec<Step>, ReadError> {
    let mut steps: Vec<Step> = Vec::new();
    let mut frames = 0;
    each_frame(blocks, speech, |segment, second, frame| {
        if frames == STEP_FRAMES || steps.last().is_none_or(|step| step.segment != segment) {
            frames = 0;
            steps.push(Step { segment, start: second, voices: vec![0.0; models.len()] });
        }
        frames += 1;
        if let Some(step) = steps.last_mut() {
            for (score, model) in step.voices.iter_mut().zip(models) {
                #[expect(clippy::cast_possible_truncation, reason = "a likelihood needs few digits")]
                let likelihood = model.likelihood(frame) as f32;
                *score += likelihood;
            }
        }
    })?;
    Ok(steps)
}
