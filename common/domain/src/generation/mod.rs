//! The plan of a generation: its tool, its maker, its arguments and its source. It is complete, so that every attempt
//! at the job asks for the same (docs/generation.md).
//!
//! As with renders, two generations are the same if their plans have the same hash: it is not made again while its job
//! is live or its item exists. Another `seed` gives another picture for the same words.

mod asked;
mod speech;

use crate::ids::{ItemId, JobId, WorkspaceId};
use crate::item::NAME_CHARS;
use crate::letters::spoken_letters;
use crate::media_time::FrameRate;
use crate::model::{Amount, BuiltIn, ModelKind};
use crate::pixels::Pictures;
use crate::plan_hash::plan_hash;
pub use asked::{Asked, Color};
use serde::{Deserialize, Serialize};
pub(crate) use speech::Voice;

/// The most characters of a prompt or a text.
pub const TEXT_CHARS: usize = 5_000;
/// The most characters of a prompt that its item's name has.
const TITLE_CHARS: usize = 60;
/// Milliseconds that minutes are held for per spoken character. Slow voices need some 90.
const CHAR_MS: i64 = 150;
/// The fewest milliseconds of speech that minutes are held for.
const LEAST_SPOKEN_MS: i64 = 2_000;

/// The tool that asks for a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GenerationTool {
    /// Makes a picture from words.
    GenerateImage,
    /// Makes a film from words.
    GenerateVideo,
    /// Makes sound from words, or speaks a text.
    GenerateAudio,
    /// Enlarges a picture or a film.
    UpscaleMedia,
    /// Removes the background of a picture or a film.
    CutOut,
}

impl GenerationTool {
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::GenerateImage, Self::GenerateVideo, Self::GenerateAudio, Self::UpscaleMedia, Self::CutOut];

    /// Returns its name in calls.
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

/// The maker of a generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Maker {
    /// A program of the workers.
    Engine(BuiltIn),
    /// A provider's model, by its id.
    Model(String),
}

impl Maker {
    /// Returns the name that calls choose it by.
    pub fn name(&self) -> &str {
        match self {
            Self::Engine(built_in) => built_in.name(),
            Self::Model(id) => id,
        }
    }
}

/// The plan of a generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationPlan {
    /// The tool that asks for it.
    pub tool: GenerationTool,
    /// The workspace: the same words in two workspaces are two plans.
    pub workspace: WorkspaceId,
    /// Its maker.
    pub maker: Maker,
    /// The kind of model that the maker is.
    pub kind: ModelKind,
    /// The item that it is made from, if any.
    pub source: Option<ItemId>,
    /// Its arguments.
    pub asked: Asked,
}

/// What is known about the source item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceFacts {
    /// Width and height in pixels.
    pub size: Option<(u32, u32)>,
    /// The length in milliseconds; `None` for a picture.
    pub duration_ms: Option<i64>,
    /// The frame rate; `None` for a picture.
    pub rate: Option<FrameRate>,
}

impl GenerationPlan {
    /// Returns the SHA-256 of the plan's JSON.
    pub fn hash(&self) -> [u8; 32] {
        plan_hash(self)
    }

    /// Returns the amounts by which providers' prices are counted: milliseconds, pixels and characters.
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

    /// Returns the milliseconds that minutes are held for; `None` for a provider's model, which is paid in credits.
    pub fn minutes_for_ms(&self, source: SourceFacts) -> Option<i64> {
        let Maker::Engine(_) = self.maker else { return None };
        if self.kind == ModelKind::Speech {
            return Some(spoken_ms(self.asked.text.as_deref().map_or(0, spoken_letters)));
        }
        let pixels = source.size.map_or(0, |(width, height)| i64::from(width) * i64::from(height));
        let made = Pictures { pixels, rate: source.rate }.enlarged(self.asked.factor.unwrap_or(1).into());
        Some(made.worth_ms(source.duration_ms.unwrap_or(0)))
    }

    /// Returns the name of the new item.
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

    /// Returns how its item was made, as the item shows it.
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
            film: false,
        }
    }
}

/// The `quality` of what a simple engine made.
const DRAFT: &str = "draft";

/// Returns the milliseconds of speech that minutes are held for, for a text of so many characters.
pub fn spoken_ms(chars: i64) -> i64 {
    chars.saturating_mul(CHAR_MS).max(LEAST_SPOKEN_MS)
}

/// Returns the most milliseconds that a text may take: twice what is held for it. Ordinary speech takes half of that; a
/// letter that a voice does not know is spelled out by name, which takes ten times as long.
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
    /// The built-in engine, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The id of the provider's model, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The items that it was made from.
    pub source_item_ids: Vec<ItemId>,
    /// Whether a machine spoke or drew it.
    pub synthetic: bool,
    /// `draft` if a simple engine made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<String>,
    /// Whether it is a film of a timeline or a dub, or shows one once more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub film: bool,
}

/// The tools that make films of timelines, and voices in place of those of other items.
pub const FILMS: [&str; 3] = ["render_timeline", "dub", "render_dub"];
/// The tools whose items show their first source item once more, and little else.
pub const COPIES: [&str; 4] = ["remove_silence", "duck_music", "upscale_media", "cut_out"];

impl MadeBy {
    /// Returns the item that it shows once more, if it was made by a tool that does that.
    pub fn copy_of(&self) -> Option<ItemId> {
        self.source_item_ids.first().copied().filter(|_| COPIES.contains(&self.tool.as_str()))
    }
}

/// Returns the first words of a text, on one line: a name for an item.
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
mod tests;
