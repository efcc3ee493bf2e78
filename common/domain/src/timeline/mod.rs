//! Timelines: scenes in order, sounds beside them, pictures and texts over them, and captions (contract §4.11).
//!
//! Pure. `ops` defines the operations, `apply` applies them, `layout` places the scenes in time, `film` makes the plan
//! of a render, `lacks` says what the film lacks, and `otio`, `edl`, `import` and `edl_import` exchange timelines with
//! editors. Times are stored as whole microseconds.

mod apply;
mod apply_overlays;
mod beside;
mod counted;
mod cuts;
mod edl;
mod edl_import;
mod edl_lines;
mod fields;
mod film;
mod import;
mod import_sound;
mod lacks;
mod layout;
mod ops;
mod otio;
mod otio_parts;
mod parts;
mod said;
#[cfg(test)]
mod tests;
mod units;

pub use beside::{Audio, AudioTrack, CaptionCue, CaptionSource, Captions, Duck, Overlay, OverlayKind, TextStyle};
pub use counted::SceneCounts;
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
use crate::media_time::FrameRate;
use crate::media_use::Media;
use crate::pixels::Pictures;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The most scenes of a timeline.
pub const MOST_SCENES: usize = 2_000;
/// The most sound tracks beside voiceover and music.
pub const MOST_TRACKS: usize = 16;
/// The most pictures and texts over the scenes.
pub const MOST_OVERLAYS: usize = 200;
/// The most captions that a timeline itself holds.
pub const MOST_CUES: usize = 2_000;
/// The most names of skills.
pub const MOST_SKILLS: usize = 50;
/// The most different items that a timeline names.
pub const MOST_ITEMS: usize = 100;
/// The longest timeline, a day.
pub const LONGEST: Micros = Micros(86_400_000_000);
/// The shortest scene, track or overlay: a hundredth of a second.
pub const SHORTEST: Micros = Micros(10_000);
/// The default duration of an image or a colour: five seconds.
pub const USUAL_STILL: Micros = Micros(5_000_000);
/// The longest transition: ten seconds.
pub const LONGEST_TRANSITION: Micros = Micros(10_000_000);
/// The pixels that a side of the picture may have.
pub const SIDES: std::ops::RangeInclusive<u32> = 16..=3_840;
/// The most pixels of the picture.
pub const MOST_PIXELS: u32 = 3_840 * 2_160;
/// The largest volume: four times the original, 12 dB more.
pub const LOUDEST: Ratio = Ratio(4_000_000);

/// The body of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// Frames a second.
    pub fps: FrameRate,
    /// The language that is spoken in it, such as `en`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The timeline that it is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_of: Option<TimelineId>,
    /// The names of the skills by which it is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The scenes, in order.
    #[serde(default)]
    pub scenes: Vec<Scene>,
    /// The sounds beside those of scenes.
    #[serde(default)]
    pub audio: Audio,
    /// The pictures and texts over the scenes, from the lowest to the highest.
    #[serde(default)]
    pub overlays: Vec<Overlay>,
    /// The captions, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captions: Option<Captions>,
}

/// The type of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SceneKind {
    /// A part of a video or of a sound.
    Clip,
    /// A still picture.
    Image,
    /// A plain colour.
    Color,
}

/// How a picture with another aspect ratio is fitted into the frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// It is shown whole, with black bars.
    #[default]
    Contain,
    /// It fills the frame and is cropped.
    Cover,
}

/// A scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// Its id, unique among the scenes.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: SceneKind,
    /// The item of a clip or an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemId>,
    /// The colour of a `color` scene: `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The start of a clip in its item.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub start: Micros,
    /// Its duration.
    pub duration: Micros,
    /// How its picture is fitted into the frame.
    #[serde(default)]
    pub fit: Fit,
    /// The volume of its sound; 1 leaves it as it is.
    #[serde(default = "Ratio::one", skip_serializing_if = "Ratio::is_one")]
    pub volume: Ratio,
    /// The length of the fade-in from black and silence.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub fade_in: Micros,
    /// The length of the fade-out to black and silence.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub fade_out: Micros,
    /// The time in which the scene before dissolves into it; 0 is a cut.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub crossfade: Micros,
    /// A description of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The prompt from which its picture was generated, or is to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The name of the model for its image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_model: Option<String>,
    /// The name of the model for its video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_model: Option<String>,
}

/// What is known about an item that a timeline may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFacts {
    /// Its type and streams: what it may be used as.
    pub media: Media,
    /// Its duration; `None` for an image.
    pub duration: Option<Micros>,
    /// Whether decoding is known to work from its middle.
    pub seekable: bool,
    /// Its pictures' size and rate.
    pub pictures: Pictures,
}

impl SourceFacts {
    /// Returns what the cost of decoding it depends on.
    pub const fn material(self) -> Material {
        Material { seeks: self.seekable, pictures: self.pictures }
    }
}

/// The ready items that a timeline may name. A named item that is missing here is deleted or can't be used.
pub type Sources = HashMap<ItemId, SourceFacts>;

/// The names of items.
pub type Names = HashMap<ItemId, String>;

impl Timeline {
    /// Returns an empty timeline: 1920 × 1080 pixels at 25 frames per second.
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

    /// Returns the items that it names, each once: those of scenes first, then of sounds and of overlays.
    pub fn items(&self) -> Vec<ItemId> {
        let scenes = self.scenes.iter().filter_map(|scene| scene.item);
        let overlays = self.overlays.iter().filter_map(|overlay| overlay.item);
        let mut seen = HashSet::new();
        let named = scenes.chain(self.sounds().map(|track| track.item)).chain(overlays);
        named.filter(|item| seen.insert(*item)).collect()
    }

    /// Returns the summary that lists show.
    pub fn summary(&self) -> Value {
        json!({
            "duration_us": self.duration().0, "aspect_ratio": self.aspect_ratio(), "scenes": self.scenes.len(),
            "variant_of": self.variant_of, "language": self.language,
        })
    }

    /// Returns the duration of the timeline that has this summary.
    pub fn duration_in(summary: &Value) -> Micros {
        Micros(summary["duration_us"].as_i64().unwrap_or_default())
    }

    /// Returns its aspect ratio in the smallest whole numbers, such as `16:9`.
    pub fn aspect_ratio(&self) -> String {
        let (mut a, mut b) = (self.width, self.height);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        format!("{}:{}", self.width / a.max(1), self.height / a.max(1))
    }

    /// Returns all tracks: the voiceover, the music, and the others.
    pub fn sounds(&self) -> impl Iterator<Item = &AudioTrack> {
        self.audio.voiceover.iter().chain(&self.audio.music).chain(&self.audio.tracks)
    }
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new()
    }
}
