//! Finds a workspace's items by names that stand in a document, such as a timeline from elsewhere.

use domain::ids::{ItemId, WorkspaceId};
use sqlx::PgConnection;

/// Returns the ready items of the workspace with these names, in any case, or with these refs, each with the name that
/// found it: at most two per name, since two already make it ambiguous.
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
                   WHERE workspace_id = $2 AND lower_name = lower(asked.name) COLLATE "C"
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
