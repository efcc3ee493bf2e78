//! The reads: one folder for each, which computes one result from a media file (contract §2, "read"; docs/reads.md).
//!
//! `decode` turns a hostile file into probed facts and blocks of samples, inside a confined child process; a reader
//! turns those into its result and touches no file of its own. Nothing here knows a database, a job row or a queue:
//! `JobCtx` in, `ReadOutcome` or `ReadError` out.
//!
//! To add a read: CONTRIBUTING has all of it; here it is one folder with one `Reader`, and one line in
//! [`Readers::found`]. A read that no engine on this machine computes is absent from the registry, so that a worker
//! subscribes only to what it can run.

mod beats;
pub mod decode;
mod engine_server;
mod error;
mod job;
mod known_speech;
mod levels;
mod processor_time;
mod search_index;
mod speakers;
mod speech;
mod stored;
#[cfg(test)]
pub(crate) mod tests;
mod transcript;

pub use decode::{MediaLimits, MediaSource, MediaTools, NoDecoder, Probe};
pub(crate) use error::CutShort;
pub use error::{Limit, ProviderFault, ReadError};
pub use job::{JobCtx, Progress};
pub use known_speech::KnownSpeech;
pub(crate) use levels::integrated_loudness;
pub use processor_time::ProcessorTime;
pub use speakers::DiarizerSettings;
pub use stored::{Engine, OutputFile, Quality, ReadOutcome, StoredRead};
pub use transcript::TranscriberSettings;

use domain::read::Read;
use futures_util::future::BoxFuture;
use runtime::config::Confinement;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Computes one kind of read.
pub trait Reader: std::fmt::Debug + Send + Sync {
    /// Returns the read that it computes.
    fn read(&self) -> Read;

    /// Returns the engine that is stored with the result.
    fn engine(&self) -> Engine;

    /// Computes the read. Returns by the deadline of `ctx` and soon after its cancellation.
    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>>;
}

/// The engines of this machine, and their limits.
#[derive(Debug, Clone, Default)]
pub struct ReaderSettings {
    /// `ffmpeg`; looked for in `PATH` when not given.
    pub ffmpeg: Option<PathBuf>,
    /// `ffprobe`; looked for in `PATH` when not given.
    pub ffprobe: Option<PathBuf>,
    /// `pocketsphinx_continuous`; looked for in `PATH` when not given.
    pub pocketsphinx: Option<PathBuf>,
    /// `tesseract`; looked for in `PATH` when not given.
    pub tesseract: Option<PathBuf>,
    /// A transcription server to ask instead of this machine's own engine.
    pub transcriber: Option<TranscriberSettings>,
    /// The weights of the voice encoder; looked for where `scripts/setup` puts them when not given.
    pub voice_encoder: Option<PathBuf>,
    /// A server to ask who speaks when, instead of this machine's own engine.
    pub diarizer: Option<DiarizerSettings>,
    /// The folder in which jobs' own folders are made; the system's folder for temporary files when not given.
    pub scratch_dir: Option<PathBuf>,
    /// The limits of media that is read.
    pub limits: MediaLimits,
    /// The weakest level at which decoders may be confined.
    pub confinement: Confinement,
}

/// The reads that this machine can compute.
#[derive(Debug, Clone)]
pub struct Readers {
    by_read: BTreeMap<Read, Arc<dyn Reader>>,
    tools: Result<Arc<MediaTools>, NoDecoder>,
}

impl Readers {
    /// Looks at this machine once, at the start: without `ffmpeg` and `ffprobe`, and a way to confine them, it can read
    /// nothing.
    pub fn found(settings: &ReaderSettings) -> Self {
        let tools = match MediaTools::found(settings) {
            Ok(tools) => Arc::new(tools),
            Err(why) => {
                tracing::error!(reason = %why, "This worker can compute no reads.");
                return Self { by_read: BTreeMap::new(), tools: Err(why) };
            }
        };
        let speech = Arc::new(speech::Speech);
        let transcript =
            transcript::Transcript::found(settings, &speech).map(|reader| Arc::new(reader) as Arc<dyn Reader>);
        let speakers = speakers::Speakers::found(settings, &speech).map(|reader| Arc::new(reader) as Arc<dyn Reader>);
        let readers: [Arc<dyn Reader>; 4] = [
            Arc::new(levels::Levels),
            Arc::new(beats::Beats),
            Arc::new(search_index::SearchIndex::found(settings)),
            speech,
        ];
        let readers = readers.into_iter().chain(transcript).chain(speakers);
        let by_read = readers.map(|reader| (reader.read(), reader)).collect();
        Self { by_read, tools: Ok(tools) }
    }

    /// Returns the reads that can be computed here, in the order of [`Read`].
    pub fn reads(&self) -> Vec<Read> {
        self.by_read.keys().copied().collect()
    }

    /// Returns the reader of this read, or [`ReadError::EngineNotConfigured`].
    pub fn get(&self, read: Read) -> Result<Arc<dyn Reader>, ReadError> {
        self.by_read.get(&read).cloned().ok_or(ReadError::EngineNotConfigured(read.into()))
    }

    /// Returns the decoder that [`MediaSource::open`] needs; none when this machine has none.
    pub fn tools(&self) -> Option<Arc<MediaTools>> {
        self.tools.clone().ok()
    }

    /// Returns why this machine has no decoder.
    pub fn no_decoder(&self) -> Option<&NoDecoder> {
        self.tools.as_ref().err()
    }
}
