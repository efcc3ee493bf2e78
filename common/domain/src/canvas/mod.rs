//! Canvases: pictures as they are edited, of layers that stand over one another (contract §4.13).
//!
//! Pure. `ops` is what can be done to one, `apply` and `parts` do it, `words` finds the placeholders of its texts;
//! `picture` makes of it the plan of a render (`still`). Colours, fonts and logos may be named as the brand kit does:
//! what is drawn is what the kit says then.

mod apply;
mod fields;
mod ops;
mod parts;
mod picture;
#[cfg(test)]
mod tests;
mod units;
mod words;

pub use fields::Rgba;
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

/// Layers of a canvas.
pub const MOST_LAYERS: usize = 200;
/// Different items that a canvas names.
pub const MOST_ITEMS: usize = 50;
/// Pixels of a side.
pub const SIDES: RangeInclusive<u32> = 1..=8_192;
/// Characters of a text layer, before and after its placeholders are filled.
pub const MOST_TEXT_CHARACTERS: usize = 2_000;
/// Colours of a gradient.
pub const COLORS: RangeInclusive<usize> = 2..=8;
/// How far from the canvas's corner something may begin, and how large it may be.
pub const FARTHEST: Milli = Milli(16_384_000);
/// Heights of letters, in pixels.
pub const SIZES: RangeInclusive<Milli> = Milli(1_000)..=Milli(2_000_000);
/// From one line to the next, in heights of letters.
pub const LINE_HEIGHTS: RangeInclusive<Ratio> = Ratio(500_000)..=Ratio(4_000_000);
/// Weights of letters.
pub const WEIGHTS: RangeInclusive<u16> = 100..=900;
/// The widest blur of a shadow, and how far it may fall, in pixels.
pub const FARTHEST_SHADOW: Milli = Milli(500_000);

/// What a canvas holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canvas {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// The colour behind everything; nothing where it is transparent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// What stands on it, later ones over earlier ones.
    #[serde(default)]
    pub layers: Vec<Layer>,
}

/// A layer: what it shows, and where and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// What it is found by; another in each layer.
    pub id: String,
    /// What it shows.
    #[serde(flatten)]
    pub content: Content,
    /// Its left side.
    #[serde(default)]
    pub x: Milli,
    /// Its upper side.
    #[serde(default)]
    pub y: Milli,
    /// Its width; the canvas's without one. A text has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Milli>,
    /// Its height; the canvas's without one. A text has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Milli>,
    /// How far it is turned about its middle, in degrees, as a clock's hand.
    #[serde(default)]
    pub rotation: Milli,
    /// How much it hides.
    #[serde(default = "Ratio::one")]
    pub opacity: Ratio,
    /// How round its corners are.
    #[serde(default)]
    pub radius: Milli,
    /// The shadow that it throws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<Shadow>,
}

/// What a layer shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// A picture, or a frame of a film.
    Image {
        /// Of this item.
        item: ItemId,
        /// Of a film: at this moment of it.
        #[serde(default)]
        at: Micros,
        /// How it gets into its place.
        #[serde(default)]
        fit: Fit,
    },
    /// A logo of the brand kit.
    Logo {
        /// Its name there.
        logo: String,
        /// How it gets into its place.
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
    /// Colours that go over into one another.
    Gradient {
        /// They, at equal distances.
        colors: Vec<String>,
        /// Whether they go from the middle outwards, or along a line.
        #[serde(default)]
        shape: GradientShape,
        /// Where that line goes: 0 to the right, 90 down.
        #[serde(default)]
        angle: Milli,
    },
}

/// A text and how it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// What it says; `{name}` is a placeholder.
    pub text: String,
    /// A family that the renderer has, or the name of a font of the brand kit.
    pub family: String,
    /// The height of the letters.
    pub size: Milli,
    /// How bold they are: 400 is regular, 700 bold.
    pub weight: u16,
    /// Their colour.
    pub color: String,
    /// Where lines begin; where its script does, without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align: Option<Align>,
    /// Where lines are broken; at its own line ends alone without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_width: Option<Milli>,
    /// From one line to the next, in heights of letters.
    pub line_height: Ratio,
}

/// Where lines begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// On the left.
    Left,
    /// In the middle.
    Center,
    /// On the right.
    Right,
}

/// How a gradient goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradientShape {
    /// Along a line.
    #[default]
    Linear,
    /// From the middle outwards.
    Radial,
}

/// A shadow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shadow {
    /// Its colour; black that half hides what is under it, without one.
    #[serde(default = "Shadow::usual_color")]
    pub color: String,
    /// How far to the right it falls.
    #[serde(default)]
    pub x: Milli,
    /// How far down.
    #[serde(default)]
    pub y: Milli,
    /// How far its edges go over into nothing.
    #[serde(default)]
    pub blur: Milli,
}

/// What an edit may name.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The items that can be used.
    pub sources: &'a Sources,
    /// The workspace's brand kit.
    pub kit: &'a BrandKit,
}

impl Shadow {
    fn usual_color() -> String {
        "#00000080".to_owned()
    }
}

impl Content {
    /// The word for it, as it stands in `type`.
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
    /// An empty one of this size, on a colour or on nothing.
    ///
    /// # Errors
    /// What can't be so, in words.
    pub fn new(width: f64, height: f64, background: Option<String>, kit: &BrandKit) -> Result<Self, String> {
        let (width, height) = (fields::side(width), fields::side(height));
        fields::size(width, height)?;
        let mut canvas = Self { width, height, background: None, layers: Vec::new() };
        canvas.background = background.map_or(Ok(None), |color| fields::some_color("background", color, kit))?;
        Ok(canvas)
    }

    /// Every item that it names, each once, in the order in which they are named. Logos are the brand kit's.
    pub fn items(&self) -> Vec<ItemId> {
        let mut seen = HashSet::new();
        let named = self.layers.iter().filter_map(|layer| match layer.content {
            Content::Image { item, .. } => Some(item),
            _ => None,
        });
        named.filter(|item| seen.insert(*item)).collect()
    }

    /// The placeholders of its texts, each once, in the order in which they are named.
    pub fn placeholders(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let texts = self.layers.iter().filter_map(|layer| match &layer.content {
            Content::Text(words) => Some(words.text.as_str()),
            _ => None,
        });
        texts.flat_map(placeholders).filter(|name| seen.insert(*name)).collect()
    }
}
