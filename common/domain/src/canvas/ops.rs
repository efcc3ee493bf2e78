//! The operations on a canvas, as the JSON of an edit gives them.
//!
//! An absent field of an update stays as it is. A `position` is an index from 0, the lowest layer, counted without the
//! layer that moves; one past the end, or none, puts it on top.

use super::{Align, GradientShape, Milli, Shadow};
use crate::ids::ItemId;
use crate::timeline::{Fit, Micros, Ratio};
use serde::Deserialize;

/// A change of a canvas.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum CanvasOp {
    /// Adds a layer.
    AddLayer(Box<LayerFields>),
    /// Changes a layer.
    UpdateLayer(Box<LayerFields>),
    /// Moves a layer above or below others.
    MoveLayer {
        /// The layer's id.
        layer_id: String,
        /// Its new index.
        position: Option<usize>,
    },
    /// Removes a layer.
    RemoveLayer {
        /// The layer's id.
        layer_id: String,
    },
    /// Changes the canvas's size or background.
    SetCanvas {
        /// The width in pixels.
        width: Option<f64>,
        /// The height in pixels.
        height: Option<f64>,
        /// The colour behind all layers; `transparent` removes it.
        background: Option<String>,
    },
}

/// The type of a layer's content.
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
    /// A gradient between colours.
    Gradient,
}

/// The fields of a layer that an operation may give.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerFields {
    /// Its id; a new layer may leave it out.
    pub layer_id: Option<String>,
    /// The type of its content, which an update can't change.
    #[serde(rename = "type")]
    pub kind: Option<LayerKind>,
    /// Its index among the layers.
    pub position: Option<usize>,
    /// The left edge, in pixels.
    pub x: Option<Milli>,
    /// The upper edge, in pixels.
    pub y: Option<Milli>,
    /// The width in pixels.
    pub width: Option<Milli>,
    /// The height in pixels.
    pub height: Option<Milli>,
    /// The rotation in degrees clockwise.
    pub rotation: Option<Milli>,
    /// The opacity, 0 to 1.
    pub opacity: Option<Ratio>,
    /// The radius of its corners, in pixels.
    pub radius: Option<Milli>,
    /// The shadow; the colour `transparent` removes it.
    pub shadow: Option<Shadow>,
    /// The item of an image.
    pub item_id: Option<ItemId>,
    /// The time in a film of the frame that is shown.
    pub at: Option<Micros>,
    /// How an image or a logo is fitted into the layer.
    pub fit: Option<Fit>,
    /// The name of a logo.
    pub logo: Option<String>,
    /// The colour of a text, a rectangle or an ellipse.
    pub color: Option<String>,
    /// The colours of a gradient.
    pub colors: Option<Vec<String>>,
    /// The shape of a gradient.
    pub shape: Option<GradientShape>,
    /// The direction of a linear gradient, in degrees.
    pub angle: Option<Milli>,
    /// The text of a text layer.
    pub text: Option<String>,
    /// The family of its letters.
    pub family: Option<String>,
    /// The height of the letters, in pixels.
    pub size: Option<Milli>,
    /// The weight of the letters, 100 to 900.
    pub weight: Option<u16>,
    /// The alignment of lines.
    pub align: Option<Align>,
    /// The width in pixels at which lines are broken; 0 removes it.
    pub max_width: Option<Milli>,
    /// The distance between lines, in heights of letters.
    pub line_height: Option<Ratio>,
}

impl LayerFields {
    /// Returns the first field that was given but that content of this type does not have.
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
