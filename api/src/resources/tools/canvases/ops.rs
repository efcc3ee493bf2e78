//! What the canvases' tools take: layers and the operations of an edit, as the document describes them.
//!
//! What an operation makes of its fields, and which of them it refuses, is `domain::canvas`'s.

use crate::http::paging::Limit;
use crate::http::text::Text;
use poem_openapi::types::{Example, ToJSON};
use poem_openapi::{Enum, Object};
use serde_json::Value;

/// An object with these fields, and those of a layer.
macro_rules! with_layer {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Object)]
        #[oai(deny_unknown_fields, skip_serializing_if_is_none)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            /// The layer. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent.
            pub layer_id: Option<Text>,
            /// The place from 0, the lowest, counted without that which moves; over all the others when absent.
            pub position: Option<u32>,
            /// Its left side, in pixels of the canvas.
            pub x: Option<f64>,
            /// Its upper side.
            pub y: Option<f64>,
            /// Its width, the canvas's when absent. A text has `max_width`.
            pub width: Option<f64>,
            /// Its height, the canvas's when absent.
            pub height: Option<f64>,
            /// How far it is turned about its middle, -360 to 360 degrees, as a clock's hand.
            pub rotation: Option<f64>,
            /// How much it hides of what is under it, 0 to 1.
            pub opacity: Option<f64>,
            /// How round the corners of an image, a logo, a rectangle or a gradient are, in pixels.
            pub radius: Option<f64>,
            /// The shadow that it throws.
            pub shadow: Option<LayerShadow>,
            /// What names the item of an image: an image or a film.
            #[oai(rename = "ref")]
            pub item_ref: Option<Text>,
            /// The second of a film whose frame is shown.
            pub at: Option<f64>,
            /// How an image or a logo gets into its place; `contain` when absent.
            pub fit: Option<LayerFit>,
            /// The name of a logo of the brand kit.
            pub logo: Option<Text>,
            /// The colour of a text, a rectangle or an ellipse: `#1a2b3c`, `#1a2b3c80`, or the name of one of the brand
            /// kit; black when absent.
            pub color: Option<Text>,
            /// The colours of a gradient, 2 to 8 at equal distances.
            pub colors: Option<Vec<Text>>,
            /// How a gradient goes; `linear` when absent.
            pub shape: Option<GradientWay>,
            /// Where a linear one goes, in degrees: 0 to the right, 90 down.
            pub angle: Option<f64>,
            /// What a text says, 1 to 2,000 characters. `{name}` is a placeholder; `{{` and `}}` are brackets.
            pub text: Option<Text>,
            /// The family of its letters, one that `get_brand_kit` lists or the name of a font of the brand kit;
            /// `DejaVu Sans` when absent.
            pub family: Option<Text>,
            /// Their height, 1 to 2000 pixels; 48 when absent.
            pub size: Option<f64>,
            /// How bold they are, 100 to 900; 400, which is regular, when absent. 700 is bold.
            pub weight: Option<u16>,
            /// Where lines begin; where the text's script does when absent.
            pub align: Option<LineAlign>,
            /// How wide a line may be before it is broken; 0 breaks none, as when absent.
            pub max_width: Option<f64>,
            /// From one line to the next, 0.5 to 4 heights of letters; 1.2 when absent.
            pub line_height: Option<f64>,
        }

        impl $name {
            /// With these fields, and none of a layer's.
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
    /// What it is called, 1 to 200 characters; `Canvas` when not given.
    pub name: Option<Text>,
    /// Pixels across, 1 to 8192.
    pub width: u32,
    /// Pixels down, 1 to 8192.
    pub height: u32,
    /// The colour behind everything, as of a layer; `transparent` when not given.
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

/// Which canvases.
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

/// Which canvas goes back.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoCanvas {
    /// The canvas.
    pub canvas_id: Text,
    /// The revision that is undone; another one stands: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// What to change of a canvas.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct EditCanvas {
    /// The canvas.
    pub canvas_id: Text,
    /// The revision that the change is for; another one stands: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its new name, 1 to 200 characters.
    pub name: Option<Text>,
    /// What to do, 1 to 500 operations; may be left out with `name`.
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

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "CanvasOpKind")]
pub enum OpKind {
    /// Another layer of this `type`, with the fields that it has.
    AddLayer,
    /// Any of the same, by `layer_id`. What is absent stays; its type stays too.
    UpdateLayer,
    /// A layer to `position`, by `layer_id`.
    MoveLayer,
    /// A layer less, by `layer_id`.
    RemoveLayer,
    /// The canvas: `width`, `height`, `background`.
    SetCanvas,
}

/// What a layer shows.
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
    /// Colours that go over into one another: `colors`, `shape`, `angle`.
    Gradient,
}

/// How an image gets into its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum LayerFit {
    /// All of it, in the middle.
    Contain,
    /// Filling, with what does not fit cut off.
    Cover,
}

/// Where lines begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum LineAlign {
    /// On the left.
    Left,
    /// In the middle.
    Center,
    /// On the right.
    Right,
}

/// How a gradient goes.
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
    /// Its colour; `#00000080` when absent. One that is `transparent` is none.
    pub color: Option<Text>,
    /// How far it falls to the right, -500 to 500 pixels.
    pub x: Option<f64>,
    /// How far it falls down, -500 to 500 pixels.
    pub y: Option<f64>,
    /// How far its edges go over into nothing, 0 to 500 pixels.
    pub blur: Option<f64>,
}

with_layer! {
    /// A layer to begin with. A field that its type does not have is refused.
    NewLayer {
        /// What it shows.
        #[oai(rename = "type")]
        layer_type: LayerType,
    }
}

with_layer! {
    /// One change of a canvas. A field that the operation does not take is refused.
    CanvasOp {
        /// What is done.
        op: OpKind,
        /// What a new layer shows.
        #[oai(rename = "type")]
        layer_type: Option<LayerType>,
        /// The colour behind everything; `transparent` for none.
        background: Option<Text>,
    }
}

/// The operations that add these layers.
pub(super) fn added<'a>(layers: impl Iterator<Item = &'a NewLayer>) -> Vec<Value> {
    let added = layers.filter_map(ToJSON::to_json).map(|mut layer| {
        layer["op"] = "add_layer".into();
        layer
    });
    added.collect()
}
