//! The pictures, texts and captions over the scenes of a film. Places and sizes are millionths of the frame's sides.

use crate::brand_kit::CaptionPosition;
use crate::ids::ItemId;
use serde::{Deserialize, Serialize};

/// The area of captions: left, top, width and height, in millionths of the frame's sides.
pub const CAPTIONS: [i32; 4] = [60_000, 540_000, 880_000, 400_000];

/// A picture or a text over the scenes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmOverlay {
    /// The picture or text.
    pub picture: OverlayPicture,
    /// Its first frame.
    pub first: i64,
    /// The frame after its last one.
    pub end: i64,
    /// Left, top, width and height, in millionths of the frame's sides.
    pub place: [i32; 4],
    /// The opacity in millionths: 0 is invisible, 1,000,000 hides what is below.
    pub opacity: i32,
}

/// The content of an overlay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OverlayPicture {
    /// A picture, shown whole.
    Image {
        /// The item.
        item: ItemId,
    },
    /// A text.
    Text(FilmText),
}

/// A text to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmText {
    /// The text.
    pub text: String,
    /// The letters' red, green and blue, 0 to 255 each.
    pub color: [u8; 3],
    /// The colour behind the letters, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<[u8; 3]>,
    /// The height of a line, in millionths of the frame's.
    pub size: i32,
    /// One of `brand_kit::FAMILIES`; `None` means the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
}

/// A caption in the picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmCue {
    /// Its first frame.
    pub first: i64,
    /// The frame after its last one.
    pub end: i64,
    /// The text.
    pub text: FilmText,
    /// The place in the frame; `None` means the bottom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<CaptionPosition>,
}

impl FilmCue {
    /// Returns its area: left, top, width and height, in millionths of the frame's sides.
    pub const fn room(&self) -> [i32; 4] {
        let [left, bottom, width, height] = CAPTIONS;
        match self.position {
            None | Some(CaptionPosition::Bottom) => CAPTIONS,
            Some(CaptionPosition::Middle) => [left, (1_000_000 - height) / 2, width, height],
            Some(CaptionPosition::Top) => [left, 1_000_000 - height - bottom, width, height],
        }
    }
}
