//! What a timeline has beside its scenes: sound, overlays and captions, as its body holds them.

use super::{Micros, Ratio};
use crate::brand_kit::CaptionPosition;
use crate::ids::ItemId;
use serde::{Deserialize, Serialize};

/// What is heard beside the scenes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audio {
    /// Who speaks over all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voiceover: Option<AudioTrack>,
    /// The music under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub music: Option<AudioTrack>,
    /// Whatever else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tracks: Vec<AudioTrack>,
}

/// A sound at a place of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioTrack {
    /// What it is found by; another in each track.
    pub id: String,
    /// The item whose sound it is.
    pub item: ItemId,
    /// Where in the item it begins.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub start: Micros,
    /// When in the timeline it begins.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub offset: Micros,
    /// How long it is heard.
    pub duration: Micros,
    /// How loud it is; 1 leaves it as it is.
    #[serde(default = "Ratio::one", skip_serializing_if = "Ratio::is_one")]
    pub volume: Ratio,
    /// How long it takes to come up.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub fade_in: Micros,
    /// How long it takes to go down.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub fade_out: Micros,
    /// How it goes down while somebody speaks; nothing where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duck: Option<Duck>,
}

/// How a track goes down under voices (`domain::ducking`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duck {
    /// Hundredths of a decibel.
    pub down: u32,
    /// Milliseconds that it takes to go down.
    pub attack_ms: u32,
    /// Milliseconds that it takes to come back.
    pub release_ms: u32,
}

/// What an overlay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverlayKind {
    /// A picture.
    Image,
    /// A text.
    Text,
    /// A picture that is a logo.
    Logo,
}

/// A picture or a text over the scenes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    /// What it is found by; another in each overlay.
    pub id: String,
    /// What it is.
    pub kind: OverlayKind,
    /// The picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemId>,
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When it appears.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub start: Micros,
    /// How long it stays.
    pub duration: Micros,
    /// Its left side, as a part of the width.
    pub x: Ratio,
    /// Its upper side, as a part of the height.
    pub y: Ratio,
    /// Its width, as a part of the width.
    pub width: Ratio,
    /// Its height, as a part of the height.
    pub height: Ratio,
    /// How much of what is under it it hides.
    #[serde(default = "Ratio::one", skip_serializing_if = "Ratio::is_one")]
    pub opacity: Ratio,
    /// What a text looks like.
    #[serde(default)]
    pub style: TextStyle,
}

/// What a text looks like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextStyle {
    /// The colour of the letters, as `#rrggbb`.
    #[serde(default = "TextStyle::white")]
    pub color: String,
    /// The colour behind them; nothing where they stand on the picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// The height of a line, as a part of the picture's height.
    #[serde(default = "TextStyle::usual_size")]
    pub size: Ratio,
    /// One of `brand_kit::FAMILIES`; the first one where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
}

impl TextStyle {
    fn white() -> String {
        "#ffffff".to_owned()
    }

    const fn usual_size() -> Ratio {
        Ratio(60_000)
    }
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { color: Self::white(), background: None, size: Self::usual_size(), family: None }
    }
}

/// Where captions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptionSource {
    /// The stored transcripts of what is heard.
    Transcripts,
    /// The cues that are written here.
    Cues,
}

/// What is said, to be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Captions {
    /// Where they come from.
    pub source: CaptionSource,
    /// They, where they are written here; in order, without overlaps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cues: Vec<CaptionCue>,
    /// Whether a render has them in its picture.
    #[serde(default)]
    pub burn: bool,
    /// What they look like.
    #[serde(default)]
    pub style: TextStyle,
    /// Where in the picture they stand; at the bottom where it isn't said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<CaptionPosition>,
    /// Their language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// A caption.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptionCue {
    /// When it appears.
    pub start: Micros,
    /// When it goes.
    pub end: Micros,
    /// What it says.
    pub text: String,
}
