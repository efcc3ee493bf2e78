//! Boards: what an edit names is looked up and done in the edit's transaction (`documents`).

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, Code};
use crate::usecases::documents::{self, BegunChange, Document, Kept, refused, resolve_refs};
use crate::usecases::once::{Made, Once};
use domain::board::Board;
use domain::document::{DocumentKind, edited};
use domain::ids::{BoardId, ItemId};
use serde_json::{Value, json};
use sqlx::PgConnection;

impl Document for Board {
    const KIND: DocumentKind = DocumentKind::Board;
    const NOT_FOUND: Code = Code::BoardNotFound;

    fn summary(&self) -> Value {
        json!({ "columns": self.columns.len(), "cards": self.columns.iter().map(|column| column.cards.len()).sum::<usize>() })
    }

    fn items(&self) -> Vec<ItemId> {
        Self::items(self).collect()
    }
}

/// An edit of a board.
#[derive(Debug)]
pub struct BoardEdit {
    /// The revision that it is for.
    pub if_revision: Option<i32>,
    /// What the board is called from now on.
    pub name: Option<String>,
    /// What is done, one after the other; `ref` names an item.
    pub ops: Vec<Value>,
}

/// Changes a board, all that is asked or nothing. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change` and `Change::write`; `invalid_request` names the operation that can't be done.
pub async fn edit_board(
    app: &App,
    caller: &Caller,
    once: &Once,
    board: BoardId,
    mut edit: BoardEdit,
    show: impl FnOnce(Kept<Board>) -> String,
) -> Answer<Made> {
    let begun = documents::begin_change::<Board>(app, caller, once, board.uuid(), edit.if_revision).await?;
    let mut change = match begun {
        BegunChange::Now(change) => change,
        BegunChange::Before(before) => return Ok(Made::Before(before)),
    };
    resolve_refs(&mut change.tx, caller, &mut edit.ops, ("ref", "item_id")).await?;
    if !edit.ops.is_empty() || edit.name.is_none() {
        change.body = edited(&change.body, &edit.ops, Board::apply).map_err(|error| refused(&error))?;
    }
    if let Some(name) = edit.name {
        change.name = name;
    }
    change.write(app, caller, once, show).await
}

/// The items that the cards of a board are about, deleted ones too.
///
/// # Errors
/// As `documents::reach`.
pub async fn items_on(conn: &mut PgConnection, caller: &Caller, board: BoardId) -> Answer<Vec<ItemId>> {
    Ok(Document::items(&documents::reach::<Board>(conn, caller, board.uuid()).await?.body))
}

/// Goes back to what a board was before its latest change. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change`; `nothing_to_undo`.
pub async fn undo_board(
    app: &App,
    caller: &Caller,
    once: &Once,
    (board, if_revision): (BoardId, Option<i32>),
    show: impl FnOnce(Kept<Board>) -> String,
) -> Answer<Made> {
    match documents::begin_change::<Board>(app, caller, once, board.uuid(), if_revision).await? {
        BegunChange::Now(change) => change.undo(app, once, show).await,
        BegunChange::Before(before) => Ok(Made::Before(before)),
    }
}
