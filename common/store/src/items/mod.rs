//! Library items and the reads stored on them (contract §2).
//!
//! Items are listed and added here; `search` lists those that match a filter, `change` renames one; `linked` finds the
//! media of a link; `resolve` looks up many refs at once, for tools that take refs; `storage` counts and deletes bytes,
//! `sweep` finds which stored objects are named by rows. `reads` has what is stored on an item, `lease` lets a client
//! read one itself, `tombstone` deletes one. `store::uploads` has how an item's bytes arrive. A deleted item stays as a
//! tombstone that no function here returns, so that a job that still works on it notices.

mod called;
mod change;
mod lease;
mod linked;
mod newest;
mod reads;
mod resolve;
mod search;
mod storage;
mod sweep;
mod tombstone;
mod usable;

pub use called::called;
pub use change::{Changed, ItemChange, change};
pub use lease::{end_lease, lease};
pub use linked::{LinkedMedia, linked_media, refs};
pub use newest::{ListedItem, newest};
pub use reads::{MadeRead, StoredRead, made_reads, stored_read};
pub use resolve::{ItemForReads, Resolved, resolve};
pub use search::{ItemFilter, ItemPosition, search};
pub use storage::{bytes_kept, lock_storage, prune, purge, to_purge, workspace_of};
pub use sweep::{advance_sweep, named_objects, settled_before};
pub use tombstone::{Tombstone, tombstone};
pub use usable::{UsableItem, usable};

use chrono::{DateTime, Utc};
use domain::generation::MadeBy;
use domain::ids::{AccountId, ItemId, WorkspaceId};
use domain::item::{ItemStatus, ItemType, Stream};
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;

/// A file in the media store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMedia {
    /// Its key in the media store.
    pub object_key: String,
    /// Its size in bytes.
    pub bytes: i64,
    /// SHA-256 of its bytes; none when it is not known.
    pub sha256: Option<Vec<u8>>,
}

/// An item as clients see it.
#[derive(Debug, Clone)]
pub struct ItemRow {
    /// Its id.
    pub id: ItemId,
    /// The workspace that it is in.
    pub workspace_id: WorkspaceId,
    /// Its `ref`: what its maker chose, or its id.
    pub item_ref: String,
    /// Its name; at first the uploaded file's name.
    pub name: String,
    /// Its type; none until it is probed.
    pub item_type: Option<ItemType>,
    /// Its status.
    pub status: ItemStatus,
    /// The code of the error that it failed with; none when it has not failed.
    pub error_code: Option<String>,
    /// The message of that error.
    pub error_message: Option<String>,
    /// Its duration in milliseconds; none for a picture, and until it is probed.
    pub duration_ms: Option<i64>,
    /// Its width in pixels.
    pub width: Option<i32>,
    /// Its height in pixels.
    pub height: Option<i32>,
    /// A media type such as `video/mp4`.
    pub content_type: Option<String>,
    /// Its size in bytes; the announced size until it is stored.
    pub bytes: i64,
    /// SHA-256 of the bytes.
    pub sha256: Option<Vec<u8>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Until when a client computes its reads itself and none is computed here; none without such a lease, or after it.
    pub leased_until: Option<DateTime<Utc>>,
    /// The streams of its file; none until it was probed.
    pub streams: Option<Json<Vec<Stream>>>,
    /// The key of its picture in the media store; none when there is none.
    pub thumbnail_key: Option<String>,
    /// When it was looked up; links to its picture last for a while from then.
    pub now: DateTime<Utc>,
    /// The names of the reads stored on it, in alphabetical order.
    pub reads: Vec<String>,
    /// When each of them was stored, in the same order.
    pub reads_stored_at: Vec<DateTime<Utc>>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The names of the reads to start once it is ready; none when none were asked for.
    pub reads_on_ready: Option<Vec<String>>,
    /// The answer to the call that started those reads; none until then.
    pub reads_answer: Option<Value>,
    /// When those reads start; none when none are to start.
    pub reads_due_at: Option<DateTime<Utc>>,
    /// How it was made, if a generation made it.
    pub made_by: Option<Json<MadeBy>>,
}

/// Selects items as clients see them; `$tail` is what follows `FROM items`.
macro_rules! select_items {
    ($tail:tt, $($argument:expr),*) => {
        sqlx::query_as!(
            ItemRow,
            r#"SELECT id AS "id: ItemId", workspace_id AS "workspace_id: WorkspaceId", ref AS item_ref, name,
                type AS "item_type: ItemType", status AS "status: ItemStatus", error_code, error_message, duration_ms,
                width, height, content_type, bytes, sha256, created_at, tags,
                made_by AS "made_by: Json<MadeBy>",
                CASE WHEN leased_until > mws_now() THEN leased_until END AS leased_until,
                streams AS "streams: Json<Vec<Stream>>", thumbnail_key, mws_now() AS "now!",
                ARRAY(SELECT read FROM item_reads WHERE item_id = items.id ORDER BY read) AS "reads!",
                ARRAY(SELECT stored_at FROM item_reads WHERE item_id = items.id ORDER BY read) AS "reads_stored_at!",
                (SELECT reads FROM reads_on_ready WHERE item_id = items.id) AS reads_on_ready,
                (SELECT answer FROM reads_on_ready WHERE item_id = items.id) AS reads_answer,
                (SELECT due_at FROM reads_on_ready WHERE item_id = items.id) AS reads_due_at
            FROM items "# + $tail,
            $($argument),*
        )
    };
}

/// Returns the item with this id, of any account; none when it is deleted or never existed.
pub async fn find(conn: &mut PgConnection, item: ItemId) -> sqlx::Result<Option<ItemRow>> {
    select_items!("WHERE id = $1 AND deleted_at IS NULL", item as ItemId).fetch_optional(conn).await
}

/// Returns a workspace's items, newest first, that are older than `before`.
pub async fn page(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    before: Option<ItemId>,
    limit: i64,
) -> sqlx::Result<Vec<ItemRow>> {
    // Two statements, because one for both cases would get a bad plan for each.
    match before {
        None => {
            select_items!(
                "WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $2",
                workspace as WorkspaceId,
                limit
            )
            .fetch_all(conn)
            .await
        }
        Some(before) => {
            select_items!(
                "WHERE workspace_id = $1 AND deleted_at IS NULL AND id < $3 ORDER BY id DESC LIMIT $2",
                workspace as WorkspaceId,
                limit,
                before as ItemId
            )
            .fetch_all(conn)
            .await
        }
    }
}

/// Returns these items of a workspace, in the order of `ids`.
async fn by_ids(conn: &mut PgConnection, workspace: WorkspaceId, ids: &[ItemId]) -> sqlx::Result<Vec<ItemRow>> {
    select_items!(
        "WHERE id = ANY ($1) AND workspace_id = $2 AND deleted_at IS NULL ORDER BY array_position($1, id)",
        ids as &[ItemId],
        workspace as WorkspaceId
    )
    .fetch_all(conn)
    .await
}

/// An item whose bytes are still to come.
#[derive(Debug, Clone)]
pub struct NewItem<'a> {
    /// Its id.
    pub id: ItemId,
    /// The workspace that it will be in.
    pub workspace_id: WorkspaceId,
    /// The account of that workspace, whose storage it uses.
    pub account_id: AccountId,
    /// Its `ref`; `domain::item::check_ref` has accepted it.
    pub item_ref: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its media type, as announced.
    pub content_type: Option<&'a str>,
    /// Its size in bytes, as announced; 0 when unknown.
    pub bytes: i64,
}

/// Whether an item was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It was.
    Yes,
    /// Another item of the workspace has that `ref`.
    RefTaken,
}

/// Adds an item with the status `processing`. Returns whether it was added, or why not.
pub async fn add(conn: &mut PgConnection, item: &NewItem<'_>) -> sqlx::Result<Added> {
    let added = sqlx::query!(
        "INSERT INTO items (id, workspace_id, account_id, ref, name, content_type, bytes)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (workspace_id, ref) WHERE deleted_at IS NULL DO NOTHING",
        item.id as ItemId,
        item.workspace_id as WorkspaceId,
        item.account_id as AccountId,
        item.item_ref,
        item.name,
        item.content_type,
        item.bytes,
    )
    .execute(conn)
    .await?;
    Ok(if added.rows_affected() == 0 { Added::RefTaken } else { Added::Yes })
}

/// The location of an item's bytes.
#[derive(Debug, Clone)]
pub struct ItemMedia {
    /// The object's key in the media store.
    pub object_key: String,
    /// Its duration in milliseconds; none for a picture.
    pub duration_ms: Option<i64>,
}

/// Returns where the bytes of a ready item are; none when it is deleted or not ready.
pub async fn media(conn: &mut PgConnection, item: ItemId) -> sqlx::Result<Option<ItemMedia>> {
    sqlx::query_as!(
        ItemMedia,
        r#"SELECT object_key AS "object_key!", duration_ms FROM items
           WHERE id = $1 AND status = 'ready' AND deleted_at IS NULL AND object_key IS NOT NULL"#,
        item as ItemId,
    )
    .fetch_optional(conn)
    .await
}
