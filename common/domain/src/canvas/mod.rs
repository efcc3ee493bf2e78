//! Canvases: pictures made of layers that lie over one another, as they are edited (contract §4.13).
//!
//! Pure. `ops` defines the operations, `apply` and `parts` apply them, `words` finds the placeholders of texts, and
//! `picture` makes the plan of a render (`still`). Colours, fonts and logos may be names of the brand kit: a render
//! uses what the kit then has under that name.

mod apply;
mod fields;
mod names;
mod ops;
mod parts;
mod picture;
#[cfg(test)]
mod tests;
mod units;
mod words;

pub use fields::Rgba;
pub use names::KitNames;
pub use ops::{CanvasOp, LayerFields};
pub use picture::{NotDrawable, StillOutput, Values, still_of};
pub use units::Milli;
pub use words::placeholders;

use crate::brand_kit::BrandKit;
use crate::ids::ItemId;
use crate::timeline::{Fit, Micros, Ratio, Sources};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// The most layers of a canvas.
pub const MOST_LAYERS: usize = 200;
/// The most different items that a canvas names.
pub const MOST_ITEMS: usize = 50;
/// The pixels that a side may have.
pub const SIDES: RangeInclusive<u32> = 1..=8_192;
/// The most characters of a text layer, before and after its placeholders are filled.
pub const MOST_TEXT_CHARACTERS: usize = 2_000;
/// How many colours a gradient may have.
pub const COLORS: RangeInclusive<usize> = 2..=8;
/// The largest distance of a layer from the canvas's corner, and its largest width and height: 16,384 pixels.
pub const FARTHEST: Milli = Milli(16_384_000);
/// The heights that letters may have, in pixels.
pub const SIZES: RangeInclusive<Milli> = Milli(1_000)..=Milli(2_000_000);
/// The distances that lines may have, in heights of letters: 0.5 to 4.
pub const LINE_HEIGHTS: RangeInclusive<Ratio> = Ratio(500_000)..=Ratio(4_000_000);
/// The weights that letters may have.
pub const WEIGHTS: RangeInclusive<u16> = 100..=900;
/// A shadow's widest blur and farthest offset: 500 pixels.
pub const FARTHEST_SHADOW: Milli = Milli(500_000);

/// The body of a canvas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canvas {
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// The colour behind all layers; `None` if it is transparent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// Its layers, from the lowest to the highest.
    #[serde(default)]
    pub layers: Vec<Layer>,
}

/// A layer: its content, its place and its look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Its id, unique among the canvas's layers.
    pub id: String,
    /// Its content.
    #[serde(flatten)]
    pub content: Content,
    /// The left edge, in pixels from the canvas's.
    #[serde(default)]
    pub x: Milli,
    /// The upper edge, in pixels from the canvas's.
    #[serde(default)]
    pub y: Milli,
    /// The width in pixels; `None` means the canvas's. A text has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Milli>,
    /// The height in pixels; `None` means the canvas's. A text has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Milli>,
    /// The rotation about its middle, in degrees clockwise.
    #[serde(default)]
    pub rotation: Milli,
    /// The opacity: 0 is invisible, 1 hides what is below.
    #[serde(default = "Ratio::one")]
    pub opacity: Ratio,
    /// The radius of its corners, in pixels.
    #[serde(default)]
    pub radius: Milli,
    /// Its shadow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<Shadow>,
}

/// The content of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// A picture, or a frame of a film.
    Image {
        /// The item.
        item: ItemId,
        /// The time in a film of the frame; 0 for an image.
        #[serde(default)]
        at: Micros,
        /// How it is fitted into the layer.
        #[serde(default)]
        fit: Fit,
    },
    /// A logo of the brand kit.
    Logo {
        /// Its name in the brand kit.
        logo: String,
        /// How it is fitted into the layer.
        #[serde(default)]
        fit: Fit,
    },
    /// A text.
    Text(Words),
    /// A rectangle.
    Rect {
        /// Its colour.
        color: String,
    },
    /// An ellipse.
    Ellipse {
        /// Its colour.
        color: String,
    },
    /// A gradient between colours.
    Gradient {
        /// The colours, at equal distances.
        colors: Vec<String>,
        /// Whether it runs along a line, or from the middle outwards.
        #[serde(default)]
        shape: GradientShape,
        /// The line's direction in degrees: 0 to the right, 90 down.
        #[serde(default)]
        angle: Milli,
    },
}

/// A text and its typography.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// The text; `{name}` is a placeholder.
    pub text: String,
    /// A family that can be drawn, or the name of a font of the brand kit.
    pub family: String,
    /// The height of the letters, in pixels.
    pub size: Milli,
    /// The weight of the letters: 400 is regular, 700 bold.
    pub weight: u16,
    /// The colour of the letters.
    pub color: String,
    /// The alignment of lines; `None` follows the direction of the script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align: Option<Align>,
    /// The width in pixels at which lines are broken; `None` keeps only the text's own line breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_width: Option<Milli>,
    /// The distance between lines, in heights of letters.
    pub line_height: Ratio,
}

/// The alignment of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// At the left.
    Left,
    /// Centred.
    Center,
    /// At the right.
    Right,
}

/// The shape of a gradient.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradientShape {
    /// Along a line.
    #[default]
    Linear,
    /// From the middle outwards.
    Radial,
}

/// The shadow of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shadow {
    /// The shadow's colour; half-transparent black by default.
    #[serde(default = "Shadow::usual_color")]
    pub color: String,
    /// The offset to the right, in pixels.
    #[serde(default)]
    pub x: Milli,
    /// The offset downwards, in pixels.
    #[serde(default)]
    pub y: Milli,
    /// The width over which its edges fade out, in pixels.
    #[serde(default)]
    pub blur: Milli,
}

/// The items and names that an edit may use.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The items that may be shown.
    pub sources: &'a Sources,
    /// What the workspace's brand kit has.
    pub kit: &'a KitNames<'a>,
}

impl Shadow {
    fn usual_color() -> String {
        "#00000080".to_owned()
    }
}

impl Content {
    /// Returns its name in `type`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Image { .. } => "image",
            Self::Logo { .. } => "logo",
            Self::Text(_) => "text",
            Self::Rect { .. } => "rect",
            Self::Ellipse { .. } => "ellipse",
            Self::Gradient { .. } => "gradient",
        }
    }
}

impl Canvas {
    /// Returns an empty canvas of this size in pixels, with this background or a transparent one.
    ///
    /// # Errors
    /// Why its size or its background is refused, in words.
    pub fn new(width: f64, height: f64, background: Option<String>, kit: &BrandKit) -> Result<Self, String> {
        let (width, height) = (fields::side(width), fields::side(height));
        fields::size(width, height)?;
        let mut canvas = Self { width, height, background: None, layers: Vec::new() };
        let kit = KitNames::of(kit);
        canvas.background = background.map_or(Ok(None), |color| fields::some_color("background", color, &kit))?;
        Ok(canvas)
    }

    /// Returns the items that it names, each once, in the order of the layers. Logos are not among them.
    pub fn items(&self) -> Vec<ItemId> {
        let mut seen = HashSet::new();
        let named = self.layers.iter().filter_map(|layer| match layer.content {
            Content::Image { item, .. } => Some(item),
            _ => None,
        });
        named.filter(|item| seen.insert(*item)).collect()
    }

    /// Returns the placeholders of its texts, each once, in the order of the layers.
    pub fn placeholders(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let texts = self.layers.iter().filter_map(|layer| match &layer.content {
            Content::Text(words) => Some(words.text.as_str()),
            _ => None,
        });
        texts.flat_map(placeholders).filter(|name| seen.insert(*name)).collect()
    }
}
