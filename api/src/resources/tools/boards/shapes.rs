//! The shapes of the board tools' requests and answers.

use crate::http::paging::Limit;
use crate::http::text::{Text, Time, True};
use crate::usecases::documents::Kept;
use domain::board;
use domain::ids::{BoardId, ItemId};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use std::collections::HashMap;
use store::documents::ListedRow;

/// A board to create.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CreateBoard {
    /// Its name, 1 to 200 characters.
    pub name: Text,
}

/// Which boards to list.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ListBoards {
    /// Boards to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// Which board.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OneBoard {
    /// The board.
    pub board_id: Text,
}

/// Which board to restore.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoBoard {
    /// The board.
    pub board_id: Text,
    /// The revision to undo. If the board has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// What to change in a board.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct EditBoard {
    /// The board.
    pub board_id: Text,
    /// The revision that the change is for. If the board has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its new name, 1 to 200 characters.
    pub name: Option<Text>,
    /// The operations, 1 to 500; may be absent if `name` is given.
    pub ops: Option<Vec<BoardOp>>,
}

impl Example for EditBoard {
    fn example() -> Self {
        let op = BoardOp {
            op: OpKind::AddColumn,
            column_id: None,
            card_id: None,
            name: Some(Text("To do".to_owned())),
            position: None,
            item_ref: None,
            text: None,
            note: None,
            assignee: None,
            due: None,
        };
        let board_id = Text("brd_01JD3M5N7P9Q1R3S5T7V9W1X3Y".to_owned());
        Self { board_id, if_revision: None, name: None, ops: Some(vec![op]) }
    }
}

/// The kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "BoardOpKind")]
pub enum OpKind {
    /// Adds a column: `name`, `column_id`, `position`.
    AddColumn,
    /// Changes `name` or `position` of the column `column_id`.
    UpdateColumn,
    /// Removes the column `column_id` with its cards.
    RemoveColumn,
    /// Adds a card to `column_id`: `card_id`, `position`, `ref`, `text`, `note`, `assignee`, `due`.
    AddCard,
    /// Moves the card `card_id` to `column_id`, at `position`.
    MoveCard,
    /// Changes `ref`, `text`, `note`, `assignee` or `due` of the card `card_id`. Absent
    /// fields keep their values; an empty text removes a value.
    UpdateCard,
    /// Removes the card `card_id`.
    RemoveCard,
}

/// One change to a board. A field that the operation does not take is refused.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct BoardOp {
    /// The operation.
    pub op: OpKind,
    /// The column's id. For a new one: 1 to 64 letters, digits, `-` and `_`; one is generated when absent.
    pub column_id: Option<Text>,
    /// The card's id. For a new one: like `column_id`.
    pub card_id: Option<Text>,
    /// A column's name, 1 to 200 characters.
    pub name: Option<Text>,
    /// The index from 0 among the other columns or cards; the end when absent.
    pub position: Option<u32>,
    /// The item that a card is about: its ref, its id, or the id of the job that made it; an empty text removes it.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// The text of a card, at most 5,000 characters.
    pub text: Option<Text>,
    /// A note on a card, at most 5,000 characters.
    pub note: Option<Text>,
    /// The person whom a card is for, at most 200 characters.
    pub assignee: Option<Text>,
    /// The day on which a card is due, such as `2026-12-01`; an empty text removes it.
    pub due: Option<Text>,
}

/// A card.
#[derive(Debug, Object)]
#[oai(rename = "BoardCard")]
pub struct Card {
    /// Its id, unique in its board.
    pub id: Text,
    /// The item that it is about; null when there is none.
    pub item_id: Option<Text>,
    /// The ref of that item, or its id when it has none; null when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Whether the item that it is about is deleted.
    pub item_deleted: bool,
    /// Its text; null when it has none.
    pub text: Option<Text>,
    /// Its note; null when it has none.
    pub note: Option<Text>,
    /// The person whom it is for; null when nobody is named.
    pub assignee: Option<Text>,
    /// The day on which it is due, such as `2026-12-01`, or null.
    pub due: Option<Text>,
}

/// A column.
#[derive(Debug, Object)]
#[oai(rename = "BoardColumn")]
pub struct Column {
    /// Its id, unique in its board.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// Its cards, from top to bottom.
    pub cards: Vec<Card>,
}

/// A board.
#[derive(Debug, Object)]
pub struct Board {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// Its columns, from left to right.
    pub columns: Vec<Column>,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A board as lists show it.
#[derive(Debug, Object)]
pub struct ListedBoard {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// The number of its columns.
    pub columns: u64,
    /// The number of its cards.
    pub cards: u64,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A board.
#[derive(Debug, Object)]
pub struct BoardAnswer {
    /// The board.
    pub board: Board,
}

/// A page of the workspace's boards.
#[derive(Debug, Object)]
pub struct BoardPage {
    /// The boards, newest first.
    pub boards: Vec<ListedBoard>,
    /// Whether there are boards after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the boards after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The board that was deleted.
#[derive(Debug, Object)]
pub struct DeletedBoard {
    /// Its id.
    pub board_id: Text,
    /// Always true.
    pub deleted: True,
}

impl From<Kept<board::Board>> for Board {
    fn from(kept: Kept<board::Board>) -> Self {
        let Kept { id, name, body, refs, revision, created_at, updated_at, .. } = kept;
        Self {
            id: Text::of(BoardId::from(id)),
            name: Text(name),
            revision,
            columns: body.columns.into_iter().map(|column| Column::of(column, &refs)).collect(),
            created_at: Time(created_at),
            updated_at: Time(updated_at),
        }
    }
}

impl Column {
    fn of(column: board::Column, refs: &HashMap<ItemId, String>) -> Self {
        let cards = column.cards.into_iter().map(|card| Card::of(card, refs)).collect();
        Self { id: Text(column.id), name: Text(column.name), cards }
    }
}

impl Card {
    fn of(card: board::Card, refs: &HashMap<ItemId, String>) -> Self {
        let item_ref = card.item.and_then(|item| refs.get(&item));
        Self {
            id: Text(card.id),
            item_id: card.item.map(Text::of),
            item_ref: item_ref.map(Text::of),
            item_deleted: card.item.is_some() && item_ref.is_none(),
            text: card.text.map(Text),
            note: card.note.map(Text),
            assignee: card.assignee.map(Text),
            due: card.due.map(Text::of),
        }
    }
}

impl From<ListedRow> for ListedBoard {
    fn from(row: ListedRow) -> Self {
        let counted = |what: &str| row.summary[what].as_u64().unwrap_or_default();
        Self {
            id: Text::of(BoardId::from(row.id)),
            name: Text(row.name.clone()),
            columns: counted("columns"),
            cards: counted("cards"),
            revision: row.revision,
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
        }
    }
}
