//! How claimed work is done: on this machine's engines, or on what a test or a benchmark puts in their place.
//!
//! An engine gets a plan and media, and returns what it made or why it could not. It never asks the database and knows
//! no job's row: `jobs` claims the work, and writes its end.

use crate::dubs::{DubRequest, Dubbed, Dubber, is_translator};
use crate::generations::{GenerationRequest, Generator, TranslationRequest, Translators};
use crate::new_media::NewMedia;
use crate::open_media::OpenMedia;
use crate::readers::{
    DiarizerSettings, Engine, JobCtx, MediaLimits, MediaSource, MediaTools, ReadError, ReadOutcome, ReaderSettings,
    Readers, TranscriberSettings,
};
use crate::renders::{DecodedLayers, ItemMedia, Rendered, Renderer, Sources, draw, driven, worth_ms};
use crate::scratch::Scratch;
use domain::ids::{ItemId, JobId};
use domain::model::{BuiltIn, ModelKind};
use domain::read::Read;
use domain::render::RenderPlan;
use domain::still::Still;
use domain::task::Task;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use runtime::config::Settings;
use runtime::process::Process;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::fleet::EngineOffer;
use store::generations::MakerOffer;
use store::items::StoredMedia;
use tokio::time::Instant;
use tracing::Instrument;

/// The version of this service's own engines.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A read to compute.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// The read.
    pub read: Read,
    /// The media to compute it from.
    pub media: StoredMedia,
}

/// A render to make.
#[derive(Debug, Clone)]
pub struct RenderRequest {
    /// The plan.
    pub plan: RenderPlan,
    /// What it is mainly made from. A picture may be made of words and shapes alone.
    pub source: Option<StoredMedia>,
    /// The music, where the plan names one.
    pub music: Option<StoredMedia>,
    /// All items that a film or a picture is made from.
    pub others: Vec<RenderItem>,
    /// The largest that it may be, in bytes.
    pub most_bytes: u64,
    /// The time limit of a film, by the milliseconds that it is priced at, once its media are open.
    pub time: WorkingTime,
}

impl RenderRequest {
    /// Returns all media that it is made from: the source, the music and the items, in this order.
    fn media(&self) -> Vec<&StoredMedia> {
        let named = [&self.source, &self.music].into_iter().flatten();
        named.chain(self.others.iter().map(|item| &item.media)).collect()
    }
}

/// How long work on media may take: a multiple of the media's length, and a constant.
#[derive(Debug, Clone, Copy)]
pub struct WorkingTime {
    /// The multiple of the media's length.
    pub factor: f64,
    /// The constant that is added.
    pub least: Duration,
}

impl WorkingTime {
    /// Returns the time for `media_ms` milliseconds of media.
    pub fn of(self, media_ms: i64) -> Duration {
        Duration::from_millis(u64::try_from(media_ms).unwrap_or_default()).mul_f64(self.factor.max(0.0)) + self.least
    }
}

/// An item that a film or a picture is made from.
#[derive(Debug, Clone)]
pub struct RenderItem {
    /// Its id.
    pub item: ItemId,
    /// Its media.
    pub media: StoredMedia,
    /// Its length in milliseconds, as its row has it.
    pub duration_ms: i64,
}

/// Computes a read.
pub type Run = Arc<dyn Fn(ReadRequest, JobCtx) -> BoxFuture<'static, Result<ReadOutcome, ReadError>> + Send + Sync>;
/// Makes a render.
pub type Render = Arc<dyn Fn(RenderRequest, JobCtx) -> BoxFuture<'static, Result<Rendered, ReadError>> + Send + Sync>;
/// Makes a generation.
pub type Generate =
    Arc<dyn Fn(GenerationRequest, JobCtx) -> BoxFuture<'static, Result<NewMedia, ReadError>> + Send + Sync>;
/// Makes a dub.
pub type DubRun = Arc<dyn Fn(DubRequest, JobCtx) -> BoxFuture<'static, Result<Dubbed, ReadError>> + Send + Sync>;
/// Has a provider's model translate texts of a dub.
pub type Translate =
    Arc<dyn Fn(TranslationRequest, JobCtx) -> BoxFuture<'static, Result<Vec<String>, ReadError>> + Send + Sync>;
/// Tells a provider that nobody wants a job's result any more. The text is the job's model.
pub type CallOff = Arc<dyn Fn(JobId, &str) + Send + Sync>;

/// The engines that do the work of jobs, and the work that they offer.
#[derive(Clone)]
pub struct Engines {
    /// The work that they can do, with the engine's name and version.
    pub offered: Vec<EngineOffer>,
    /// Computes a read.
    pub run: Run,
    /// Makes a render.
    pub render: Render,
    /// Whether renders can draw text.
    pub draws_text: bool,
    /// What makes generations: built-in engines and models.
    pub makers: Vec<MakerOffer>,
    /// Makes a generation.
    pub generate: Generate,
    /// Tells the provider of a model that nobody wants what it makes for a job any more.
    pub call_off: CallOff,
    /// Has a provider's model translate texts of a dub.
    pub translate: Translate,
    /// Makes a dub.
    pub dub: DubRun,
}

impl Engines {
    /// Finds the engines of this machine.
    pub fn found(process: &Process) -> Self {
        let (settings, media) = (&process.settings, &process.media);
        let readers = Arc::new(Readers::found(&reader_settings(settings)));
        let renderer = readers.tools().and_then(|tools| Renderer::found(&tools));
        let reading =
            readers.reads().into_iter().filter_map(|read| Some((Task::Read(read), readers.get(read).ok()?.engine())));
        let rendering = renderer.iter().map(|renderer| (Task::Render, renderer.engine().clone()));
        let offer = |(task, Engine { name, version, .. })| EngineOffer { task, engine: name, version };
        let draws_text = renderer.as_ref().is_some_and(Renderer::draws_text);
        let open = Arc::new(OpenMedia::new(media.clone(), Scratch::of(media, settings)));
        let generator = readers.tools().map(|tools| Arc::new(Generator::found(process, tools, Arc::clone(&open))));
        let mut makers = generator.as_ref().map(|generator| generator.offers()).unwrap_or_default();
        let generating = (!makers.is_empty()).then(|| {
            (Task::Generation, Engine { name: "generator".to_owned(), version: VERSION.to_owned(), model: None })
        });
        let dubber = readers.tools().zip(renderer.clone());
        let dubber = dubber.and_then(|(tools, renderer)| Dubber::found(tools, Arc::clone(&open), renderer));
        let dubber = dubber.map(Arc::new);
        makers.extend(dubber.iter().flat_map(|dubber| dubber.offers()));
        let translators = Arc::new(Translators::found(process));
        // Whoever translates a dub speaks it too.
        if dubber.is_some() {
            makers.extend(translators.offers());
        }
        let dubbing = dubber
            .iter()
            .map(|_| (Task::Dub, Engine { name: "dubber".to_owned(), version: VERSION.to_owned(), model: None }));
        let offered = reading.chain(rendering).chain(generating).chain(dubbing).map(offer).collect();
        let shared = (Arc::clone(&readers), Arc::clone(&open));
        let run: Run = Arc::new(move |reading, ctx| {
            let (readers, open) = shared.clone();
            async move { compute(&readers, &open, &reading, &ctx).await }.boxed()
        });
        let render: Render = Arc::new(move |rendering, ctx| {
            let (readers, renderer, open) = (Arc::clone(&readers), renderer.clone(), Arc::clone(&open));
            async move { make(&readers, renderer.as_ref(), &open, rendering, ctx).await }.boxed()
        });
        let (generate, call_off) = generating_with(generator);
        let translate: Translate = Arc::new(move |asked, ctx| {
            let translators = Arc::clone(&translators);
            async move { translators.translate(&asked, &ctx).await }.boxed()
        });
        let dub = dubbing_with(dubber);
        Self { offered, run, render, draws_text, makers, generate, call_off, translate, dub }
    }
}

impl Engines {
    /// Returns the makers that these tasks use.
    pub(crate) fn makers_for(&self, tasks: &[Task]) -> Vec<MakerOffer> {
        let (generates, dubs) = (tasks.contains(&Task::Generation), tasks.contains(&Task::Dub));
        // Dubs are spoken by the engines that speak generations.
        let is_used = |offer: &&MakerOffer| {
            // What an engine speaks stands behind its name.
            let engine = offer.name.split(':').next().and_then(BuiltIn::from_name);
            let speaks = engine.is_some_and(|one| one.kind() == ModelKind::Speech);
            if is_translator(offer) { dubs } else { generates || (dubs && speaks) }
        };
        self.makers.iter().filter(is_used).cloned().collect()
    }
}

/// How dubs are made.
fn dubbing_with(dubber: Option<Arc<Dubber>>) -> DubRun {
    Arc::new(move |asked, ctx| {
        let dubber = dubber.clone();
        async move {
            let dubber = dubber.ok_or(ReadError::EngineNotConfigured(Task::Dub))?;
            dubber.dub(&asked, &ctx).await
        }
        .boxed()
    })
}

/// How generations are made, and called off.
fn generating_with(generator: Option<Arc<Generator>>) -> (Generate, CallOff) {
    let caller_off = generator.clone();
    let generate: Generate = Arc::new(move |asked, ctx| {
        let generator = generator.clone();
        async move {
            let generator = generator.ok_or(ReadError::EngineNotConfigured(Task::Generation))?;
            generator.generate(&asked, &ctx).await
        }
        .boxed()
    });
    let call_off: CallOff = Arc::new(move |job, model| {
        if let Some(generator) = &caller_off {
            generator.call_off(job, model);
        }
    });
    (generate, call_off)
}

/// Returns the settings of a deployment's readers.
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
        limits: MediaLimits { duration_ms, ..MediaLimits::default() },
        confinement: settings.decoder_confinement,
        ..ReaderSettings::default()
    }
}

async fn compute(
    readers: &Readers,
    open: &OpenMedia,
    reading: &ReadRequest,
    ctx: &JobCtx,
) -> Result<ReadOutcome, ReadError> {
    let reader = readers.get(reading.read)?;
    let tools = readers.tools().ok_or(ReadError::EngineNotConfigured(reading.read.into()))?;
    let held = open.get(&[&reading.media], &tools, ctx).instrument(runtime::span!("open media")).await?;
    let media = held.first().ok_or(ReadError::Missing)?;
    let working = runtime::span!("read", otel.name = format!("read {}", reading.read.name()));
    reader.run(&media.source, ctx).instrument(working).await
}

async fn make(
    readers: &Readers,
    renderer: Option<&Renderer>,
    open: &OpenMedia,
    rendering: RenderRequest,
    mut ctx: JobCtx,
) -> Result<Rendered, ReadError> {
    let renderer = renderer.ok_or(ReadError::EngineNotConfigured(Task::Render))?;
    let tools = readers.tools().ok_or(ReadError::EngineNotConfigured(Task::Render))?;
    if let RenderPlan::RenderCanvas { still } = &rendering.plan {
        let layers = decode(renderer, open, (&tools, still, &rendering.others), &ctx).await?;
        return draw(&tools, still, layers, rendering.most_bytes, &ctx).await;
    }
    let held = open.get(&rendering.media(), &tools, &ctx).await?;
    let mut opened = held.iter().map(|one| one.source.clone());
    let source = rendering.source.as_ref().and_then(|_| opened.next()).ok_or(ReadError::Missing)?;
    let music = rendering.music.as_ref().and_then(|_| opened.next());
    let others = by_item(&rendering.others, opened);
    if let RenderPlan::RenderTimeline { film } = &rendering.plan {
        ctx.deadline = ctx.deadline.min(Instant::now() + rendering.time.of(worth_ms(film, &others)));
    }
    let sources = Sources { source, music, others };
    let (renderer, processor) = (renderer.clone(), ctx.processor.clone());
    let making = async move {
        // What is open stays so until it is done.
        let _open = held;
        renderer.render(&sources, &rendering.plan, rendering.most_bytes, &ctx).await
    };
    driven(&processor, making.boxed()).await?
}

/// Decodes the items of a picture. They are closed, and their copies deleted, before it waits for its turn to be drawn.
async fn decode(
    renderer: &Renderer,
    open: &OpenMedia,
    (tools, still, items): (&Arc<MediaTools>, &Still, &[RenderItem]),
    ctx: &JobCtx,
) -> Result<DecodedLayers, ReadError> {
    let media: Vec<_> = items.iter().map(|item| &item.media).collect();
    let held = open.get(&media, tools, ctx).await?;
    let sources = by_item(items, held.iter().map(|one| one.source.clone()));
    renderer.decode(&sources, still, ctx).await
}

/// Returns the opened media of these items, which come in their order.
fn by_item(items: &[RenderItem], opened: impl Iterator<Item = MediaSource>) -> HashMap<ItemId, ItemMedia> {
    let with_media = items.iter().zip(opened);
    with_media.map(|(item, media)| (item.item, ItemMedia { media, duration_ms: item.duration_ms })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::{Studio, an_hour};
    use bytes::Bytes;
    use domain::ids::WorkspaceId;
    use domain::still::{StillFormat, StillLayer, StillPicture};
    use runtime::media::MediaStore;

    /// A picture of 40 × 40 pixels, all of it this item.
    fn still(item: ItemId) -> Still {
        let picture = StillPicture::Image { item, at_us: None, cover: true };
        let place = [0, 0, 40_000, 40_000];
        let layer = StillLayer { picture, place, rotation: 0, opacity: 1_000_000, radius: 0, shadow: None };
        let (workspace, format, canvas) = (WorkspaceId::mint(), StillFormat::Png, [40; 2]);
        Still { workspace, format, canvas, size: canvas, background: None, layers: vec![layer] }
    }

    #[tokio::test]
    async fn the_items_of_a_picture_are_closed_once_they_are_decoded() {
        let (studio, item, key) = (Studio::new(), ItemId::mint(), "items/a/media/1");
        let bytes = std::fs::read(studio.make("a.png", "color=lime:s=40x40:d=1", &["-frames:v", "1"])).unwrap();
        let store = MediaStore::open(&format!("file:{}", studio.path("store").display())).unwrap();
        store.put(key, Bytes::from(bytes)).await.unwrap();
        let (open, tools, ctx, still) =
            (OpenMedia::new(store, Scratch::default()), studio.tools(), an_hour(), still(item));
        let renderer = Renderer::found(&tools).expect("`scripts/setup` installs an ffmpeg that encodes");
        let media = StoredMedia { object_key: key.to_owned(), bytes: 0, sha256: None };
        // Whoever has the item open meanwhile shares its file.
        let other = open.get(&[&media], &tools, &ctx).await.unwrap();
        let file = Arc::downgrade(&other[0].source.shared_file());
        let items = [RenderItem { item, media, duration_ms: 0 }];
        let layers = decode(&renderer, &open, (&tools, &still, &items), &ctx).await.unwrap();
        drop(other);
        assert!(file.upgrade().is_none(), "its layers keep the item open");
        let picture = draw(&tools, &still, layers, 1 << 20, &ctx).await.unwrap();
        assert_eq!(picture.media.facts.width.zip(picture.media.facts.height), Some((40, 40)));
    }
}
