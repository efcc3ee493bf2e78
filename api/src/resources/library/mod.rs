//! Library items over routes: `/library/items` (contract §2, §4.3).
//!
//! The item's shape is here, and what tools share of it. `usecases::library` decides which item a text names and what
//! deleting it does; `uploads` brings its bytes.

mod captions;
mod document;
mod filter;
mod include;
mod item;
mod joined;
mod lanes;
mod on_ready;
mod page;
mod stored;

pub use captions::{ReadFormat, Reader, captions, first_stretches, said, taken_of_transcript, transcript_part};
pub use document::Document;
pub use filter::{Asked, LONGEST_QUERY, Sort, UpdateItem};
pub use include::{Include, with_media};
pub use item::{Item, ItemState, WithMedia, hexadecimal};
pub use lanes::{as_picture, lanes};
pub use on_ready::start_reads_on_ready;
pub use page::{PageAsked, page};
pub use stored::{StoredResult, stored_read};

use crate::app::App;
use crate::app::beside::polled_beside;
use crate::app::permits::Permit;
use crate::auth::Auth;
use crate::contract::envelope::{Deleted, ItemKind};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List};
use crate::http::text::{Text, Time};
use crate::resources::tools::prepare_media::ReadKind;
use crate::usecases::library::{delete_item, reach, reach_settled, unknown, update_item};
use domain::captions::TextFormat;
use domain::read::Read;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use std::time::Duration;
use store::items;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("GET /library/items", &[Code::InvalidCursor, Code::BoardNotFound, Code::WorkspaceForbidden]),
    ("GET /library/items/{id}", REACHING),
    ("PATCH /library/items/{id}", &[Code::ItemNotFound, Code::WorkspaceForbidden, Code::RoleForbidden, Code::RefTaken]),
    ("DELETE /library/items/{id}", CHANGING),
    ("GET /library/items/{id}/reads/{read}", &[Code::ItemNotFound, Code::ReadNotFound, Code::WorkspaceForbidden]),
    ("POST /library/items/{id}/lease", CHANGING),
    ("DELETE /library/items/{id}/lease", CHANGING),
];
const REACHING: &[Code] = &[Code::ItemNotFound, Code::WorkspaceForbidden];
const CHANGING: &[Code] = &[Code::ItemNotFound, Code::WorkspaceForbidden, Code::RoleForbidden];

/// The library operations.
pub struct Library(pub App);

/// How long to hold back an item's reads.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct TakeLease {
    /// Seconds from now at which the lease ends, also if the item already has a lease.
    #[oai(validator(minimum(value = "1"), maximum(value = "3600")))]
    pub seconds: i32,
}

/// A lease on an item.
#[derive(Debug, Object)]
pub struct Lease {
    /// The item.
    pub item_id: Text,
    /// When the lease expires.
    pub leased_until: Time,
}

#[OpenApi(tag = "Tag::Library")]
impl Library {
    /// List library items
    ///
    /// Lists the items of the workspace that the call acts in, newest first unless `sort` says otherwise. With filters
    /// a page may have fewer items than `limit`, or none after 12,000 items without a match, and still be followed by
    /// more (`has_more`). A cursor is valid for one `sort` only.
    #[oai(path = "/library/items", method = "get", operation_id = "list_library_items")]
    #[expect(clippy::too_many_arguments, reason = "an operation's parameters are its arguments")]
    async fn list(
        &self,
        auth: Auth,
        /// Only items whose name, ref or one of whose tags contains this, ignoring case; or the item with this id.
        query: Query<Option<Text>>,
        /// Only items of this type.
        r#type: Query<Option<ItemKind>>,
        /// Only items with this status.
        status: Query<Option<ItemState>>,
        /// Only items on which this read is stored.
        has_read: Query<Option<ReadKind>>,
        /// Only ready items to which this read applies and on which it is not stored.
        missing_read: Query<Option<ReadKind>>,
        /// Only items with this tag, ignoring case.
        tag: Query<Option<Text>>,
        /// Only items created at or after this time.
        created_after: Query<Option<Time>>,
        /// Only items created before this time.
        created_before: Query<Option<Time>>,
        /// Only items that a card of this board is about.
        board_id: Query<Option<Text>>,
        /// The order of the items; `newest` when not given.
        sort: Query<Option<Sort>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
        /// Fields to add that lists leave out: `media` adds each item's `media_url`.
        include: Query<Option<Vec<Include>>>,
    ) -> Answer<Json<List<Item>>> {
        let Auth(caller) = auth;
        let with_media = with_media(include.0.as_deref());
        let asked = Asked {
            query: query.0,
            kind: r#type.0,
            status: status.0,
            has_read: has_read.0,
            missing_read: missing_read.0,
            tag: tag.0,
            created_after: created_after.0,
            created_before: created_before.0,
            board_id: board_id.0,
        };
        let pages = PageAsked { sort: sort.0, limit: limit.0, cursor: cursor.0.as_ref() };
        let permit = asked.permit(&self.0, &caller).await?;
        let mut conn = self.0.process.conn_among(caller.account_id, permit.as_ref().map(Permit::few)).await?;
        Ok(Json(polled_beside(page(&mut conn, &self.0.links, &caller, asked, pages, with_media)).await?))
    }

    /// Get a library item
    ///
    /// Finds it by its id, its ref, or the id of the job that made it (contract §2, "Library item").
    #[oai(path = "/library/items/:id", method = "get", operation_id = "get_library_item")]
    async fn get(
        &self,
        auth: Auth,
        /// The item's ref, its id, or the id of the job that made it.
        id: Path<Text>,
        /// Wait up to 30 seconds while the item is in `processing`.
        #[oai(validator(minimum(value = "0"), maximum(value = "30")))]
        wait_seconds: Query<Option<u32>>,
    ) -> Answer<Json<Item>> {
        let Auth(caller) = auth;
        let wait = Duration::from_secs(u64::from(wait_seconds.0.unwrap_or_default()));
        let item = reach_settled(&self.0, caller.workspace, &id.0, wait).await?;
        Ok(Json(Item::of(item, &self.0.links)))
    }

    /// Change a library item
    ///
    /// Changes its name, its ref or its tags. Absent fields keep their values.
    #[oai(path = "/library/items/:id", method = "patch", operation_id = "update_library_item")]
    async fn update(
        &self,
        auth: Auth,
        /// The item's ref, its id, or the id of the job that made it.
        id: Path<Text>,
        body: Json<UpdateItem>,
    ) -> Answer<Json<Item>> {
        let Auth(caller) = auth;
        let item = update_item(&self.0, &caller, &id.0, &body.0.change("ref")?).await?;
        Ok(Json(Item::of(item, &self.0.links)))
    }

    /// Delete a library item
    ///
    /// Cancels its queued jobs, asks its running ones to stop, and frees the ref. The bytes are deleted once no job
    /// reads them.
    #[oai(path = "/library/items/:id", method = "delete", operation_id = "delete_library_item")]
    async fn delete(
        &self,
        auth: Auth,
        /// The item's ref, its id, or the id of the job that made it.
        id: Path<Text>,
    ) -> Answer<Json<Deleted>> {
        let Auth(caller) = auth;
        delete_item(&self.0, &caller, &id.0).await?;
        Ok(Deleted::json())
    }

    /// Get a stored read
    ///
    /// Returns the read that a job stored on the item, at no charge. A transcript is also returned as text:
    /// `format=txt`, or as captions: `format=srt` and `format=vtt`, in cues of at most two lines of 42 characters and 7
    /// s that never overlap, with the speakers' names where those are stored.
    #[oai(path = "/library/items/:id/reads/:read", method = "get", operation_id = "get_stored_read")]
    async fn read(
        &self,
        auth: Auth,
        /// The item's ref, its id, or the id of the job that made it.
        id: Path<Text>,
        /// The name of the read.
        read: Path<Text>,
        /// The format of a transcript; `json` when not given, which is the format of every other read.
        format: Query<Option<ReadFormat>>,
    ) -> Answer<StoredResult> {
        let Auth(caller) = auth;
        let read = read_named(&read.0)?;
        let as_text = text_form(read, format.0)?;
        let account = caller.account_id;
        let mut conn = self.0.process.conn_of(account).await?;
        let item = reach(&mut conn, caller.workspace, &id.0).await?.id;
        let reader = Reader::Caller(account);
        let stored = match as_text {
            Some(format) => captions(&self.0, conn, reader, item, format).await?.map(StoredResult::Text),
            None => stored_read(&self.0, conn, account, item, read).await?.map(StoredResult::Json),
        };
        stored.ok_or_else(|| {
            ApiError::new(Code::ReadNotFound, format!("The item has no stored `{read}`."))
                .suggest("Start it with `prepare_media`.")
        })
    }

    /// Hold an item's reads back
    ///
    /// For a computer that reads the item itself: until the lease ends, `prepare_media` answers `held` with the reason
    /// `reading_on_computer`.
    #[oai(path = "/library/items/:id/lease", method = "post", operation_id = "lease_library_item")]
    async fn lease(
        &self,
        auth: Auth,
        /// The item's ref, its id, or the id of the job that made it.
        id: Path<Text>,
        body: Json<TakeLease>,
    ) -> Answer<Json<Lease>> {
        let Auth(caller) = auth;
        let mut conn = self.0.conn().await?;
        let item = reach(&mut conn, caller.workspace, &id.0).await?.id;
        let leased = items::lease(&mut conn, item, caller.workspace.id, body.0.seconds).await?;
        let leased_until = leased.ok_or_else(|| unknown(&id.0))?.into();
        Ok(Json(Lease { item_id: Text::of(item), leased_until }))
    }

    /// Stop holding an item's reads back
    #[oai(path = "/library/items/:id/lease", method = "delete", operation_id = "end_library_item_lease")]
    async fn end_lease(
        &self,
        auth: Auth,
        /// The item's ref, its id, or the id of the job that made it.
        id: Path<Text>,
    ) -> Answer<Json<Deleted>> {
        let Auth(caller) = auth;
        let mut conn = self.0.conn().await?;
        let item = reach(&mut conn, caller.workspace, &id.0).await?.id;
        items::end_lease(&mut conn, item, caller.workspace.id).await?;
        Ok(Deleted::json())
    }
}

/// The read of this name.
fn read_named(name: &str) -> Answer<Read> {
    Read::from_name(name).ok_or_else(|| {
        let names = Read::ALL.map(Read::name).join(", ");
        ApiError::new(Code::InvalidRequest, format!("`read`: expected one of {names}."))
    })
}

/// The form of a text that is asked for, which only a transcript has; none of JSON.
fn text_form(read: Read, asked: Option<ReadFormat>) -> Answer<Option<TextFormat>> {
    let as_text = asked.and_then(ReadFormat::text);
    if let Some(format) = as_text.filter(|_| read != Read::Transcript) {
        let message = format!("`format`: only a transcript is answered as `{}`; `{read}` is JSON.", format.name());
        return Err(ApiError::new(Code::InvalidRequest, message));
    }
    Ok(as_text)
}
