//! What items are called: which of a workspace have a name that somebody else's document says.

use domain::ids::{ItemId, WorkspaceId};
use sqlx::PgConnection;

/// The ready items of the workspace with these names, which may be refs, whatever their case: at most two a name, which
/// is as good as many.
pub async fn called(
    conn: &mut PgConnection,
    names: &[String],
    workspace: WorkspaceId,
) -> sqlx::Result<Vec<(String, ItemId)>> {
    let rows = sqlx::query!(
        r#"SELECT asked.name AS "name!", found.id AS "id!: ItemId"
           FROM unnest($1::text[]) AS asked (name)
           CROSS JOIN LATERAL (
               (
                   SELECT id FROM items
                   WHERE workspace_id = $2 AND ref = asked.name AND status = 'ready' AND deleted_at IS NULL
               )
               UNION
               (
                   SELECT id FROM items
                   WHERE workspace_id = $2 AND (lower(name)) COLLATE "C" = (lower(asked.name)) COLLATE "C"
                       AND status = 'ready' AND deleted_at IS NULL
                   ORDER BY id LIMIT 2
               )
           ) AS found"#,
        names as &[String],
        workspace as WorkspaceId,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.id)).collect())
}
