//! Stored reads, the live jobs that own reads to come, and the reads that the fleet can run.
//!
//! Results are stored here; `ownership` has which job will store a read, `kinds` which reads can be computed.

mod kinds;
mod ownership;

pub(crate) use kinds::known;
pub use kinds::{Begun, KindRow, Kinds, announce, list, set_begun};
pub use ownership::{
    OwnedRead, Taken, claim_all, claim_ownership, lock_payer, release_ownership, release_reads, taken,
};

use domain::footage::Rows;
use domain::ids::{ItemId, JobId};
use domain::read::Read;
use serde_json::Value;
use sqlx::PgConnection;

/// A result to store on an item.
#[derive(Debug, Clone)]
pub struct NewRead {
    /// The item.
    pub item: ItemId,
    /// The read.
    pub read: Read,
    /// The job that computed it.
    pub job: JobId,
    /// The engine and its version.
    pub engine: (String, String),
    /// The engine's own rating of the result; none when it gives none.
    pub quality: Option<String>,
    /// The result.
    pub body: ReadBody,
    /// The size in bytes of the result and of its files, which count as storage of the item's account.
    pub bytes: i64,
    /// The parts of it that are stored as rows, to be joined with other reads and searched.
    pub rows: Rows,
}

/// Where a stored read's result is.
#[derive(Debug, Clone)]
pub enum ReadBody {
    /// In its row.
    Inline(Value),
    /// In the media store under this key, for results over 256 KiB.
    Object(String),
}

/// Stores results. Returns which were stored: a read that exists already keeps its first result. The caller adds their
/// rows with `store::footage`.
pub async fn store(conn: &mut PgConnection, reads: &[NewRead]) -> sqlx::Result<Vec<(ItemId, Read)>> {
    if reads.is_empty() {
        return Ok(Vec::new());
    }
    let bodies: Vec<Option<Value>> = reads
        .iter()
        .map(|one| match &one.body {
            ReadBody::Inline(value) => Some(value.clone()),
            ReadBody::Object(_) => None,
        })
        .collect();
    let keys: Vec<Option<String>> = reads
        .iter()
        .map(|one| match &one.body {
            ReadBody::Inline(_) => None,
            ReadBody::Object(key) => Some(key.clone()),
        })
        .collect();
    let stored = sqlx::query!(
        r#"INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, quality, result, object_key,
                                 bytes)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::json[],
                              $8::text[], $9::bigint[])
         ON CONFLICT (item_id, read) DO NOTHING
         RETURNING item_id AS "item_id: ItemId", read AS "read: Read""#,
        &reads.iter().map(|one| one.item.uuid()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.read.name().to_owned()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.job.uuid()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.engine.0.clone()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.engine.1.clone()).collect::<Vec<_>>(),
        &reads.iter().map(|one| one.quality.clone()).collect::<Vec<_>>() as &[Option<String>],
        &bodies as &[Option<Value>],
        &keys as &[Option<String>],
        &reads.iter().map(|one| one.bytes).collect::<Vec<_>>()
    )
    .fetch_all(conn)
    .await?;
    Ok(stored.into_iter().map(|row| (row.item_id, row.read)).collect())
}

/// Returns whether an item has this read.
pub async fn is_stored(conn: &mut PgConnection, item: ItemId, read: Read) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM item_reads WHERE item_id = $1 AND read = $2) AS "stored!""#,
        item as ItemId,
        read.name()
    )
    .fetch_one(conn)
    .await
}
