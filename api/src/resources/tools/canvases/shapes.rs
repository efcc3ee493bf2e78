//! The shapes of the canvas tools' answers.

use super::layer::CanvasLayer;
use crate::http::text::{Text, Time, True};
use crate::resources::tools::shown_items::{MediaLinks, ShownItems};
use crate::usecases::documents::Kept;
use domain::canvas;
use domain::ids::CanvasId;
use poem_openapi::Object;
use store::documents::ListedRow;

/// A canvas.
#[derive(Debug, Object)]
pub struct Canvas {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// Its width, in pixels.
    pub width: u32,
    /// Its height, in pixels.
    pub height: u32,
    /// The background colour; null where it is transparent.
    pub background: Option<Text>,
    /// Its layers, the lowest first.
    pub layers: Vec<CanvasLayer>,
    /// The names of the placeholders in its texts.
    pub placeholders: Vec<Text>,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A canvas as lists show it.
#[derive(Debug, Object)]
pub struct ListedCanvas {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// Its width, in pixels.
    pub width: u64,
    /// Its height, in pixels.
    pub height: u64,
    /// The number of its layers.
    pub layers: u64,
    /// Its revision: 1 when created, then one higher with every change.
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
    /// Returns the canvas as tools show it; with links to the items that it shows, if `links` is given.
    pub(super) fn of(kept: Kept<canvas::Canvas>, links: Option<MediaLinks<'_>>) -> Self {
        let Kept { id, name, body, refs, revision, created_at, updated_at, .. } = kept;
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
