//! Public links: they show an item to people without an account (docs/links.md). Only hashes of their tokens and
//! passphrases are stored.

mod visits;

pub use visits::{OpenLink, count_right, count_view, count_wrong, open};

use chrono::{DateTime, Utc};
use domain::ids::{ItemId, KeyId, PublicLinkId, UserId, WorkspaceId};
use sqlx::PgConnection;
use uuid::Uuid;

/// What a link allows its visitors, beside seeing the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// To save its bytes.
    pub may_download: bool,
    /// To see its comments, and to write some.
    pub may_comment: bool,
}

/// A link to be stored.
#[derive(Debug)]
pub struct NewLink<'a> {
    /// Its id.
    pub id: PublicLinkId,
    /// The item.
    pub item: ItemId,
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// SHA-256 of its token.
    pub token_hash: &'a [u8],
    /// What it allows its visitors.
    pub rights: Rights,
    /// The keyed hash of its passphrase; none when it has none.
    pub passphrase_hash: Option<&'a [u8]>,
    /// How many seconds it is valid.
    pub seconds: i64,
    /// The user who makes it.
    pub user: Option<UserId>,
    /// The key that makes it.
    pub key: Option<KeyId>,
}

/// A link, as its workspace sees it.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "a row has columns")]
pub struct LinkRow {
    /// Its id.
    pub id: PublicLinkId,
    /// The item.
    pub item_id: ItemId,
    /// The item's workspace.
    pub workspace_id: WorkspaceId,
    /// The item's `ref`.
    pub item_ref: String,
    /// Whether its visitors may save the bytes.
    pub may_download: bool,
    /// Whether its visitors may see and write comments.
    pub may_comment: bool,
    /// Whether they need a passphrase.
    pub has_passphrase: bool,
    /// The user who made it.
    pub user_id: Option<UserId>,
    /// The key that made it.
    pub key_id: Option<KeyId>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked; none when it was not.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Whether it is valid now.
    pub live: bool,
    /// How often its page was opened.
    pub views: i64,
    /// When its page was last opened; none when it never was.
    pub last_viewed_at: Option<DateTime<Utc>>,
}

/// Returns how many links of a workspace are neither revoked nor expired, at most `most`.
pub async fn count_live(conn: &mut PgConnection, workspace: WorkspaceId, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM public_links WHERE workspace_id = $1 AND revoked_at IS NULL AND expires_at > mws_now()
               ORDER BY id LIMIT $2
           ) AS counted"#,
        workspace as WorkspaceId,
        most,
    )
    .fetch_one(conn)
    .await
}

/// Makes other callers that add a link to this workspace wait until the caller's transaction ends.
pub async fn lock(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<()> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('links ' || $1::uuid::text, 0))",
        workspace as WorkspaceId
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// Stores a link.
pub async fn add(conn: &mut PgConnection, new: &NewLink<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO public_links (id, item_id, workspace_id, token_hash, may_download, may_comment, passphrase_hash,
             user_id, key_id, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, mws_now() + make_interval(secs => $10))",
        new.id as PublicLinkId,
        new.item as ItemId,
        new.workspace as WorkspaceId,
        new.token_hash,
        new.rights.may_download,
        new.rights.may_comment,
        new.passphrase_hash,
        new.user as Option<UserId>,
        new.key as Option<KeyId>,
        f64::from(i32::try_from(new.seconds).unwrap_or(i32::MAX)),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns a link of any workspace to an item that is not deleted; none when there is no such link.
pub async fn find(conn: &mut PgConnection, link: PublicLinkId) -> sqlx::Result<Option<LinkRow>> {
    sqlx::query_as!(
        LinkRow,
        r#"SELECT l.id AS "id: PublicLinkId", l.item_id AS "item_id: ItemId",
               l.workspace_id AS "workspace_id: WorkspaceId", i.ref AS item_ref, l.may_download, l.may_comment,
               l.passphrase_hash IS NOT NULL AS "has_passphrase!", l.user_id AS "user_id: UserId",
               l.key_id AS "key_id: KeyId", l.created_at, l.expires_at, l.revoked_at,
               l.revoked_at IS NULL AND l.expires_at > mws_now()
                   AND mws_link_maker_holds(l.user_id, l.key_id, l.workspace_id) AS "live!",
               l.views, l.last_viewed_at
           FROM public_links l JOIN items i ON i.id = l.item_id
           WHERE l.id = $1 AND i.deleted_at IS NULL"#,
        link as PublicLinkId,
    )
    .fetch_optional(conn)
    .await
}

/// Returns links of a workspace, or to one of its items, newest first, that are older than `before`.
pub async fn page(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    item: Option<ItemId>,
    before: Option<PublicLinkId>,
    limit: i64,
) -> sqlx::Result<Vec<LinkRow>> {
    let before = before.map_or(Uuid::max(), PublicLinkId::uuid);
    let ids = match item {
        Some(item) => sqlx::query_scalar!(
            r#"SELECT id AS "id: PublicLinkId" FROM public_links WHERE item_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"#,
            item as ItemId,
            before,
            limit,
        )
        .fetch_all(&mut *conn)
        .await?,
        None => sqlx::query_scalar!(
            r#"SELECT id AS "id: PublicLinkId" FROM public_links
               WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"#,
            workspace as WorkspaceId,
            before,
            limit,
        )
        .fetch_all(&mut *conn)
        .await?,
    };
    sqlx::query_as!(
        LinkRow,
        r#"SELECT l.id AS "id: PublicLinkId", l.item_id AS "item_id: ItemId",
               l.workspace_id AS "workspace_id: WorkspaceId", i.ref AS item_ref, l.may_download, l.may_comment,
               l.passphrase_hash IS NOT NULL AS "has_passphrase!", l.user_id AS "user_id: UserId",
               l.key_id AS "key_id: KeyId", l.created_at, l.expires_at, l.revoked_at,
               l.revoked_at IS NULL AND l.expires_at > mws_now() AND i.deleted_at IS NULL
                   AND mws_link_maker_holds(l.user_id, l.key_id, l.workspace_id) AS "live!",
               l.views, l.last_viewed_at
           FROM public_links l JOIN items i ON i.id = l.item_id
           WHERE l.id = ANY ($1) AND l.workspace_id = $2
           ORDER BY l.id DESC"#,
        &ids as &[PublicLinkId],
        workspace as WorkspaceId,
    )
    .fetch_all(conn)
    .await
}

/// Revokes a link of the workspace. Returns false when it was revoked or has expired already, or there is no such link.
pub async fn revoke(conn: &mut PgConnection, link: PublicLinkId, workspace: WorkspaceId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE public_links SET revoked_at = mws_now()
         WHERE id = $1 AND workspace_id = $2 AND revoked_at IS NULL AND expires_at > mws_now()",
        link as PublicLinkId,
        workspace as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Returns whether a link of the workspace that is not revoked has this token.
pub async fn has_token(conn: &mut PgConnection, workspace: WorkspaceId, token_hash: &[u8]) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM public_links WHERE token_hash = $1 AND workspace_id = $2 AND revoked_at IS NULL) AS "has!""#,
        token_hash,
        workspace as WorkspaceId,
    )
    .fetch_one(conn)
    .await
}

/// Deletes up to `limit` links that expired more than `days` ago. Returns how many.
pub async fn prune(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let gone = sqlx::query!(
        "DELETE FROM public_links WHERE id = ANY (ARRAY(
             SELECT id FROM public_links WHERE expires_at < mws_now() - make_interval(days => $1)
             ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
        days,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(gone.rows_affected())
}
