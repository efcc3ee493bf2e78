//! What lists of items show only when they are asked to.
//!
//! A list is read by many who want no links, and each link is one more proof that lies about in an answer. One item by
//! itself comes with all of its parts.

use super::item::WithMedia;
use poem_openapi::Enum;

/// A part of an item that lists leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "LibraryItemInclude")]
pub enum Include {
    /// Its `media_url` and when that ends.
    Media,
}

/// Whether this list is to show links to media.
pub fn with_media(include: Option<&[Include]>) -> WithMedia {
    if include.is_some_and(|parts| parts.contains(&Include::Media)) { WithMedia::Yes } else { WithMedia::No }
}
