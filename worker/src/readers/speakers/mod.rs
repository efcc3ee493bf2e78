//! The `speakers` read: who speaks when, and with it the `speech` read that it is based on.
//!
//! The engine here makes passes over the sound: where speech is, which voices are in it, and who speaks when. Where
//! this machine has the weights of the voice encoder, it separates voices by embeddings (`embedded`); otherwise by
//! their cepstra (`cepstral`), and the result says so. Either result is a draft. Where `MWS_DIARIZER` names a server,
//! that is asked instead (`server`).

mod cepstral;
mod clusters;
mod embedded;
mod encoder;
mod groups;
mod mfcc;
mod server;
mod turns;
mod voice;
mod windows;

pub use server::DiarizerSettings;

use crate::readers::decode::DecodeSummary;
use crate::readers::speech::Speech;
use crate::readers::speech::segments::Segment;
use crate::readers::stored::seconds;
use crate::readers::{Engine, JobCtx, MediaSource, ReadError, ReadOutcome, Reader, ReaderSettings};
use domain::read::Read;
use encoder::VoiceEncoder;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Serialize;
use server::DiarizationServer;
use std::sync::Arc;
use turns::{VoiceTurn, joined, speakers};

/// The progress in percent at which detecting speech ends.
const LISTENED: u8 = 40;
/// The warning in a result of the engine that needs no weights.
const NO_ENCODER: &str =
    "This machine has no voice encoder (scripts/setup), so voices that are alike were taken for one.";

/// The `data` of a `speakers` read (docs/reads.md, "The stored result").
#[derive(Debug, Serialize)]
struct SpeakersData {
    speakers: Vec<String>,
    segments: Vec<VoiceTurn>,
}

/// The engine that separates voices.
#[derive(Debug)]
enum Diarizer {
    /// The engine on this machine that compares voice embeddings.
    Encoder(Arc<VoiceEncoder>),
    /// The engine on this machine that compares cepstra, where the encoder's weights are missing.
    Cepstra,
    Server(DiarizationServer),
}

/// Who speaks when, and what is stored with it.
struct Diarization {
    turns: Vec<VoiceTurn>,
    speech: Arc<[Segment]>,
    decoded: DecodeSummary,
    /// The model that a server says it used.
    model: Option<String>,
}

/// Computes the read.
#[derive(Debug)]
pub(super) struct Speakers {
    diarizer: Diarizer,
    speech: Arc<Speech>,
}

impl Speakers {
    /// Uses the server that the settings name, or else this machine's own engine on the speech that it finds; none
    /// where the named server can't be used.
    pub(super) fn found(settings: &ReaderSettings, speech: &Arc<Speech>) -> Option<Self> {
        let diarizer = match settings.diarizer.as_ref().map(DiarizationServer::new) {
            None => VoiceEncoder::found(settings.voice_encoder.as_deref()).map_or(Diarizer::Cepstra, Diarizer::Encoder),
            Some(Ok(server)) => Diarizer::Server(server),
            Some(Err(reason)) => {
                tracing::error!(reason, "MWS_DIARIZER can't be used, so this worker tells no speakers apart.");
                return None;
            }
        };
        Some(Self { diarizer, speech: Arc::clone(speech) })
    }

    async fn tell(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let diarization = match &self.diarizer {
            Diarizer::Server(server) => self.ask(server, media, ctx).await?,
            Diarizer::Encoder(_) | Diarizer::Cepstra => self.tell_here(media, ctx).await?,
        };
        ctx.progress.reach(100);
        let Diarization { turns, speech, decoded, model } = diarization;
        let data = SpeakersData { speakers: speakers(&turns), segments: turns };
        let own = self.engine();
        let engine = Engine { model: model.or(own.model), ..own };
        let mut warnings = decoded.warnings.clone();
        let by_cepstra = matches!(self.diarizer, Diarizer::Cepstra);
        warnings.extend(by_cepstra.then(|| NO_ENCODER.to_owned()));
        let mut outcome = ReadOutcome::new(self.read(), engine, decoded.duration_ms, warnings, &data)?;
        if !matches!(self.diarizer, Diarizer::Server(_)) {
            outcome = outcome.into_draft();
        }
        outcome.also.push(self.speech.outcome(&speech, decoded)?.stored);
        Ok(outcome)
    }

    async fn tell_here(&self, media: &MediaSource, ctx: &JobCtx) -> Result<Diarization, ReadError> {
        let spoken = self.speech.known_or_heard(media, &ctx.step(0, LISTENED)).await?;
        let (speech, mut turns) = (Arc::clone(&spoken.segments), Vec::new());
        if !speech.is_empty() {
            let heard = spoken.sound(media, &ctx.step(0, LISTENED)).await?;
            let (sound, ctx) = (heard.sound()?, ctx.step(LISTENED, 100));
            turns = joined(match &self.diarizer {
                Diarizer::Encoder(encoder) => embedded::diarize(encoder, &sound, &speech, &ctx).await?,
                Diarizer::Cepstra | Diarizer::Server(_) => cepstral::diarize(&sound, &speech, &ctx).await?,
            });
        }
        Ok(Diarization { turns, speech, decoded: spoken.decoded, model: None })
    }

    /// Has the server compute the turns. It is not asked where nobody speaks.
    async fn ask(
        &self,
        server: &DiarizationServer,
        media: &MediaSource,
        ctx: &JobCtx,
    ) -> Result<Diarization, ReadError> {
        let spoken = self.speech.known_or_heard(media, &ctx.step(0, LISTENED)).await?;
        let (mut turns, mut model) = (Vec::new(), None);
        if !spoken.segments.is_empty() {
            let heard = spoken.sound(media, &ctx.step(0, LISTENED)).await?;
            ctx.progress.reach(LISTENED);
            (turns, model) = server.turns(&heard.sound()?, seconds(heard.decoded().duration_ms), ctx).await?;
        }
        Ok(Diarization { turns, speech: spoken.segments, decoded: spoken.decoded, model })
    }
}

impl Reader for Speakers {
    fn read(&self) -> Read {
        Read::Speakers
    }

    fn engine(&self) -> Engine {
        match self.diarizer {
            Diarizer::Encoder(_) => Engine {
                name: "mws-voices".to_owned(),
                version: "2".to_owned(),
                model: Some(VoiceEncoder::description()),
            },
            Diarizer::Cepstra => {
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
