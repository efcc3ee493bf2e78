//! Posts that were pulled from feeds and pages (contract §4.10). A workspace has each once, by its URL; pulled again it
//! says what it says now, and stays kept. What is kept is not changed by what another source says of it.

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ItemId, PostId, WorkspaceId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// A post that was pulled.
#[derive(Debug)]
pub struct NewPost<'a> {
    /// Where it is.
    pub url: &'a str,
    /// Who wrote it.
    pub author: Option<&'a str>,
    /// What it is called.
    pub title: Option<&'a str>,
    /// What it says.
    pub text: &'a str,
    /// When it was published.
    pub published_at: Option<DateTime<Utc>>,
    /// `[{url, content_type}]`.
    pub media: &'a Value,
    /// SHA-256 of what it says.
    pub sha256: &'a [u8],
}

/// A post.
#[derive(Debug, Clone)]
pub struct PostRow {
    /// Its id.
    pub id: PostId,
    /// Its workspace.
    pub workspace_id: WorkspaceId,
    /// The URL that it was last pulled by.
    pub source: String,
    /// Where it is.
    pub url: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// What it says.
    pub text: String,
    /// When it was published.
    pub published_at: Option<DateTime<Utc>>,
    /// `[{url, content_type}]`.
    pub media: Value,
    /// SHA-256 of what it says.
    pub sha256: Vec<u8>,
    /// What it is sorted by.
    pub tags: Vec<String>,
    /// When somebody kept it.
    pub kept_at: Option<DateTime<Utc>>,
    /// The item that its media was imported as, which may be deleted by now.
    pub item_id: Option<ItemId>,
    /// When it was last pulled.
    pub pulled_at: DateTime<Utc>,
}

/// Makes other pulls into this account's workspaces wait until the caller's transaction ends.
pub async fn lock(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<()> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('posts ' || $1::uuid::text, 0))", account as AccountId)
        .fetch_one(conn)
        .await?;
    Ok(())
}

/// Stores a post, or what it says now. Returns it as it stands: one that is kept says what its own source said.
pub async fn put(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    source: &str,
    post: &NewPost<'_>,
) -> sqlx::Result<PostRow> {
    sqlx::query_as!(
        PostRow,
        r#"WITH put AS (
               INSERT INTO posts AS p (id, workspace_id, source, url, author, title, text, published_at, media, sha256)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
               ON CONFLICT (workspace_id, url) DO UPDATE SET source = excluded.source, author = excluded.author,
                   title = excluded.title, text = excluded.text, published_at = excluded.published_at,
                   media = excluded.media, sha256 = excluded.sha256, pulled_at = mws_now()
               WHERE p.kept_at IS NULL OR p.source = excluded.source
               RETURNING p.*
           ), stands AS (
               SELECT * FROM put
               UNION ALL SELECT * FROM posts WHERE workspace_id = $2 AND url = $4 AND NOT EXISTS (SELECT FROM put)
           )
           SELECT id AS "id!: PostId", workspace_id AS "workspace_id!: WorkspaceId", source AS "source!", url AS "url!",
               author, title, text AS "text!", published_at, media AS "media!", sha256 AS "sha256!", tags AS "tags!",
               kept_at, item_id AS "item_id: ItemId", pulled_at AS "pulled_at!"
           FROM stands"#,
        PostId::mint() as PostId,
        workspace as WorkspaceId,
        source,
        post.url,
        post.author,
        post.title,
        post.text,
        post.published_at,
        post.media,
        post.sha256,
    )
    .fetch_one(conn)
    .await
}

/// Deletes the oldest posts of the account's workspaces that nobody keeps, as many as they have beyond `most`, but none
/// of `pulled`. Returns how many are beyond it still, because the others are kept.
pub async fn make_room(conn: &mut PgConnection, account: AccountId, pulled: &[PostId], most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"WITH kept AS MATERIALIZED (
               SELECT p.id, p.kept_at, p.pulled_at
               FROM workspaces w JOIN posts p ON p.workspace_id = w.id WHERE w.account_id = $1
           ), beyond AS (
               SELECT greatest(count(*) - $2, 0) AS many FROM kept
           ), gone AS (
               DELETE FROM posts WHERE id = ANY (ARRAY(
                   SELECT id FROM kept WHERE kept_at IS NULL AND id <> ALL ($3)
                   ORDER BY pulled_at, id LIMIT (SELECT many FROM beyond)))
               RETURNING 1
           )
           SELECT many - (SELECT count(*) FROM gone) AS "left!" FROM beyond"#,
        account as AccountId,
        most,
        pulled as &[PostId],
    )
    .fetch_one(conn)
    .await
}

/// A post, in whichever workspace: the caller says who may see it.
pub async fn find(conn: &mut PgConnection, post: PostId) -> sqlx::Result<Option<PostRow>> {
    sqlx::query_as!(
        PostRow,
        r#"SELECT id AS "id: PostId", workspace_id AS "workspace_id: WorkspaceId", source, url, author, title, text,
               published_at, media, sha256, tags, kept_at, item_id AS "item_id: ItemId", pulled_at
           FROM posts WHERE id = $1"#,
        post as PostId,
    )
    .fetch_optional(conn)
    .await
}

/// The same, which nobody changes until the caller's transaction ends.
pub async fn find_to_change(conn: &mut PgConnection, post: PostId) -> sqlx::Result<Option<PostRow>> {
    sqlx::query_as!(
        PostRow,
        r#"SELECT id AS "id: PostId", workspace_id AS "workspace_id: WorkspaceId", source, url, author, title, text,
               published_at, media, sha256, tags, kept_at, item_id AS "item_id: ItemId", pulled_at
           FROM posts WHERE id = $1 FOR NO KEY UPDATE"#,
        post as PostId,
    )
    .fetch_optional(conn)
    .await
}

/// Which posts of a workspace.
#[derive(Debug, Clone, Copy, Default)]
pub struct PostFilter<'a> {
    /// Those that have this in their title, their author, a tag, or the first thousand characters of their text,
    /// whatever its case.
    pub query: Option<&'a str>,
    /// Those that were pulled by this URL.
    pub source: Option<&'a str>,
    /// Those that are kept, or that are not.
    pub kept: Option<bool>,
}

/// Posts of a workspace that pass the filter, newest first, from the one after `before`.
pub async fn page(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    filter: PostFilter<'_>,
    before: Option<PostId>,
    limit: i64,
) -> sqlx::Result<Vec<PostRow>> {
    sqlx::query_as!(
        PostRow,
        r#"SELECT id AS "id: PostId", workspace_id AS "workspace_id: WorkspaceId", source, url, author, title, text,
               published_at, media, sha256, tags, kept_at, item_id AS "item_id: ItemId", pulled_at
           FROM posts
           WHERE workspace_id = $1 AND id < $2 AND ($3::text IS NULL OR source = $3)
               AND ($4::boolean IS NULL OR (kept_at IS NOT NULL) = $4)
               AND ($5::text IS NULL
                   OR strpos(searched, lower($5)) > 0 OR strpos(lower(array_to_string(tags, ' ')), lower($5)) > 0)
           ORDER BY id DESC LIMIT $6"#,
        workspace as WorkspaceId,
        before.map_or(Uuid::max(), PostId::uuid),
        filter.source,
        filter.kept,
        filter.query,
        limit,
    )
    .fetch_all(conn)
    .await
}

/// Keeps a post of the workspace. What is none stays as it is. False when it is not there.
pub async fn keep(
    conn: &mut PgConnection,
    post: PostId,
    workspace: WorkspaceId,
    tags: Option<&[String]>,
    item: Option<ItemId>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE posts SET kept_at = coalesce(kept_at, mws_now()), tags = coalesce($3, tags),
             item_id = coalesce($4, item_id)
         WHERE id = $1 AND workspace_id = $2",
        post as PostId,
        workspace as WorkspaceId,
        tags,
        item as Option<ItemId>,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes a post of the workspace. False when it is not there.
pub async fn delete(conn: &mut PgConnection, post: PostId, workspace: WorkspaceId) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "DELETE FROM posts WHERE id = $1 AND workspace_id = $2",
        post as PostId,
        workspace as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes up to `limit` posts that were pulled more than `days` ago and that nobody keeps. Returns how many.
pub async fn prune(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM posts WHERE id = ANY (ARRAY(
             SELECT id FROM posts WHERE kept_at IS NULL AND pulled_at < mws_now() - make_interval(days => $1)
             ORDER BY pulled_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
        days,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes up to `limit` posts of a workspace. Returns how many.
pub async fn delete_some(conn: &mut PgConnection, workspace: WorkspaceId, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM posts WHERE id = ANY (ARRAY(SELECT id FROM posts WHERE workspace_id = $1 LIMIT $2))",
        workspace as WorkspaceId,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
