//! The shapes of the generation tools' requests and answers (contract §4.12).

use crate::http::text::{CreditCount, MinuteCount, Text};
use crate::resources::tools::stored_read::NeedStatus;
use poem_openapi::Object;
use poem_openapi::types::Example;

/// A picture to generate from a text.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct GenerateImage {
    /// A description of what the picture shows.
    #[oai(validator(min_length = 1, max_length = 5000))]
    pub prompt: Text,
    /// The model, by its id; the first picture model when not given. `list_models` lists them.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// Its width in pixels, 64 to 8192; only with `height`.
    #[oai(validator(minimum(value = "64"), maximum(value = "8192")))]
    pub width: Option<u32>,
    /// Its height in pixels, 64 to 8192; only with `width`.
    #[oai(validator(minimum(value = "64"), maximum(value = "8192")))]
    pub height: Option<u32>,
    /// A number that varies the result: the same call makes the same item once.
    pub seed: Option<i64>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` returns what the call would cost, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for GenerateImage {
    fn example() -> Self {
        let prompt = "a red kite over a grey sea".into();
        Self { prompt, model: None, width: Some(1024), height: Some(768), seed: Some(1), context: None, dry_run: None }
    }
}

/// A film to generate from a text.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct GenerateVideo {
    /// A description of what the film shows.
    #[oai(validator(min_length = 1, max_length = 5000))]
    pub prompt: Text,
    /// The picture that the film begins with: an item's ref, its id, or the id of the job that made it.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The model, by its id; the first film model when not given. `list_models` lists them.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// The film's duration, in seconds; 5 when not given.
    #[oai(validator(minimum(value = "1"), maximum(value = "3600")))]
    pub seconds: Option<u32>,
    /// Its width in pixels, 64 to 8192; only with `height`.
    #[oai(validator(minimum(value = "64"), maximum(value = "8192")))]
    pub width: Option<u32>,
    /// Its height in pixels, 64 to 8192; only with `width`.
    #[oai(validator(minimum(value = "64"), maximum(value = "8192")))]
    pub height: Option<u32>,
    /// A number that varies the result: the same call makes the same item once.
    pub seed: Option<i64>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` returns what the call would cost, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for GenerateVideo {
    fn example() -> Self {
        Self {
            prompt: "a red kite over a grey sea".into(),
            item_ref: None,
            model: None,
            seconds: Some(5),
            width: None,
            height: None,
            seed: None,
            context: None,
            dry_run: None,
        }
    }
}

/// Text to speak, or sound to generate from a text: exactly one of `text` and `prompt`.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct GenerateAudio {
    /// The words to speak.
    #[oai(validator(min_length = 1, max_length = 5000))]
    pub text: Option<Text>,
    /// A description of the sound, such as music.
    #[oai(validator(min_length = 1, max_length = 5000))]
    pub prompt: Option<Text>,
    /// The voice, by the model's name for it.
    #[oai(validator(min_length = 1, max_length = 64))]
    pub voice: Option<Text>,
    /// The language of the text, such as `en` or `es`. When not given: if `voice` and `model` are not given either,
    /// `default_language` of the settings, otherwise English.
    #[oai(validator(min_length = 2, max_length = 16))]
    pub language: Option<Text>,
    /// The model, by its id. When not given: for a text a built-in engine that costs no credits (`flite` for English,
    /// otherwise `espeak-ng`), for a prompt the first sound model. `list_models` lists them.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// The duration of sound from a prompt, in seconds; 5 when not given.
    #[oai(validator(minimum(value = "1"), maximum(value = "3600")))]
    pub seconds: Option<u32>,
    /// A number that varies the result: the same call makes the same item once.
    pub seed: Option<i64>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` returns what the call would cost, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for GenerateAudio {
    fn example() -> Self {
        Self {
            text: Some("Welcome back to the show.".into()),
            prompt: None,
            voice: None,
            language: Some("en".into()),
            model: None,
            seconds: None,
            seed: None,
            context: None,
            dry_run: None,
        }
    }
}

/// A picture or a film to enlarge.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct UpscaleMedia {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The factor for width and height: 2 or 4.
    #[oai(validator(minimum(value = "2"), maximum(value = "4")))]
    pub factor: u32,
    /// The model, by its id; when not given `lanczos`, which is built in, costs no credits and invents nothing.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` returns what the call would cost, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for UpscaleMedia {
    fn example() -> Self {
        Self { item_ref: "portrait".into(), factor: 2, model: None, context: None, dry_run: None }
    }
}

/// A picture or a film whose background to remove.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct CutOut {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The background's colour, such as `#00ff00`, which is the default. Not with `model`.
    #[oai(validator(min_length = 7, max_length = 7))]
    pub color: Option<Text>,
    /// How far a background pixel may be from that colour, 1 to 100 hundredths; 30 when not given. Not with `model`.
    #[oai(validator(minimum(value = "1"), maximum(value = "100")))]
    pub similarity: Option<u32>,
    /// The model, by its id; when not given `chroma-key`, which is built in, costs no credits and goes by the colour.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` returns what the call would cost, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for CutOut {
    fn example() -> Self {
        Self {
            item_ref: "presenter".into(),
            color: Some("#00ff00".into()),
            similarity: None,
            model: None,
            context: None,
            dry_run: None,
        }
    }
}

/// The state of a generation.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct GenerationAnswer {
    /// `ready` when its item exists, `queued` while a job makes it, `startable` in a dry run.
    pub status: NeedStatus,
    /// The job that makes it: follow it with `get_jobs`.
    pub job_id: Option<Text>,
    /// Minutes held for it.
    pub estimated_minutes: Option<MinuteCount>,
    /// AI credits held for it.
    pub estimated_credits: Option<CreditCount>,
    /// The generated item.
    pub output_item_id: Option<Text>,
    /// Its maker: a model's id, or the name of a built-in engine.
    pub model: Text,
    /// Whether it is synthetic: generated by a machine.
    pub synthetic: bool,
    /// `draft` when a simple engine makes it.
    pub quality: Option<Text>,
    /// What is not spoken of the text, in whole sentences; absent when nothing is known to be left out.
    pub warnings: Option<Vec<Text>>,
}
