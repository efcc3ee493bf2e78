//! What timelines and canvases have in common where their tools show them: the items that they name, and letters that
//! can't be drawn.

use crate::app::links::Links;
use crate::http::text::Text;
use chrono::{DateTime, Utc};
use domain::ids::ItemId;
use std::collections::HashMap;

/// How links to media are made.
#[derive(Clone, Copy)]
pub(super) struct MediaLinks<'a> {
    pub(super) links: &'a Links,
    /// From when on they hold.
    pub(super) now: DateTime<Utc>,
}

/// The items that a document names.
pub(super) struct ShownItems<'a> {
    /// What clients call those that are there.
    pub(super) refs: &'a HashMap<ItemId, String>,
    /// How links to them are made, where some are shown.
    pub(super) links: Option<MediaLinks<'a>>,
}

impl ShownItems<'_> {
    /// What clients call an item; nothing of one that is deleted.
    pub(super) fn item_ref(&self, item: ItemId) -> Option<Text> {
        self.refs.get(&item).map(Text::of)
    }

    /// A link to an item that is there.
    pub(super) fn link(&self, item: Option<ItemId>) -> Option<Text> {
        let (item, MediaLinks { links, now }) = (item.filter(|item| self.refs.contains_key(item))?, self.links?);
        Some(links.to_media(item, now).0)
    }
}

/// Says that there are letters which the font does not have.
pub(super) fn undrawn_letters(letters: &[char]) -> Option<String> {
    let told: Vec<String> = letters.iter().map(char::to_string).collect();
    let what = "The font lacks letters of the texts, and boxes stand in their place: ";
    (!told.is_empty()).then(|| format!("{what}{}.", told.join(", ")))
}
