//! Boards, and edits of them (`document_edits`).

use crate::auth::Caller;
use crate::http::error::{Answer, Code};
use crate::usecases::document_edits::{Edited, edited_by};
use crate::usecases::document_reads;
use crate::usecases::documents::Document;
use domain::board::Board;
use domain::document::{DocumentKind, OpList};
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
        let mut cards = body.card_ids();
        edited_by(body, list, ops, |board: &mut Self, op| board.apply(op, &mut cards))
    }
}

/// Returns the items that the cards of a board are about, deleted ones too.
///
/// # Errors
/// As `document_reads::reach`.
pub async fn items_on(conn: &mut PgConnection, caller: &Caller, board: BoardId) -> Answer<Vec<ItemId>> {
    Ok(Document::items(&document_reads::content::<Board>(conn, caller, board.uuid()).await?))
}
