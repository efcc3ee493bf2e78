//! The reads that are stored on an item: their results, and how each was made.

use chrono::{DateTime, Utc};
use domain::ids::{ItemId, JobId};
use domain::read::Read;
use sqlx::PgConnection;

/// Which job and engine made a stored read. For operators.
#[derive(Debug, Clone)]
pub struct MadeRead {
    /// The read.
    pub read: Read,
    /// The job that made it.
    pub job_id: JobId,
    /// The engine's name.
    pub engine: String,
    /// The engine's version.
    pub engine_version: String,
    /// The engine's own rating of the result.
    pub quality: Option<String>,
    /// The size of the stored result in bytes.
    pub bytes: i64,
    /// When it was stored.
    pub stored_at: DateTime<Utc>,
}

/// Returns how each stored read of an item was made, in the order of the reads' names.
pub async fn made_reads(conn: &mut PgConnection, item: ItemId) -> sqlx::Result<Vec<MadeRead>> {
    sqlx::query_as!(
        MadeRead,
        r#"SELECT read AS "read: Read", job_id AS "job_id: JobId", engine, engine_version, quality, bytes, stored_at
           FROM item_reads WHERE item_id = $1 ORDER BY read"#,
        item as ItemId
    )
    .fetch_all(conn)
    .await
}

/// A read stored on an item: its JSON, or the key of its JSON in the media store when it is large.
#[derive(Debug, Clone)]
pub struct StoredRead {
    /// The job that computed it.
    pub job_id: JobId,
    /// The whole result as JSON text (docs/reads.md, "The stored result"); none when it is stored under `object_key`.
    pub result: Option<String>,
    /// The object in the media store that holds the JSON text instead.
    pub object_key: Option<String>,
    /// When it was stored.
    pub stored_at: DateTime<Utc>,
}

/// Returns the stored read of an item; none when it is not computed.
pub async fn stored_read(conn: &mut PgConnection, item: ItemId, read: Read) -> sqlx::Result<Option<StoredRead>> {
    sqlx::query_as!(
        StoredRead,
        r#"SELECT job_id AS "job_id: JobId", result::text AS result, object_key, stored_at FROM item_reads
           WHERE item_id = $1 AND read = $2"#,
        item as ItemId,
        read.name(),
    )
    .fetch_optional(conn)
    .await
}
