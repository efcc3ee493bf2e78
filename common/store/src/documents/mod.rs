//! Documents and their earlier revisions (`domain::document`).
//!
//! A change locks the row, so that the revision that was looked at is the one that is replaced, and keeps the body
//! before it. This file does not look into bodies.

mod limits;
mod revisions;

pub use limits::{count, kept_bytes, lock};
pub use revisions::{find_earlier, replace, step_back};

use chrono::{DateTime, Utc};
use domain::document::DocumentKind;
use domain::ids::{AccountId, TimelineId, WorkspaceId};
use serde_json::Value;
use sqlx::PgConnection;
use std::collections::HashMap;
use uuid::Uuid;

/// A document. Its body is text, which is parsed where that holds up nobody.
#[derive(Debug, Clone)]
pub struct DocumentRow {
    /// Its id, without the prefix of its kind.
    pub id: Uuid,
    /// The workspace that it is in.
    pub workspace_id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// Its body, as JSON.
    pub body: String,
    /// The number of its revision: 1 at first, one more with each write.
    pub revision: i32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// A document without its body.
#[derive(Debug, Clone)]
pub struct SummaryRow {
    /// The workspace that it is in.
    pub workspace_id: WorkspaceId,
    /// The part of its body that lists show.
    pub summary: Value,
}

/// A document to be stored.
#[derive(Debug)]
pub struct NewDocument<'a> {
    /// Its id.
    pub id: Uuid,
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// That workspace's account.
    pub account: AccountId,
    /// Its kind.
    pub kind: DocumentKind,
    /// Its name.
    pub name: &'a str,
    /// Its body.
    pub body: &'a Body,
}

/// The body of a document.
#[derive(Debug, Clone)]
pub struct Body {
    /// All of it, as JSON.
    pub whole: String,
    /// The part that lists show; what is in it depends on the kind.
    pub summary: Value,
}

/// A document as lists show it.
#[derive(Debug, Clone)]
pub struct ListedRow {
    /// Its id, without the prefix of its kind.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// The part of its body that lists show.
    pub summary: Value,
    /// The number of its revision: 1 at first, one more with each write.
    pub revision: i32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// Stores a document at revision 1. Returns none when the workspace already has one with this name, or the only one of
/// its kind.
pub async fn create(conn: &mut PgConnection, new: &NewDocument<'_>) -> sqlx::Result<Option<DocumentRow>> {
    sqlx::query_as!(
        DocumentRow,
        r#"INSERT INTO documents (id, workspace_id, account_id, kind, name, body, summary, kept_bytes)
           VALUES ($1, $2, $3, $4, $5, $6::text::json, $7, octet_length($6::text))
           ON CONFLICT DO NOTHING
           RETURNING id, workspace_id AS "workspace_id: WorkspaceId", name, body::text AS "body!", revision,
               created_at, updated_at"#,
        new.id,
        new.workspace as WorkspaceId,
        new.account as AccountId,
        new.kind.name(),
        new.name,
        new.body.whole,
        new.body.summary,
    )
    .fetch_optional(conn)
    .await
}

/// Returns a document of this kind, of any workspace; none when there is no such document. The caller checks who may
/// see it.
pub async fn find(conn: &mut PgConnection, kind: DocumentKind, id: Uuid) -> sqlx::Result<Option<DocumentRow>> {
    sqlx::query_as!(
        DocumentRow,
        r#"SELECT id, workspace_id AS "workspace_id: WorkspaceId", name, body::text AS "body!", revision, created_at,
               updated_at
           FROM documents WHERE id = $1 AND kind = $2"#,
        id,
        kind.name(),
    )
    .fetch_optional(conn)
    .await
}

/// Like [`find`], without the body.
pub async fn summary(conn: &mut PgConnection, kind: DocumentKind, id: Uuid) -> sqlx::Result<Option<SummaryRow>> {
    sqlx::query_as!(
        SummaryRow,
        r#"SELECT workspace_id AS "workspace_id: WorkspaceId", summary FROM documents WHERE id = $1 AND kind = $2"#,
        id,
        kind.name(),
    )
    .fetch_optional(conn)
    .await
}

/// Returns the workspaces of documents of this kind with these ids, by id. An id that none has is not among them.
pub async fn workspaces_of(
    conn: &mut PgConnection,
    kind: DocumentKind,
    ids: &[Uuid],
) -> sqlx::Result<HashMap<Uuid, WorkspaceId>> {
    let rows = sqlx::query!(
        r#"SELECT id, workspace_id AS "workspace_id: WorkspaceId" FROM documents WHERE id = ANY ($1) AND kind = $2"#,
        ids,
        kind.name(),
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.workspace_id)).collect())
}

/// Returns of which timelines those of a workspace are variants, by the variants' ids.
pub async fn originals(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<HashMap<Uuid, Uuid>> {
    let rows = sqlx::query!(
        r#"SELECT id, summary ->> 'variant_of' AS "variant_of!"
           FROM documents
           WHERE workspace_id = $1 AND kind = $2 AND summary ->> 'variant_of' IS NOT NULL"#,
        workspace as WorkspaceId,
        DocumentKind::Timeline.name(),
    )
    .fetch_all(conn)
    .await?;
    let named = |text: &str| text.parse::<TimelineId>().ok().map(TimelineId::uuid);
    Ok(rows.into_iter().filter_map(|row| Some((row.id, named(&row.variant_of)?))).collect())
}

/// Like [`summary`], and keeps the document from being deleted until the caller's transaction ends. It waits for no
/// change of the document, and none waits for it.
pub async fn summary_to_comment_on(
    conn: &mut PgConnection,
    kind: DocumentKind,
    id: Uuid,
) -> sqlx::Result<Option<SummaryRow>> {
    sqlx::query_as!(
        SummaryRow,
        r#"SELECT workspace_id AS "workspace_id: WorkspaceId", summary
           FROM documents WHERE id = $1 AND kind = $2 FOR KEY SHARE"#,
        id,
        kind.name(),
    )
    .fetch_optional(conn)
    .await
}

/// Returns a document of this kind with its body, and locks the row until the caller's transaction ends.
pub async fn find_to_change(
    conn: &mut PgConnection,
    kind: DocumentKind,
    id: Uuid,
) -> sqlx::Result<Option<DocumentRow>> {
    sqlx::query_as!(
        DocumentRow,
        r#"SELECT id, workspace_id AS "workspace_id: WorkspaceId", name, body::text AS "body!", revision, created_at,
               updated_at
           FROM documents WHERE id = $1 AND kind = $2 FOR NO KEY UPDATE"#,
        id,
        kind.name(),
    )
    .fetch_optional(conn)
    .await
}

/// Whether a document exists, which then stays as it is until the caller's transaction ends.
pub async fn hold(conn: &mut PgConnection, kind: DocumentKind, id: Uuid) -> sqlx::Result<bool> {
    let held = sqlx::query_scalar!("SELECT id FROM documents WHERE id = $1 AND kind = $2 FOR SHARE", id, kind.name());
    Ok(held.fetch_optional(conn).await?.is_some())
}

/// Returns the workspace's document of this kind with this name; none when there is none. It is for kinds whose names
/// are unique in a workspace.
pub async fn find_named(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    kind: DocumentKind,
    name: &str,
) -> sqlx::Result<Option<DocumentRow>> {
    sqlx::query_as!(
        DocumentRow,
        r#"SELECT id, workspace_id AS "workspace_id: WorkspaceId", name, body::text AS "body!", revision, created_at,
               updated_at
           FROM documents WHERE workspace_id = $1 AND kind = $2 AND name = $3"#,
        workspace as WorkspaceId,
        kind.name(),
        name,
    )
    .fetch_optional(conn)
    .await
}

/// Returns documents of a workspace, newest first, that are older than `before`.
pub async fn page(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    kind: DocumentKind,
    before: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<ListedRow>> {
    sqlx::query_as!(
        ListedRow,
        r#"SELECT id, name, summary, revision, created_at, updated_at
           FROM documents WHERE workspace_id = $1 AND kind = $2 AND id < $3
           ORDER BY id DESC LIMIT $4"#,
        workspace as WorkspaceId,
        kind.name(),
        before.unwrap_or(Uuid::max()),
        limit,
    )
    .fetch_all(conn)
    .await
}

/// Deletes a document of the workspace, with its revisions. Returns false when there is no such document.
pub async fn delete(
    conn: &mut PgConnection,
    kind: DocumentKind,
    id: Uuid,
    workspace: WorkspaceId,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "DELETE FROM documents WHERE id = $1 AND kind = $2 AND workspace_id = $3",
        id,
        kind.name(),
        workspace as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
