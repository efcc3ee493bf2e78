//! Boards: columns of cards, for planning work on items (contract §4.9).
//!
//! Columns and cards have ids that the caller chooses, or else the first free number, so that a repeated edit can name
//! what the first one made.

mod ops;

pub use ops::{BoardOp, CardItem, Due};

use crate::ids::ItemId;
use crate::part_ids::{PartIds, free_id, tell_apart};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// The most columns of a board.
pub const MOST_COLUMNS: usize = 50;
/// The most cards of a board, in all its columns.
pub const MOST_CARDS: usize = 1_000;
/// The most characters of an id that a caller chooses.
pub const MOST_ID_CHARACTERS: usize = 64;
/// The most characters of a column's name, and of a card's assignee.
pub const MOST_LINE_CHARACTERS: usize = 200;
/// The most characters of a card's text, and of its note.
pub const MOST_TEXT_CHARACTERS: usize = 5_000;

/// The body of a board.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredBoard")]
pub struct Board {
    /// Its columns, from left to right.
    pub columns: Vec<Column>,
}

/// A board as it is stored. Earlier releases gave a new card, or column, an id that another had.
#[derive(Debug, Deserialize)]
struct StoredBoard {
    columns: Vec<Column>,
}

impl From<StoredBoard> for Board {
    fn from(StoredBoard { mut columns }: StoredBoard) -> Self {
        tell_apart("column", &mut columns.iter_mut().map(|column| &mut column.id).collect::<Vec<_>>());
        let cards = columns.iter_mut().flat_map(|column| &mut column.cards);
        tell_apart("card", &mut cards.map(|card| &mut card.id).collect::<Vec<_>>());
        Self { columns }
    }
}

/// A column of a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its id, unique among the board's columns.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its cards, from top to bottom.
    #[serde(default)]
    pub cards: Vec<Card>,
}

/// A card of a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Its id, unique among the board's cards.
    pub id: String,
    /// The item that it is about, which may be deleted by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemId>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A note about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The person it is assigned to, as free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// The day it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<NaiveDate>,
}

impl Board {
    /// Returns the ids of its cards, for the operations of an edit.
    pub fn card_ids(&self) -> PartIds {
        PartIds::of("card", self.columns.iter().flat_map(|column| &column.cards).map(|card| card.id.as_str()))
    }

    /// Applies one operation. `cards` has the ids of the cards, and is kept so.
    ///
    /// # Errors
    /// Why it can't be applied, in words; then neither is as it was.
    pub fn apply(&mut self, op: BoardOp, cards: &mut PartIds) -> Result<(), String> {
        match op {
            BoardOp::AddColumn { column_id, name, position } => self.add_column(column_id, &name, position),
            BoardOp::UpdateColumn { column_id, name, position } => {
                self.update_column(&column_id, name.as_deref(), position)
            }
            BoardOp::RemoveColumn { column_id } => {
                let at = self.column(&column_id)?;
                self.columns.remove(at).cards.iter().for_each(|card| cards.release(&card.id));
                Ok(())
            }
            BoardOp::AddCard { column_id, card_id, position, item_id, text, note, assignee, due } => {
                let id = self.free_card_id(card_id, cards)?;
                let due = due.and_then(|due| due.0);
                let card =
                    Card { id, item: item_id.and_then(|item| item.0), text: None, note: None, assignee: None, due };
                let card = card.saying(text, note, assignee.as_deref())?;
                let column = self.column(&column_id)?;
                cards.take(&card.id);
                self.put(column, card, position);
                Ok(())
            }
            BoardOp::MoveCard { card_id, column_id, position } => {
                let to = self.column(&column_id)?;
                let card = self.take(&card_id)?;
                self.put(to, card, position);
                Ok(())
            }
            BoardOp::UpdateCard { card_id, item_id, text, note, assignee, due } => {
                let (column, at) = self.card(&card_id)?;
                let card = &mut self.columns[column].cards[at];
                card.item = item_id.map_or(card.item, |item| item.0);
                card.due = due.map_or(card.due, |due| due.0);
                *card = card.clone().saying(text, note, assignee.as_deref())?;
                Ok(())
            }
            BoardOp::RemoveCard { card_id } => self.take(&card_id).map(|card| cards.release(&card.id)),
        }
    }

    /// Returns the items of all cards; an item may occur more than once.
    pub fn items(&self) -> impl Iterator<Item = ItemId> {
        self.columns.iter().flat_map(|column| &column.cards).filter_map(|card| card.item)
    }

    fn add_column(&mut self, id: Option<String>, name: &str, position: Option<usize>) -> Result<(), String> {
        if self.columns.len() >= MOST_COLUMNS {
            return Err(format!("a board has at most {MOST_COLUMNS} columns"));
        }
        let id = free_id("board", "column", id, self.columns.iter().map(|column| column.id.as_str()))?;
        let column = Column { id, name: line("name", name)?, cards: Vec::new() };
        let at = position.unwrap_or(usize::MAX).min(self.columns.len());
        self.columns.insert(at, column);
        Ok(())
    }

    fn update_column(&mut self, id: &str, name: Option<&str>, position: Option<usize>) -> Result<(), String> {
        let at = self.column(id)?;
        if let Some(name) = name {
            self.columns[at].name = line("name", name)?;
        }
        if let Some(position) = position {
            let column = self.columns.remove(at);
            self.columns.insert(position.min(self.columns.len()), column);
        }
        Ok(())
    }

    fn column(&self, id: &str) -> Result<usize, String> {
        self.columns.iter().position(|column| column.id == id).ok_or_else(|| unknown("column", id))
    }

    fn card(&self, id: &str) -> Result<(usize, usize), String> {
        let cards = self.columns.iter().enumerate();
        let mut found =
            cards.filter_map(|(at, column)| Some((at, column.cards.iter().position(|card| card.id == id)?)));
        found.next().ok_or_else(|| unknown("card", id))
    }

    fn free_card_id(&self, id: Option<String>, cards: &mut PartIds) -> Result<String, String> {
        if self.columns.iter().map(|column| column.cards.len()).sum::<usize>() >= MOST_CARDS {
            return Err(format!("a board has at most {MOST_CARDS} cards"));
        }
        cards.choose("board", id)
    }

    fn take(&mut self, id: &str) -> Result<Card, String> {
        let (column, at) = self.card(id)?;
        Ok(self.columns[column].cards.remove(at))
    }

    fn put(&mut self, column: usize, card: Card, position: Option<usize>) {
        let cards = &mut self.columns[column].cards;
        cards.insert(position.unwrap_or(usize::MAX).min(cards.len()), card);
    }
}

impl Card {
    /// Returns this card with these texts where they are given; an empty text removes the field.
    fn saying(mut self, text: Option<String>, note: Option<String>, assignee: Option<&str>) -> Result<Self, String> {
        let long = |field: &str, given: Option<String>, kept: Option<String>| match given {
            Some(given) if given.chars().count() > MOST_TEXT_CHARACTERS => {
                Err(format!("`{field}`: expected at most {MOST_TEXT_CHARACTERS} characters"))
            }
            Some(given) => Ok(Some(given).filter(|given| !given.is_empty())),
            None => Ok(kept),
        };
        self.text = long("text", text, self.text)?;
        self.note = long("note", note, self.note)?;
        self.assignee = match assignee {
            None => self.assignee,
            Some("") => None,
            Some(given) => Some(line("assignee", given)?),
        };
        Ok(self)
    }
}

fn line(field: &str, given: &str) -> Result<String, String> {
    let given = given.trim();
    let is_fit =
        !given.is_empty() && given.chars().count() <= MOST_LINE_CHARACTERS && !given.chars().any(char::is_control);
    let refused = || format!("`{field}`: expected 1 to {MOST_LINE_CHARACTERS} characters on one line");
    is_fit.then(|| given.to_owned()).ok_or_else(refused)
}

fn unknown(noun: &str, id: &str) -> String {
    let shown: String = id.chars().take(MOST_ID_CHARACTERS).collect();
    format!("the board has no {noun} `{shown}`")
}

#[cfg(test)]
mod tests;
