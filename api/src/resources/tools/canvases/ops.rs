//! The requests of the canvas tools: layers and the operations of an edit, as the OpenAPI document describes them.
//!
//! `domain::canvas` decides what an operation does with its fields, and which of them it refuses.

use crate::http::json::json_of;
use crate::http::paging::Limit;
use crate::http::text::Text;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde_json::Value;

/// Declares an object with these fields and those of a layer.
macro_rules! with_layer {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Object)]
        #[oai(deny_unknown_fields, skip_serializing_if_is_none)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            /// The layer's id. For a new layer: 1 to 64 letters, digits, `-` and `_`; one is generated when absent.
            pub layer_id: Option<Text>,
            /// The layer's index, 0 being the lowest, counted without the layer that moves; the top when absent.
            pub position: Option<u32>,
            /// Its left edge, in pixels of the canvas.
            pub x: Option<f64>,
            /// Its upper edge, in pixels of the canvas.
            pub y: Option<f64>,
            /// Its width in pixels; the canvas's when absent. A text has `max_width` instead.
            pub width: Option<f64>,
            /// Its height in pixels; the canvas's when absent.
            pub height: Option<f64>,
            /// Its clockwise rotation about its centre, -360 to 360 degrees.
            pub rotation: Option<f64>,
            /// Its opacity, 0 to 1.
            pub opacity: Option<f64>,
            /// The radius of the corners of an image, a logo, a rectangle or a gradient, in pixels.
            pub radius: Option<f64>,
            /// Its shadow.
            pub shadow: Option<LayerShadow>,
            /// The item of an image layer, an image or a film: its ref, its id, or the id of the job that made it.
            #[oai(rename = "ref")]
            pub item_ref: Option<Text>,
            /// The time of the frame to show of a film, in seconds.
            pub at: Option<f64>,
            /// How an image or a logo is fitted into the layer; `contain` when absent.
            pub fit: Option<LayerFit>,
            /// The name of a logo of the brand kit.
            pub logo: Option<Text>,
            /// The colour of a text, a rectangle or an ellipse: `#1a2b3c`, `#1a2b3c80`, or the name of a colour of the
            /// brand kit; black when absent.
            pub color: Option<Text>,
            /// The colours of a gradient, 2 to 8 at equal distances.
            pub colors: Option<Vec<Text>>,
            /// The shape of a gradient; `linear` when absent.
            pub shape: Option<GradientWay>,
            /// The direction of a linear gradient, in degrees: 0 is to the right, 90 down.
            pub angle: Option<f64>,
            /// The words of a text, 1 to 2,000 characters. `{name}` is a placeholder; `{{` and `}}` are literal
            /// braces.
            pub text: Option<Text>,
            /// The font family of a text, one that `get_brand_kit` lists or the name of a font of the brand kit;
            /// `DejaVu Sans` when absent.
            pub family: Option<Text>,
            /// The font size, 1 to 2000 pixels; 48 when absent.
            pub size: Option<f64>,
            /// The font weight, 100 to 900; 400, which is regular, when absent. 700 is bold.
            pub weight: Option<u16>,
            /// The alignment of lines; when absent, the side where the text's script begins.
            pub align: Option<LineAlign>,
            /// The width at which lines are broken, in pixels; 0, and when absent: lines are not broken.
            pub max_width: Option<f64>,
            /// The distance from one line to the next, 0.5 to 4 font sizes; 1.2 when absent.
            pub line_height: Option<f64>,
        }

        impl $name {
            /// Returns one with these fields, and none of a layer's.
            fn with($($field: $type),*) -> Self {
                Self {
                    $($field,)*
                    layer_id: None,
                    position: None,
                    x: None,
                    y: None,
                    width: None,
                    height: None,
                    rotation: None,
                    opacity: None,
                    radius: None,
                    shadow: None,
                    item_ref: None,
                    at: None,
                    fit: None,
                    logo: None,
                    color: None,
                    colors: None,
                    shape: None,
                    angle: None,
                    text: None,
                    family: None,
                    size: None,
                    weight: None,
                    align: None,
                    max_width: None,
                    line_height: None,
                }
            }
        }
    };
}

/// A canvas to create.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct CreateCanvas {
    /// Its name, 1 to 200 characters; `Canvas` when not given.
    pub name: Option<Text>,
    /// Pixels across, 1 to 8192.
    #[oai(validator(minimum(value = "1"), maximum(value = "8192")))]
    pub width: u32,
    /// Pixels down, 1 to 8192.
    #[oai(validator(minimum(value = "1"), maximum(value = "8192")))]
    pub height: u32,
    /// The background colour, in the form of a layer's `color`; `transparent` when not given.
    pub background: Option<Text>,
    /// Its layers, the lowest first, at most 200.
    pub layers: Option<Vec<NewLayer>>,
}

impl Example for CreateCanvas {
    fn example() -> Self {
        let mut title = NewLayer::with(LayerType::Text);
        (title.text, title.size, title.x, title.y) = (Some("{title}".into()), Some(96.0), Some(80.0), Some(80.0));
        Self {
            name: Some("Cover".into()),
            width: 1_200,
            height: 630,
            background: Some("#f4f1ea".into()),
            layers: Some(vec![title]),
        }
    }
}

/// Which canvases to list.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ListCanvases {
    /// Canvases to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// Which canvas.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OneCanvas {
    /// The canvas.
    pub canvas_id: Text,
}

/// Which canvas to restore.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoCanvas {
    /// The canvas.
    pub canvas_id: Text,
    /// The revision to undo. If the canvas has another revision: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// What to change in a canvas.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct EditCanvas {
    /// The canvas.
    pub canvas_id: Text,
    /// The revision that the change is for. If the canvas has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its new name, 1 to 200 characters.
    pub name: Option<Text>,
    /// The operations, 1 to 500; may be absent if `name` is given.
    pub ops: Option<Vec<CanvasOp>>,
}

impl Example for EditCanvas {
    fn example() -> Self {
        let mut op = CanvasOp::with(OpKind::UpdateLayer, None, None);
        (op.layer_id, op.x) = (Some("title".into()), Some(120.0));
        let canvas_id = Text("cnv_01JD3M5N7P9Q1R3S5T7V9W1X3Y".to_owned());
        Self { canvas_id, if_revision: Some(3), name: None, ops: Some(vec![op]) }
    }
}

/// The kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "CanvasOpKind")]
pub enum OpKind {
    /// Adds a layer of this `type`, with the fields that the type has.
    AddLayer,
    /// Changes fields of the layer `layer_id`. Absent fields keep their values, and so does its type.
    UpdateLayer,
    /// Moves the layer `layer_id` to `position`.
    MoveLayer,
    /// Removes the layer `layer_id`.
    RemoveLayer,
    /// Changes the canvas: `width`, `height`, `background`.
    SetCanvas,
}

/// The types of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum LayerType {
    /// An image, or a frame of a film: `ref`, `at`, `fit`.
    Image,
    /// A logo of the brand kit: `logo`, `fit`.
    Logo,
    /// A text: `text`, `family`, `size`, `weight`, `color`, `align`, `max_width`, `line_height`.
    Text,
    /// A rectangle: `color`.
    Rect,
    /// An ellipse: `color`.
    Ellipse,
    /// A gradient of colours: `colors`, `shape`, `angle`.
    Gradient,
}

/// How an image or a logo is fitted into its layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum LayerFit {
    /// All of it is shown, centred.
    Contain,
    /// It fills the layer, and what does not fit is cut off.
    Cover,
}

/// The alignment of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum LineAlign {
    /// To the left.
    Left,
    /// Centred.
    Center,
    /// To the right.
    Right,
}

/// The shape of a gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum GradientWay {
    /// Along a line.
    Linear,
    /// From the middle outwards.
    Radial,
}

/// A shadow.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct LayerShadow {
    /// Its colour; `#00000080` when absent. `transparent` means no shadow.
    pub color: Option<Text>,
    /// Its offset to the right, -500 to 500 pixels.
    pub x: Option<f64>,
    /// Its offset downwards, -500 to 500 pixels.
    pub y: Option<f64>,
    /// The width of its blurred edge, 0 to 500 pixels.
    pub blur: Option<f64>,
}

with_layer! {
    /// A layer of a new canvas. A field that its type does not have is refused.
    NewLayer {
        /// Its type.
        #[oai(rename = "type")]
        layer_type: LayerType,
    }
}

with_layer! {
    /// One change to a canvas. A field that the operation does not take is refused.
    CanvasOp {
        /// The operation.
        op: OpKind,
        /// The type of a new layer.
        #[oai(rename = "type")]
        layer_type: Option<LayerType>,
        /// The background colour; `transparent` for none.
        background: Option<Text>,
    }
}

/// Returns the operations that add these layers.
pub(super) fn added<'a>(layers: impl Iterator<Item = &'a NewLayer>) -> Vec<Value> {
    let added = layers.map(json_of).map(|mut layer| {
        layer["op"] = "add_layer".into();
        layer
    });
    added.collect()
}
