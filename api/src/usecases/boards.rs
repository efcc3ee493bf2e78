//! Boards: what an edit names is looked up, and the edit is done in the same transaction (`document_edits`).

use crate::auth::Caller;
use crate::http::error::{Answer, Code};
use crate::usecases::document_edits::Edited;
use crate::usecases::documents::{self, Document, refused};
use domain::board::Board;
use domain::document::{DocumentKind, OpList, edited};
use domain::ids::{BoardId, ItemId};
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

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

impl Edited for Board {
    async fn done(
        _conn: &mut PgConnection,
        _caller: &Caller,
        _own: Option<Uuid>,
        body: &Self,
        list: OpList,
        ops: &[Value],
    ) -> Answer<Self> {
        edited(body, list, ops, Self::apply).map_err(|error| refused(&error))
    }
}

/// Returns the items that the cards of a board are about, deleted ones too.
///
/// # Errors
/// As `documents::reach`.
pub async fn items_on(conn: &mut PgConnection, caller: &Caller, board: BoardId) -> Answer<Vec<ItemId>> {
    Ok(Document::items(&documents::reach::<Board>(conn, caller, board.uuid()).await?.body))
}
