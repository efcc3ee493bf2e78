//! Items that jobs make: their rows, which are ready at once.
//!
//! The end of a job writes the row in its transaction; the bytes are in the media store by then. `renders` has what the
//! job was to make, and what it owned while it ran.

use crate::uploads::Facts;
use domain::generation::{FILMS, MadeBy};
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::item::Stream;
use sqlx::PgConnection;
use sqlx::types::Json;

/// An item that a job made, whose bytes are in the media store.
#[derive(Debug, Clone)]
pub struct JobItem {
    /// Its id.
    pub id: ItemId,
    /// The job that made it.
    pub job: JobId,
    /// The hash of its plan, by which a later call for the same finds this item.
    pub hash: Vec<u8>,
    /// The workspace that it is in.
    pub workspace: WorkspaceId,
    /// The account of that workspace, whose storage it uses.
    pub account: AccountId,
    /// Its name.
    pub name: String,
    /// Its type, duration and streams, as probed.
    pub facts: Facts,
    /// Its size in bytes.
    pub bytes: i64,
    /// SHA-256 of its bytes.
    pub sha256: Vec<u8>,
    /// Its key in the media store.
    pub object_key: String,
    /// How it was made.
    pub made_by: MadeBy,
}

/// Adds an item that a job made, with the status `ready`. Its `ref` is its id.
pub async fn store(conn: &mut PgConnection, new: &JobItem) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO items (id, workspace_id, account_id, ref, name, type, status, duration_ms, has_audio, has_video,
             width, height, content_type, rate_frames, rate_seconds, bytes, sha256, object_key, made_by_job_id,
             render_hash, streams, thumbnail_key, seekable, made_by)
         VALUES ($1, $2, $3, $4, $5, $6, 'ready', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
             $21, $22, $23)",
        new.id as ItemId,
        new.workspace as WorkspaceId,
        new.account as AccountId,
        new.id.to_string(),
        new.name,
        new.facts.item_type.name(),
        new.facts.duration_ms,
        new.facts.has_audio,
        new.facts.has_video,
        new.facts.width,
        new.facts.height,
        new.facts.content_type,
        new.facts.rate().map(|rate| rate.0),
        new.facts.rate().map(|rate| rate.1),
        new.bytes,
        new.sha256,
        new.object_key,
        new.job as JobId,
        new.hash,
        Json(&new.facts.streams) as Json<&Vec<Stream>>,
        new.facts.thumbnail_key.as_deref(),
        new.facts.seekable,
        Json(&new.made_by) as Json<&MadeBy>
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a new item has of those that it is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inherited {
    /// Whether any of them was spoken or drawn by a machine.
    pub synthetic: bool,
    /// Whether the one that it shows once more is a film.
    pub film: bool,
}

/// Returns what a new item has of those that it is made from. Films of earlier releases are known by their tools alone.
pub async fn inherited(conn: &mut PgConnection, made_by: &MadeBy) -> sqlx::Result<Inherited> {
    let films = FILMS.map(str::to_owned);
    sqlx::query_as!(
        Inherited,
        r#"SELECT coalesce(bool_or(made_by ->> 'synthetic' = 'true'), false) AS "synthetic!",
               coalesce(bool_or(
                   id = $2 AND (made_by ->> 'film' = 'true' OR made_by ->> 'tool' = ANY ($3))
               ), false) AS "film!"
           FROM items WHERE id = ANY ($1)"#,
        made_by.source_item_ids.as_slice() as &[ItemId],
        made_by.copy_of().map(ItemId::uuid),
        &films[..]
    )
    .fetch_one(conn)
    .await
}
