//! What a link to an item's media shows: its bytes, as long as the item is there and its account may act.
//!
//! One statement finds them and says how long the link is good for, by the database's clock. Whether the link was made
//! by this service is asked before: nobody gets here by guessing. Neighbour: `footage`, which finds pictures likewise.

use domain::ids::{AccountId, ItemId};
use sqlx::PgConnection;

/// The media of an item that a link names.
#[derive(Debug, Clone)]
pub struct LinkedMedia {
    /// Whose it is.
    pub account_id: AccountId,
    /// What people call it.
    pub name: String,
    /// A media type such as `video/mp4`.
    pub content_type: Option<String>,
    /// How many bytes it has.
    pub bytes: i64,
    /// Their SHA-256.
    pub sha256: Option<Vec<u8>>,
    /// Where they are.
    pub object_key: String,
    /// Whole seconds until the link ends; none when it has ended.
    pub left_seconds: Option<i64>,
}

/// The media of a ready item, for a link that ends at this unix second; nothing when the item is deleted or its account
/// is suspended.
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

/// What clients call these items, as far as they are not deleted.
pub async fn refs(conn: &mut PgConnection, items: &[ItemId]) -> sqlx::Result<Vec<(ItemId, String)>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: ItemId", ref AS "item_ref!" FROM items WHERE id = ANY ($1) AND deleted_at IS NULL"#,
        items as &[ItemId]
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.item_ref)).collect())
}
