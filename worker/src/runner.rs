//! How a claimed read is computed: on this machine's engines, or by whatever a test or a benchmark puts in their place.

use crate::readers::{
    DiarizerSettings, Engine, JobCtx, MediaLimits, MediaSource, ReadError, ReadOutcome, ReaderSettings, Readers,
    TranscriberSettings,
};
use common::config::Settings;
use common::domain::read::Read;
use common::media::{MediaError, MediaStore};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// A read to compute.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Which.
    pub read: Read,
    /// The media's key in the store.
    pub object_key: String,
}

type Run = Arc<dyn Fn(Reading, JobCtx) -> BoxFuture<'static, Result<ReadOutcome, ReadError>> + Send + Sync>;

/// What computes reads, and which ones.
#[derive(Clone)]
pub struct Runner {
    /// The reads it can compute, with the name and version of the engine.
    pub engines: Vec<(Read, String, String)>,
    /// Computes one.
    pub run: Run,
}

impl Runner {
    /// The engines found on this machine.
    pub fn found(settings: &Settings, media: &MediaStore) -> Self {
        let readers = Arc::new(Readers::found(&reader_settings(settings)));
        let engines = readers
            .reads()
            .into_iter()
            .filter_map(|read| readers.get(read).ok().map(|reader| (read, reader.engine())))
            .map(|(read, Engine { name, version, .. })| (read, name, version))
            .collect();
        let media = media.clone();
        let run: Run = Arc::new(move |reading, ctx| {
            let (readers, media) = (Arc::clone(&readers), media.clone());
            async move { compute(&readers, &media, &reading, &ctx).await }.boxed()
        });
        Self { engines, run }
    }
}

/// What the readers of a deployment may use.
pub fn reader_settings(settings: &Settings) -> ReaderSettings {
    let duration_ms = i64::try_from(settings.max_media_seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
    ReaderSettings {
        transcriber: settings.transcriber.as_ref().map(|url| TranscriberSettings {
            url: url.clone(),
            model: settings.transcriber_model.clone(),
            key: settings.transcriber_key.clone(),
        }),
        diarizer: settings
            .diarizer
            .as_ref()
            .map(|url| DiarizerSettings { url: url.clone(), key: settings.diarizer_key.clone() }),
        model_dirs: settings.model_dir.clone(),
        limits: MediaLimits { duration_ms, ..MediaLimits::default() },
        ..ReaderSettings::default()
    }
}

async fn compute(
    readers: &Readers,
    media: &MediaStore,
    reading: &Reading,
    ctx: &JobCtx,
) -> Result<ReadOutcome, ReadError> {
    let reader = readers.get(reading.read)?;
    let tools = readers.tools().ok_or(ReadError::EngineNotConfigured(reading.read))?;
    let file = ctx.bounded(media.local(&reading.object_key)).await?.map_err(unavailable)?;
    let source = MediaSource::open(file.path(), &tools, ctx).await?;
    reader.run(&source, ctx).await
}

/// Media that is gone is an answer; a store that does not answer may later.
fn unavailable(error: MediaError) -> ReadError {
    if error.is_missing() { ReadError::Missing } else { ReadError::Io(std::io::Error::other(error)) }
}
