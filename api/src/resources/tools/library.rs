//! The library's tools: `list_items`, `get_item`, `update_item`, `import_media`, `delete_item` (contract §4.4).
//!
//! They run the same use cases as the routes, in the tool envelope.

use crate::app::App;
use crate::app::beside::{polled_beside, run_beside};
use crate::app::permits::Permit;
use crate::auth::Auth;
use crate::contract::envelope::{ItemKind, MediaLink, Stored, ToolAnswer, Written};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::paging::Limit;
use crate::http::text::{Text, Time, True};
use crate::resources::library::{self, Asked, Include, Item, ItemState, PageAsked, Sort, UpdateItem, with_media};
use crate::resources::tools::prepare_media::ReadKind;
use crate::resources::uploads::{AskedImport, checked_import, wished_reads};
use crate::usecases::library::{delete_item, reach_settled, update_item};
use crate::usecases::once::Once;
use crate::usecases::uploads::import::import_item;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Object, OpenApi};
use std::time::Duration;
use store::items::ItemRow;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/list_items", &[Code::InvalidCursor, Code::BoardNotFound, Code::WorkspaceForbidden]),
    ("POST /tools/get_item", &[Code::ItemNotFound, Code::WorkspaceForbidden]),
    (
        "POST /tools/import_media",
        &[Code::RoleForbidden, Code::RefTaken, Code::FileTooLarge, Code::UrlNotAllowed, Code::QuotaReached],
    ),
    ("POST /tools/update_item", &[Code::RoleForbidden, Code::ItemNotFound, Code::WorkspaceForbidden, Code::RefTaken]),
    ("POST /tools/delete_item", &[Code::RoleForbidden, Code::ItemNotFound, Code::WorkspaceForbidden]),
];

/// The library's tools.
pub struct LibraryTools(pub App);

/// Which items of the library to list.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct ListItems {
    /// Only items whose name, ref or one of whose tags contains this, ignoring case; or the item with this id.
    pub query: Option<Text>,
    /// Only items of this type.
    #[oai(rename = "type")]
    pub kind: Option<ItemKind>,
    /// Only items with this status.
    pub status: Option<ItemState>,
    /// Only items on which this read is stored.
    pub has_read: Option<ReadKind>,
    /// Only ready items to which this read applies and on which it is not stored.
    pub missing_read: Option<ReadKind>,
    /// Only items with this tag, ignoring case.
    pub tag: Option<Text>,
    /// Only items created at or after this time.
    pub created_after: Option<Time>,
    /// Only items created before this time.
    pub created_before: Option<Time>,
    /// Only items that a card of this board is about.
    pub board_id: Option<Text>,
    /// The order of the items; `newest` when not given.
    pub sort: Option<Sort>,
    /// Items to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
    /// Fields to add that lists leave out: `media` adds each item's `media_url`, and fills `media` of the answer.
    pub include: Option<Vec<Include>>,
}

/// A page of the library.
#[derive(Debug, Object)]
pub struct ItemPage {
    /// The items, in the requested order.
    pub items: Vec<Item>,
    /// Whether there are items after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the items after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// Which item.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OneItem {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
}

/// Which item, and whether to wait for it.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct GetItem {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// Wait up to 30 seconds while the item is in `processing`.
    #[oai(validator(minimum(value = "0"), maximum(value = "30")))]
    pub wait_seconds: Option<u32>,
}

/// An item.
#[derive(Debug, Object)]
pub struct ItemAnswer {
    /// The item.
    pub item: Item,
}

/// Which item to change, and how.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UpdateItemArguments {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// Its new name, for people.
    pub name: Option<Text>,
    /// Its new ref, unique in the workspace. Its id goes on naming it.
    pub new_ref: Option<Text>,
    /// All of its tags from now on: at most 20, each of 1 to 64 characters. Tags that differ only in case are the same.
    #[oai(validator(max_items = 20))]
    pub tags: Option<Vec<Text>>,
}

/// Media to import.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ImportMedia {
    /// The URL to fetch: HTTPS and publicly reachable, as each of up to five redirects must be.
    pub url: Text,
    /// The item's name, for people; the last part of the URL when not given.
    pub name: Option<Text>,
    /// The item's ref, unique in the workspace; clients use its id when none is given.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Reads to start once the item is ready, as `prepare_media` would then; the item's `reads_on_ready` says what
    /// became of each. When not given, those of the workspace's settings.
    pub reads: Option<Vec<ReadKind>>,
}

/// The item that was deleted.
#[derive(Debug, Object)]
pub struct DeletedItem {
    /// Its id.
    pub item_id: Text,
    /// Always true.
    pub deleted: True,
}

#[OpenApi(tag = "Tag::Library")]
impl LibraryTools {
    /// List library items
    ///
    /// Lists the items of the workspace that the call acts in, newest first unless `sort` says otherwise. With filters
    /// a page may have fewer items than `limit`, or none after 12,000 items without a match, and still be followed by
    /// more (`has_more`). A cursor is valid for one `sort` only.
    #[oai(path = "/tools/list_items", method = "post", operation_id = "list_items")]
    async fn list_items(
        &self,
        auth: Auth,
        arguments: Json<Option<ListItems>>,
    ) -> Answer<Written<ToolAnswer<ItemPage>>> {
        let Auth(caller) = auth;
        let asked = arguments.0.unwrap_or_default();
        let pages = PageAsked { sort: asked.sort, limit: asked.limit, cursor: asked.cursor.as_ref() };
        let with_media = with_media(asked.include.as_deref());
        let filter = Asked {
            query: asked.query,
            kind: asked.kind,
            status: asked.status,
            has_read: asked.has_read,
            missing_read: asked.missing_read,
            tag: asked.tag,
            created_after: asked.created_after,
            created_before: asked.created_before,
            board_id: asked.board_id,
        };
        let permit = filter.permit(&self.0, &caller).await?;
        let mut conn = self.0.process.conn_among(caller.account_id, permit.as_ref().map(Permit::few)).await?;
        let page = library::page(&mut conn, &self.0.links, &caller, filter, pages, with_media);
        let page = polled_beside(page).await?;
        drop(conn);
        let media: Vec<MediaLink> = page.data.iter().filter_map(Item::media).collect();
        let data = ItemPage { items: page.data, has_more: page.has_more, next_cursor: page.next_cursor };
        let write = || Written::of(&ToolAnswer::new(&caller.request_id, data).showing(media));
        Ok(run_beside(write))
    }

    /// Get a library item
    ///
    /// Returns its status, its type, the reads stored on it and, once it is ready, a link to its media. `wait_seconds`
    /// makes it a long poll: after an upload or an import, call again until it is `ready` or `failed`.
    #[oai(path = "/tools/get_item", method = "post", operation_id = "get_item")]
    async fn get_item(&self, auth: Auth, arguments: Json<GetItem>) -> Answer<Json<ToolAnswer<ItemAnswer>>> {
        let Auth(caller) = auth;
        let GetItem { item_ref, wait_seconds } = arguments.0;
        let wait = Duration::from_secs(u64::from(wait_seconds.unwrap_or_default()));
        let row = reach_settled(&self.0, caller.workspace, &item_ref, wait).await?;
        let item = Item::of(row, &self.0.links);
        let media = item.media();
        Ok(ToolAnswer::new(&caller.request_id, ItemAnswer { item }).showing(media).json())
    }

    /// Change a library item
    ///
    /// Changes its name, its ref (`new_ref`) or its tags. Absent fields keep their values.
    #[oai(path = "/tools/update_item", method = "post", operation_id = "update_item")]
    async fn update_item(
        &self,
        auth: Auth,
        arguments: Json<UpdateItemArguments>,
    ) -> Answer<Json<ToolAnswer<ItemAnswer>>> {
        let Auth(caller) = auth;
        let UpdateItemArguments { item_ref, name, new_ref, tags } = arguments.0;
        let change = UpdateItem { name, item_ref: new_ref, tags }.change("new_ref")?;
        let item = Item::of(update_item(&self.0, &caller, &item_ref, &change).await?, &self.0.links);
        let media = item.media();
        Ok(ToolAnswer::new(&caller.request_id, ItemAnswer { item }).showing(media).json())
    }

    /// Import media from a URL
    ///
    /// Starts the fetch and returns the item in `processing`; `get_item` says when it is `ready` or `failed`.
    #[oai(path = "/tools/import_media", method = "post", operation_id = "import_media")]
    async fn import_media(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<ImportMedia>,
    ) -> Answer<Stored<ToolAnswer<ItemAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "import_media", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let ImportMedia { url, name, item_ref, reads } = arguments.0;
        let reads = wished_reads(&self.0, &caller, reads).await?;
        let (name, item_ref) = (name.as_deref(), item_ref.as_deref());
        let asked = AskedImport { url: &url, name, item_ref, reads: reads.as_deref() };
        let checked = checked_import(&self.0.process, &caller, &asked).await?;
        let show = |row: ItemRow| {
            // The item is not ready, so the stored answer has no media link that would have expired when it is
            // replayed.
            let item = Item::of(row, &self.0.links);
            ToolAnswer::new(&caller.request_id, ItemAnswer { item }).to_json_string()
        };
        Ok(import_item(&self.0, &caller, &once, checked, show).await?.into())
    }

    /// Delete a library item
    ///
    /// Cancels its queued jobs, asks its running ones to stop, and frees the ref.
    #[oai(path = "/tools/delete_item", method = "post", operation_id = "delete_item")]
    async fn delete_item(&self, auth: Auth, arguments: Json<OneItem>) -> Answer<Json<ToolAnswer<DeletedItem>>> {
        let Auth(caller) = auth;
        let item_id = Text::of(delete_item(&self.0, &caller, &arguments.0.item_ref).await?);
        Ok(ToolAnswer::new(&caller.request_id, DeletedItem { item_id, deleted: True }).json())
    }
}
