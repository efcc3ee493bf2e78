//! Which items a list shows, and what to change in one.

use crate::app::App;
use crate::app::permits::Permit;
use crate::auth::Caller;
use crate::contract::envelope::ItemKind;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{Text, Time};
use crate::resources::library::item::ItemState;
use crate::resources::tools::prepare_media::ReadKind;
use crate::usecases::boards::items_on;
use domain::item::{ItemSort, ItemStatus, ItemType, check_name, check_ref, checked_tags};
use domain::read::Read;
use poem_openapi::{Enum, Object};
use sqlx::PgConnection;
use store::items::{ItemChange, ItemFilter};

/// The most characters of a text to search items for.
pub const LONGEST_QUERY: usize = 255;

/// The orders of lists of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "LibraryItemSort")]
pub enum Sort {
    /// By creation time, newest first.
    Newest,
    /// By creation time, oldest first.
    Oldest,
    /// By name, ignoring case, ascending by Unicode code points.
    Name,
}

impl From<Sort> for ItemSort {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Newest => Self::Newest,
            Sort::Oldest => Self::Oldest,
            Sort::Name => Self::Name,
        }
    }
}

/// Which items to list. With any filter a page may have fewer items than `limit`, or none after 12,000 items without a
/// match, and still be followed by more.
#[derive(Debug, Default)]
pub struct Asked {
    pub query: Option<Text>,
    pub kind: Option<ItemKind>,
    pub status: Option<ItemState>,
    pub has_read: Option<ReadKind>,
    pub missing_read: Option<ReadKind>,
    pub tag: Option<Text>,
    pub created_after: Option<Time>,
    pub created_before: Option<Time>,
    pub board_id: Option<Text>,
}

impl Asked {
    /// Waits for a permit to look at many items, if a filter may pass few of them. Take it before the connection,
    /// which waits for one of the few turns that the permit names.
    ///
    /// # Errors
    /// `rate_limited` while the account has as many such lists under way as it may.
    pub async fn permit(&self, app: &App, caller: &Caller) -> Answer<Option<Permit>> {
        let Self { query, kind, status, has_read, missing_read, tag, created_after, created_before, .. } = self;
        let by_text = query.is_some() || tag.is_some();
        let by_state = kind.is_some() || status.is_some() || has_read.is_some() || missing_read.is_some();
        let by_time = created_after.is_some() || created_before.is_some();
        let is_filtered = by_text || by_state || by_time;
        if is_filtered { app.item_searches.take(caller.account_id).await.map(Some) } else { Ok(None) }
    }

    /// Returns the filter. A board's cards are looked up now: they may change between two pages.
    ///
    /// # Errors
    /// `invalid_request` by field; `board_not_found` and `workspace_forbidden`.
    pub async fn into_filter(self, conn: &mut PgConnection, caller: &Caller) -> Answer<ItemFilter> {
        let among = match self.board_id {
            Some(board) => Some(items_on(conn, caller, board.id(Code::BoardNotFound)?).await?),
            None => None,
        };
        Ok(ItemFilter {
            query: text("query", self.query)?,
            item_type: self.kind.map(ItemType::from),
            status: self.status.map(ItemStatus::from),
            has_read: self.has_read.map(Read::from),
            missing_read: self.missing_read.map(Read::from),
            tag: text("tag", self.tag)?,
            created_after: self.created_after.map(|time| time.0),
            created_before: self.created_before.map(|time| time.0),
            among,
        })
    }
}

fn text(field: &str, given: Option<Text>) -> Answer<Option<String>> {
    let Some(Text(given)) = given else { return Ok(None) };
    if given.trim().is_empty() || given.chars().count() > LONGEST_QUERY || given.contains('\0') {
        let message = format!("`{field}`: expected 1 to {LONGEST_QUERY} characters.");
        return Err(ApiError::new(Code::InvalidRequest, message));
    }
    Ok(Some(given.trim().to_owned()))
}

/// What to change in an item. Absent fields keep their values.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UpdateItem {
    /// Its new name, for people.
    pub name: Option<Text>,
    /// Its new ref, unique in the workspace. Its id and old media links continue to work.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// All of its tags from now on: at most 20, each of 1 to 64 characters. Tags that differ only in case are the same.
    #[oai(validator(max_items = 20))]
    pub tags: Option<Vec<Text>>,
}

impl UpdateItem {
    /// Returns the change, checked.
    ///
    /// # Errors
    /// `invalid_request` by field.
    pub fn change(self, ref_field: &str) -> Answer<ItemChange> {
        let wrong = |field: &str, why: String| ApiError::new(Code::InvalidRequest, format!("`{field}`: {why}."));
        if let Some(name) = &self.name {
            check_name(name).map_err(|why| wrong("name", why.to_string()))?;
        }
        if let Some(item_ref) = &self.item_ref {
            check_ref(item_ref).map_err(|why| wrong(ref_field, why.to_string()))?;
        }
        let tags = self.tags.map(|tags| checked_tags(&tags.into_iter().map(|tag| tag.0).collect::<Vec<_>>()));
        let tags = tags.transpose().map_err(|why| wrong("tags", why.to_string()))?;
        Ok(ItemChange { name: self.name.map(|name| name.0), item_ref: self.item_ref.map(|text| text.0), tags })
    }
}
