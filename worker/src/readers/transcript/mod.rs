//! The `transcript` read: what is said in a media, word by word.
//!
//! The speech detector finds the speech, `speech::chunks` cuts it out of the kept sound, and an engine turns each chunk
//! into words: `pocketsphinx` on this machine, or the server that `MWS_TRANSCRIBER` names. At most two chunks are in
//! memory. A media in which nobody speaks is a success with an empty text.

mod pocketsphinx;
mod server;
mod text;

pub use server::TranscriberSettings;

use crate::readers::speech::Speech;
use crate::readers::speech::audio_spool::AudioSpool;
use crate::readers::speech::chunks::{Chunk, Chunker};
use crate::readers::{Engine, JobCtx, MediaSource, ReadError, ReadOutcome, Reader, ReaderSettings};
use domain::read::Read;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pocketsphinx::PocketSphinx;
use server::TranscriptionServer;
use std::sync::Arc;
use text::{Word, transcript};
use tokio::sync::mpsc;

/// The part of the progress that detecting speech takes, in percent.
const LISTENED: u8 = 10;
/// Seconds of a chunk: long compared with the time that `pocketsphinx` takes to load its model.
const LOCAL_CHUNK_SECONDS: u32 = 90;
/// Seconds of a chunk for a server: Whisper's window. Progress and cancellation advance by it.
const REMOTE_CHUNK_SECONDS: u32 = 30;

/// The engine that turns speech into words.
#[derive(Debug)]
enum Transcriber {
    Local(PocketSphinx),
    Server(TranscriptionServer),
}

/// Transcribes speech.
#[derive(Debug)]
pub(super) struct Transcript {
    transcriber: Transcriber,
    speech: Arc<Speech>,
}

impl Transcript {
    /// Uses the server that the settings name, or else this machine's own engine; none where there is neither.
    pub(super) fn found(settings: &ReaderSettings, speech: &Arc<Speech>) -> Option<Self> {
        let transcriber = match &settings.transcriber {
            Some(server) => match TranscriptionServer::new(server) {
                Ok(server) => Transcriber::Server(server),
                Err(reason) => {
                    tracing::error!(reason, "MWS_TRANSCRIBER can't be used, so this worker transcribes nothing.");
                    return None;
                }
            },
            None => Transcriber::Local(PocketSphinx::found(settings.pocketsphinx.as_deref())?),
        };
        Some(Self { transcriber, speech: Arc::clone(speech) })
    }

    async fn transcribe(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let spoken = self.speech.known_or_heard(media, &ctx.step(0, LISTENED)).await?;
        let (mut words, mut language, mut decoded) = (Vec::new(), None, spoken.decoded.clone());
        if !spoken.segments.is_empty() {
            let heard = spoken.sound(media, &ctx.step(0, LISTENED)).await?;
            ctx.progress.reach(LISTENED);
            let seconds = match self.transcriber {
                Transcriber::Local(_) => LOCAL_CHUNK_SECONDS,
                Transcriber::Server(_) => REMOTE_CHUNK_SECONDS,
            };
            let (chunker, ctx) = (Chunker::new(&spoken.segments, seconds), ctx.step(LISTENED, 100));
            (words, language) = self.words(media, &heard.sound()?, chunker, &ctx).await?;
            decoded = heard.decoded().clone();
        }
        let data = transcript(language, words);
        ctx.progress.reach(100);
        let outcome = ReadOutcome::new(self.read(), self.engine(), decoded.duration_ms, decoded.warnings, &data)?;
        Ok(if matches!(self.transcriber, Transcriber::Local(_)) { outcome.into_draft() } else { outcome })
    }

    /// Cuts and transcribes side by side; the cutting waits while a chunk is queued.
    async fn words(
        &self,
        media: &MediaSource,
        sound: &Arc<AudioSpool>,
        mut chunker: Chunker,
        ctx: &JobCtx,
    ) -> Result<(Vec<Word>, Option<String>), ReadError> {
        let (chunks, mut cut) = mpsc::channel::<Chunk>(1);
        let cutting = sound.gone_through(ctx, move |blocks| {
            // When the engine has failed nobody takes chunks any more, and that failure is the answer.
            let mut send = |chunk| chunks.blocking_send(chunk).map_err(|_| ReadError::Cancelled);
            for block in blocks {
                chunker.add(&block?, &mut send)?;
            }
            chunker.finish().map_or(Ok(()), send)
        });
        let transcribing = async move {
            let (mut words, mut language) = (Vec::new(), None);
            while let Some(chunk) = cut.recv().await {
                let (found, spoken) = self.chunk_words(&chunk, media, ctx).await?;
                language = language.or(spoken);
                words.extend(found.into_iter().map(|word| Word {
                    start: chunk.media_seconds(word.start),
                    end: chunk.media_seconds(word.end),
                    ..word
                }));
            }
            Ok::<_, ReadError>((words, language))
        };
        let (all_cut, transcribed) = tokio::join!(cutting, transcribing);
        let transcribed = transcribed?;
        all_cut?;
        Ok(transcribed)
    }

    /// Returns the words of a chunk, in seconds of the chunk, and the language if the engine reports it.
    async fn chunk_words(
        &self,
        chunk: &Chunk,
        media: &MediaSource,
        ctx: &JobCtx,
    ) -> Result<(Vec<Word>, Option<String>), ReadError> {
        match &self.transcriber {
            Transcriber::Local(engine) => Ok((engine.words(chunk, media.tools(), ctx).await?, Some("en".to_owned()))),
            Transcriber::Server(server) => server.words(chunk, ctx).await,
        }
    }
}

impl Reader for Transcript {
    fn read(&self) -> Read {
        Read::Transcript
    }

    fn engine(&self) -> Engine {
        match &self.transcriber {
            Transcriber::Local(_) => Engine {
                name: "pocketsphinx".to_owned(),
                version: pocketsphinx::VERSION.to_owned(),
                model: Some("en-us".to_owned()),
            },
            Transcriber::Server(server) => server.engine(),
        }
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.transcribe(media, ctx).boxed()
    }
}
