//! What the canvases' tools answer.

use super::ops::{GradientWay, LayerFit, LayerShadow, LayerType, LineAlign};
use crate::http::text::{Text, Time, True};
use crate::resources::tools::shown_items::{MediaLinks, ShownItems};
use crate::usecases::documents::Kept;
use domain::canvas::{self, Align, Content, GradientShape, Milli};
use domain::ids::{CanvasId, ItemId};
use domain::timeline::Fit;
use poem_openapi::Object;
use store::documents::ListedRow;

/// A canvas.
#[derive(Debug, Object)]
pub struct Canvas {
    /// Its id.
    pub id: Text,
    /// What it is called.
    pub name: Text,
    /// How many times it was written.
    pub revision: i32,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// The colour behind everything; null where it is transparent.
    pub background: Option<Text>,
    /// What is on it, the lowest first.
    pub layers: Vec<CanvasLayer>,
    /// The placeholders of its texts.
    pub placeholders: Vec<Text>,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A layer. What its type does not have is absent.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct CanvasLayer {
    /// Its id, one in its canvas.
    pub id: Text,
    /// What it shows.
    #[oai(rename = "type")]
    pub layer_type: LayerType,
    /// Its left side.
    pub x: f64,
    /// Its upper side.
    pub y: f64,
    /// Its width; the canvas's when absent.
    pub width: Option<f64>,
    /// Its height; the canvas's when absent.
    pub height: Option<f64>,
    /// How far it is turned about its middle, in degrees.
    pub rotation: f64,
    /// How much it hides of what is under it, 0 to 1.
    pub opacity: f64,
    /// How round its corners are.
    pub radius: Option<f64>,
    /// The shadow that it throws.
    pub shadow: Option<LayerShadow>,
    /// What clients call the item of an image; absent when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The item of an image.
    pub item_id: Option<Text>,
    /// Whether that item is deleted.
    pub item_deleted: Option<bool>,
    /// A link to its media; of `get_canvas` alone.
    pub media_url: Option<Text>,
    /// The second of a film whose frame is shown.
    pub at: Option<f64>,
    /// How an image or a logo gets into its place.
    pub fit: Option<LayerFit>,
    /// The name of a logo of the brand kit.
    pub logo: Option<Text>,
    /// The colour of a text, a rectangle or an ellipse.
    pub color: Option<Text>,
    /// The colours of a gradient.
    pub colors: Option<Vec<Text>>,
    /// How a gradient goes.
    pub shape: Option<GradientWay>,
    /// Where it goes, in degrees.
    pub angle: Option<f64>,
    /// What a text says.
    pub text: Option<Text>,
    /// The family of its letters.
    pub family: Option<Text>,
    /// Their height.
    pub size: Option<f64>,
    /// How bold they are.
    pub weight: Option<u16>,
    /// Where lines begin; where the text's script does when absent.
    pub align: Option<LineAlign>,
    /// How wide a line may be before it is broken.
    pub max_width: Option<f64>,
    /// From one line to the next, in heights of letters.
    pub line_height: Option<f64>,
}

/// A canvas as lists show it.
#[derive(Debug, Object)]
pub struct ListedCanvas {
    /// Its id.
    pub id: Text,
    /// What it is called.
    pub name: Text,
    /// Pixels across.
    pub width: u64,
    /// Pixels down.
    pub height: u64,
    /// How many layers it has.
    pub layers: u64,
    /// How many times it was written.
    pub revision: i32,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A canvas.
#[derive(Debug, Object)]
pub struct CanvasAnswer {
    /// The canvas.
    pub canvas: Canvas,
}

/// A page of the workspace's canvases.
#[derive(Debug, Object)]
pub struct CanvasPage {
    /// The canvases, newest first.
    pub canvases: Vec<ListedCanvas>,
    /// Whether there are canvases after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the canvases after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The canvas that was deleted.
#[derive(Debug, Object)]
pub struct DeletedCanvas {
    /// Its id.
    pub canvas_id: Text,
    /// Always true.
    pub deleted: True,
}

impl Canvas {
    /// As it is kept; with links to the items that it shows, where those are given.
    pub(super) fn of(kept: Kept<canvas::Canvas>, links: Option<MediaLinks<'_>>) -> Self {
        let Kept { id, name, body, refs, revision, created_at, updated_at } = kept;
        let shown = ShownItems { refs: &refs, links };
        Self {
            id: Text::of(CanvasId::from(id)),
            name: Text(name),
            revision,
            width: body.width,
            height: body.height,
            placeholders: body.placeholders().into_iter().map(Text::of).collect(),
            layers: body.layers.iter().map(|layer| CanvasLayer::of(layer, &shown)).collect(),
            background: body.background.map(Text),
            created_at: Time(created_at),
            updated_at: Time(updated_at),
        }
    }
}

impl CanvasLayer {
    fn of(layer: &canvas::Layer, shown: &ShownItems<'_>) -> Self {
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

    /// Where and how it stands.
    fn plain(layer: &canvas::Layer) -> Self {
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

impl From<ListedRow> for ListedCanvas {
    fn from(row: ListedRow) -> Self {
        let number = |field: &str| row.summary[field].as_u64().unwrap_or_default();
        Self {
            id: Text::of(CanvasId::from(row.id)),
            width: number("width"),
            height: number("height"),
            layers: number("layers"),
            name: Text(row.name.clone()),
            revision: row.revision,
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
        }
    }
}
