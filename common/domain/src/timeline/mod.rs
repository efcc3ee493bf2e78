//! Timelines: scenes one after the other, sound beside them, pictures and texts over them, and captions (contract
//! §4.11).
//!
//! Pure. `ops` is what can be done to one, `apply` does it, `layout` says what stands when; `film` makes of it the plan
//! of a render, `otio`, `edl`, `import` and `edl_import` carry it to editors and back. Times are whole microseconds
//! inside.

mod apply;
mod apply_overlays;
mod beside;
mod cuts;
mod edl;
mod edl_import;
mod edl_lines;
mod fields;
mod film;
mod import;
mod import_sound;
mod layout;
#[cfg(test)]
mod list_tests;
mod ops;
mod otio;
mod otio_parts;
mod parts;
mod said;
#[cfg(test)]
mod tests;
mod units;

pub use beside::{Audio, AudioTrack, CaptionCue, CaptionSource, Captions, Duck, Overlay, OverlayKind, TextStyle};
pub use cuts::{Ducked, Picture, cut_down, pictured, under_voice};
pub use edl::{MOST_EVENTS, edl, left_out};
pub use edl_import::{DecisionList, NamedItems};
pub use film::{NotRenderable, Speech, film_of};
pub use import::{Imported, import, named_items};
pub use layout::Placed;
pub use ops::{AudioFields, AudioSlot, OverlayFields, SceneFields, TimelineOp};
pub use otio::otio;
pub use said::{Transcripts, caption, captions_of};
pub use units::{Micros, Ratio};

use crate::decoding::Material;
use crate::ids::{ItemId, TimelineId};
use crate::item::ItemType;
use crate::media_time::FrameRate;
use crate::pixels::Pictures;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Scenes of a timeline.
pub const MOST_SCENES: usize = 2_000;
/// Sound tracks beside voiceover and music.
pub const MOST_TRACKS: usize = 16;
/// Pictures and texts over the scenes.
pub const MOST_OVERLAYS: usize = 200;
/// Captions that are written into a timeline.
pub const MOST_CUES: usize = 2_000;
/// Names of skills.
pub const MOST_SKILLS: usize = 50;
/// Different items that a timeline names.
pub const MOST_ITEMS: usize = 100;
/// The longest timeline, a day.
pub const LONGEST: Micros = Micros(86_400_000_000);
/// The shortest scene, track or overlay.
pub const SHORTEST: Micros = Micros(10_000);
/// How long an image or a colour stands when nobody says.
pub const USUAL_STILL: Micros = Micros(5_000_000);
/// The longest transition.
pub const LONGEST_TRANSITION: Micros = Micros(10_000_000);
/// Sides of the picture.
pub const SIDES: std::ops::RangeInclusive<u32> = 16..=3_840;
/// Pixels of the picture.
pub const MOST_PIXELS: u32 = 3_840 * 2_160;
/// The loudest volume: four times, 12 dB.
pub const LOUDEST: Ratio = Ratio(4_000_000);

/// What a timeline holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Frames a second.
    pub fps: FrameRate,
    /// The language that is spoken in it, such as `eng`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The timeline that it is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_of: Option<TimelineId>,
    /// Names of the skills that it is made by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// What is seen, one after the other.
    #[serde(default)]
    pub scenes: Vec<Scene>,
    /// What is heard beside the scenes.
    #[serde(default)]
    pub audio: Audio,
    /// What stands over the scenes; later ones over earlier ones.
    #[serde(default)]
    pub overlays: Vec<Overlay>,
    /// What is said, to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captions: Option<Captions>,
}

/// What a scene shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SceneKind {
    /// A part of a video or of a sound.
    Clip,
    /// A still picture.
    Image,
    /// One colour.
    Color,
}

/// How a picture of other proportions gets into the timeline's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// All of it, with black beside.
    #[default]
    Contain,
    /// Filling, with what does not fit cut off.
    Cover,
}

/// A scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// What it is found by; another in each scene.
    pub id: String,
    /// What it shows.
    #[serde(rename = "type")]
    pub kind: SceneKind,
    /// The item that a clip or an image is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemId>,
    /// The colour, as `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Where in the item a clip begins.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub start: Micros,
    /// How long it lasts.
    pub duration: Micros,
    /// How its picture fits.
    #[serde(default)]
    pub fit: Fit,
    /// How loud its sound is; 1 leaves it as it is.
    #[serde(default = "Ratio::one", skip_serializing_if = "Ratio::is_one")]
    pub volume: Ratio,
    /// How long it takes to come up from black and silence.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub fade_in: Micros,
    /// How long it takes to go down to them.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub fade_out: Micros,
    /// How long the scene before it dissolves into it; none is a cut.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub crossfade: Micros,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What its picture was or is to be generated from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The model that makes its image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_model: Option<String>,
    /// The model that makes its video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_model: Option<String>,
}

/// What is known of an item that a timeline names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFacts {
    /// What it is.
    pub kind: ItemType,
    /// How long it is; nothing for an image.
    pub duration: Option<Micros>,
    /// Whether it has sound.
    pub has_audio: bool,
    /// Whether it has moving pictures.
    pub has_video: bool,
    /// Whether it is known that it can be decoded from its middle.
    pub seekable: bool,
    /// Its pictures.
    pub pictures: Pictures,
}

impl SourceFacts {
    /// What decoding it costs by.
    pub const fn material(self) -> Material {
        Material { seeks: self.seekable, pictures: self.pictures }
    }
}

/// The ready items that a timeline may name. One that is named and not here is deleted or can't be used.
pub type Sources = HashMap<ItemId, SourceFacts>;

/// What people call items.
pub type Names = HashMap<ItemId, String>;

impl Timeline {
    /// An empty one.
    pub fn new() -> Self {
        Self {
            width: 1920,
            height: 1080,
            fps: fields::usual_rate(),
            language: None,
            variant_of: None,
            skills: Vec::new(),
            scenes: Vec::new(),
            audio: Audio::default(),
            overlays: Vec::new(),
            captions: None,
        }
    }

    /// Every item that it names, each once, in the order in which they are named.
    pub fn items(&self) -> Vec<ItemId> {
        let scenes = self.scenes.iter().filter_map(|scene| scene.item);
        let overlays = self.overlays.iter().filter_map(|overlay| overlay.item);
        let mut seen = HashSet::new();
        let named = scenes.chain(self.sounds().map(|track| track.item)).chain(overlays);
        named.filter(|item| seen.insert(*item)).collect()
    }

    /// What lists show of it.
    pub fn summary(&self) -> Value {
        json!({
            "duration_us": self.duration().0, "aspect_ratio": self.aspect_ratio(), "scenes": self.scenes.len(),
            "variant_of": self.variant_of,
        })
    }

    /// Its proportions in the smallest whole numbers, as `16:9`.
    pub fn aspect_ratio(&self) -> String {
        let (mut a, mut b) = (self.width, self.height);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        format!("{}:{}", self.width / a.max(1), self.height / a.max(1))
    }

    /// Every track: voiceover, music, and the others.
    pub fn sounds(&self) -> impl Iterator<Item = &AudioTrack> {
        self.audio.voiceover.iter().chain(&self.audio.music).chain(&self.audio.tracks)
    }
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new()
    }
}
