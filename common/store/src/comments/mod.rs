//! Comments on items and timelines (docs/links.md).
//!
//! Their number is bounded. To check it, call `lock`, then `count`, then `add`, in one transaction.

mod number;

use chrono::{DateTime, Utc};
use domain::comment::{Anchor, Region, Subject};
use domain::ids::{CommentId, ItemId, KeyId, PublicLinkId, TimelineId, UserId, WorkspaceId};
pub use number::{Guests, count, count_of_link, lock};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

/// Who writes a comment.
#[derive(Debug, Clone, Copy)]
pub enum Author<'a> {
    /// A user who signed in.
    User(UserId),
    /// A key, or a session made with it.
    Key(KeyId),
    /// Somebody without an account, who came by this public link and gave this name.
    Guest(PublicLinkId, &'a str),
}

/// A comment to be stored.
#[derive(Debug)]
pub struct NewComment<'a> {
    /// The item or the timeline that it is about.
    pub subject: Subject,
    /// The workspace of the item or the timeline.
    pub workspace: WorkspaceId,
    /// The first comment of the thread that it replies to; none for one that begins a thread.
    pub reply_to: Option<CommentId>,
    /// Its text.
    pub text: &'a str,
    /// The times and the region that it is about.
    pub anchor: Anchor,
    /// Who writes it.
    pub author: Author<'a>,
}

/// A comment.
#[derive(Debug, Clone)]
pub struct CommentRow {
    /// Its id.
    pub id: CommentId,
    /// The item that it is about; none for one on a timeline.
    pub item_id: Option<ItemId>,
    /// The timeline that it is about; none for one on an item.
    pub timeline_id: Option<TimelineId>,
    /// The workspace that the item or the timeline is in.
    pub workspace_id: WorkspaceId,
    /// The first comment of the thread that it replies to; none for one that begins a thread.
    pub reply_to: Option<CommentId>,
    /// Its text.
    pub text: String,
    /// The start of what it is about, in milliseconds.
    pub at_ms: Option<i32>,
    /// The end of what it is about, in milliseconds.
    pub until_ms: Option<i32>,
    /// The region of the picture that it is about.
    pub region: Option<Json<Region>>,
    /// The user who wrote it.
    pub user_id: Option<UserId>,
    /// The key that wrote it.
    pub key_id: Option<KeyId>,
    /// The link with which a guest wrote it.
    pub link_id: Option<PublicLinkId>,
    /// Its author's name: the user's or the key's name now, or the name that the guest gave.
    pub author_name: Option<String>,
    /// When it was resolved; none when it is open.
    pub resolved_at: Option<DateTime<Utc>>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When its text was last changed, or when it was last resolved or reopened.
    pub updated_at: DateTime<Utc>,
}

/// Returns the first comment of the thread that this comment belongs to; none when the subject has no such comment.
pub async fn thread_of(
    conn: &mut PgConnection,
    subject: Subject,
    comment: CommentId,
) -> sqlx::Result<Option<CommentId>> {
    sqlx::query_scalar!(
        r#"SELECT coalesce(reply_to, id) AS "thread!: CommentId" FROM comments
           WHERE id = $1 AND coalesce(item_id, timeline_id) = $2"#,
        comment as CommentId,
        subject.uuid(),
    )
    .fetch_optional(conn)
    .await
}

/// Stores a comment. Returns its id.
pub async fn add(conn: &mut PgConnection, new: &NewComment<'_>) -> sqlx::Result<CommentId> {
    let (user, key, link, name) = match new.author {
        Author::User(user) => (Some(user), None, None, None),
        Author::Key(key) => (None, Some(key), None, None),
        Author::Guest(link, name) => (None, None, Some(link), Some(name)),
    };
    let id = CommentId::mint();
    sqlx::query!(
        "INSERT INTO comments (id, item_id, timeline_id, workspace_id, reply_to, text, at_ms, until_ms, region, user_id,
             key_id, link_id, guest_name)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        id as CommentId,
        new.subject.item() as Option<ItemId>,
        new.subject.timeline() as Option<TimelineId>,
        new.workspace as WorkspaceId,
        new.reply_to as Option<CommentId>,
        new.text,
        new.anchor.at_ms,
        new.anchor.until_ms,
        new.anchor.region.map(Json) as Option<Json<Region>>,
        user as Option<UserId>,
        key as Option<KeyId>,
        link as Option<PublicLinkId>,
        name,
    )
    .execute(conn)
    .await?;
    Ok(id)
}

/// Returns a comment of any workspace, on a timeline or on an item that is not deleted; none when there is no such
/// comment.
pub async fn find(conn: &mut PgConnection, comment: CommentId) -> sqlx::Result<Option<CommentRow>> {
    sqlx::query_as!(
        CommentRow,
        r#"SELECT c.id AS "id: CommentId", c.item_id AS "item_id: ItemId", c.timeline_id AS "timeline_id: TimelineId",
               c.workspace_id AS "workspace_id: WorkspaceId", c.reply_to AS "reply_to: CommentId", c.text, c.at_ms,
               c.until_ms, c.region AS "region: Json<Region>",
               c.user_id AS "user_id: UserId", c.key_id AS "key_id: KeyId", c.link_id AS "link_id: PublicLinkId",
               coalesce(c.guest_name, u.name, k.name, k.prefix) AS author_name, c.resolved_at, c.created_at, c.updated_at
           FROM comments c
           LEFT JOIN items i ON i.id = c.item_id
           LEFT JOIN users u ON u.id = c.user_id
           LEFT JOIN api_keys k ON k.id = c.key_id
           WHERE c.id = $1 AND i.deleted_at IS NULL"#,
        comment as CommentId,
    )
    .fetch_optional(conn)
    .await
}

/// Returns comments on an item or a timeline, newest first, that are older than `before`; with `resolved`, only those
/// that are resolved, or only the open ones.
///
/// A page reads as many rows as it shows, however many the subject has. The subselects are read in the order of an
/// index that begins with all that they ask. The planner is not told the limit, so that it plans for the first rows:
/// for a subject that it takes for a small one it would read and sort all comments.
pub async fn page(
    conn: &mut PgConnection,
    subject: Subject,
    resolved: Option<bool>,
    before: Option<CommentId>,
    limit: i64,
) -> sqlx::Result<Vec<CommentRow>> {
    sqlx::query_as!(
        CommentRow,
        r#"SELECT c.id AS "id: CommentId", c.item_id AS "item_id: ItemId", c.timeline_id AS "timeline_id: TimelineId",
               c.workspace_id AS "workspace_id: WorkspaceId", c.reply_to AS "reply_to: CommentId", c.text, c.at_ms,
               c.until_ms, c.region AS "region: Json<Region>",
               c.user_id AS "user_id: UserId", c.key_id AS "key_id: KeyId", c.link_id AS "link_id: PublicLinkId",
               coalesce(c.guest_name, u.name, k.name, k.prefix) AS author_name, c.resolved_at, c.created_at, c.updated_at
           FROM comments c
           LEFT JOIN users u ON u.id = c.user_id
           LEFT JOIN api_keys k ON k.id = c.key_id
           WHERE c.id = ANY (ARRAY(
               (SELECT id FROM comments
                WHERE $3::boolean IS NULL AND coalesce(item_id, timeline_id) = $1 AND id < $2
                ORDER BY id DESC LIMIT (SELECT $4::bigint))
               UNION ALL
               (SELECT id FROM comments
                WHERE coalesce(timeline_id, item_id) = $1 AND (resolved_at IS NOT NULL) = (SELECT $3::boolean)
                    AND id < $2
                ORDER BY id DESC LIMIT (SELECT $4::bigint))))
           ORDER BY c.id DESC"#,
        subject.uuid(),
        before.map_or(Uuid::max(), CommentId::uuid),
        resolved,
        limit,
    )
    .fetch_all(conn)
    .await
}

/// Returns the newest comments on an item, newest first: at most `most`, with at most `most_bytes` of text together.
pub async fn newest(
    conn: &mut PgConnection,
    item: ItemId,
    most: i64,
    most_bytes: i64,
) -> sqlx::Result<Vec<CommentRow>> {
    sqlx::query_as!(
        CommentRow,
        r#"SELECT c.id AS "id: CommentId", c.item_id AS "item_id: ItemId", c.timeline_id AS "timeline_id: TimelineId",
               c.workspace_id AS "workspace_id: WorkspaceId", c.reply_to AS "reply_to: CommentId", c.text, c.at_ms,
               c.until_ms, c.region AS "region: Json<Region>",
               c.user_id AS "user_id: UserId", c.key_id AS "key_id: KeyId", c.link_id AS "link_id: PublicLinkId",
               coalesce(c.guest_name, u.name, k.name, k.prefix) AS author_name, c.resolved_at, c.created_at, c.updated_at
           FROM comments c
           LEFT JOIN users u ON u.id = c.user_id
           LEFT JOIN api_keys k ON k.id = c.key_id
           WHERE c.id = ANY (ARRAY(
               SELECT id FROM (
                   SELECT id, sum(octet_length(text)) OVER (ORDER BY id DESC) AS bytes
                   FROM (SELECT id, text FROM comments WHERE item_id = $1 ORDER BY id DESC LIMIT $2) AS newest
               ) AS summed
               WHERE bytes <= $3))
           ORDER BY c.id DESC"#,
        item as ItemId,
        most,
        most_bytes,
    )
    .fetch_all(conn)
    .await
}

/// Changes to a comment; a field that is none stays as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommentChange<'a> {
    /// The new text.
    pub text: Option<&'a str>,
    /// Whether it is resolved.
    pub resolved: Option<bool>,
}

/// Changes a comment of the workspace. Returns false when there is no such comment.
pub async fn change(
    conn: &mut PgConnection,
    comment: CommentId,
    workspace: WorkspaceId,
    change: CommentChange<'_>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE comments SET text = coalesce($3, text), updated_at = mws_now(),
             resolved_at = CASE $4::boolean WHEN true THEN coalesce(resolved_at, mws_now()) WHEN false THEN NULL
                 ELSE resolved_at END
         WHERE id = $1 AND workspace_id = $2",
        comment as CommentId,
        workspace as WorkspaceId,
        change.text,
        change.resolved,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes a comment of the workspace, and the replies to it. Returns false when there is no such comment.
pub async fn delete(conn: &mut PgConnection, comment: CommentId, workspace: WorkspaceId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "DELETE FROM comments WHERE id = $1 AND workspace_id = $2",
        comment as CommentId,
        workspace as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
