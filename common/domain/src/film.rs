//! A film to render: frames and microseconds, whole numbers alone, so that one timeline has one plan and one hash.
//!
//! `timeline::film` makes it; the worker draws and mixes it. Frames are those of the film's rate, from its start; the
//! parts of a picture are millionths.

use crate::brand_kit::CaptionPosition;
use crate::ducking::GainPoint;
use crate::ids::ItemId;
use crate::letters::undrawn;
use crate::lines::{Family, MOST_LINES, broken};
use crate::media_time::FrameRate;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The room of captions: left side, upper side, width and height, in millionths of the picture's.
pub const CAPTIONS: [i32; 4] = [60_000, 540_000, 880_000, 400_000];
/// Lines of a draft, at most.
const DRAFT_LINES: u32 = 480;
/// The least height of a line, in pixels.
pub const LEAST_LINE: usize = 8;

/// What a film is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilmFormat {
    /// H.264 and AAC.
    Mp4,
    /// VP9 and Opus.
    Webm,
    /// H.264 and AAC in `QuickTime`.
    Mov,
    /// Sound alone.
    Mp3,
    /// Sound alone, without loss.
    Wav,
}

impl FilmFormat {
    /// Whether it has a picture.
    pub const fn has_picture(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm | Self::Mov)
    }
}

/// How well a film is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilmQuality {
    /// At most 480 lines, fast: to look at.
    Draft,
    /// As large as the timeline says.
    Standard,
}

/// What is made of a timeline: what it is written as, and how well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilmOutput {
    /// What it is written as.
    pub format: FilmFormat,
    /// How well.
    pub quality: FilmQuality,
}

/// A film to render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Film {
    /// What it is written as.
    pub format: FilmFormat,
    /// How well.
    pub quality: FilmQuality,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Frames a second.
    pub rate: FrameRate,
    /// How long it is.
    pub duration_us: i64,
    /// What is seen, one after the other; nothing without a picture.
    pub scenes: Vec<FilmScene>,
    /// What is heard, by when it begins.
    pub sounds: Vec<FilmSound>,
    /// What stands over the scenes.
    pub overlays: Vec<FilmOverlay>,
    /// Captions in the picture.
    pub cues: Vec<FilmCue>,
}

/// A scene in its frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmScene {
    /// What it shows.
    pub picture: FilmPicture,
    /// Whether it fills the picture, with what does not fit cut off.
    pub cover: bool,
    /// Its first frame in the film.
    pub first: i64,
    /// How many it has.
    pub frames: i64,
    /// How many of its first ones dissolve with the last of the scene before.
    pub overlap: i64,
    /// Frames in which it comes up from black.
    pub fade_in: i64,
    /// Frames in which it goes down.
    pub fade_out: i64,
}

/// What a scene shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FilmPicture {
    /// A video's frames, on the grid of the film.
    Clip {
        /// Of this item.
        item: ItemId,
        /// From this frame of it.
        from: i64,
    },
    /// A still picture.
    Image {
        /// Of this item.
        item: ItemId,
    },
    /// A colour.
    Color {
        /// Red, green and blue.
        rgb: [u8; 3],
    },
}

/// A sound in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmSound {
    /// Of this item.
    pub item: ItemId,
    /// From this microsecond of it.
    pub from_us: i64,
    /// When in the film.
    pub at_us: i64,
    /// How long.
    pub len_us: i64,
    /// How loud, in millionths.
    pub volume: i32,
    /// How long it takes to come up.
    pub fade_in_us: i64,
    /// How long it takes to go down.
    pub fade_out_us: i64,
    /// How it goes down under voices, at times of the film; nothing where it does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub envelope: Vec<GainPoint>,
}

impl FilmSound {
    /// Whether `next` goes on where this one ends, as if there were no cut. Frames don't fall on whole microseconds, so
    /// a few of those between them are no cut.
    pub fn continues_with(&self, next: &Self) -> bool {
        let same = self.item == next.item && self.volume == next.volume;
        let goes_on = (self.from_us + self.len_us - next.from_us).abs() <= 2 && self.at_us + self.len_us == next.at_us;
        same && goes_on && self.fade_out_us == 0 && next.fade_in_us == 0
    }
}

/// A picture or a text over the scenes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmOverlay {
    /// What it shows.
    pub picture: OverlayPicture,
    /// From this frame.
    pub first: i64,
    /// Until before this one.
    pub end: i64,
    /// Left side, upper side, width and height, in millionths of the picture's.
    pub place: [i32; 4],
    /// How much it hides, in millionths.
    pub opacity: i32,
}

/// What an overlay shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OverlayPicture {
    /// A picture, all of it.
    Image {
        /// Of this item.
        item: ItemId,
    },
    /// A text.
    Text(FilmText),
}

/// A text to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmText {
    /// What it says.
    pub text: String,
    /// The letters' red, green and blue.
    pub color: [u8; 3],
    /// What is behind them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<[u8; 3]>,
    /// The height of a line, in millionths of the picture's.
    pub size: i32,
    /// One of `brand_kit::FAMILIES`; the first one where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
}

/// A caption in the picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmCue {
    /// From this frame.
    pub first: i64,
    /// Until before this one.
    pub end: i64,
    /// What it says.
    pub text: FilmText,
    /// Where it stands, if not at the bottom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<CaptionPosition>,
}

impl FilmCue {
    /// Its room: left side, upper side, width and height, in millionths of the picture's.
    pub const fn room(&self) -> [i32; 4] {
        let [left, bottom, width, height] = CAPTIONS;
        match self.position {
            None | Some(CaptionPosition::Bottom) => CAPTIONS,
            Some(CaptionPosition::Middle) => [left, (1_000_000 - height) / 2, width, height],
            Some(CaptionPosition::Top) => [left, 1_000_000 - height - bottom, width, height],
        }
    }
}

impl Film {
    /// How many frames it has.
    pub fn frames(&self) -> i64 {
        self.rate.nearest(self.duration_us)
    }

    /// Pixels across and down that are drawn of a frame, both even.
    pub fn drawn_size(&self) -> [u32; 2] {
        let even = |side: u32| side.max(2) / 2 * 2;
        if self.quality == FilmQuality::Standard || self.height <= DRAFT_LINES {
            return [even(self.width), even(self.height)];
        }
        [even(self.width * DRAFT_LINES / self.height), DRAFT_LINES]
    }

    /// Every item that it is made from, each once: first that of its first scene or sound.
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

    /// Whether letters are to be drawn.
    pub fn has_text(&self) -> bool {
        let is_text = |overlay: &FilmOverlay| matches!(overlay.picture, OverlayPicture::Text(_));
        !self.cues.is_empty() || self.overlays.iter().any(is_text)
    }

    /// How many of its texts have more lines than are drawn.
    pub fn cut_texts(&self) -> usize {
        let scaled = |millionths: i32, side: u32| usize::try_from(millionths).unwrap_or(0) * side as usize / 1_000_000;
        let is_cut = |text: &FilmText, width: i32| {
            let line = scaled(text.size, self.height).max(LEAST_LINE);
            broken(&text.text, Family::of(text.family.as_deref(), &text.text), scaled(width, self.width) * 100 / line)
                .len()
                > MOST_LINES
        };
        let overlays = self.overlays.iter().filter(|overlay| match &overlay.picture {
            OverlayPicture::Text(text) => is_cut(text, overlay.place[2]),
            OverlayPicture::Image { .. } => false,
        });
        overlays.count() + self.cues.iter().filter(|cue| is_cut(&cue.text, CAPTIONS[2])).count()
    }

    /// Letters of its texts that are not in the font, in which a box stands in their place: the first ones, each once.
    pub fn undrawn(&self) -> Vec<char> {
        let overlays = self.overlays.iter().filter_map(|overlay| match &overlay.picture {
            OverlayPicture::Text(text) => Some(text),
            OverlayPicture::Image { .. } => None,
        });
        let texts = overlays.chain(self.cues.iter().map(|cue| &cue.text));
        undrawn(texts.map(|text| text.text.as_str()))
    }
}
