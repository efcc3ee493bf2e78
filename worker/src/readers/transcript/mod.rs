//! The `transcript` read: what is said in a media, word by word.
//!
//! The speech detector finds the speech, `speech::chunks` cuts it out of the kept sound, and an engine turns each chunk
//! into words: `pocketsphinx` on this machine, or the server that `MWS_TRANSCRIBER` names. Chunks that are cut within
//! speech overlap, and `overlap` joins their words. At most two chunks are in memory. A media in which nobody speaks is
//! a success with an empty text.

mod overlap;
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
use overlap::add_overlapping;
use pocketsphinx::PocketSphinx;
use server::{Said, TranscriptionServer};
use std::collections::BTreeMap;
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

/// What was said in all chunks so far.
#[derive(Debug, Default)]
struct Heard {
    /// The words, in seconds of the media.
    words: Vec<Word>,
    /// The number of words in each language, as the engine reports it for each chunk.
    languages: BTreeMap<&'static str, usize>,
    left_out: usize,
    guessed: usize,
}

impl Heard {
    /// Adds what was said in the next chunk.
    fn add(&mut self, chunk: &Chunk, said: Said) {
        if let Some(language) = said.language {
            *self.languages.entry(language).or_default() += said.words.len();
        }
        self.left_out += said.left_out;
        self.guessed += said.guessed;
        let at = |word: Word| {
            let (start, end) = chunk.media_span(word.start, word.end);
            Word { start, end, ..word }
        };
        let words: Vec<Word> = said.words.into_iter().map(at).collect();
        match chunk.overlap() {
            Some(overlap) => add_overlapping(&mut self.words, words, overlap),
            None => self.words.extend(words),
        }
    }

    /// Returns the language of most words.
    fn language(&self) -> Option<String> {
        self.languages.iter().max_by_key(|(_, words)| **words).map(|(language, _)| (*language).to_owned())
    }

    /// Returns what a reader of the transcript should know.
    fn warnings(&self) -> impl Iterator<Item = String> {
        let left_out = (self.left_out > 0).then(|| {
            let what = "that the transcription server wrote for silence, after the sound, or over and over";
            format!("Words {what} were left out: {}.", self.left_out)
        });
        let guessed = (self.guessed > 0).then(|| {
            let which = "for which the transcription server gave no possible time";
            format!("Words {which} stand between those around them: {}.", self.guessed)
        });
        left_out.into_iter().chain(guessed)
    }
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
        let (mut said, mut decoded) = (Heard::default(), spoken.decoded.clone());
        if !spoken.segments.is_empty() {
            let heard = spoken.sound(media, &ctx.step(0, LISTENED)).await?;
            ctx.progress.reach(LISTENED);
            let seconds = match self.transcriber {
                Transcriber::Local(_) => LOCAL_CHUNK_SECONDS,
                Transcriber::Server(_) => REMOTE_CHUNK_SECONDS,
            };
            let (chunker, ctx) = (Chunker::new(&spoken.segments, seconds), ctx.step(LISTENED, 100));
            said = self.words(media, &heard.sound()?, chunker, &ctx).await?;
            decoded = heard.decoded().clone();
        }
        decoded.warnings.extend(said.warnings());
        if said.words.is_empty() && !spoken.segments.is_empty() && matches!(self.transcriber, Transcriber::Server(_)) {
            decoded.warnings.push("Somebody speaks, and the transcription server wrote no words of it.".to_owned());
        }
        let data = transcript(said.language(), said.words);
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
    ) -> Result<Heard, ReadError> {
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
            let mut heard = Heard::default();
            while let Some(chunk) = cut.recv().await {
                heard.add(&chunk, self.said(&chunk, media, ctx).await?);
            }
            Ok::<_, ReadError>(heard)
        };
        let (all_cut, transcribed) = tokio::join!(cutting, transcribing);
        let transcribed = transcribed?;
        all_cut?;
        Ok(transcribed)
    }

    /// Returns what is said in a chunk, in seconds of the chunk.
    async fn said(&self, chunk: &Chunk, media: &MediaSource, ctx: &JobCtx) -> Result<Said, ReadError> {
        match &self.transcriber {
            Transcriber::Local(engine) => {
                let words = engine.words(chunk, media.tools(), ctx).await?;
                Ok(Said { words, language: Some("en"), ..Said::default() })
            }
            Transcriber::Server(server) => server.said(chunk, ctx).await,
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
