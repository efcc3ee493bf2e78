//! Steps through all items to compare their objects in the media store with the rows that name them.

use chrono::{DateTime, Utc};
use domain::ids::ItemId;
use sqlx::PgConnection;
use std::collections::HashSet;

/// Returns the next `limit` items by id, including tombstones, and moves on behind them. Returns none once after the
/// last, and then begins again. Returns none while another process holds the row of the sweep.
pub async fn advance_sweep(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<ItemId>> {
    sqlx::query_scalar!(
        r#"WITH here AS (
               SELECT after_item_id FROM media_sweep FOR UPDATE SKIP LOCKED
           ), next AS (
               SELECT items.id FROM here JOIN items ON items.id > here.after_item_id ORDER BY items.id LIMIT $1
           ), moved AS (
               UPDATE media_sweep SET after_item_id = coalesce(
                   (SELECT id FROM next ORDER BY id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')
               FROM here
           )
           SELECT id AS "id!: ItemId" FROM next"#,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Returns the time `hours` ago: a row names an object that was written before it by now, or none ever will.
pub async fn settled_before(conn: &mut PgConnection, hours: i32) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar!(r#"SELECT mws_now() - make_interval(hours => $1) AS "before!""#, hours).fetch_one(conn).await
}

/// Returns the keys of all objects that rows of these items name.
pub async fn named_objects(conn: &mut PgConnection, items: &[ItemId]) -> sqlx::Result<HashSet<String>> {
    let named = sqlx::query_scalar!(
        r#"SELECT object_key AS "key!" FROM items WHERE id = ANY ($1) AND object_key IS NOT NULL
           UNION ALL SELECT thumbnail_key FROM items WHERE id = ANY ($1) AND thumbnail_key IS NOT NULL
           UNION ALL SELECT object_key FROM uploads WHERE item_id = ANY ($1) AND object_key IS NOT NULL
           UNION ALL SELECT part.object_key FROM upload_parts part JOIN uploads u ON u.id = part.upload_id
               WHERE u.item_id = ANY ($1)
           UNION ALL SELECT object_key FROM item_reads WHERE item_id = ANY ($1) AND object_key IS NOT NULL
           UNION ALL SELECT thumbnail_key FROM moments WHERE item_id = ANY ($1) AND thumbnail_key IS NOT NULL"#,
        items as &[ItemId]
    )
    .fetch_all(conn)
    .await?;
    Ok(named.into_iter().collect())
}
