//! Canvases: what an edit names is looked up, here and in the brand kit, and done in the edit's transaction
//! (`documents`).

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::brand_kit::kit_of;
use crate::usecases::documents::{self, BegunChange, Document, Kept, refused, resolve_refs};
use crate::usecases::once::{Made, Once};
use crate::usecases::timelines::sources;
use domain::brand_kit::BrandKit;
use domain::canvas::{Canvas, Known};
use domain::document::{DocumentKind, edited};
use domain::ids::{CanvasId, ItemId};
use domain::timeline::Sources;
use serde_json::{Value, json};
use sqlx::PgConnection;

impl Document for Canvas {
    const KIND: DocumentKind = DocumentKind::Canvas;
    const NOT_FOUND: Code = Code::CanvasNotFound;

    fn summary(&self) -> Value {
        json!({ "width": self.width, "height": self.height, "layers": self.layers.len() })
    }

    fn items(&self) -> Vec<ItemId> {
        Self::items(self)
    }
}

/// A canvas to create.
#[derive(Debug)]
pub struct NewCanvas {
    /// What it is called.
    pub name: String,
    /// Pixels across and down.
    pub size: (f64, f64),
    /// The colour behind everything.
    pub background: Option<String>,
    /// The operations that add its layers; `ref` names an item.
    pub layers: Vec<Value>,
}

/// An edit of a canvas.
#[derive(Debug)]
pub struct CanvasEdit {
    /// The revision that it is for.
    pub if_revision: Option<i32>,
    /// What the canvas is called from now on.
    pub name: Option<String>,
    /// What is done, one after the other; `ref` names an item.
    pub ops: Vec<Value>,
}

/// What a canvas needs to be drawn.
#[derive(Debug)]
pub struct Material {
    /// The items that can be used, logos among them.
    pub sources: Sources,
    /// The brand kit as it is.
    pub kit: BrandKit,
}

/// Creates a canvas. `show` writes the answer.
///
/// # Errors
/// As `documents::create`; `invalid_request` names the layer that can't be added.
pub async fn create_canvas(
    app: &App,
    caller: &Caller,
    once: &Once,
    new: NewCanvas,
    show: impl FnOnce(Kept<Canvas>) -> String,
) -> Answer<Made> {
    let NewCanvas { name, size: (width, height), background, mut layers } = new;
    let mut conn = app.conn().await?;
    let kit = kit_of(&mut conn, caller.workspace.id).await?;
    let mut body = Canvas::new(width, height, background, &kit)
        .map_err(|why| ApiError::new(Code::InvalidRequest, format!("{why}.")))?;
    if !layers.is_empty() {
        // What they are called here is not what they are called in an edit.
        let in_layers = |error: ApiError| {
            let message = error.message().replacen("`ops", "`layers", 1).replacen("operations", "layers", 1);
            ApiError::new(error.code(), message)
        };
        resolve_refs(&mut conn, caller, &mut layers, ("ref", "item_id")).await.map_err(in_layers)?;
        body = done(&mut conn, caller, &body, &layers).await.map_err(in_layers)?;
    }
    drop(conn);
    documents::create(app, caller, once, (CanvasId::mint().uuid(), &name, &body), show).await
}

/// Changes a canvas, all that is asked or nothing. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change` and `Change::write`; `invalid_request` names the operation that can't be done.
pub async fn edit_canvas(
    app: &App,
    caller: &Caller,
    once: &Once,
    canvas: CanvasId,
    mut edit: CanvasEdit,
    show: impl FnOnce(Kept<Canvas>) -> String,
) -> Answer<Made> {
    let begun = documents::begin_change::<Canvas>(app, caller, once, canvas.uuid(), edit.if_revision).await?;
    let mut change = match begun {
        BegunChange::Now(change) => change,
        BegunChange::Before(before) => return Ok(Made::Before(before)),
    };
    resolve_refs(&mut change.tx, caller, &mut edit.ops, ("ref", "item_id")).await?;
    if !edit.ops.is_empty() || edit.name.is_none() {
        change.body = done(&mut change.tx, caller, &change.body, &edit.ops).await?;
    }
    if let Some(name) = edit.name {
        change.name = name;
    }
    change.write(app, caller, once, show).await
}

/// Goes back to what a canvas was before its latest change. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change`; `nothing_to_undo`.
pub async fn undo_canvas(
    app: &App,
    caller: &Caller,
    once: &Once,
    (canvas, if_revision): (CanvasId, Option<i32>),
    show: impl FnOnce(Kept<Canvas>) -> String,
) -> Answer<Made> {
    match documents::begin_change::<Canvas>(app, caller, once, canvas.uuid(), if_revision).await? {
        BegunChange::Now(change) => change.undo(app, once, show).await,
        BegunChange::Before(before) => Ok(Made::Before(before)),
    }
}

/// What a canvas that names these items needs to be drawn.
///
/// # Errors
/// Those of the database.
pub async fn material(conn: &mut PgConnection, caller: &Caller, mut named: Vec<ItemId>) -> Answer<Material> {
    let kit = kit_of(conn, caller.workspace.id).await?;
    named.extend(kit.logos.iter().map(|logo| logo.item));
    Ok(Material { sources: sources(conn, caller, &named).await?, kit })
}

/// The canvas with these operations done.
async fn done(conn: &mut PgConnection, caller: &Caller, body: &Canvas, ops: &[Value]) -> Answer<Canvas> {
    let mut named = body.items();
    named.extend(ops.iter().filter_map(|op| op["item_id"].as_str()?.parse::<ItemId>().ok()));
    let Material { sources, kit } = material(conn, caller, named).await?;
    let known = Known { sources: &sources, kit: &kit };
    edited(body, ops, |canvas: &mut Canvas, op| canvas.apply(op, known)).map_err(|error| refused(&error))
}
