//! What a link's visitors need: the link by its token, and counts of views and of wrong passphrases.

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ItemId, PublicLinkId, WorkspaceId};
use sqlx::PgConnection;

/// A valid link, found by its token.
#[derive(Debug, Clone)]
pub struct OpenLink {
    /// Its id.
    pub id: PublicLinkId,
    /// The item.
    pub item_id: ItemId,
    /// The item's workspace.
    pub workspace_id: WorkspaceId,
    /// The account that owns the item.
    pub account_id: AccountId,
    /// Whether its visitors may save the bytes.
    pub may_download: bool,
    /// Whether its visitors may see and write comments.
    pub may_comment: bool,
    /// The keyed hash of its passphrase; none when it has none.
    pub passphrase_hash: Option<Vec<u8>>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// The database's time.
    pub now: DateTime<Utc>,
    /// The size of the item's stored reads that its page shows, in bytes.
    pub read_bytes: i64,
}

/// Returns the link with this token; none when it is revoked or has expired, its item is deleted, its account is
/// suspended, or whoever made it has no access any more. `shown` names the reads that its page shows.
pub async fn open(conn: &mut PgConnection, token_hash: &[u8], shown: &[&str]) -> sqlx::Result<Option<OpenLink>> {
    sqlx::query_as!(
        OpenLink,
        r#"SELECT l.id AS "id: PublicLinkId", l.item_id AS "item_id: ItemId",
               l.workspace_id AS "workspace_id: WorkspaceId", i.account_id AS "account_id: AccountId", l.may_download,
               l.may_comment, l.passphrase_hash, l.expires_at, mws_now() AS "now!",
               coalesce((SELECT sum(r.bytes) FROM item_reads r WHERE r.item_id = l.item_id AND r.read = ANY ($2)),
                   0)::bigint AS "read_bytes!"
           FROM public_links l JOIN items i ON i.id = l.item_id
           WHERE l.token_hash = $1 AND l.revoked_at IS NULL AND l.expires_at > mws_now() AND i.deleted_at IS NULL
               AND mws_link_maker_holds(l.user_id, l.key_id, l.workspace_id)
               AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = i.account_id AND a.suspended_at IS NOT NULL)"#,
        token_hash,
        shown as &[&str],
    )
    .fetch_optional(conn)
    .await
}

/// Counts a view of the link's page.
pub async fn count_view(conn: &mut PgConnection, link: PublicLinkId) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE public_links SET views = views + 1, last_viewed_at = mws_now() WHERE id = $1",
        link as PublicLinkId,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Counts a passphrase as wrong before it is checked. Returns false when the link has had `most` wrong ones within
/// `minutes` minutes: then nothing is counted, and the passphrase must not be checked.
pub async fn count_wrong(conn: &mut PgConnection, link: PublicLinkId, most: i32, minutes: i32) -> sqlx::Result<bool> {
    let counted = sqlx::query!(
        "UPDATE public_links SET
             wrong = CASE WHEN wrong_since > mws_now() - make_interval(mins => $3) THEN wrong + 1 ELSE 1 END,
             wrong_since = CASE WHEN wrong_since > mws_now() - make_interval(mins => $3) THEN wrong_since
                 ELSE mws_now() END
         WHERE id = $1 AND NOT (wrong >= $2 AND coalesce(wrong_since > mws_now() - make_interval(mins => $3), false))",
        link as PublicLinkId,
        most,
        minutes,
    )
    .execute(conn)
    .await?;
    Ok(counted.rows_affected() > 0)
}

/// Takes back what `count_wrong` counted, because the passphrase was right.
pub async fn count_right(conn: &mut PgConnection, link: PublicLinkId) -> sqlx::Result<()> {
    sqlx::query!("UPDATE public_links SET wrong = greatest(wrong - 1, 0) WHERE id = $1", link as PublicLinkId)
        .execute(conn)
        .await
        .map(drop)
}
