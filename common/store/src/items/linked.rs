//! The media that a link shows, as long as the item exists and its account is not suspended.
//!
//! One statement finds the media and computes how long the link lasts, by the database's clock. The caller has checked
//! that this service made the link, so nobody gets here by guessing. Neighbour: `footage`, which finds pictures
//! likewise.

use domain::ids::{AccountId, ItemId};
use sqlx::PgConnection;

/// The media of an item that a link names.
#[derive(Debug, Clone)]
pub struct LinkedMedia {
    /// The account that owns it.
    pub account_id: AccountId,
    /// The item's name.
    pub name: String,
    /// A media type such as `video/mp4`.
    pub content_type: Option<String>,
    /// Its size in bytes.
    pub bytes: i64,
    /// SHA-256 of the bytes; none when it is not known.
    pub sha256: Option<Vec<u8>>,
    /// Its key in the media store.
    pub object_key: String,
    /// Whole seconds until the link expires; none when it has expired.
    pub left_seconds: Option<i64>,
}

/// Returns the media of a ready item, for a link that expires at this unix time in seconds; none when the item is
/// deleted or its account is suspended.
pub async fn linked_media(conn: &mut PgConnection, item: ItemId, expires: f64) -> sqlx::Result<Option<LinkedMedia>> {
    sqlx::query_as!(
        LinkedMedia,
        r#"SELECT account_id AS "account_id: AccountId", name, content_type, bytes, sha256, object_key AS "object_key!",
               CASE WHEN mws_now() < to_timestamp($2)
                   THEN ceil(extract(epoch FROM to_timestamp($2) - mws_now()))::bigint END AS left_seconds
           FROM items
           WHERE id = $1 AND status = 'ready' AND deleted_at IS NULL AND object_key IS NOT NULL
               AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = items.account_id AND a.suspended_at IS NOT NULL)"#,
        item as ItemId,
        expires
    )
    .fetch_optional(conn)
    .await
}

/// Returns the refs of the given items that are not deleted, each with the item's id.
pub async fn refs(conn: &mut PgConnection, items: &[ItemId]) -> sqlx::Result<Vec<(ItemId, String)>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: ItemId", ref AS "item_ref!" FROM items WHERE id = ANY ($1) AND deleted_at IS NULL"#,
        items as &[ItemId]
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.item_ref)).collect())
}
