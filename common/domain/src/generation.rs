//! The plan of a generation: what is made, by which model, and from which item. It is complete, so that every attempt
//! at the job asks for the same (docs/generation.md).
//!
//! As with renders, two generations are the same if their plans have the same hash: while the job of one is live, or
//! the item that it made exists, it is not made again. Whoever wants another picture of the same words says another
//! `seed`.

use crate::color::hex_bytes;
use crate::ids::{ItemId, JobId, WorkspaceId};
use crate::item::NAME_CHARS;
use crate::letters::spoken_letters;
use crate::media_time::FrameRate;
use crate::model::{Amount, BuiltIn, ModelKind};
use crate::pixels::Pictures;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The longest prompt or text, in characters.
pub const TEXT_CHARS: usize = 5_000;
/// Characters of a prompt that its item is called by.
const TITLE_CHARS: usize = 60;
/// Milliseconds that a character is spoken for, at most: what minutes are held by. Slow voices need some 90.
const CHAR_MS: i64 = 150;
/// Milliseconds of the shortest text.
const LEAST_SPOKEN_MS: i64 = 2_000;

/// Which tool asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GenerationTool {
    /// A picture from words.
    GenerateImage,
    /// A film from words.
    GenerateVideo,
    /// Sound from words, or spoken text.
    GenerateAudio,
    /// A larger picture.
    UpscaleMedia,
    /// A picture without its background.
    CutOut,
}

impl GenerationTool {
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::GenerateImage, Self::GenerateVideo, Self::GenerateAudio, Self::UpscaleMedia, Self::CutOut];

    /// Its name in calls.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GenerateImage => "generate_image",
            Self::GenerateVideo => "generate_video",
            Self::GenerateAudio => "generate_audio",
            Self::UpscaleMedia => "upscale_media",
            Self::CutOut => "cut_out",
        }
    }
}

/// What makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Maker {
    /// A program of the workers.
    Engine(BuiltIn),
    /// A provider's model, by its id.
    Model(String),
}

impl Maker {
    /// The name that calls choose it by.
    pub fn name(&self) -> &str {
        match self {
            Self::Engine(built_in) => built_in.name(),
            Self::Model(id) => id,
        }
    }
}

/// A colour, as its three bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Color(pub [u8; 3]);

impl std::str::FromStr for Color {
    type Err = &'static str;

    /// Parses a text such as `#00ff00`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        hex_bytes(text).map(Self).ok_or("expected a colour such as #00ff00")
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// What is asked of the maker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// What is to be seen or heard, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What is to be spoken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// By which voice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<String>,
    /// In which language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Pixels across.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Pixels down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Milliseconds of media.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// How many times as wide and as high.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<u32>,
    /// The colour of the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// How far from that colour is background still, in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u32>,
    /// What tells one result from another of the same words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
}

/// What one generation makes, by what, and from which item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationPlan {
    /// Which tool asked.
    pub tool: GenerationTool,
    /// Where: the same words in two workspaces are two plans.
    pub workspace: WorkspaceId,
    /// What makes it.
    pub maker: Maker,
    /// What kind of model that is.
    pub kind: ModelKind,
    /// The item that it is made from, if it is made from one.
    pub source: Option<ItemId>,
    /// What is asked.
    pub asked: Asked,
}

/// What is known of the item that something is made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceFacts {
    /// Pixels across and down.
    pub size: Option<(u32, u32)>,
    /// Milliseconds; none of a picture.
    pub duration_ms: Option<i64>,
    /// How many pictures it shows in a second; none of a picture.
    pub rate: Option<FrameRate>,
}

impl GenerationPlan {
    /// Returns the SHA-256 of the plan's JSON.
    pub fn hash(&self) -> [u8; 32] {
        // A plan has no map and no float in it: there is one way to write it, and it can't fail.
        Sha256::digest(serde_json::to_vec(self).unwrap_or_default()).into()
    }

    /// How much is asked for, from what.
    pub fn amount(&self, source: SourceFacts) -> Amount {
        let asked = &self.asked;
        let own = asked.width.zip(asked.height);
        let pixels = own.or(source.size).map_or(0, |(width, height)| i64::from(width) * i64::from(height));
        let factor = i64::from(asked.factor.unwrap_or(1));
        let text = asked.text.as_deref().or(asked.prompt.as_deref()).unwrap_or_default();
        Amount {
            ms: asked.duration_ms.or(source.duration_ms).unwrap_or(0),
            pixels: pixels.saturating_mul(factor * factor),
            chars: i64::try_from(text.chars().count()).unwrap_or(i64::MAX),
        }
    }

    /// Milliseconds of media that minutes are held for; none of a provider's model, which is paid for in credits.
    pub fn minutes_for_ms(&self, source: SourceFacts) -> Option<i64> {
        let Maker::Engine(_) = self.maker else { return None };
        if self.kind == ModelKind::Speech {
            return Some(spoken_ms(self.asked.text.as_deref().map_or(0, spoken_letters)));
        }
        let pixels = source.size.map_or(0, |(width, height)| i64::from(width) * i64::from(height));
        let made = Pictures { pixels, rate: source.rate }.enlarged(self.asked.factor.unwrap_or(1).into());
        Some(made.worth_ms(source.duration_ms.unwrap_or(0)))
    }

    /// What the item is called that comes of it.
    pub fn name(&self, source_name: &str) -> String {
        let words = self.asked.prompt.as_deref().or(self.asked.text.as_deref());
        match (self.tool, words) {
            (GenerationTool::UpscaleMedia, _) => {
                suffixed(source_name, &format!(" ({}×)", self.asked.factor.unwrap_or(2)))
            }
            (GenerationTool::CutOut, _) => suffixed(source_name, " (cut out)"),
            (_, Some(words)) => title(words),
            (tool, None) => tool.name().to_owned(),
        }
    }

    /// What its item says of how it was made.
    pub fn made_by(&self, job: JobId) -> MadeBy {
        let (engine, model) = match &self.maker {
            Maker::Engine(built_in) => (Some(built_in.name().to_owned()), None),
            Maker::Model(id) => (None, Some(id.clone())),
        };
        let quality = engine.is_some().then(|| DRAFT.to_owned());
        MadeBy {
            job_id: job,
            tool: self.tool.name().to_owned(),
            engine,
            model,
            source_item_ids: self.source.into_iter().collect(),
            synthetic: self.kind.is_synthetic(),
            quality,
        }
    }
}

/// What a simple engine made.
const DRAFT: &str = "draft";

/// Milliseconds that so many characters are spoken for, at most.
pub fn spoken_ms(chars: i64) -> i64 {
    chars.saturating_mul(CHAR_MS).max(LEAST_SPOKEN_MS)
}

/// Milliseconds that a text may be spoken for, at the most: twice what is held for it. Ordinary speech takes half of
/// that; a letter that a voice does not know is spoken by its name, which takes ten times as long.
pub fn longest_spoken_ms(text: &str) -> i64 {
    spoken_ms(spoken_letters(text)).saturating_mul(2)
}

/// How an item was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeBy {
    /// The job that made it.
    pub job_id: JobId,
    /// The tool that was called.
    pub tool: String,
    /// The built-in engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Or the provider's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The items that it was made from.
    pub source_item_ids: Vec<ItemId>,
    /// Whether a machine spoke or drew it.
    pub synthetic: bool,
    /// `draft` of what a simple engine made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<String>,
}

/// The first words of a text, on one line.
fn title(words: &str) -> String {
    let line: String = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().filter(|letter| !letter.is_control()).take(TITLE_CHARS).collect();
    if short.is_empty() { "generated".to_owned() } else { short.trim_end().to_owned() }
}

fn suffixed(name: &str, suffix: &str) -> String {
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && (2..=4).contains(&ending.len()) => stem,
        _ => name,
    };
    let room = NAME_CHARS.saturating_sub(suffix.chars().count());
    stem.chars().take(room).collect::<String>() + suffix
}

#[cfg(test)]
#[path = "generation_tests.rs"]
mod tests;
