//! Posts that were pulled from feeds and pages (contract §4.10). A workspace has each post once, by its URL. Pulling it
//! again updates its content and keeps it kept; a kept post is updated only from the source it came from.

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ItemId, PostId, WorkspaceId};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// A post that was pulled.
#[derive(Debug)]
pub struct NewPost<'a> {
    /// Its URL.
    pub url: &'a str,
    /// Its author's name.
    pub author: Option<&'a str>,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
    /// When it was published.
    pub published_at: Option<DateTime<Utc>>,
    /// `[{url, content_type}]`.
    pub media: &'a Value,
    /// SHA-256 of its content.
    pub sha256: &'a [u8],
}

/// A post.
#[derive(Debug, Clone)]
pub struct PostRow {
    /// Its id.
    pub id: PostId,
    /// Its workspace.
    pub workspace_id: WorkspaceId,
    /// The URL of the feed or page that it was last pulled from.
    pub source: String,
    /// Its URL.
    pub url: String,
    /// Its author's name.
    pub author: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// When it was published.
    pub published_at: Option<DateTime<Utc>>,
    /// `[{url, content_type}]`.
    pub media: Value,
    /// SHA-256 of its content.
    pub sha256: Vec<u8>,
    /// Its tags.
    pub tags: Vec<String>,
    /// When somebody kept it; none when nobody did.
    pub kept_at: Option<DateTime<Utc>>,
    /// The item that its media was imported as, which may be deleted by now; none when it was not imported.
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

/// Stores posts, or updates the stored ones. No two of them may have one URL. Returns them in their order, as they are
/// then: a kept post has the content of its own source.
pub async fn put_all(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    source: &str,
    posts: &[NewPost<'_>],
) -> sqlx::Result<Vec<PostRow>> {
    let ids: Vec<PostId> = posts.iter().map(|_| PostId::mint()).collect();
    let urls: Vec<&str> = posts.iter().map(|post| post.url).collect();
    let authors: Vec<Option<&str>> = posts.iter().map(|post| post.author).collect();
    let titles: Vec<Option<&str>> = posts.iter().map(|post| post.title).collect();
    let texts: Vec<&str> = posts.iter().map(|post| post.text).collect();
    let published: Vec<Option<DateTime<Utc>>> = posts.iter().map(|post| post.published_at).collect();
    let media: Vec<String> = posts.iter().map(|post| post.media.to_string()).collect();
    let hashes: Vec<&[u8]> = posts.iter().map(|post| post.sha256).collect();
    sqlx::query_as!(
        PostRow,
        r#"WITH asked AS (
               SELECT * FROM unnest(
                   $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::text[],
                   $10::bytea[]
               ) WITH ORDINALITY AS asked (id, url, author, title, text, published_at, media, sha256, position)
           ), put AS (
               INSERT INTO posts AS p (id, workspace_id, source, url, author, title, text, published_at, media, sha256)
               SELECT id, $1::uuid, $2::text, url, author, title, text, published_at, media::json, sha256
               FROM asked ORDER BY position
               ON CONFLICT (workspace_id, url) DO UPDATE SET source = excluded.source, author = excluded.author,
                   title = excluded.title, text = excluded.text, published_at = excluded.published_at,
                   media = excluded.media, sha256 = excluded.sha256, pulled_at = mws_now()
               WHERE p.kept_at IS NULL OR p.source = excluded.source
               RETURNING p.*
           ), stands AS (
               SELECT * FROM put
               UNION ALL
               SELECT posts.* FROM asked JOIN posts ON posts.workspace_id = $1 AND posts.url = asked.url
               WHERE NOT EXISTS (SELECT FROM put WHERE put.url = posts.url)
           )
           SELECT stands.id AS "id!: PostId", workspace_id AS "workspace_id!: WorkspaceId", source AS "source!",
               stands.url AS "url!", stands.author, stands.title, stands.text AS "text!", stands.published_at,
               stands.media AS "media!", stands.sha256 AS "sha256!", tags AS "tags!", kept_at,
               item_id AS "item_id: ItemId", pulled_at AS "pulled_at!"
           FROM stands JOIN asked ON asked.url = stands.url
           ORDER BY asked.position"#,
        workspace as WorkspaceId,
        source,
        &ids as &[PostId],
        &urls as &[&str],
        &authors as &[Option<&str>],
        &titles as &[Option<&str>],
        &texts as &[&str],
        &published as &[Option<DateTime<Utc>>],
        &media as &[String],
        &hashes as &[&[u8]],
    )
    .fetch_all(conn)
    .await
}

/// Deletes the oldest posts of the account's workspaces that nobody keeps, as many as there are beyond `most`, but none
/// of `pulled`. Returns how many are still beyond it, because the rest are kept or just pulled.
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

/// Returns a post of any workspace; none when there is no such post. The caller checks who may see it.
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

/// Like [`find`], and locks the row until the caller's transaction ends.
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

/// Which posts of a workspace are listed; a field that is none does not restrict the list.
#[derive(Debug, Clone, Copy, Default)]
pub struct PostFilter<'a> {
    /// Those that contain this in their title, their author, a tag, or the first thousand characters of their text, in
    /// any case.
    pub query: Option<&'a str>,
    /// Those that were pulled from this URL.
    pub source: Option<&'a str>,
    /// Those that are kept, or those that are not.
    pub kept: Option<bool>,
}

/// Returns posts of a workspace that match the filter, newest first, that are older than `before`.
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

/// Keeps a post of the workspace. Tags or an item that are none stay as they are. Returns false when there is no such
/// post.
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

/// Deletes a post of the workspace. Returns false when there is no such post.
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
