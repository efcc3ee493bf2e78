//! A layer of a canvas, as the canvases' tools answer it.

use super::ops::{GradientWay, LayerFit, LayerShadow, LayerType, LineAlign};
use crate::http::text::Text;
use crate::resources::tools::shown_items::ShownItems;
use domain::canvas::{Align, Content, GradientShape, Layer, Milli};
use domain::ids::ItemId;
use domain::timeline::Fit;
use poem_openapi::Object;

/// A layer. Fields that its type does not have are absent.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct CanvasLayer {
    /// Its id, unique in its canvas.
    pub id: Text,
    /// The type of its content.
    #[oai(rename = "type")]
    pub layer_type: LayerType,
    /// Its left edge, in pixels of the canvas.
    pub x: f64,
    /// Its upper edge, in pixels of the canvas.
    pub y: f64,
    /// Its width in pixels; the canvas's when absent.
    pub width: Option<f64>,
    /// Its height in pixels; the canvas's when absent.
    pub height: Option<f64>,
    /// Its clockwise rotation about its centre, in degrees.
    pub rotation: f64,
    /// Its opacity, 0 to 1.
    pub opacity: f64,
    /// The radius of its corners, in pixels.
    pub radius: Option<f64>,
    /// Its shadow.
    pub shadow: Option<LayerShadow>,
    /// The ref of an image's item, or its id when it has none; absent when the item is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item of an image.
    pub item_id: Option<Text>,
    /// Whether that item is deleted.
    pub item_deleted: Option<bool>,
    /// A link to its media; only `get_canvas` has it.
    pub media_url: Option<Text>,
    /// The time of the frame that is shown of a film, in seconds.
    pub at: Option<f64>,
    /// How an image or a logo is fitted into the layer.
    pub fit: Option<LayerFit>,
    /// The name of a logo of the brand kit.
    pub logo: Option<Text>,
    /// The colour of a text, a rectangle or an ellipse.
    pub color: Option<Text>,
    /// The colours of a gradient, at equal distances.
    pub colors: Option<Vec<Text>>,
    /// The shape of a gradient.
    pub shape: Option<GradientWay>,
    /// The direction of a linear gradient, in degrees: 0 is to the right, 90 down.
    pub angle: Option<f64>,
    /// The words of a text.
    pub text: Option<Text>,
    /// The font family of a text.
    pub family: Option<Text>,
    /// The font size, in pixels.
    pub size: Option<f64>,
    /// The font weight, 100 to 900.
    pub weight: Option<u16>,
    /// The alignment of lines; when absent, the side where the text's script begins.
    pub align: Option<LineAlign>,
    /// The width at which lines are broken, in pixels.
    pub max_width: Option<f64>,
    /// The distance from one line to the next, in font sizes.
    pub line_height: Option<f64>,
}

impl CanvasLayer {
    /// Returns the layer as tools show it; `shown` has the refs and links of its items.
    pub(super) fn of(layer: &Layer, shown: &ShownItems<'_>) -> Self {
        let plain = Self::plain(layer);
        let number = |number: &Milli| Some(number.number());
        match &layer.content {
            Content::Image { item, at, fit } => {
                let at = Some(at.seconds()).filter(|at| *at > 0.0);
                Self { at, fit: Some(fit_of(*fit)), ..plain.with_item(*item, shown) }
            }
            Content::Logo { logo, fit } => Self { logo: Some(Text::of(logo)), fit: Some(fit_of(*fit)), ..plain },
            Content::Text(words) => Self {
                text: Some(Text::of(&words.text)),
                family: Some(Text::of(&words.family)),
                size: number(&words.size),
                weight: Some(words.weight),
                color: Some(Text::of(&words.color)),
                align: words.align.map(|align| match align {
                    Align::Left => LineAlign::Left,
                    Align::Center => LineAlign::Center,
                    Align::Right => LineAlign::Right,
                }),
                max_width: words.max_width.map(Milli::number),
                line_height: Some(words.line_height.number()),
                radius: None,
                ..plain
            },
            Content::Rect { color } => Self { color: Some(Text::of(color)), ..plain },
            Content::Ellipse { color } => Self { color: Some(Text::of(color)), radius: None, ..plain },
            Content::Gradient { colors, shape, angle } => Self {
                colors: Some(colors.iter().map(Text::of).collect()),
                shape: Some(match shape {
                    GradientShape::Linear => GradientWay::Linear,
                    GradientShape::Radial => GradientWay::Radial,
                }),
                angle: number(angle),
                ..plain
            },
        }
    }

    fn with_item(self, item: ItemId, shown: &ShownItems<'_>) -> Self {
        let item_ref = shown.item_ref(item);
        Self {
            item_id: Some(Text::of(item)),
            item_deleted: Some(item_ref.is_none()),
            media_url: shown.link(Some(item)),
            item_ref,
            ..self
        }
    }

    /// Returns the fields that layers of every type have.
    fn plain(layer: &Layer) -> Self {
        let shadow = layer.shadow.as_ref().map(|shadow| LayerShadow {
            color: Some(Text::of(&shadow.color)),
            x: Some(shadow.x.number()),
            y: Some(shadow.y.number()),
            blur: Some(shadow.blur.number()),
        });
        Self {
            id: Text::of(&layer.id),
            layer_type: match layer.content {
                Content::Image { .. } => LayerType::Image,
                Content::Logo { .. } => LayerType::Logo,
                Content::Text(_) => LayerType::Text,
                Content::Rect { .. } => LayerType::Rect,
                Content::Ellipse { .. } => LayerType::Ellipse,
                Content::Gradient { .. } => LayerType::Gradient,
            },
            x: layer.x.number(),
            y: layer.y.number(),
            width: layer.width.map(Milli::number),
            height: layer.height.map(Milli::number),
            rotation: layer.rotation.number(),
            opacity: layer.opacity.number(),
            radius: Some(layer.radius.number()),
            shadow,
            item_ref: None,
            item_id: None,
            item_deleted: None,
            media_url: None,
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

const fn fit_of(fit: Fit) -> LayerFit {
    match fit {
        Fit::Contain => LayerFit::Contain,
        Fit::Cover => LayerFit::Cover,
    }
}
