//! The operations of an edit, as a caller writes them.

use crate::ids::{IdError, ItemId};
use chrono::NaiveDate;
use serde::Deserialize;

/// The day that an operation gives; an empty text gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Due(pub Option<NaiveDate>);

impl TryFrom<String> for Due {
    type Error = &'static str;

    fn try_from(day: String) -> Result<Self, Self::Error> {
        let parsed = || day.parse().map_err(|_| "`due`: expected a day such as 2026-12-01, or nothing for none");
        if day.is_empty() { Ok(Self(None)) } else { Ok(Self(Some(parsed()?))) }
    }
}

/// The item that an operation gives; an empty text gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct CardItem(pub Option<ItemId>);

impl TryFrom<String> for CardItem {
    type Error = IdError;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        if id.is_empty() { Ok(Self(None)) } else { id.parse().map(|item| Self(Some(item))) }
    }
}

/// A change of a board. A `position` is an index from 0, counted without the card or column that moves; one past the
/// end, or none, means the end.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum BoardOp {
    /// Adds a column.
    AddColumn {
        /// Its id; if absent, one is made.
        column_id: Option<String>,
        /// Its name.
        name: String,
        /// Its index among the columns.
        position: Option<usize>,
    },
    /// Renames or moves a column.
    UpdateColumn {
        /// The column's id.
        column_id: String,
        /// Its new name.
        name: Option<String>,
        /// Its new index.
        position: Option<usize>,
    },
    /// Removes a column with its cards.
    RemoveColumn {
        /// The column's id.
        column_id: String,
    },
    /// Adds a card.
    AddCard {
        /// The id of its column.
        column_id: String,
        /// Its id; if absent, one is made.
        card_id: Option<String>,
        /// Its index in the column.
        position: Option<usize>,
        /// The item it is about.
        item_id: Option<CardItem>,
        /// Its text.
        text: Option<String>,
        /// A note about it.
        note: Option<String>,
        /// The person it is assigned to.
        assignee: Option<String>,
        /// The day it is due.
        due: Option<Due>,
    },
    /// Moves a card.
    MoveCard {
        /// The card's id.
        card_id: String,
        /// The id of its new column.
        column_id: String,
        /// Its index there.
        position: Option<usize>,
    },
    /// Changes a card. Absent fields stay as they are; an empty text removes the field.
    UpdateCard {
        /// The card's id.
        card_id: String,
        /// The item it is about.
        item_id: Option<CardItem>,
        /// Its text.
        text: Option<String>,
        /// A note about it.
        note: Option<String>,
        /// The person it is assigned to.
        assignee: Option<String>,
        /// The day it is due.
        due: Option<Due>,
    },
    /// Removes a card.
    RemoveCard {
        /// The card's id.
        card_id: String,
    },
}
