//! The plan of a film's render, in whole frames and microseconds, so that one timeline has one plan and one hash.
//!
//! `timeline::film` makes it; the worker draws and mixes it. Frames count from the film's start at its rate; places and
//! sizes in a picture are millionths of its sides.

mod overlay;

use crate::ducking::GainPoint;
use crate::ids::ItemId;
use crate::lines::{Family, MOST_LINES, broken};
use crate::media_time::FrameRate;
pub use overlay::{CAPTIONS, FilmCue, FilmOverlay, FilmText, OverlayPicture};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The most lines of pixels of a draft.
const DRAFT_LINES: u32 = 480;
/// The least height of a line of text, in pixels.
pub const LEAST_LINE: usize = 8;

/// The file format of a film.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilmFormat {
    /// H.264 and AAC.
    Mp4,
    /// VP9 and Opus.
    Webm,
    /// H.264 and AAC in `QuickTime`.
    Mov,
    /// Only sound, in MP3.
    Mp3,
    /// Only sound, lossless.
    Wav,
}

impl FilmFormat {
    /// Whether it has a picture.
    pub const fn has_picture(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm | Self::Mov)
    }
}

/// The quality of a film's picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilmQuality {
    /// At most 480 lines of pixels, made fast, for a preview.
    Draft,
    /// As large as the timeline's format.
    Standard,
}

/// The output of a timeline's render: the file format and the quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilmOutput {
    /// The file format.
    pub format: FilmFormat,
    /// The quality.
    pub quality: FilmQuality,
}

/// A film to render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Film {
    /// The file format.
    pub format: FilmFormat,
    /// The quality.
    pub quality: FilmQuality,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// Frames a second.
    pub rate: FrameRate,
    /// The length in microseconds.
    pub duration_us: i64,
    /// The scenes in order; empty if the format has no picture.
    pub scenes: Vec<FilmScene>,
    /// The sounds, in the order of their starts.
    pub sounds: Vec<FilmSound>,
    /// The pictures and texts over the scenes.
    pub overlays: Vec<FilmOverlay>,
    /// The captions in the picture.
    pub cues: Vec<FilmCue>,
}

/// A scene, measured in frames of the film.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmScene {
    /// The picture that it shows.
    pub picture: FilmPicture,
    /// Whether the picture is enlarged to fill the frame and cropped; otherwise it is shown whole.
    pub cover: bool,
    /// Its first frame in the film.
    pub first: i64,
    /// The number of its frames.
    pub frames: i64,
    /// How many of its first frames dissolve with the last ones of the scene before.
    pub overlap: i64,
    /// The number of frames in which it fades in from black.
    pub fade_in: i64,
    /// The number of frames in which it fades out to black.
    pub fade_out: i64,
}

/// The picture of a scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FilmPicture {
    /// The frames of a video, at the film's rate.
    Clip {
        /// The item.
        item: ItemId,
        /// The first of its frames, at the film's rate.
        from: i64,
    },
    /// A still picture.
    Image {
        /// The item.
        item: ItemId,
    },
    /// A plain colour.
    Color {
        /// Red, green and blue, 0 to 255 each.
        rgb: [u8; 3],
    },
}

/// A sound and its place in the film.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmSound {
    /// The item.
    pub item: ItemId,
    /// Its start in the item, in microseconds.
    pub from_us: i64,
    /// Its start in the film, in microseconds.
    pub at_us: i64,
    /// Its length in microseconds.
    pub len_us: i64,
    /// The volume in millionths: 1,000,000 leaves it as it is.
    pub volume: i32,
    /// Microseconds in which it fades in.
    pub fade_in_us: i64,
    /// Microseconds in which it fades out.
    pub fade_out_us: i64,
    /// Its gain under voices, at times of the film; empty if it is not ducked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub envelope: Vec<GainPoint>,
}

impl FilmSound {
    /// Whether `next` continues this one without an audible cut. Frames don't fall on whole microseconds, so up to two
    /// of those between them are no cut.
    pub fn continues_with(&self, next: &Self) -> bool {
        let same = self.item == next.item && self.volume == next.volume;
        let goes_on = (self.from_us + self.len_us - next.from_us).abs() <= 2 && self.at_us + self.len_us == next.at_us;
        same && goes_on && self.fade_out_us == 0 && next.fade_in_us == 0
    }
}

impl Film {
    /// Returns the number of its frames.
    pub fn frames(&self) -> i64 {
        self.rate.nearest(self.duration_us)
    }

    /// Returns the width and height in pixels at which frames are drawn, both even.
    pub fn drawn_size(&self) -> [u32; 2] {
        let even = |side: u32| side.max(2) / 2 * 2;
        if self.quality == FilmQuality::Standard || self.height <= DRAFT_LINES {
            return [even(self.width), even(self.height)];
        }
        [even(self.width * DRAFT_LINES / self.height), DRAFT_LINES]
    }

    /// Returns the items that it is made from, each once: those of scenes first, then of sounds and of overlays.
    pub fn items(&self) -> Vec<ItemId> {
        let scenes = self.scenes.iter().filter_map(|scene| match scene.picture {
            FilmPicture::Clip { item, .. } | FilmPicture::Image { item } => Some(item),
            FilmPicture::Color { .. } => None,
        });
        let overlays = self.overlays.iter().filter_map(|overlay| match overlay.picture {
            OverlayPicture::Image { item } => Some(item),
            OverlayPicture::Text(_) => None,
        });
        let mut seen = HashSet::new();
        let named = scenes.chain(self.sounds.iter().map(|sound| sound.item)).chain(overlays);
        named.filter(|item| seen.insert(*item)).collect()
    }

    /// Whether it has captions or other texts.
    pub fn has_text(&self) -> bool {
        let is_text = |overlay: &FilmOverlay| matches!(overlay.picture, OverlayPicture::Text(_));
        !self.cues.is_empty() || self.overlays.iter().any(is_text)
    }

    /// Whether a text of this width, in millionths, has more lines than are drawn.
    pub fn is_cut(&self, text: &FilmText, width: i32) -> bool {
        let scaled = |millionths: i32, side: u32| usize::try_from(millionths).unwrap_or(0) * side as usize / 1_000_000;
        let line = scaled(text.size, self.height).max(LEAST_LINE);
        let width = scaled(width, self.width) * 100 / line;
        broken(&text.text, Family::of(text.family.as_deref(), &text.text), width).len() > MOST_LINES
    }
}
