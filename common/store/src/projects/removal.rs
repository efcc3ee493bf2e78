//! The removal of projects: of one by its owner, and of those that were cancelled long ago.

use domain::ids::{ProjectId, WorkspaceId};
use sqlx::PgConnection;

/// Locks a project of the workspace, so that no change adds a webhook meanwhile. Returns false when there is no such
/// project.
pub async fn lock_in(conn: &mut PgConnection, id: ProjectId, workspace: WorkspaceId) -> sqlx::Result<bool> {
    let found =
        sqlx::query!("SELECT id FROM projects WHERE id = $1 AND workspace_id = $2 FOR UPDATE", id as _, workspace as _);
    Ok(found.fetch_optional(conn).await?.is_some())
}

/// Removes a project, which the caller has locked, with its runs and its webhooks. The end of a webhook that is being
/// sent is not recorded.
pub async fn remove(conn: &mut PgConnection, id: ProjectId) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM project_webhooks WHERE project_id = $1", id as _).execute(&mut *conn).await?;
    sqlx::query!("DELETE FROM projects WHERE id = $1", id as _).execute(conn).await.map(drop)
}

/// Deletes up to `limit` projects that were cancelled more than `days` ago, with their webhooks. Returns how many.
pub async fn prune(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let gone = sqlx::query!(
        "WITH old AS MATERIALIZED (
             SELECT id FROM projects
             WHERE status = 'cancelled' AND updated_at < mws_now() - make_interval(days => $1)
             ORDER BY updated_at LIMIT $2
             FOR UPDATE SKIP LOCKED
         ), logs AS (
             DELETE FROM project_webhooks WHERE project_id = ANY (ARRAY(SELECT id FROM old))
         )
         DELETE FROM projects WHERE id = ANY (ARRAY(SELECT id FROM old))",
        days,
        limit
    )
    .execute(conn)
    .await?;
    Ok(gone.rows_affected())
}
