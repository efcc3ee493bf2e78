//! A picture to render: whole numbers alone, so that one canvas has one plan and one hash.
//!
//! `canvas::picture` makes it, with its names looked up and its placeholders filled; the worker draws it. Places are
//! thousandths of a pixel of the canvas, parts of one are millionths, colours are red, green, blue and how much they
//! hide.

use crate::canvas::{Align, GradientShape, Rgba};
use crate::decoding::Material;
use crate::ids::{ItemId, WorkspaceId};
use crate::pixels::Pictures;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Pixels of a picture that is rendered.
pub const MOST_PIXELS: u64 = 8_192 * 4_096;
/// The longest side of a picture that is rendered.
pub const LONGEST_SIDE: u32 = 8_192;
/// Pixels that sources are decoded into, of all layers together.
pub const MOST_SOURCE_PIXELS: u64 = MOST_PIXELS;
/// Pixels that are drawn on, of all layers together.
pub const MOST_DRAWN_PIXELS: u64 = 16 * MOST_PIXELS;
/// Letters that are drawn, of all texts together.
pub const MOST_LETTERS: usize = 40_000;
/// Letters for which a picture costs a second of film more: each is shaped and drawn as an outline.
const LETTERS_A_SECOND: usize = 2_000;
/// How many times the pixels of a layer count that has a shadow, is turned, or lets through what is under it.
const TIMES_DRAWN: u64 = 4;

/// What a picture is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StillFormat {
    /// Without loss, with what is transparent.
    Png,
    /// Small, on white where it is transparent.
    Jpeg,
    /// Smaller, with what is transparent.
    Webp,
    /// Shapes, with its pictures in it.
    Svg,
}

/// A picture to render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Still {
    /// Whose it is: pictures of two workspaces are two, though they may show the same and name no item.
    pub workspace: WorkspaceId,
    /// What it is written as.
    pub format: StillFormat,
    /// Pixels of the canvas, across and down.
    pub canvas: [u32; 2],
    /// Pixels of the picture, across and down.
    pub size: [u32; 2],
    /// What is behind everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Rgba>,
    /// What stands on it, later ones over earlier ones.
    pub layers: Vec<StillLayer>,
}

/// A layer in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StillLayer {
    /// What it shows.
    pub picture: StillPicture,
    /// Left side, upper side, width and height; a text is as large as it comes out.
    pub place: [i32; 4],
    /// How far it is turned about its middle, in thousandths of a degree.
    pub rotation: i32,
    /// How much it hides.
    pub opacity: i32,
    /// How round its corners are.
    pub radius: i32,
    /// Its shadow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<StillShadow>,
}

/// A shadow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StillShadow {
    /// Its colour.
    pub color: Rgba,
    /// How far it falls, to the right and down.
    pub offset: [i32; 2],
    /// How far its edges go over into nothing.
    pub blur: i32,
}

impl StillShadow {
    /// How far from its layer it may be seen: three standard deviations, of which a blur has two, and where it falls.
    pub fn reach(self) -> i32 {
        let [x, y] = self.offset.map(i32::abs);
        self.blur / 2 * 3 + x.max(y) + 1_000
    }
}

/// What a layer shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StillPicture {
    /// A picture of an item.
    Image {
        /// Of this one.
        item: ItemId,
        /// The microsecond of a film; nothing of an image.
        at_us: Option<i64>,
        /// Whether it fills its place, with what does not fit cut off.
        cover: bool,
    },
    /// A text.
    Text(StillText),
    /// A rectangle.
    Rect {
        /// Its colour.
        color: Rgba,
    },
    /// An ellipse.
    Ellipse {
        /// Its colour.
        color: Rgba,
    },
    /// Colours that go over into one another.
    Gradient {
        /// They.
        colors: Vec<Rgba>,
        /// How they go.
        shape: GradientShape,
        /// Where, in thousandths of a degree.
        angle: i32,
    },
}

/// A text to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StillText {
    /// What it says.
    pub text: String,
    /// The family of its letters.
    pub family: String,
    /// Their height.
    pub size: i32,
    /// How bold they are.
    pub weight: u16,
    /// Their colour.
    pub color: Rgba,
    /// Where lines begin.
    pub align: Option<Align>,
    /// Where lines are broken.
    pub max_width: Option<i32>,
    /// From one line to the next, in millionths of their height.
    pub line_height: i32,
}

impl Still {
    /// Every item that it is made from, each once.
    pub fn items(&self) -> Vec<ItemId> {
        let mut seen = HashSet::new();
        let named = self.layers.iter().filter_map(|layer| match layer.picture {
            StillPicture::Image { item, .. } => Some(item),
            _ => None,
        });
        named.filter(|item| seen.insert(*item)).collect()
    }

    /// Its texts.
    pub fn texts(&self) -> impl Iterator<Item = &StillText> {
        self.layers.iter().filter_map(|layer| match &layer.picture {
            StillPicture::Text(text) => Some(text),
            _ => None,
        })
    }

    /// Whether letters are to be drawn.
    pub fn has_text(&self) -> bool {
        self.texts().next().is_some()
    }

    /// How many pixels it has.
    pub const fn pixels(&self) -> u64 {
        self.size[0] as u64 * self.size[1] as u64
    }

    /// The milliseconds of film that it costs as much as, made from these items: a second for each 3840 × 2160 pixels
    /// that are begun of it, or for four times as many that its layers are drawn on, or what decoding its sources is
    /// worth, whichever is most; and a second for each 2,000 letters.
    pub fn priced_ms(&self, known: impl Fn(ItemId) -> Material) -> i64 {
        let pixels = self.pixels().max(self.drawn_pixels() / 4);
        let drawn = Pictures { pixels: i64::try_from(pixels).unwrap_or(i64::MAX), rate: None };
        let drawn_ms = drawn.worth_ms(1_000);
        let decoded = self.layers.iter().filter_map(|layer| match layer.picture {
            StillPicture::Image { item, at_us, .. } => Some(known(item).picture_ms(at_us)),
            _ => None,
        });
        let letters_ms = i64::try_from(self.letters() / LETTERS_A_SECOND).unwrap_or(i64::MAX).saturating_mul(1_000);
        drawn_ms.max(decoded.fold(0, i64::saturating_add)).saturating_add(letters_ms)
    }

    /// How many letters its texts have.
    pub(crate) fn letters(&self) -> usize {
        self.texts().map(|text| text.text.chars().count()).sum()
    }

    /// The pixels, across and down, that a source for a place so large is decoded into.
    pub fn source_size(&self, [_, _, width, height]: [i32; 4]) -> [u32; 2] {
        let side = |extent: i32, axis: usize| {
            let scaled = u64::from(extent.unsigned_abs()) * u64::from(self.size[axis]);
            let pixels = scaled.div_ceil(u64::from(self.canvas[axis].max(1)) * 1_000);
            u32::try_from(pixels).unwrap_or(u32::MAX).max(1)
        };
        [side(width, 0), side(height, 1)]
    }

    /// Pixels that its sources are decoded into.
    pub(crate) fn source_pixels(&self) -> u64 {
        let images = self.layers.iter().filter(|layer| matches!(layer.picture, StillPicture::Image { .. }));
        let pixels = images.map(|layer| self.source_size(layer.place).map(u64::from));
        pixels.fold(0, |sum, [width, height]| sum.saturating_add(width.saturating_mul(height)))
    }

    /// Pixels that are drawn on, those again that are drawn again.
    pub(crate) fn drawn_pixels(&self) -> u64 {
        let drawn = self.layers.iter().map(|layer| {
            let [x, y, width, height] = match &layer.picture {
                // As if each of its letters were as wide as it is high.
                StillPicture::Text(text) => {
                    let letters = i32::try_from(text.text.chars().count()).unwrap_or(i32::MAX);
                    [0, 0, text.size.saturating_mul(letters), text.size]
                }
                _ => layer.place,
            };
            let around = layer.shadow.map_or(0, StillShadow::reach).saturating_mul(2);
            let place = [x, y, width.saturating_add(around), height.saturating_add(around)];
            let [width, height] = self.source_size(place).map(u64::from);
            let again = layer.shadow.is_some() || layer.rotation != 0 || layer.opacity != 1_000_000;
            width.saturating_mul(height).min(self.pixels()) * if again { TIMES_DRAWN } else { 1 }
        });
        drawn.fold(0, u64::saturating_add)
    }
}
