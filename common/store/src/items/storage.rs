//! Counts the bytes that an account stores, and deletes rows of items whose bytes are no longer needed.

use crate::usage;
use domain::ids::{AccountId, ItemId, WorkspaceId};
use sqlx::PgConnection;

/// Makes other callers that add to this account's storage wait until the caller's transaction ends, so that two can't
/// both take the last of it. It is a lock of its own, because dispatches wait for the account's row.
pub async fn lock_storage(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<()> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('storage ' || $1::uuid::text, 0))",
        account as AccountId
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// Returns how many bytes of media an account stores: its items, reservations for items to come, and results of reads.
pub async fn bytes_kept(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<i64> {
    Ok(usage::of(conn, account).await?.media_bytes)
}

/// Returns the workspace that an item is in, or was in before it was deleted; none when there is no such row.
pub async fn workspace_of(conn: &mut PgConnection, item: ItemId) -> sqlx::Result<Option<WorkspaceId>> {
    sqlx::query_scalar!(
        r#"SELECT workspace_id AS "workspace_id: WorkspaceId" FROM items WHERE id = $1"#,
        item as ItemId
    )
    .fetch_optional(conn)
    .await
}

/// Returns up to `limit` tombstones whose bytes no live job reads any more, the longest deleted first.
pub async fn to_purge(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<ItemId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: ItemId" FROM items
           WHERE deleted_at IS NOT NULL AND purged_at IS NULL
               AND NOT EXISTS (SELECT FROM jobs WHERE jobs.item_id = items.id AND jobs.finished_at IS NULL)
               AND NOT EXISTS (SELECT FROM job_renders r WHERE r.music_item_id = items.id AND r.ended_at IS NULL)
               AND NOT EXISTS (
                   SELECT FROM job_renders r WHERE r.source_item_ids @> ARRAY[items.id] AND r.ended_at IS NULL)
           ORDER BY deleted_at
           LIMIT $1"#,
        limit,
    )
    .fetch_all(conn)
    .await
}

/// Deletes up to `limit` tombstones whose objects were deleted more than `days` ago, with their uploads. Ended jobs,
/// which may name them, are kept as long. Returns how many.
pub async fn prune(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let gone = sqlx::query!(
        "WITH old AS MATERIALIZED (
            SELECT id FROM items
            WHERE purged_at < mws_now() - make_interval(days => $1)
                AND (SELECT read FROM item_reads WHERE item_reads.item_id = items.id LIMIT 1) IS NULL
            ORDER BY purged_at LIMIT $2
            FOR UPDATE SKIP LOCKED
        ), uploaded AS (
            DELETE FROM uploads WHERE item_id = ANY (ARRAY(SELECT id FROM old))
        )
        DELETE FROM items WHERE id = ANY (ARRAY(SELECT id FROM old))",
        days,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(gone.rows_affected())
}

/// Records that these tombstones' objects are deleted, deletes their stored reads with all rows of those, and removes
/// their names, tags and comments. Returns how many were not purged before.
pub async fn purge(conn: &mut PgConnection, items: &[ItemId]) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "WITH purged AS (
            UPDATE items SET purged_at = mws_now(), object_key = NULL, thumbnail_key = NULL,
                erased_at = coalesce(erased_at, mws_now()),
                name = '', ref = '', tags = '{}', sha256 = NULL, streams = NULL, error_message = NULL
            WHERE id = ANY ($1) AND deleted_at IS NOT NULL AND purged_at IS NULL
            RETURNING id
        ), dropped AS (
            DELETE FROM item_reads USING purged WHERE item_reads.item_id = purged.id
        ), no_uploads AS (
            UPDATE uploads SET filename = '', source_url = NULL FROM purged
            WHERE uploads.item_id = purged.id AND uploads.finished_at IS NOT NULL
        ), no_reads AS (
            DELETE FROM reads_on_ready USING purged WHERE reads_on_ready.item_id = purged.id
        ), no_comments AS (
            DELETE FROM comments USING purged WHERE comments.item_id = purged.id
        ), no_links AS (
            DELETE FROM public_links USING purged WHERE public_links.item_id = purged.id
        ), no_moments AS (
            DELETE FROM moments USING purged WHERE moments.item_id = purged.id
        ), no_passages AS (
            DELETE FROM passages USING purged WHERE passages.item_id = purged.id
        ), no_turns AS (
            DELETE FROM turns USING purged WHERE turns.item_id = purged.id
        )
        SELECT id FROM purged",
        items as &[ItemId],
    )
    .fetch_all(conn)
    .await?;
    Ok(done.len() as u64)
}
