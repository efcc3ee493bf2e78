//! What can be done to a canvas: one operation of an edit, as its JSON says it.
//!
//! Of what is updated, a field that is absent stays as it is. A `position` counts from 0, the lowest, without that
//! which moves; past the end, or without one, is the end, over all the others.

use super::{Align, GradientShape, Milli, Shadow};
use crate::ids::ItemId;
use crate::timeline::{Fit, Micros, Ratio};
use serde::Deserialize;

/// A change of a canvas.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum CanvasOp {
    /// Another layer.
    AddLayer(Box<LayerFields>),
    /// A layer that is another.
    UpdateLayer(Box<LayerFields>),
    /// A layer in another place.
    MoveLayer {
        /// Which.
        layer_id: String,
        /// Its place from now on.
        position: Option<usize>,
    },
    /// A layer less.
    RemoveLayer {
        /// Which.
        layer_id: String,
    },
    /// The canvas itself.
    SetCanvas {
        /// Pixels across.
        width: Option<f64>,
        /// Pixels down.
        height: Option<f64>,
        /// The colour behind everything; `transparent` is none.
        background: Option<String>,
    },
}

/// The word for what a layer shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// A picture, or a frame of a film.
    Image,
    /// A logo of the brand kit.
    Logo,
    /// A text.
    Text,
    /// A rectangle.
    Rect,
    /// An ellipse.
    Ellipse,
    /// Colours that go over into one another.
    Gradient,
}

/// What is said of a layer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerFields {
    /// Which; of a new one it may be left out.
    pub layer_id: Option<String>,
    /// What it shows; it stays that.
    #[serde(rename = "type")]
    pub kind: Option<LayerKind>,
    /// Where among the layers.
    pub position: Option<usize>,
    /// Left side.
    pub x: Option<Milli>,
    /// Upper side.
    pub y: Option<Milli>,
    /// Width.
    pub width: Option<Milli>,
    /// Height.
    pub height: Option<Milli>,
    /// How far it is turned.
    pub rotation: Option<Milli>,
    /// How much it hides.
    pub opacity: Option<Ratio>,
    /// How round its corners are.
    pub radius: Option<Milli>,
    /// Its shadow; one that is `transparent` is none.
    pub shadow: Option<Shadow>,
    /// The item of an image.
    pub item_id: Option<ItemId>,
    /// The moment of it, where it is a film.
    pub at: Option<Micros>,
    /// How an image or a logo gets into its place.
    pub fit: Option<Fit>,
    /// The name of a logo.
    pub logo: Option<String>,
    /// The colour of a text, a rectangle or an ellipse.
    pub color: Option<String>,
    /// The colours of a gradient.
    pub colors: Option<Vec<String>>,
    /// How a gradient goes.
    pub shape: Option<GradientShape>,
    /// Where it goes.
    pub angle: Option<Milli>,
    /// What a text says.
    pub text: Option<String>,
    /// The family of its letters.
    pub family: Option<String>,
    /// Their height.
    pub size: Option<Milli>,
    /// How bold they are.
    pub weight: Option<u16>,
    /// Where lines begin.
    pub align: Option<Align>,
    /// Where lines are broken; 0 is nowhere.
    pub max_width: Option<Milli>,
    /// From one line to the next.
    pub line_height: Option<Ratio>,
}

impl LayerFields {
    /// The first field that was given and not taken by what the layer shows.
    pub(super) fn left(&self) -> Option<&'static str> {
        let fields = [
            ("ref", self.item_id.is_some()),
            ("at", self.at.is_some()),
            ("fit", self.fit.is_some()),
            ("logo", self.logo.is_some()),
            ("color", self.color.is_some()),
            ("colors", self.colors.is_some()),
            ("shape", self.shape.is_some()),
            ("angle", self.angle.is_some()),
            ("text", self.text.is_some()),
            ("family", self.family.is_some()),
            ("size", self.size.is_some()),
            ("weight", self.weight.is_some()),
            ("align", self.align.is_some()),
            ("max_width", self.max_width.is_some()),
            ("line_height", self.line_height.is_some()),
            ("width", self.width.is_some()),
            ("height", self.height.is_some()),
            ("radius", self.radius.is_some()),
        ];
        fields.into_iter().find(|(_, is_given)| *is_given).map(|(field, _)| field)
    }
}
