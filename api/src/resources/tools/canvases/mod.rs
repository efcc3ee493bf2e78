//! `create_canvas`, `list_canvases`, `get_canvas`, `edit_canvas`, `undo_canvas`, `delete_canvas`: pictures that people
//! and programs edit (contract §4.13).

mod layer;
mod ops;
pub mod render;
mod shapes;

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{Stored, ToolAnswer, Written};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::json::json_of;
use crate::http::paging::Page;
use crate::http::text::{Text, True};
use crate::resources::tools::shown_items::MediaLinks;
use crate::resources::tools::written::write_document;
use crate::usecases::canvases::{NewCanvas, create_canvas};
use crate::usecases::document_edits::{self, Edit};
use crate::usecases::document_reads;
use crate::usecases::documents::{self, Kept};
use crate::usecases::once::Once;
use domain::canvas;
use domain::ids::CanvasId;
use ops::{CreateCanvas, EditCanvas, ListCanvases, OneCanvas, UndoCanvas};
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use shapes::{Canvas, CanvasAnswer, CanvasPage, DeletedCanvas, ListedCanvas};
use store::items;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /tools/create_canvas",
        &[Code::RoleForbidden, Code::QuotaReached, Code::ItemNotFound, Code::WorkspaceForbidden],
    ),
    ("POST /tools/list_canvases", &[Code::InvalidCursor]),
    ("POST /tools/get_canvas", &[Code::CanvasNotFound, Code::WorkspaceForbidden]),
    (
        "POST /tools/edit_canvas",
        &[
            Code::RoleForbidden,
            Code::CanvasNotFound,
            Code::WorkspaceForbidden,
            Code::ItemNotFound,
            Code::RevisionConflict,
            Code::QuotaReached,
        ],
    ),
    (
        "POST /tools/undo_canvas",
        &[
            Code::RoleForbidden,
            Code::CanvasNotFound,
            Code::WorkspaceForbidden,
            Code::RevisionConflict,
            Code::NothingToUndo,
        ],
    ),
    ("POST /tools/delete_canvas", &[Code::RoleForbidden, Code::CanvasNotFound, Code::WorkspaceForbidden]),
];

/// The canvases' tools.
pub struct CanvasTools(pub App);

#[OpenApi(tag = "Tag::Canvas")]
impl CanvasTools {
    /// Create a canvas
    ///
    /// Creates a picture of stacked layers: images and frames of films, texts, shapes, gradients, logos. `{name}` in a
    /// text is a placeholder that a render fills, so that one canvas makes many pictures. A workspace has at most 500
    /// canvases.
    #[oai(path = "/tools/create_canvas", method = "post", operation_id = "create_canvas")]
    async fn create_canvas(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<CreateCanvas>,
    ) -> Answer<Stored<ToolAnswer<CanvasAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "create_canvas", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let CreateCanvas { name, width, height, background, layers } = arguments.0;
        let new = NewCanvas {
            name: name.map_or_else(|| "Canvas".to_owned(), |name| name.0),
            width: f64::from(width),
            height: f64::from(height),
            background: background.map(|color| color.0),
            layers: ops::added(layers.iter().flatten()),
        };
        Ok(create_canvas(&self.0, &caller, &once, new, answer_writer(&caller.request_id)).await?.into())
    }

    /// List canvases
    ///
    /// Newest first, without their layers.
    #[oai(path = "/tools/list_canvases", method = "post", operation_id = "list_canvases")]
    async fn list_canvases(&self, auth: Auth, arguments: Json<ListCanvases>) -> Answer<Json<ToolAnswer<CanvasPage>>> {
        let Auth(caller) = auth;
        let page = Page::new("canvases", arguments.0.limit, arguments.0.cursor.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let rows = documents::page::<canvas::Canvas>(&mut conn, &caller, page.after, page.fetch()).await?;
        let list = page.list(rows, |row| row.id, ListedCanvas::from);
        let data = CanvasPage { canvases: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Read a canvas
    ///
    /// With all its layers, the lowest first, its placeholders, and links to the items that it shows. A layer whose
    /// item is deleted says so.
    #[oai(path = "/tools/get_canvas", method = "post", operation_id = "get_canvas")]
    async fn get_canvas(&self, auth: Auth, arguments: Json<OneCanvas>) -> Answer<Written<ToolAnswer<CanvasAnswer>>> {
        let Auth(caller) = auth;
        let canvas: CanvasId = arguments.0.canvas_id.id(Code::CanvasNotFound)?;
        let kept = document_reads::reach::<canvas::Canvas>(&self.0, &caller, canvas.uuid()).await?;
        let usable = items::usable(&mut *self.0.conn().await?, &kept.body.items(), caller.workspace.id).await?;
        let links = usable.first().map(|item| MediaLinks { links: &self.0.links, now: item.now });
        Ok(write_document(&self.0, &caller, kept.is_long, || CanvasAnswer { canvas: Canvas::of(kept, links) }).await)
    }

    /// Change a canvas
    ///
    /// Changes its name or its layers: `ops` are applied in order, all of them or none, and a refusal names the one
    /// that can't be applied. The last 50 changes can be undone with `undo_canvas`.
    #[oai(path = "/tools/edit_canvas", method = "post", operation_id = "edit_canvas")]
    async fn edit_canvas(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<EditCanvas>,
    ) -> Answer<Stored<ToolAnswer<CanvasAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "edit_canvas", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let EditCanvas { canvas_id, if_revision, name, ops } = arguments.0;
        let ops = ops.iter().flatten().map(json_of).collect();
        let edit = Edit { if_revision, name: name.map(|name| name.0), ops };
        let canvas: CanvasId = canvas_id.id(Code::CanvasNotFound)?;
        Ok(document_edits::edit(&self.0, &caller, &once, canvas.uuid(), edit, answer_writer(&caller.request_id))
            .await?
            .into())
    }

    /// Undo the latest change of a canvas
    ///
    /// Restores what the canvas was before its latest change, as a new revision. A second call undoes the change
    /// before.
    #[oai(path = "/tools/undo_canvas", method = "post", operation_id = "undo_canvas")]
    async fn undo_canvas(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<UndoCanvas>,
    ) -> Answer<Stored<ToolAnswer<CanvasAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "undo_canvas", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let canvas: CanvasId = arguments.0.canvas_id.id(Code::CanvasNotFound)?;
        let (id, if_revision) = (canvas.uuid(), arguments.0.if_revision);
        let show = answer_writer(&caller.request_id);
        Ok(document_edits::undo(&self.0, &caller, &once, id, if_revision, show).await?.into())
    }

    /// Delete a canvas
    ///
    /// Its history is deleted too. The items that it shows, and those that were rendered from it, stay.
    #[oai(path = "/tools/delete_canvas", method = "post", operation_id = "delete_canvas")]
    async fn delete_canvas(&self, auth: Auth, arguments: Json<OneCanvas>) -> Answer<Json<ToolAnswer<DeletedCanvas>>> {
        let Auth(caller) = auth;
        let canvas: CanvasId = arguments.0.canvas_id.id(Code::CanvasNotFound)?;
        documents::delete::<canvas::Canvas>(&self.0, &caller, canvas.uuid()).await?;
        let data = DeletedCanvas { canvas_id: Text::of(canvas), deleted: True };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}

/// Returns a function that writes the answer which shows a canvas.
fn answer_writer(request_id: &str) -> impl FnOnce(Kept<canvas::Canvas>) -> String {
    move |kept| ToolAnswer::new(request_id, CanvasAnswer { canvas: Canvas::of(kept, None) }).to_json_string()
}
