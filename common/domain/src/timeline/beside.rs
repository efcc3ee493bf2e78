//! The parts of a timeline beside its scenes: sound, overlays and captions.

use super::{Micros, Ratio};
use crate::brand_kit::CaptionPosition;
use crate::ids::ItemId;
use serde::{Deserialize, Serialize};

/// The sounds beside those of scenes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audio {
    /// The voice over the whole timeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voiceover: Option<AudioTrack>,
    /// The music under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub music: Option<AudioTrack>,
    /// Other sounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tracks: Vec<AudioTrack>,
}

/// A sound at a place in the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioTrack {
    /// Its id, unique among the tracks.
    pub id: String,
    /// The item whose sound it is.
    pub item: ItemId,
    /// Its start in the item.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub start: Micros,
    /// Its start in the timeline.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub offset: Micros,
    /// The length that is heard.
    pub duration: Micros,
    /// The volume; 1 leaves it as it is.
    #[serde(default = "Ratio::one", skip_serializing_if = "Ratio::is_one")]
    pub volume: Ratio,
    /// The length of the fade-in.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub fade_in: Micros,
    /// The length of the fade-out.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub fade_out: Micros,
    /// How it is lowered under voices; `None` if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duck: Option<Duck>,
}

/// How a track is lowered under voices (`domain::ducking`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duck {
    /// How far, in hundredths of a decibel.
    pub down: u32,
    /// Milliseconds in which it is lowered.
    pub attack_ms: u32,
    /// Milliseconds in which it comes back.
    pub release_ms: u32,
}

/// The type of an overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverlayKind {
    /// A picture.
    Image,
    /// A text.
    Text,
    /// A picture that is used as a logo.
    Logo,
}

/// A picture or a text over the scenes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    /// Its id, unique among the overlays.
    pub id: String,
    /// Its type.
    pub kind: OverlayKind,
    /// The picture's item, unless it is a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemId>,
    /// The text, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The time at which it appears.
    #[serde(default, skip_serializing_if = "Micros::is_zero")]
    pub start: Micros,
    /// The length of time that it is shown.
    pub duration: Micros,
    /// Its left edge, as a fraction of the picture's width.
    pub x: Ratio,
    /// Its upper edge, as a fraction of the picture's height.
    pub y: Ratio,
    /// Its width, as a fraction of the picture's.
    pub width: Ratio,
    /// Its height, as a fraction of the picture's.
    pub height: Ratio,
    /// The opacity: 0 is invisible, 1 hides what is below.
    #[serde(default = "Ratio::one", skip_serializing_if = "Ratio::is_one")]
    pub opacity: Ratio,
    /// The style of a text.
    #[serde(default)]
    pub style: TextStyle,
}

/// The style of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextStyle {
    /// The colour of the letters: `#rrggbb`.
    #[serde(default = "TextStyle::white")]
    pub color: String,
    /// The colour behind the letters: `#rrggbb`; `None` leaves the picture there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// The height of a line, as a fraction of the picture's.
    #[serde(default = "TextStyle::usual_size")]
    pub size: Ratio,
    /// One of `brand_kit::FAMILIES`; `None` means the first.
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

/// The source of captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptionSource {
    /// The stored transcripts of the items that are heard.
    Transcripts,
    /// The cues in the timeline.
    Cues,
}

/// The captions of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Captions {
    /// Their source.
    pub source: CaptionSource,
    /// The cues of the timeline, if they are the source; in order, without overlaps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cues: Vec<CaptionCue>,
    /// Whether a render draws them into the picture.
    #[serde(default)]
    pub burn: bool,
    /// The style of their text.
    #[serde(default)]
    pub style: TextStyle,
    /// The place in the picture; `None` means the bottom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<CaptionPosition>,
    /// The tag of their language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// A caption.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptionCue {
    /// The time at which it appears.
    pub start: Micros,
    /// The time at which it disappears.
    pub end: Micros,
    /// Its text.
    pub text: String,
}
