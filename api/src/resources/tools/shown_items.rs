//! What the tools of timelines and canvases share when they show one: the items that it names.

use crate::app::links::Links;
use crate::http::text::Text;
use chrono::{DateTime, Utc};
use domain::ids::ItemId;
use std::collections::HashMap;

/// Makes links to media.
#[derive(Clone, Copy)]
pub(super) struct MediaLinks<'a> {
    pub(super) links: &'a Links,
    /// The time from which the links are valid.
    pub(super) now: DateTime<Utc>,
}

/// The items that a document names.
pub(super) struct ShownItems<'a> {
    /// The refs of the items that exist, or their ids when they have none.
    pub(super) refs: &'a HashMap<ItemId, String>,
    /// Makes links to the items, when the answer shows links.
    pub(super) links: Option<MediaLinks<'a>>,
}

impl ShownItems<'_> {
    /// Returns an item's ref, or its id when it has none; none for a deleted item.
    pub(super) fn item_ref(&self, item: ItemId) -> Option<Text> {
        self.refs.get(&item).map(Text::of)
    }

    /// Returns a link to the item, if it exists and links are shown.
    pub(super) fn link(&self, item: Option<ItemId>) -> Option<Text> {
        let (item, MediaLinks { links, now }) = (item.filter(|item| self.refs.contains_key(item))?, self.links?);
        Some(links.to_media(item, now).0)
    }
}
