//! `create_board`, `list_boards`, `get_board`, `edit_board`, `undo_board`, `delete_board`: columns of cards about items
//! (contract §4.9).

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
use crate::resources::tools::written::write_document;
use crate::usecases::document_edits::{self, Edit};
use crate::usecases::document_reads;
use crate::usecases::documents::{self, DocumentToCreate, Kept};
use crate::usecases::once::Once;
use domain::board;
use domain::ids::BoardId;
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use shapes::{
    Board, BoardAnswer, BoardPage, CreateBoard, DeletedBoard, EditBoard, ListBoards, ListedBoard, OneBoard, UndoBoard,
};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/create_board", &[Code::RoleForbidden, Code::QuotaReached]),
    ("POST /tools/list_boards", &[Code::InvalidCursor]),
    ("POST /tools/get_board", &[Code::BoardNotFound, Code::WorkspaceForbidden]),
    (
        "POST /tools/edit_board",
        &[
            Code::RoleForbidden,
            Code::BoardNotFound,
            Code::WorkspaceForbidden,
            Code::ItemNotFound,
            Code::RevisionConflict,
            Code::QuotaReached,
        ],
    ),
    (
        "POST /tools/undo_board",
        &[
            Code::RoleForbidden,
            Code::BoardNotFound,
            Code::WorkspaceForbidden,
            Code::RevisionConflict,
            Code::NothingToUndo,
        ],
    ),
    ("POST /tools/delete_board", &[Code::RoleForbidden, Code::BoardNotFound, Code::WorkspaceForbidden]),
];

/// The boards' tools.
pub struct BoardTools(pub App);

#[OpenApi(tag = "Tag::Library")]
impl BoardTools {
    /// Create a board
    ///
    /// Creates a board whose columns of cards plan the work on items. It begins without columns: `edit_board` adds
    /// them. A workspace has at most 200 boards.
    #[oai(path = "/tools/create_board", method = "post", operation_id = "create_board")]
    async fn create_board(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<CreateBoard>,
    ) -> Answer<Stored<ToolAnswer<BoardAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "create_board", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let (id, body) = (BoardId::mint().uuid(), board::Board::default());
        let new = DocumentToCreate { id, name: &arguments.0.name.0, body: &body };
        Ok(documents::create(&self.0, &caller, &once, new, answer_writer(&caller.request_id)).await?.into())
    }

    /// List boards
    ///
    /// Newest first, without their cards.
    #[oai(path = "/tools/list_boards", method = "post", operation_id = "list_boards")]
    async fn list_boards(&self, auth: Auth, arguments: Json<ListBoards>) -> Answer<Json<ToolAnswer<BoardPage>>> {
        let Auth(caller) = auth;
        let page = Page::new("boards", arguments.0.limit, arguments.0.cursor.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let rows = documents::page::<board::Board>(&mut conn, &caller, page.after, page.fetch()).await?;
        let list = page.list(rows, |row| row.id, ListedBoard::from);
        let data = BoardPage { boards: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Read a board
    ///
    /// With its columns and cards. A card whose item is deleted says so.
    #[oai(path = "/tools/get_board", method = "post", operation_id = "get_board")]
    async fn get_board(&self, auth: Auth, arguments: Json<OneBoard>) -> Answer<Written<ToolAnswer<BoardAnswer>>> {
        let Auth(caller) = auth;
        let board: BoardId = arguments.0.board_id.id(Code::BoardNotFound)?;
        let kept = document_reads::reach::<board::Board>(&self.0, &caller, board.uuid()).await?;
        Ok(write_document(&self.0, &caller, kept.is_long, || BoardAnswer { board: Board::from(kept) }).await)
    }

    /// Change a board
    ///
    /// Changes its name, its columns or its cards: `ops` are applied in order, all of them or none, and a refusal names
    /// the one that can't be applied. The last 50 changes can be undone with `undo_board`.
    #[oai(path = "/tools/edit_board", method = "post", operation_id = "edit_board")]
    async fn edit_board(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<EditBoard>,
    ) -> Answer<Stored<ToolAnswer<BoardAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "edit_board", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let EditBoard { board_id, if_revision, name, ops } = arguments.0;
        let ops = ops.iter().flatten().map(json_of).collect();
        let edit = Edit { if_revision, name: name.map(|name| name.0), ops };
        let board: BoardId = board_id.id(Code::BoardNotFound)?;
        Ok(document_edits::edit(&self.0, &caller, &once, board.uuid(), edit, answer_writer(&caller.request_id))
            .await?
            .into())
    }

    /// Undo the latest change of a board
    ///
    /// Restores what the board was before its latest change, as a new revision. Repeat it to undo the change before.
    #[oai(path = "/tools/undo_board", method = "post", operation_id = "undo_board")]
    async fn undo_board(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<UndoBoard>,
    ) -> Answer<Stored<ToolAnswer<BoardAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "undo_board", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let board: BoardId = arguments.0.board_id.id(Code::BoardNotFound)?;
        let (id, if_revision) = (board.uuid(), arguments.0.if_revision);
        let show = answer_writer(&caller.request_id);
        Ok(document_edits::undo(&self.0, &caller, &once, id, if_revision, show).await?.into())
    }

    /// Delete a board
    ///
    /// Its history is deleted too. The items that its cards are about stay.
    #[oai(path = "/tools/delete_board", method = "post", operation_id = "delete_board")]
    async fn delete_board(&self, auth: Auth, arguments: Json<OneBoard>) -> Answer<Json<ToolAnswer<DeletedBoard>>> {
        let Auth(caller) = auth;
        let board: BoardId = arguments.0.board_id.id(Code::BoardNotFound)?;
        documents::delete::<board::Board>(&self.0, &caller, board.uuid()).await?;
        let data = DeletedBoard { board_id: Text::of(board), deleted: True };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}

/// Returns a function that writes the answer which shows a board.
fn answer_writer(request_id: &str) -> impl FnOnce(Kept<board::Board>) -> String {
    move |kept| ToolAnswer::new(request_id, BoardAnswer { board: kept.into() }).to_json_string()
}
