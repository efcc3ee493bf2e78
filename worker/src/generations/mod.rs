//! Generations: new media that a program of this machine or a provider's model makes (`domain::generation`,
//! docs/generation.md).
//!
//! `speech` speaks text and `pictures` enlarges and cuts out, in confined children as decoders are; `provider` asks a
//! model over the network. What any of them makes is opened as hostile media before it counts as made. Nothing here
//! knows a database or a job row: a plan and a source in, an opened file or a `ReadError` out.

mod pictures;
mod provider;
pub(crate) mod speech;

use crate::asking::Asking;
use crate::ingest::facts;
use crate::new_media::NewMedia;
use crate::open_media::OpenMedia;
use crate::readers::decode::{Channels, SoundFormat, Workshop, cover, decode_sound, picture_length};
use crate::readers::{JobCtx, MediaSource, MediaTools, ReadError};
use domain::dub::Language;
use domain::generation::{GenerationPlan, Maker};
use domain::ids::{AccountId, JobId};
use domain::item::ItemType;
use domain::model::{BuiltIn, ModelKind};
use pictures::Pictures;
use provider::Provider;
pub(crate) use provider::{TRANSLATOR, Translators};
use runtime::process::Process;
use speech::Speakers;
use std::sync::Arc;
use store::generations::MakerOffer;
use store::items::StoredMedia;
use store::uploads::Facts;

/// The version under which workers offer models of providers that make generations.
pub(crate) const PROVIDER: &str = "provider";
/// The name of the file that a generation makes.
pub(crate) const OUTPUT_FILE: &str = "output";
/// Samples per second at which sound is decoded to measure its length: a low rate will do.
const COUNT_RATE: u32 = 8_000;

/// A generation to make.
#[derive(Debug, Clone)]
pub struct GenerationRequest {
    /// The job, whose id a provider knows the request by.
    pub job: JobId,
    /// The account that pays.
    pub account: AccountId,
    /// The plan.
    pub plan: GenerationPlan,
    /// The media that it is made from, if any.
    pub source: Option<StoredMedia>,
    /// The largest that it may be, in bytes.
    pub most_bytes: u64,
    /// How to ask a provider for it.
    pub asking: Asking,
}

/// Texts of a dub to have translated.
#[derive(Debug, Clone)]
pub struct TranslationRequest {
    /// The job, whose id a provider knows its requests by.
    pub job: JobId,
    /// The id of the provider's model.
    pub model: String,
    /// The language that is spoken.
    pub source: Language,
    /// The language to translate into.
    pub target: Language,
    /// The texts, each on one line; none is empty.
    pub texts: Vec<String>,
    /// How to ask the provider.
    pub asking: Asking,
}

/// An engine that is installed on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InstalledEngine {
    /// The engine.
    pub(crate) engine: BuiltIn,
    /// Its version.
    pub(crate) version: String,
}

/// Makes media with this machine's programs, or has providers make it.
pub struct Generator {
    tools: Arc<MediaTools>,
    open: Arc<OpenMedia>,
    speakers: Speakers,
    pictures: Pictures,
    providers: Vec<Arc<Provider>>,
}

impl Generator {
    /// Looks for the programs of this machine, and sets up the models of the configured providers.
    pub(crate) fn found(process: &Process, tools: Arc<MediaTools>, open: Arc<OpenMedia>) -> Self {
        let (speakers, pictures) = (Speakers::found(), Pictures::found(&tools));
        let provider = |model| match Provider::new(model, &process.outbound) {
            Ok(provider) => Some(Arc::new(provider)),
            Err(why) => {
                tracing::error!(model = %model.id, reason = %why, "A provider's model can't be asked from here.");
                None
            }
        };
        let providers = process.providers.all().iter().filter_map(provider).collect();
        Self { tools, open, speakers, pictures, providers }
    }

    /// The engines and models that it can make things with, for the fleet.
    pub(crate) fn offers(&self) -> Vec<MakerOffer> {
        let built_in = self.speakers.versions().into_iter().chain(self.pictures.versions());
        let built_in = built_in.map(|one| MakerOffer { name: one.engine.name().to_owned(), version: one.version });
        let models = self.providers.iter().filter(|provider| provider.can_be_asked());
        built_in
            .chain(self.speakers.voices())
            .chain(models.map(|one| MakerOffer { name: one.id().to_owned(), version: PROVIDER.to_owned() }))
            .collect()
    }

    /// Makes what the plan says.
    pub(crate) async fn generate(&self, asked: &GenerationRequest, ctx: &JobCtx) -> Result<NewMedia, ReadError> {
        let media: Vec<_> = asked.source.iter().collect();
        let held = self.open.get(&media, &self.tools, ctx).await?;
        let source = held.first().map(|held| &held.source);
        let workshop = Workshop::new(&self.tools)?;
        let ctx = match &asked.plan.maker {
            Maker::Engine(engine) => {
                self.built_in(*engine, asked, source, &workshop, ctx).await?;
                ctx.clone()
            }
            Maker::Model(id) => self.provider(id)?.make(asked, source, &workshop, ctx).await?,
        };
        let wanted = wanted(&asked.plan, source);
        self.check(&workshop, &asked.plan.maker, wanted, &ctx).await
    }

    /// Tells a provider that nobody wants a job's result any more, without waiting for an answer.
    pub(crate) fn call_off(&self, job: JobId, model: &str) {
        if let Ok(provider) = self.provider(model) {
            let provider = Arc::clone(provider);
            tokio::spawn(async move { provider.call_off(job).await });
        }
    }

    fn provider(&self, id: &str) -> Result<&Arc<Provider>, ReadError> {
        let configured = self.providers.iter().find(|provider| provider.id() == id);
        configured.ok_or(ReadError::EngineNotConfigured(domain::task::Task::Generation))
    }

    async fn built_in(
        &self,
        engine: BuiltIn,
        request: &GenerationRequest,
        source: Option<&MediaSource>,
        workshop: &Workshop,
        ctx: &JobCtx,
    ) -> Result<(), ReadError> {
        let asked = &request.plan.asked;
        match engine {
            BuiltIn::Espeak | BuiltIn::Flite => {
                self.speakers.speak(engine, asked, &self.tools, workshop, request.most_bytes, ctx).await
            }
            BuiltIn::Lanczos | BuiltIn::ChromaKey => {
                let source = source.ok_or(ReadError::Missing)?;
                self.pictures.make(engine, asked, source, workshop, request.most_bytes, ctx).await
            }
            BuiltIn::Apertium => Err(ReadError::Internal("a translation is no generation".to_owned())),
        }
    }

    /// Opens the result, which must be decodable and of the requested kind. The length of a provider's media is
    /// measured here and not believed, since it is what is paid for.
    async fn check(
        &self,
        workshop: &Workshop,
        maker: &Maker,
        wanted: ItemType,
        ctx: &JobCtx,
    ) -> Result<NewMedia, ReadError> {
        let media = MediaSource::open(&workshop.path(OUTPUT_FILE), &self.tools, ctx).await?;
        let mut facts = facts(media.probe(), None);
        if facts.item_type != wanted {
            return Err(ReadError::Corrupt("what was made is of another kind than was asked for"));
        }
        let is_told = matches!(maker, Maker::Engine(_)) && facts.duration_ms.is_some();
        if !is_told && wanted != ItemType::Image {
            facts.duration_ms = Some(counted_ms(&media, &facts, ctx).await?);
        }
        if wanted != ItemType::Image && facts.duration_ms.is_none_or(|ms| ms <= 0) {
            return Err(ReadError::Corrupt("what was made lasts for no time"));
        }
        let picture = match wanted {
            ItemType::Audio => None,
            ItemType::Image | ItemType::Video => {
                let picture = cover(&media, facts.duration_ms.unwrap_or(0), ctx).await?;
                Some(picture.ok_or(ReadError::Corrupt("what was made can't be decoded"))?)
            }
        };
        Ok(NewMedia { file: media.file().try_clone()?, facts, picture })
    }
}

/// Returns the type of item that a plan makes: new media are of the model's kind, changed media of their source's.
fn wanted(plan: &GenerationPlan, source: Option<&MediaSource>) -> ItemType {
    match plan.kind {
        ModelKind::Video => ItemType::Video,
        ModelKind::Audio | ModelKind::Speech => ItemType::Audio,
        ModelKind::Upscale | ModelKind::Cutout if source.is_some_and(|media| media.probe().has_video) => {
            ItemType::Video
        }
        ModelKind::Image | ModelKind::Upscale | ModelKind::Cutout | ModelKind::Translate | ModelKind::Chat => {
            ItemType::Image
        }
    }
}

/// Returns the measured length of media in milliseconds.
async fn counted_ms(media: &MediaSource, facts: &Facts, ctx: &JobCtx) -> Result<i64, ReadError> {
    if facts.has_video {
        return picture_length(media, ctx).await;
    }
    let few = SoundFormat { rate: COUNT_RATE, channels: Channels::Mono };
    let heard = decode_sound(media, few, ctx, |blocks| {
        blocks.for_each(drop);
        Ok(())
    });
    Ok(heard.await?.1.duration_ms)
}
