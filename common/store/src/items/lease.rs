//! Leases with which a client computes an item's reads itself (contract §4.5).

use chrono::{DateTime, Utc};
use domain::ids::{ItemId, WorkspaceId};
use sqlx::PgConnection;

/// Starts a lease with which a client computes an item's reads itself (contract §4.5). Returns until when it lasts;
/// none when the workspace has no such item.
pub async fn lease(
    conn: &mut PgConnection,
    item: ItemId,
    workspace: WorkspaceId,
    seconds: i32,
) -> sqlx::Result<Option<DateTime<Utc>>> {
    sqlx::query_scalar!(
        r#"UPDATE items SET leased_until = mws_now() + make_interval(secs => $3::int)
           WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL
           RETURNING leased_until AS "leased_until!""#,
        item as ItemId,
        workspace as WorkspaceId,
        seconds,
    )
    .fetch_optional(conn)
    .await
}

/// Ends such a lease early, if there is one. Returns false when the workspace has no such item.
pub async fn end_lease(conn: &mut PgConnection, item: ItemId, workspace: WorkspaceId) -> sqlx::Result<bool> {
    let ended = sqlx::query!(
        "UPDATE items SET leased_until = NULL WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL",
        item as ItemId,
        workspace as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(ended.rows_affected() > 0)
}
