//! The deletion of an item, which leaves a tombstone.

use domain::ids::{ItemId, WorkspaceId};
use sqlx::PgConnection;

/// Whether an item was deleted by this statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tombstone {
    /// It was there and is now a tombstone.
    Set,
    /// It was deleted before, or never was in that workspace.
    NotThere,
}

/// Turns an item of this workspace into a tombstone, and fails its upload. The caller cancels the item's jobs
/// (`store::jobs`) in the same transaction; the bytes are deleted later (`to_purge`).
pub async fn tombstone(conn: &mut PgConnection, item: ItemId, workspace: WorkspaceId) -> sqlx::Result<Tombstone> {
    let set = sqlx::query_scalar!(
        // The upload before the item, as a finishing ingest locks them.
        r#"WITH ended AS (
            UPDATE uploads SET status = 'failed', finished_at = mws_now(), lease_until = NULL,
                error_code = 'item_not_found', error_message = 'the item was deleted'
            WHERE item_id = $1 AND workspace_id = $2 AND status IN ('awaiting_upload', 'processing')
            RETURNING id
        ), parts AS (
            DELETE FROM upload_parts USING ended WHERE upload_id = ended.id
        ), gone AS (
            UPDATE items SET deleted_at = mws_now(), leased_until = NULL
            WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL AND (SELECT count(*) FROM ended) >= 0
            RETURNING id
        )
        SELECT count(*) AS "gone!" FROM gone"#,
        item as ItemId,
        workspace as WorkspaceId,
    )
    .fetch_one(conn)
    .await?;
    Ok(if set == 0 { Tombstone::NotThere } else { Tombstone::Set })
}
