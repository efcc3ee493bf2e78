//! Changes of documents, and the revisions that are kept of them.

use super::{Body, DocumentRow};
use domain::document::{DocumentKind, KEPT_REVISIONS, MOST_KEPT_BYTES};
use domain::ids::WorkspaceId;
use sqlx::PgConnection;
use uuid::Uuid;

/// Like [`super::find`], with the name and the body that the document had at this revision. Also none when that
/// revision is the present one, or is not kept.
pub async fn find_earlier(
    conn: &mut PgConnection,
    kind: DocumentKind,
    id: Uuid,
    revision: i32,
) -> sqlx::Result<Option<DocumentRow>> {
    sqlx::query_as!(
        DocumentRow,
        r#"SELECT d.id, d.workspace_id AS "workspace_id: WorkspaceId", r.name, r.body::text AS "body!", r.revision,
               d.created_at, d.updated_at
           FROM documents d JOIN document_revisions r ON r.document_id = d.id
           WHERE d.id = $1 AND d.kind = $2 AND r.revision = $3"#,
        id,
        kind.name(),
        revision,
    )
    .fetch_optional(conn)
    .await
}

/// Replaces a document and keeps its present state as a revision: the latest 50 are kept, as long as they have no more
/// than 4 MiB together. The caller has locked the row with [`super::find_to_change`]. Returns none when another
/// document of a kind with unique names has this name.
pub async fn replace(
    conn: &mut PgConnection,
    row: &DocumentRow,
    name: &str,
    body: &Body,
) -> sqlx::Result<Option<DocumentRow>> {
    if !sqlx::query_scalar!(
        r#"SELECT NOT EXISTS (
               SELECT FROM documents o JOIN documents d ON d.workspace_id = o.workspace_id AND d.kind = o.kind
               WHERE d.id = $1 AND o.id <> d.id AND o.name = $2 AND o.kind IN ('template', 'skill')
           ) AS "is_free!""#,
        row.id,
        name
    )
    .fetch_one(&mut *conn)
    .await?
    {
        return Ok(None);
    }
    sqlx::query!(
        "INSERT INTO document_revisions (document_id, revision, name, body, summary, bytes)
         SELECT id, revision, name, body, summary, octet_length(body::text) FROM documents WHERE id = $1",
        row.id,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM document_revisions WHERE document_id = $1 AND revision = ANY (ARRAY(
             SELECT revision FROM (
                 SELECT revision, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
                 FROM document_revisions WHERE document_id = $1
                 WINDOW newest AS (ORDER BY revision DESC)
             ) AS kept WHERE place > $2 OR (bytes > $3::bigint AND place > 1)))",
        row.id,
        i64::from(KEPT_REVISIONS),
        MOST_KEPT_BYTES,
    )
    .execute(&mut *conn)
    .await?;
    write(conn, row.id, name, body).await.map(Some)
}

/// Writes the newest kept revision again, as a new one, and deletes the kept one. The caller has locked the row with
/// [`super::find_to_change`]. Returns none when no revision is kept.
pub async fn step_back(conn: &mut PgConnection, row: &DocumentRow) -> sqlx::Result<Option<DocumentRow>> {
    sqlx::query_as!(
        DocumentRow,
        r#"WITH before AS (
               DELETE FROM document_revisions WHERE document_id = $1 AND revision = (
                   SELECT max(revision) FROM document_revisions WHERE document_id = $1)
               RETURNING name, body, summary
           )
           UPDATE documents d SET name = before.name, body = before.body, summary = before.summary,
               revision = d.revision + 1, updated_at = mws_now(),
               -- The statement still sees the revision that it deletes, whose bytes are the document's now.
               kept_bytes = (SELECT coalesce(sum(bytes), 0) FROM document_revisions WHERE document_id = $1)
           FROM before WHERE d.id = $1
           RETURNING d.id, d.workspace_id AS "workspace_id: WorkspaceId", d.name, d.body::text AS "body!", d.revision,
               d.created_at, d.updated_at"#,
        row.id,
    )
    .fetch_optional(conn)
    .await
}

async fn write(conn: &mut PgConnection, id: Uuid, name: &str, body: &Body) -> sqlx::Result<DocumentRow> {
    sqlx::query_as!(
        DocumentRow,
        r#"UPDATE documents SET name = $2, body = $3::text::json, summary = $4, revision = revision + 1,
               updated_at = mws_now(), kept_bytes = octet_length($3::text)
                   + (SELECT coalesce(sum(bytes), 0) FROM document_revisions WHERE document_id = $1)
           WHERE id = $1
           RETURNING id, workspace_id AS "workspace_id: WorkspaceId", name, body::text AS "body!", revision,
               created_at, updated_at"#,
        id,
        name,
        body.whole,
        body.summary,
    )
    .fetch_one(conn)
    .await
}
