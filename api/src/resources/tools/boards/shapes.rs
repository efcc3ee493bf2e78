//! What the boards' tools take and answer.

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
    /// What it is called, 1 to 200 characters.
    pub name: Text,
}

/// Which boards.
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

/// Which board goes back.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoBoard {
    /// The board.
    pub board_id: Text,
    /// The revision that is undone; another one stands: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// What to change of a board.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct EditBoard {
    /// The board.
    pub board_id: Text,
    /// The revision that the change is for; another one stands: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its new name, 1 to 200 characters.
    pub name: Option<Text>,
    /// What to do, 1 to 500 operations; may be left out with `name`.
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

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "BoardOpKind")]
pub enum OpKind {
    /// Another column: `name`, `column_id`, `position`.
    AddColumn,
    /// A column's `name` or `position`, by `column_id`.
    UpdateColumn,
    /// A column less, with its cards, by `column_id`.
    RemoveColumn,
    /// Another card in `column_id`: `card_id`, `position`, `ref`, `text`, `note`, `assignee`, `due`.
    AddCard,
    /// A card into `column_id`, at `position`, by `card_id`.
    MoveCard,
    /// A card's `ref`, `text`, `note`, `assignee` or `due`, by `card_id`. What is absent stays; an empty text is none.
    UpdateCard,
    /// A card less, by `card_id`.
    RemoveCard,
}

/// One change of a board. A field that the operation does not take is refused.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none)]
pub struct BoardOp {
    /// What is done.
    pub op: OpKind,
    /// The column. Of a new one: 1 to 64 letters, digits, `-` and `_`; one is made when absent.
    pub column_id: Option<Text>,
    /// The card. Of a new one: as `column_id`.
    pub card_id: Option<Text>,
    /// A column's name, 1 to 200 characters.
    pub name: Option<Text>,
    /// The place from 0, counted without that which moves; the end when absent.
    pub position: Option<u32>,
    /// What names the item that a card is about; an empty text is none.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// What a card says, at most 5,000 characters.
    pub text: Option<Text>,
    /// What is to be known beside, at most 5,000 characters.
    pub note: Option<Text>,
    /// Who a card is for, at most 200 characters.
    pub assignee: Option<Text>,
    /// The day a card is due, as `2026-12-01`; an empty text is none.
    pub due: Option<Text>,
}

/// A card.
#[derive(Debug, Object)]
#[oai(rename = "BoardCard")]
pub struct Card {
    /// Its id, one in its board.
    pub id: Text,
    /// The item that it is about.
    pub item_id: Option<Text>,
    /// What clients call that item; null when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Whether the item that it is about is deleted.
    pub item_deleted: bool,
    /// What it says.
    pub text: Option<Text>,
    /// What is to be known beside.
    pub note: Option<Text>,
    /// Who it is for.
    pub assignee: Option<Text>,
    /// The day it is due.
    pub due: Option<Text>,
}

/// A column.
#[derive(Debug, Object)]
#[oai(rename = "BoardColumn")]
pub struct Column {
    /// Its id, one in its board.
    pub id: Text,
    /// What it is called.
    pub name: Text,
    /// Its cards, from top to bottom.
    pub cards: Vec<Card>,
}

/// A board.
#[derive(Debug, Object)]
pub struct Board {
    /// Its id.
    pub id: Text,
    /// What it is called.
    pub name: Text,
    /// How many times it was written.
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
    /// What it is called.
    pub name: Text,
    /// How many columns it has.
    pub columns: u64,
    /// How many cards are in them.
    pub cards: u64,
    /// How many times it was written.
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
        let Kept { id, name, body, refs, revision, created_at, updated_at } = kept;
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
