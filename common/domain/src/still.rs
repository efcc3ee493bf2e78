//! The plan of a picture's render, in whole numbers, so that one canvas has one plan and one hash.
//!
//! `canvas::picture` makes it, with names looked up and placeholders filled; the worker draws it, on `surfaces` of its
//! own. Places and sizes are thousandths of a pixel of the canvas, fractions are millionths, and colours are red,
//! green, blue and opacity from 0 to 255.

use crate::canvas::{Align, GradientShape, Rgba};
use crate::decoding::Material;
use crate::ids::{ItemId, WorkspaceId};
use crate::pixels::{Pictures, STILL_PIXELS};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The most pixels of a rendered picture.
pub const MOST_PIXELS: u64 = 8_192 * 4_096;
/// The most pixels of its longer side.
pub const LONGEST_SIDE: u32 = 8_192;
/// The most pixels that sources are decoded into, in all layers together.
pub const MOST_SOURCE_PIXELS: u64 = MOST_PIXELS;
/// The most pixels that are drawn, in all layers together.
pub const MOST_DRAWN_PIXELS: u64 = 16 * MOST_PIXELS;
/// The most letters that are drawn, in all texts together.
pub const MOST_LETTERS: usize = 40_000;
/// The letters that cost one more second of film: each is shaped and drawn as an outline.
const LETTERS_A_SECOND: usize = 2_000;
/// The characters that end a line of a text.
pub const LINE_ENDS: [char; 3] = ['\n', '\u{2028}', '\u{2029}'];
/// The height of letters from their highest to their lowest point, in thousandths of a text's size.
const LETTER_HEIGHT: i64 = 1_164;
/// The factor by which the pixels of a layer count if it has a shadow, is rotated or is partly transparent.
const TIMES_DRAWN: u64 = 4;

/// The file format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StillFormat {
    /// Lossless, with transparency.
    Png,
    /// Small; transparent parts become white.
    Jpeg,
    /// Smaller, with transparency.
    Webp,
    /// Vector shapes, with the pictures embedded.
    Svg,
}

/// A picture to render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Still {
    /// The workspace: the same picture in two workspaces is two plans, even if it names no item.
    pub workspace: WorkspaceId,
    /// The file format.
    pub format: StillFormat,
    /// The canvas's width and height in pixels.
    pub canvas: [u32; 2],
    /// The picture's width and height in pixels.
    pub size: [u32; 2],
    /// The colour behind all layers; `None` if it is transparent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Rgba>,
    /// The layers, from the lowest to the highest.
    pub layers: Vec<StillLayer>,
}

/// A layer: its content, its place and its look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StillLayer {
    /// Its content.
    pub picture: StillPicture,
    /// Left, top, width and height in thousandths of a pixel; a text has width and height 0, and is as large as it is
    /// drawn.
    pub place: [i32; 4],
    /// The rotation about its middle, in thousandths of a degree clockwise.
    pub rotation: i32,
    /// The opacity in millionths: 0 is invisible, 1,000,000 hides what is below.
    pub opacity: i32,
    /// The radius of its corners, in thousandths of a pixel.
    pub radius: i32,
    /// Its shadow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<StillShadow>,
}

/// The shadow of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StillShadow {
    /// Its colour.
    pub color: Rgba,
    /// The offset to the right and downwards, in thousandths of a pixel.
    pub offset: [i32; 2],
    /// The width over which its edges fade out, in thousandths of a pixel.
    pub blur: i32,
}

impl StillShadow {
    /// Returns how far it may be visible outside of its layer, in thousandths of a pixel: its offset, three standard
    /// deviations of the blur (two are its width), and one pixel.
    pub fn reach(self) -> i32 {
        let [x, y] = self.offset.map(i32::abs);
        self.blur / 2 * 3 + x.max(y) + 1_000
    }
}

/// The content of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StillPicture {
    /// A picture of an item.
    Image {
        /// The item.
        item: ItemId,
        /// The time in a film of the frame, in microseconds; `None` for an image.
        at_us: Option<i64>,
        /// Whether it is enlarged to fill its place and cropped; otherwise it is shown whole.
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
    /// A gradient between colours.
    Gradient {
        /// The colours, at equal distances.
        colors: Vec<Rgba>,
        /// Whether it runs along a line, or from the middle outwards.
        shape: GradientShape,
        /// The direction of the line, in thousandths of a degree.
        angle: i32,
    },
}

/// A text to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StillText {
    /// The text.
    pub text: String,
    /// The font family.
    pub family: String,
    /// The height of the letters, in thousandths of a pixel.
    pub size: i32,
    /// The weight of the letters: 400 is regular, 700 bold.
    pub weight: u16,
    /// The colour of the letters.
    pub color: Rgba,
    /// The alignment of lines; `None` follows the direction of the script.
    pub align: Option<Align>,
    /// The width at which lines are broken, in thousandths of a pixel; `None` keeps only the text's own line breaks.
    pub max_width: Option<i32>,
    /// The distance between lines, in millionths of the letters' height.
    pub line_height: i32,
}

impl Still {
    /// Returns the items that it is made from, each once.
    pub fn items(&self) -> Vec<ItemId> {
        let mut seen = HashSet::new();
        let named = self.layers.iter().filter_map(|layer| match layer.picture {
            StillPicture::Image { item, .. } => Some(item),
            _ => None,
        });
        named.filter(|item| seen.insert(*item)).collect()
    }

    /// Returns its texts.
    pub fn texts(&self) -> impl Iterator<Item = &StillText> {
        self.layers.iter().filter_map(|layer| match &layer.picture {
            StillPicture::Text(text) => Some(text),
            _ => None,
        })
    }

    /// Whether it has texts.
    pub fn has_text(&self) -> bool {
        self.texts().next().is_some()
    }

    /// Returns the number of its pixels.
    pub const fn pixels(&self) -> u64 {
        self.size[0] as u64 * self.size[1] as u64
    }

    /// Returns the milliseconds of film that its price is for, with these items: the larger of what is drawn and what
    /// is decoded, plus a second per 2,000 letters. Drawing costs a second per 3840 × 2160 pixels of the picture, or
    /// per four times as many that its layers cover, whichever is more, rounded up.
    pub fn priced_ms(&self, known: impl Fn(ItemId) -> Material) -> i64 {
        let decoded = self.layers.iter().filter_map(|layer| match layer.picture {
            StillPicture::Image { item, at_us, .. } => Some(known(item).picture_ms(at_us)),
            _ => None,
        });
        self.drawn_ms().max(decoded.fold(0, i64::saturating_add)).saturating_add(self.letters_ms())
    }

    /// Whether drawing it takes little time and memory, whatever decoding its sources takes: what is drawn costs one
    /// second of film, its letters nothing, and the pictures that are made for single layers have few pixels.
    pub fn is_soon_drawn(&self) -> bool {
        let few = STILL_PIXELS.unsigned_abs();
        let is_cheap = self.drawn_ms().saturating_add(self.letters_ms()) <= 1_000;
        is_cheap && self.source_pixels() <= few && self.surface_pixels() <= 2 * few
    }

    fn drawn_ms(&self) -> i64 {
        let pixels = self.pixels().max(self.drawn_pixels() / 4);
        Pictures { pixels: i64::try_from(pixels).unwrap_or(i64::MAX), rate: None }.worth_ms(1_000)
    }

    fn letters_ms(&self) -> i64 {
        i64::try_from(self.letters() / LETTERS_A_SECOND).unwrap_or(i64::MAX).saturating_mul(1_000)
    }

    /// Returns the number of letters in its texts.
    pub(crate) fn letters(&self) -> usize {
        self.texts().map(|text| text.text.chars().count()).sum()
    }

    /// Returns the width and height in pixels that a source is decoded into for a place of this size.
    pub fn source_size(&self, [_, _, width, height]: [i32; 4]) -> [u32; 2] {
        let side = |extent: i32, axis: usize| {
            let scaled = u64::from(extent.unsigned_abs()) * u64::from(self.size[axis]);
            let pixels = scaled.div_ceil(u64::from(self.canvas[axis].max(1)) * 1_000);
            u32::try_from(pixels).unwrap_or(u32::MAX).max(1)
        };
        [side(width, 0), side(height, 1)]
    }

    /// Returns the number of pixels that its sources are decoded into.
    pub(crate) fn source_pixels(&self) -> u64 {
        let images = self.layers.iter().filter(|layer| matches!(layer.picture, StillPicture::Image { .. }));
        let pixels = images.map(|layer| self.source_size(layer.place).map(u64::from));
        pixels.fold(0, |sum, [width, height]| sum.saturating_add(width.saturating_mul(height)))
    }

    /// Returns the number of pixels that its layers cover; those of some layers count several times.
    pub(crate) fn drawn_pixels(&self) -> u64 {
        let drawn = self.layers.iter().map(|layer| {
            let [x, y, width, height] = match &layer.picture {
                // A text is estimated as if each letter were as wide as it is high.
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

impl StillText {
    /// Returns the width and height that its lines take at most, in thousandths of a pixel, as if each letter were as
    /// wide as it is high.
    pub(crate) fn room(&self) -> [i32; 2] {
        let letters = i32::try_from(self.text.chars().count()).unwrap_or(i32::MAX);
        let whole = self.size.saturating_mul(letters);
        // A line that is broken has a letter at least, however narrow its room is.
        let width = self.max_width.map_or(whole, |most| most.max(self.size).min(whole));
        // Two lines that follow each other are wider together than one may be.
        let broken = self.max_width.map_or(0, |most| whole / most.max(1)).saturating_mul(2).min(letters);
        let ended = i32::try_from(self.text.matches(LINE_ENDS).count()).unwrap_or(i32::MAX);
        let (size, further) = (i64::from(self.size), i64::from(broken.saturating_add(ended)));
        let step = size * i64::from(self.line_height) / 1_000_000;
        // Letters reach beyond lines that are close together.
        let height = further * step + step.max(size * LETTER_HEIGHT / 1_000);
        [width, i32::try_from(height).unwrap_or(i32::MAX)]
    }
}
