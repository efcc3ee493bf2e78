//! Renders: what live jobs will make, which items they made, and what lost claims left behind.
//!
//! A row of `job_renders` that has not ended promises that nobody makes the same render at the same time, as a row of
//! `job_reads` does for reads. The new item's row is in `new_item`.

use crate::usage;
use domain::ids::{AccountId, ItemId, JobId};
use serde_json::Value;
use sqlx::PgConnection;

/// A render that a call wants.
#[derive(Debug, Clone)]
pub struct NewRender<'a> {
    /// Its job.
    pub job: JobId,
    /// The hash of its plan.
    pub hash: &'a [u8],
    /// The plan.
    pub plan: &'a Value,
    /// The id of the item that it will make.
    pub output: ItemId,
    /// The name that the item will have.
    pub name: &'a str,
    /// The music that it needs beside its job's item.
    pub music: Option<ItemId>,
    /// The further items that it needs.
    pub others: &'a [ItemId],
}

/// Stores the promise that this job makes the render, and waits for a call that did the same a moment ago. Returns
/// false when another live job has the promise.
pub async fn claim_ownership(conn: &mut PgConnection, render: &NewRender<'_>) -> sqlx::Result<bool> {
    let taken = sqlx::query!(
        "INSERT INTO job_renders (job_id, hash, plan, output_item_id, output_name, music_item_id, source_item_ids)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (hash) WHERE ended_at IS NULL DO NOTHING",
        render.job as JobId,
        render.hash,
        render.plan,
        render.output as ItemId,
        render.name,
        render.music.map(ItemId::uuid),
        render.others as &[ItemId]
    )
    .execute(conn)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// An item that a render made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeItem {
    /// The item.
    pub item: ItemId,
    /// The job that made it, whose row may be deleted by now.
    pub job: JobId,
}

/// Returns the item that a render with this hash made; none when it is deleted or never was made.
pub async fn made(conn: &mut PgConnection, hash: &[u8]) -> sqlx::Result<Option<MadeItem>> {
    sqlx::query_as!(
        MadeItem,
        r#"SELECT id AS "item: ItemId", made_by_job_id AS "job!: JobId" FROM items
           WHERE render_hash = $1 AND deleted_at IS NULL"#,
        hash
    )
    .fetch_optional(conn)
    .await
}

/// Reserves storage for the file that a claim has rendered. Returns false when less than that is left of `quota`, or
/// the claim is lost. The caller holds `items::lock_storage` until its commit. The reservation counts until the render
/// has ended; then the new item does.
pub async fn reserve(
    conn: &mut PgConnection,
    job: JobId,
    claim_no: i32,
    account: AccountId,
    bytes: i64,
    quota: i64,
) -> sqlx::Result<bool> {
    let kept = usage::of(conn, account).await?.media_bytes;
    let reserved = sqlx::query!(
        "UPDATE job_renders r SET account_id = $3, reserved_bytes = $4
         FROM jobs j
         WHERE r.job_id = $1 AND r.ended_at IS NULL AND j.id = r.job_id AND j.claim_no = $2 AND j.status = 'running'
             AND $5::bigint - r.reserved_bytes + $4 <= $6::bigint",
        job as JobId,
        claim_no,
        account as AccountId,
        bytes,
        kept,
        quota
    )
    .execute(conn)
    .await?;
    Ok(reserved.rows_affected() == 1)
}

/// Returns how many bytes of storage a live render has reserved; 0 when there are none.
pub async fn reserved(conn: &mut PgConnection, job: JobId) -> sqlx::Result<i64> {
    let bytes = sqlx::query_scalar!(
        "SELECT reserved_bytes FROM job_renders WHERE job_id = $1 AND ended_at IS NULL",
        job as JobId
    )
    .fetch_optional(conn)
    .await?;
    Ok(bytes.unwrap_or(0))
}

/// Records that the renders among these jobs have ended, so that the same may be rendered again. Their plans are let
/// go: they may be large, and nobody reads the plan of a render that has ended.
pub async fn release_ownership(conn: &mut PgConnection, jobs: &[JobId]) -> sqlx::Result<()> {
    // The end is asked for in a way that no index serves: that of live renders would lead through all of them.
    sqlx::query!(
        "UPDATE job_renders SET ended_at = mws_now(), plan = 'null'
         WHERE job_id = ANY ($1) AND ended_at + interval '0' IS NULL",
        jobs as &[JobId]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// An ended render, whose files may still be in the media store.
#[derive(Debug, Clone)]
pub struct Leftover {
    /// Its job.
    pub job: JobId,
    /// The id of the item that it was to make.
    pub output: ItemId,
    /// The key that the item's row names, which must be kept; none when there is no such item.
    pub kept_key: Option<String>,
    /// The id of a second item that it was to make, and the key that its row names.
    pub second: Option<(ItemId, Option<String>)>,
}

/// Returns renders that ended more than `minutes` ago, the longest ended first. By then every worker of a lost claim
/// has stopped.
pub async fn leftovers(conn: &mut PgConnection, minutes: i32, limit: i64) -> sqlx::Result<Vec<Leftover>> {
    let rows = sqlx::query!(
        r#"SELECT r.job_id AS "job: JobId", r.output_item_id AS "output: ItemId", i.object_key AS "kept_key?",
               r.second_item_id AS "second: ItemId", s.object_key AS "second_key?"
           FROM job_renders r
           LEFT JOIN items i ON i.id = r.output_item_id AND i.deleted_at IS NULL
           LEFT JOIN items s ON s.id = r.second_item_id AND s.deleted_at IS NULL
           WHERE r.ended_at IS NOT NULL AND r.ended_at < mws_now() - make_interval(mins => $1)
           ORDER BY r.ended_at LIMIT $2"#,
        minutes,
        limit
    )
    .fetch_all(conn)
    .await?;
    let leftovers = rows.into_iter().map(|row| Leftover {
        job: row.job,
        output: row.output,
        kept_key: row.kept_key,
        second: row.second.map(|second| (second, row.second_key)),
    });
    Ok(leftovers.collect())
}

/// Deletes the rows of ended renders whose leftovers are deleted. Returns how many.
pub async fn forget(conn: &mut PgConnection, jobs: &[JobId]) -> sqlx::Result<u64> {
    let gone =
        sqlx::query!("DELETE FROM job_renders WHERE job_id = ANY ($1) AND ended_at IS NOT NULL", jobs as &[JobId])
            .execute(conn)
            .await?;
    Ok(gone.rows_affected())
}

/// Returns whether a worker has offered renders within the last week, as long as for reads (`store::reads::Kinds`).
pub async fn configured(conn: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT coalesce(max(engine_seen_at) > mws_now() - interval '7 days', false) AS "seen!" FROM render_engine"#
    )
    .fetch_one(conn)
    .await
}

/// Returns whether a worker has announced within the last week that it can draw text in renders.
pub async fn draws_text(conn: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT coalesce(max(text_seen_at) > mws_now() - interval '7 days', false) AS "seen!" FROM render_engine"#
    )
    .fetch_one(conn)
    .await
}

/// Records that a worker can draw text in renders.
pub async fn announce_text(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query!("UPDATE render_engine SET text_seen_at = mws_now()").execute(conn).await?;
    Ok(())
}

/// Records that a worker can render with this engine.
pub async fn announce(conn: &mut PgConnection, engine: &str, version: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE render_engine SET engine = $1, engine_version = $2, engine_seen_at = mws_now()",
        engine,
        version
    )
    .execute(conn)
    .await?;
    Ok(())
}
