//! What the generation tools take and answer (contract §4.12).

use crate::http::text::{CreditCount, MinuteCount, Text};
use crate::resources::tools::stored_read::NeedStatus;
use poem_openapi::Object;
use poem_openapi::types::Example;

/// A picture from words.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct GenerateImage {
    /// What is to be seen.
    #[oai(validator(min_length = 1, max_length = 5000))]
    pub prompt: Text,
    /// The model, by its id; the first that makes pictures when not given. `list_models` lists them.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// Pixels across, 64 to 8192; with `height`.
    #[oai(validator(minimum(value = "64"), maximum(value = "8192")))]
    pub width: Option<u32>,
    /// Pixels down, 64 to 8192; with `width`.
    #[oai(validator(minimum(value = "64"), maximum(value = "8192")))]
    pub height: Option<u32>,
    /// What tells one picture from another of the same words: the same call makes the same item once.
    pub seed: Option<i64>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` answers what the call would cost, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for GenerateImage {
    fn example() -> Self {
        let prompt = "a red kite over a grey sea".into();
        Self { prompt, model: None, width: Some(1024), height: Some(768), seed: Some(1), context: None, dry_run: None }
    }
}

/// A film from words.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct GenerateVideo {
    /// What is to be seen.
    #[oai(validator(min_length = 1, max_length = 5000))]
    pub prompt: Text,
    /// A picture that it begins with: an item's ref, its id, or the id of the job that made it.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The model, by its id; the first that makes films when not given. `list_models` lists them.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// Seconds that it lasts; 5 when not given.
    #[oai(validator(minimum(value = "1"), maximum(value = "3600")))]
    pub seconds: Option<u32>,
    /// Pixels across, 64 to 8192; with `height`.
    #[oai(validator(minimum(value = "64"), maximum(value = "8192")))]
    pub width: Option<u32>,
    /// Pixels down, 64 to 8192; with `width`.
    #[oai(validator(minimum(value = "64"), maximum(value = "8192")))]
    pub height: Option<u32>,
    /// What tells one film from another of the same words: the same call makes the same item once.
    pub seed: Option<i64>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` answers what the call would cost, and starts nothing.
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

/// Spoken text, or sound from words: exactly one of `text` and `prompt`.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct GenerateAudio {
    /// What is to be spoken.
    #[oai(validator(min_length = 1, max_length = 5000))]
    pub text: Option<Text>,
    /// What is to be heard, such as music, in words.
    #[oai(validator(min_length = 1, max_length = 5000))]
    pub prompt: Option<Text>,
    /// Whose voice speaks, as the model names it.
    #[oai(validator(min_length = 1, max_length = 64))]
    pub voice: Option<Text>,
    /// The language of the text, such as `en` or `es`. When not given: `default_language` of the settings where `voice`
    /// and `model` are not given either, else English.
    #[oai(validator(min_length = 2, max_length = 16))]
    pub language: Option<Text>,
    /// The model, by its id. When not given: for a text an engine that is built in and costs no credits (`flite` for
    /// English, else `espeak-ng`), for a prompt the first that makes sound. `list_models` lists them.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// Seconds of sound from a prompt; 5 when not given.
    #[oai(validator(minimum(value = "1"), maximum(value = "3600")))]
    pub seconds: Option<u32>,
    /// What tells one sound from another of the same words: the same call makes the same item once.
    pub seed: Option<i64>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` answers what the call would cost, and starts nothing.
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

/// A picture or a film, made larger.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct UpscaleMedia {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// How many times as wide and as high: 2 or 4.
    #[oai(validator(minimum(value = "2"), maximum(value = "4")))]
    pub factor: u32,
    /// The model, by its id; `lanczos` when not given, which is built in, costs no credits and invents nothing.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` answers what the call would cost, and starts nothing.
    pub dry_run: Option<bool>,
}

impl Example for UpscaleMedia {
    fn example() -> Self {
        Self { item_ref: "portrait".into(), factor: 2, model: None, context: None, dry_run: None }
    }
}

/// A picture or a film, without its background.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct CutOut {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The colour of the background, such as `#00ff00`, which is what it is when not given. Not with `model`.
    #[oai(validator(min_length = 7, max_length = 7))]
    pub color: Option<Text>,
    /// How far from that colour is background still, 1 to 100 in hundredths; 30 when not given. Not with `model`.
    #[oai(validator(minimum(value = "1"), maximum(value = "100")))]
    pub similarity: Option<u32>,
    /// The model, by its id; `chroma-key` when not given, which is built in, costs no credits and goes by the colour.
    #[oai(validator(max_length = 64))]
    pub model: Option<Text>,
    /// One sentence that is shown beside the job.
    #[oai(validator(max_length = 600))]
    pub context: Option<Text>,
    /// `true` answers what the call would cost, and starts nothing.
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

/// Where a generation stands.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct GenerationAnswer {
    /// `ready` when its item is there, `queued` while a job makes it, `startable` in a dry run.
    pub status: NeedStatus,
    /// The job that makes it: follow it with `get_jobs`.
    pub job_id: Option<Text>,
    /// Minutes that are held for it.
    pub estimated_minutes: Option<MinuteCount>,
    /// AI credits that are held for it.
    pub estimated_credits: Option<CreditCount>,
    /// The item that it is.
    pub output_item_id: Option<Text>,
    /// What makes it: a model's id, or the name of an engine that is built in.
    pub model: Text,
    /// Whether a machine speaks or draws it.
    pub synthetic: bool,
    /// `draft` of what a simple engine makes.
    pub quality: Option<Text>,
}
