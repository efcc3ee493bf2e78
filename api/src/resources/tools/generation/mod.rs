//! `generate_image`, `generate_video`, `generate_audio`, `upscale_media` and `cut_out`: new media by a model
//! (contract §4.12, docs/generation.md).
//!
//! Each tool chooses its model, completes the request and starts one job, through `call`. Built-in engines are paid for
//! in minutes, providers' models in AI credits; both are held before anything runs.

mod call;
mod shapes;

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::text::Text;
use crate::usecases::settings::settings;
use call::{Chosen, GenerationCall, chosen};
use domain::generation::{Asked, GenerationTool};
use domain::media_use::MediaUse;
use domain::model::{BuiltIn, ModelKind};
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use serde_json::Value;
use shapes::{CutOut, GenerateAudio, GenerateImage, GenerateVideo, GenerationAnswer, UpscaleMedia};

/// The error codes of each of these tools.
const REFUSALS: &[Code] = &[
    Code::InsufficientCredits,
    Code::InsufficientMinutes,
    Code::RoleForbidden,
    Code::WorkspaceForbidden,
    Code::ItemNotFound,
    Code::ItemNotReady,
    Code::IdempotencyInProgress,
    Code::IdempotencyKeyReused,
    Code::ReadNotApplicable,
    Code::EngineNotConfigured,
    Code::FileTooLarge,
];

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/generate_image", REFUSALS),
    ("POST /tools/generate_video", REFUSALS),
    ("POST /tools/generate_audio", REFUSALS),
    ("POST /tools/upscale_media", REFUSALS),
    ("POST /tools/cut_out", REFUSALS),
];

/// The tools.
pub struct GenerationTools(pub App);

/// The answer of a generation tool.
type Answered = Answer<Stored<ToolAnswer<GenerationAnswer>>>;

#[OpenApi(tag = "Tag::Generation")]
impl GenerationTools {
    /// Generate a picture
    ///
    /// Makes a picture from a text, by a provider's model, in a job that makes a new item. It is paid for in AI
    /// credits, held when the job starts and charged when it succeeds, never more than was held. The same call makes
    /// the same item once: give another `seed` for another picture.
    #[oai(path = "/tools/generate_image", method = "post", operation_id = "generate_image")]
    async fn generate_image(&self, auth: Auth, key: IdempotencyKey, arguments: Json<GenerateImage>) -> Answered {
        let (Auth(caller), request, asked) = (auth, json_of(&arguments.0), arguments.0);
        let chosen = chosen(&self.0, ModelKind::Image, asked.model.as_ref(), None)?;
        let call = self.call(&caller, GenerationTool::GenerateImage, request, key, asked.context, asked.dry_run);
        let wanted = Asked {
            prompt: Some(asked.prompt.0),
            width: asked.width,
            height: asked.height,
            seed: asked.seed,
            ..Asked::default()
        };
        call.generate(chosen, ModelKind::Image, wanted, None).await
    }

    /// Generate a film
    ///
    /// Makes a film from a text, and from a picture to begin with if `ref` names one, by a provider's model, in a job
    /// that makes a new item. It is paid for in AI credits as pictures are.
    #[oai(path = "/tools/generate_video", method = "post", operation_id = "generate_video")]
    async fn generate_video(&self, auth: Auth, key: IdempotencyKey, arguments: Json<GenerateVideo>) -> Answered {
        let (Auth(caller), request, asked) = (auth, json_of(&arguments.0), arguments.0);
        let call = self.call(&caller, GenerationTool::GenerateVideo, request, key, asked.context, asked.dry_run);
        let source = match &asked.item_ref {
            Some(name) => Some(call.source(name, MediaUse::Still).await?),
            None => None,
        };
        let chosen = chosen(&self.0, ModelKind::Video, asked.model.as_ref(), None)?;
        let wanted = Asked {
            prompt: Some(asked.prompt.0),
            duration_ms: asked.seconds.map(|seconds| i64::from(seconds) * 1_000),
            width: asked.width,
            height: asked.height,
            seed: asked.seed,
            ..Asked::default()
        };
        call.generate(chosen, ModelKind::Video, wanted, source.as_ref()).await
    }

    /// Generate speech or sound
    ///
    /// Makes speech from `text`, or sound such as music from a `prompt`, in a job that makes a new item. Two speech
    /// engines are built in and cost no AI credits, only minutes of speech; their quality is draft. A text that their
    /// voice has no sounds for is refused, and `warnings` names letters that it leaves out. Whatever is made so is
    /// `synthetic`.
    #[oai(path = "/tools/generate_audio", method = "post", operation_id = "generate_audio")]
    async fn generate_audio(&self, auth: Auth, key: IdempotencyKey, arguments: Json<GenerateAudio>) -> Answered {
        let (Auth(caller), request, mut asked) = (auth, json_of(&arguments.0), arguments.0);
        if asked.text.is_some() && asked.language.is_none() && asked.voice.is_none() && asked.model.is_none() {
            let language = settings(&self.0, caller.workspace.id).await?.default_language;
            asked.language = language.as_deref().map(|tag| Text::of(spoken_language(tag)));
        }
        let kind = sound_kind(&asked)?;
        let usual = (kind == ModelKind::Speech).then(|| speaker(&asked));
        let chosen = chosen(&self.0, kind, asked.model.as_ref(), usual)?;
        if matches!(chosen, Chosen::Engine(BuiltIn::Flite)) && !is_english(&asked) {
            let refusal = ApiError::new(Code::InvalidRequest, "`language`: `flite` speaks English alone.");
            return Err(refusal.suggest("Leave `model` out, or name `espeak-ng`."));
        }
        let call = self.call(&caller, GenerationTool::GenerateAudio, request, key, asked.context, asked.dry_run);
        let wanted = Asked {
            prompt: asked.prompt.map(|prompt| prompt.0),
            text: asked.text.map(|text| text.0),
            voice: asked.voice.map(|voice| voice.0),
            language: asked.language.map(|language| language.0),
            duration_ms: asked.seconds.filter(|_| kind == ModelKind::Audio).map(|seconds| i64::from(seconds) * 1_000),
            seed: asked.seed,
            ..Asked::default()
        };
        call.generate(chosen, kind, wanted, None).await
    }

    /// Upscale a picture or a film
    ///
    /// Makes a new item that is two or four times as wide and as high. `lanczos`, which is built in, resamples and
    /// invents nothing; it costs minutes as renders do, and no AI credits.
    #[oai(path = "/tools/upscale_media", method = "post", operation_id = "upscale_media")]
    async fn upscale_media(&self, auth: Auth, key: IdempotencyKey, arguments: Json<UpscaleMedia>) -> Answered {
        let (Auth(caller), request, asked) = (auth, json_of(&arguments.0), arguments.0);
        if ![2, 4].contains(&asked.factor) {
            return Err(ApiError::new(Code::InvalidRequest, "`factor` is 2 or 4."));
        }
        let chosen = chosen(&self.0, ModelKind::Upscale, asked.model.as_ref(), Some(BuiltIn::Lanczos))?;
        let call = self.call(&caller, GenerationTool::UpscaleMedia, request, key, asked.context, asked.dry_run);
        let source = call.source(&asked.item_ref, MediaUse::Picture).await?;
        let wanted = Asked { factor: Some(asked.factor), ..Asked::default() };
        call.generate(chosen, ModelKind::Upscale, wanted, Some(&source)).await
    }

    /// Cut out the foreground
    ///
    /// Makes a new item whose background is transparent: a PNG of a picture, a `WebM` with an alpha channel of a film.
    /// `chroma-key`, which is built in, takes everything close to `color` as background; it costs minutes as renders
    /// do, and no AI credits.
    #[oai(path = "/tools/cut_out", method = "post", operation_id = "cut_out")]
    async fn cut_out(&self, auth: Auth, key: IdempotencyKey, arguments: Json<CutOut>) -> Answered {
        let (Auth(caller), request, asked) = (auth, json_of(&arguments.0), arguments.0);
        let chosen = chosen(&self.0, ModelKind::Cutout, asked.model.as_ref(), Some(BuiltIn::ChromaKey))?;
        let by_color = asked.color.is_some() || asked.similarity.is_some();
        if by_color && asked.model.as_deref().is_some_and(|model| model != BuiltIn::ChromaKey.name()) {
            let message = "`color` and `similarity` are for `chroma-key`: say them or another `model`.";
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        let color = asked
            .color
            .as_ref()
            .map(|color| color.parse())
            .transpose()
            .map_err(|wrong| ApiError::new(Code::InvalidRequest, format!("`color`: {wrong}.")))?;
        let call = self.call(&caller, GenerationTool::CutOut, request, key, asked.context, asked.dry_run);
        let source = call.source(&asked.item_ref, MediaUse::Picture).await?;
        let wanted = Asked { color, similarity: asked.similarity, ..Asked::default() };
        call.generate(chosen, ModelKind::Cutout, wanted, Some(&source)).await
    }
}

impl GenerationTools {
    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        tool: GenerationTool,
        request: Value,
        key: IdempotencyKey,
        context: Option<Text>,
        dry_run: Option<bool>,
    ) -> GenerationCall<'a> {
        GenerationCall { app: &self.0, caller, tool, request, key, context, dry_run: dry_run.unwrap_or(false) }
    }
}

/// Which kind of sound is asked for: a text is spoken, a prompt is played.
fn sound_kind(asked: &GenerateAudio) -> Answer<ModelKind> {
    match (&asked.text, &asked.prompt) {
        (Some(_), None) => Ok(ModelKind::Speech),
        (None, Some(_)) => Ok(ModelKind::Audio),
        _ => {
            let message = "Say `text`, which is spoken, or `prompt`, which says what is to be heard: exactly one.";
            Err(ApiError::new(Code::InvalidRequest, message))
        }
    }
}

/// Returns the engine that speaks a text when no model is named: `flite` speaks English only.
fn speaker(asked: &GenerateAudio) -> BuiltIn {
    let is_fliteian = asked.voice.as_deref().is_none_or(|voice| BuiltIn::FLITE_VOICES.contains(&voice));
    if is_english(asked) && is_fliteian { BuiltIn::Flite } else { BuiltIn::Espeak }
}

/// Returns the language of a tag, without script or region: few of those have voices of their own.
fn spoken_language(tag: &str) -> String {
    tag.split('-').next().unwrap_or(tag).to_ascii_lowercase()
}

/// Whether a text is in English, which it is when the request names no language.
fn is_english(asked: &GenerateAudio) -> bool {
    let language = asked.language.as_deref().unwrap_or("en").to_ascii_lowercase();
    language == "en" || language.starts_with("en-")
}
