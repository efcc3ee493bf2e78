//! The `speakers` read: who speaks when, and with it the `speech` read that it rests on.
//!
//! Own engine, in three passes over the sound: where speech is, which voices are in it (`mfcc`, `voice`, `clusters`),
//! and who speaks when (`turns`). What is kept is sums, and a number a voice and step: 36 MB at most for a day of
//! media. Voices that are much alike are taken for one: the result is a draft. Where `MWS_DIARIZER` names a server,
//! that is asked instead (`server`).

mod clusters;
mod mfcc;
mod server;
mod turns;
mod voice;

pub use server::DiarizerSettings;

use crate::readers::decode::DecodedSound;
use crate::readers::speech::Speech;
use crate::readers::speech::audio_spool::SpooledBlocks;
use crate::readers::speech::detector::RATE;
use crate::readers::speech::segments::Segment;
use crate::readers::stored::seconds;
use crate::readers::{Engine, JobCtx, MediaSource, ReadError, ReadOutcome, Reader, ReaderSettings};
use clusters::voices;
use domain::read::Read;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use mfcc::{Cepstra, Cepstrum, FRAME, HOP};
use serde::Serialize;
use server::DiarizationServer;
use std::sync::Arc;
use turns::{STEP_FRAMES, Steps, Turn, speakers, turns};
use voice::{VoiceModel, VoiceSums};

/// Where the passes end, in percent of the progress.
const PASSES: (u8, u8) = (40, 70);
/// The longest stretch that is taken to be one voice at first, in seconds.
const STRETCH_SECONDS: f64 = 3.0;
/// A shorter stretch tells nothing of its voice, in frames.
const LEAST_FRAMES: f64 = 50.0;

/// The `data` of a `speakers` read (docs/reads.md, "The stored result").
#[derive(Debug, Serialize)]
struct SpeakersData {
    speakers: Vec<String>,
    segments: Vec<Turn>,
}

/// What tells voices apart.
#[derive(Debug)]
enum Diarizer {
    /// This machine, as the other functions here do it.
    Local,
    Server(DiarizationServer),
}

/// Who speaks when, and what is stored with that.
struct Told {
    turns: Vec<Turn>,
    speech: Arc<[Segment]>,
    decoded: DecodedSound,
    /// What a server says that it used.
    model: Option<String>,
}

/// Tells voices apart.
#[derive(Debug)]
pub(super) struct Speakers {
    diarizer: Diarizer,
    speech: Arc<Speech>,
}

impl Speakers {
    /// With the server that the settings name, or else with this machine's own engine on the speech that it finds;
    /// nothing where the settings name no server that can be asked.
    pub(super) fn found(settings: &ReaderSettings, speech: &Arc<Speech>) -> Option<Self> {
        let diarizer = match settings.diarizer.as_ref().map(DiarizationServer::new) {
            None => Diarizer::Local,
            Some(Ok(server)) => Diarizer::Server(server),
            Some(Err(reason)) => {
                tracing::error!(reason, "MWS_DIARIZER can't be used, so this worker tells no speakers apart.");
                return None;
            }
        };
        Some(Self { diarizer, speech: Arc::clone(speech) })
    }

    async fn tell(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let told = match &self.diarizer {
            Diarizer::Local => self.tell_here(media, ctx).await?,
            Diarizer::Server(server) => self.ask(server, media, ctx).await?,
        };
        ctx.progress.reach(100);
        let Told { turns, speech, decoded, model } = told;
        let data = SpeakersData { speakers: speakers(&turns), segments: turns };
        let own = self.engine();
        let engine = Engine { model: model.or(own.model), ..own };
        let warnings = decoded.warnings.clone();
        let mut outcome = ReadOutcome::new(self.read(), engine, decoded.duration_ms, warnings, &data)?;
        if matches!(self.diarizer, Diarizer::Local) {
            outcome = outcome.into_draft();
        }
        outcome.also.push(self.speech.outcome(&speech, decoded)?.stored);
        Ok(outcome)
    }

    async fn tell_here(&self, media: &MediaSource, ctx: &JobCtx) -> Result<Told, ReadError> {
        let spoken = self.speech.known_or_heard(media, &ctx.step(0, PASSES.0)).await?;
        let (speech, mut told) = (Arc::clone(&spoken.segments), Vec::new());
        if !speech.is_empty() {
            let heard = spoken.sound(media, &ctx.step(0, PASSES.0)).await?;
            let (sound, spoken) = (heard.sound()?, Arc::clone(&speech));
            let voices = move |blocks| stretches(blocks, &spoken).map(voices);
            let voices = sound.gone_through(&ctx.step(PASSES.0, PASSES.1), voices).await?;
            let (models, spoken): (Vec<VoiceModel>, _) =
                (voices.iter().map(VoiceSums::model).collect(), Arc::clone(&speech));
            let tell = move |blocks| steps(blocks, &spoken, &models).map(|steps| turns(&steps, &spoken));
            told = sound.gone_through(&ctx.step(PASSES.1, 100), tell).await?;
        }
        Ok(Told { turns: told, speech, decoded: spoken.decoded, model: None })
    }

    /// Has the server tell. Where nobody speaks it is not asked.
    async fn ask(&self, server: &DiarizationServer, media: &MediaSource, ctx: &JobCtx) -> Result<Told, ReadError> {
        let spoken = self.speech.known_or_heard(media, &ctx.step(0, PASSES.0)).await?;
        let (mut turns, mut model) = (Vec::new(), None);
        if !spoken.segments.is_empty() {
            let heard = spoken.sound(media, &ctx.step(0, PASSES.0)).await?;
            ctx.progress.reach(PASSES.0);
            (turns, model) = server.turns(&heard.sound()?, seconds(heard.decoded().duration_ms), ctx).await?;
        }
        Ok(Told { turns, speech: spoken.segments, decoded: spoken.decoded, model })
    }
}

impl Reader for Speakers {
    fn read(&self) -> Read {
        Read::Speakers
    }

    fn engine(&self) -> Engine {
        match self.diarizer {
            Diarizer::Local => {
                let model = self.speech.engine();
                Engine { name: "mws-speakers".to_owned(), version: "1".to_owned(), model: Some(model.name) }
            }
            Diarizer::Server(_) => DiarizationServer::engine(),
        }
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.tell(media, ctx).boxed()
    }
}

/// Goes through the frames in speech: each with its segment and its second.
fn each_frame(
    blocks: SpooledBlocks,
    speech: &[Segment],
    mut each: impl FnMut(usize, f64, &Cepstrum),
) -> Result<(), ReadError> {
    let (mut cepstra, mut number, mut at) = (Cepstra::new(), 0_u32, 0);
    let rate = f64::from(RATE);
    #[expect(clippy::cast_precision_loss, reason = "a frame has few samples")]
    let (hop, middle) = (HOP as f64 / rate, FRAME as f64 / 2.0 / rate);
    for block in blocks {
        cepstra.add(&block?, |frame| {
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
fn stretches(blocks: SpooledBlocks, speech: &[Segment]) -> Result<Vec<VoiceSums>, ReadError> {
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
fn steps(blocks: SpooledBlocks, speech: &[Segment], models: &[VoiceModel]) -> Result<Steps, ReadError> {
    let mut steps = Steps::new(models.len());
    let mut frames = 0;
    each_frame(blocks, speech, |segment, second, frame| {
        if frames == STEP_FRAMES || steps.last_segment() != Some(segment) {
            frames = 0;
            steps.begin(segment, second);
        }
        frames += 1;
        for (score, model) in steps.last_likelihoods().iter_mut().zip(models) {
            #[expect(clippy::cast_possible_truncation, reason = "a likelihood needs few digits")]
            let likelihood = model.likelihood(frame) as f32;
            *score += likelihood;
        }
    })?;
    Ok(steps)
}
