//! Comments on items and timelines (docs/links.md).
//!
//! Their number has a bound, which is looked at under `lock`: `lock`, then `count`, then `add`, in one transaction.

use chrono::{DateTime, Utc};
use domain::comment::{Place, Region, Subject};
use domain::ids::{CommentId, ItemId, KeyId, PublicLinkId, TimelineId, UserId, WorkspaceId};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

/// Who writes a comment.
#[derive(Debug, Clone, Copy)]
pub enum Author<'a> {
    /// A user who signed in.
    User(UserId),
    /// A key, or a session of it.
    Key(KeyId),
    /// Somebody without an account, by a public link, who is called so.
    Guest(PublicLinkId, &'a str),
}

/// A comment to be stored.
#[derive(Debug)]
pub struct NewComment<'a> {
    /// What it is about.
    pub subject: Subject,
    /// That one's workspace.
    pub workspace: WorkspaceId,
    /// The comment that began the thread, of a reply.
    pub reply_to: Option<CommentId>,
    /// What is said.
    pub text: &'a str,
    /// Of which part of it.
    pub place: Place,
    /// By whom.
    pub author: Author<'a>,
}

/// A comment.
#[derive(Debug, Clone)]
pub struct CommentRow {
    /// Its id.
    pub id: CommentId,
    /// The item, of a comment on one.
    pub item_id: Option<ItemId>,
    /// The timeline, of a comment on one.
    pub timeline_id: Option<TimelineId>,
    /// The workspace that the item or the timeline is in.
    pub workspace_id: WorkspaceId,
    /// The comment that began the thread, of a reply.
    pub reply_to: Option<CommentId>,
    /// What is said.
    pub text: String,
    /// From this millisecond of it.
    pub at_ms: Option<i32>,
    /// To this one.
    pub until_ms: Option<i32>,
    /// Of this part of the picture.
    pub region: Option<Json<Region>>,
    /// The user who wrote it.
    pub user_id: Option<UserId>,
    /// The key that wrote it.
    pub key_id: Option<KeyId>,
    /// The link that a guest wrote it by.
    pub link_id: Option<PublicLinkId>,
    /// What its author is called: the user's or the key's name now, or the name that the guest gave.
    pub author_name: Option<String>,
    /// When somebody said that it is done with.
    pub resolved_at: Option<DateTime<Utc>>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When its text was last changed, or whether it is resolved.
    pub updated_at: DateTime<Utc>,
}

/// Makes other comments on the same subject wait until the caller's transaction ends.
pub async fn lock(conn: &mut PgConnection, subject: Subject) -> sqlx::Result<()> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('comments ' || $1::uuid::text, 0))", subject.uuid())
        .fetch_one(conn)
        .await?;
    Ok(())
}

/// How many comments an item or a timeline has; counted up to `most`.
pub async fn count(conn: &mut PgConnection, subject: Subject, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        // In the order of the index, which is read then and not the whole table.
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM comments WHERE coalesce(item_id, timeline_id) = $1 ORDER BY id LIMIT $2) AS counted"#,
        subject.uuid(),
        most,
    )
    .fetch_one(conn)
    .await
}

/// How many comments came by a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guests {
    /// In all; counted up to a bound.
    pub in_all: i64,
    /// In the last minute; counted up to the same.
    pub lately: i64,
}

/// How many comments came by this link; counted up to `most`.
pub async fn count_of_link(conn: &mut PgConnection, link: PublicLinkId, most: i64) -> sqlx::Result<Guests> {
    sqlx::query_as!(
        Guests,
        r#"SELECT count(*) AS "in_all!",
               count(*) FILTER (WHERE created_at > mws_now() - interval '1 minute') AS "lately!"
           FROM (SELECT created_at FROM comments WHERE link_id = $1 ORDER BY created_at DESC LIMIT $2) AS counted"#,
        link as PublicLinkId,
        most,
    )
    .fetch_one(conn)
    .await
}

/// The comment that began the thread which this comment belongs to; none when there is no such comment on the subject.
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
        new.place.at_ms,
        new.place.until_ms,
        new.place.region.map(Json) as Option<Json<Region>>,
        user as Option<UserId>,
        key as Option<KeyId>,
        link as Option<PublicLinkId>,
        name,
    )
    .execute(conn)
    .await?;
    Ok(id)
}

/// A comment on a timeline or on an item that is not deleted, in whichever workspace.
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

/// Comments on an item or a timeline, newest first, from the one after `before`; with `resolved` only those that are,
/// or are not.
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
           WHERE coalesce(c.item_id, c.timeline_id) = $1 AND c.id < $2
               AND ($3::boolean IS NULL OR (c.resolved_at IS NOT NULL) = $3)
           ORDER BY c.id DESC LIMIT $4"#,
        subject.uuid(),
        before.map_or(Uuid::max(), CommentId::uuid),
        resolved,
        limit,
    )
    .fetch_all(conn)
    .await
}

/// The newest comments on an item, at most so many, whose texts have at most so many bytes together; newest first.
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

/// What is changed of a comment; what is none stays as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Change<'a> {
    /// What it says.
    pub text: Option<&'a str>,
    /// Whether it is done with.
    pub resolved: Option<bool>,
}

/// Changes a comment of the workspace. False when it is not there.
pub async fn change(
    conn: &mut PgConnection,
    comment: CommentId,
    workspace: WorkspaceId,
    change: Change<'_>,
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

/// Deletes a comment of the workspace, and the replies to it. False when it is not there.
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
