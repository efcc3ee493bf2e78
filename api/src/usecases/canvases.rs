//! Canvases: the items and the brand kit that an edit depends on are read in the transaction in which it is done
//! (`document_edits`).

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::brand_kit::kit_of;
use crate::usecases::document_edits::{Edited, edited_by, refuse_many};
use crate::usecases::documents::{self, Document, DocumentToCreate, Kept};
use crate::usecases::library::sources;
use crate::usecases::once::{Made, Once};
use crate::usecases::op_refs::resolve_refs;
use domain::brand_kit::BrandKit;
use domain::canvas::{Canvas, KitNames, Known};
use domain::document::{DocumentKind, OpList};
use domain::ids::{CanvasId, ItemId};
use domain::timeline::Sources;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

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
    /// Its name.
    pub name: String,
    /// Its width in pixels.
    pub width: f64,
    /// Its height in pixels.
    pub height: f64,
    /// The colour of its background.
    pub background: Option<String>,
    /// The operations that add its layers; in them, `ref` names an item.
    pub layers: Vec<Value>,
}

/// What is needed to draw a canvas.
#[derive(Debug)]
pub struct Material {
    /// The items that can be used, logos among them.
    pub sources: Sources,
    /// The workspace's brand kit.
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
    let NewCanvas { name, width, height, background, mut layers } = new;
    refuse_many(OpList::Layers, &layers)?;
    let mut conn = app.process.conn_of(caller.account_id).await?;
    let kit = kit_of(&mut conn, caller.workspace.id).await?;
    let mut body = Canvas::new(width, height, background, &kit)
        .map_err(|why| ApiError::new(Code::InvalidRequest, format!("{why}.")))?;
    if !layers.is_empty() {
        resolve_refs(&mut conn, caller.workspace.id, OpList::Layers, &mut layers).await?;
        body = Canvas::done(&mut conn, caller, None, &body, OpList::Layers, &layers).await?;
    }
    drop(conn);
    let new = DocumentToCreate { id: CanvasId::mint().uuid(), name: &name, body: &body };
    documents::create(app, caller, once, new, show).await
}

/// Returns what is needed to draw a canvas that names these items.
///
/// # Errors
/// The database's.
pub async fn material(conn: &mut PgConnection, caller: &Caller, mut named: Vec<ItemId>) -> Answer<Material> {
    let kit = kit_of(conn, caller.workspace.id).await?;
    named.extend(kit.logos.iter().map(|logo| logo.item));
    Ok(Material { sources: sources(conn, caller, &named).await?, kit })
}

impl Edited for Canvas {
    async fn done(
        conn: &mut PgConnection,
        caller: &Caller,
        _own: Option<Uuid>,
        body: &Self,
        list: OpList,
        ops: &[Value],
    ) -> Answer<Self> {
        let mut items = body.items();
        items.extend(ops.iter().filter_map(|op| op["item_id"].as_str()?.parse::<ItemId>().ok()));
        let Material { sources, kit } = material(conn, caller, items).await?;
        let names = KitNames::of(&kit);
        let known = Known { sources: &sources, kit: &names };
        edited_by(body, list, ops, |canvas: &mut Self, op| canvas.apply(op, known))
    }
}
