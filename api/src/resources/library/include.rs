//! The fields of items that lists show only on request.
//!
//! Many clients read lists without needing links, and each link is a credential that an answer need not expose. A
//! single item always has all of its fields.

use super::item::WithMedia;
use poem_openapi::Enum;

/// A part of an item that lists leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "LibraryItemInclude")]
pub enum Include {
    /// Its `media_url` and when that expires.
    Media,
}

/// Whether this list should show links to media.
pub fn with_media(include: Option<&[Include]>) -> WithMedia {
    if include.is_some_and(|parts| parts.contains(&Include::Media)) { WithMedia::Yes } else { WithMedia::No }
}
