//! Workspaces as their members see them (spec §2, "Workspace").

use crate::ids::{AccountId, UserId, WorkspaceId};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// A workspace and the caller's role in it.
#[derive(Debug)]
pub struct WorkspaceRow {
    /// The workspace.
    pub id: WorkspaceId,
    /// What its account calls it.
    pub name: String,
    /// owner, editor or viewer.
    pub role: String,
    /// Whether it is its account's default.
    pub is_default: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// The one workspace that a key or a session works in, with the role it has there.
pub async fn bound(conn: &mut PgConnection, workspace: WorkspaceId, role: &str) -> sqlx::Result<Vec<WorkspaceRow>> {
    sqlx::query_as!(
        WorkspaceRow,
        r#"SELECT id AS "id: WorkspaceId", name, $2::text AS "role!", is_default, created_at
           FROM workspaces WHERE id = $1"#,
        workspace as _,
        role
    )
    .fetch_all(conn)
    .await
}

/// The workspaces that a user is a member of, oldest first, after `after`; with `allowed` only those of them.
pub async fn of_user(
    conn: &mut PgConnection,
    user: UserId,
    allowed: Option<&[WorkspaceId]>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<WorkspaceRow>> {
    sqlx::query_as!(
        WorkspaceRow,
        r#"SELECT workspaces.id AS "id: WorkspaceId", workspaces.name, members.role, is_default, workspaces.created_at
           FROM members JOIN workspaces ON workspaces.id = members.workspace_id
           WHERE members.user_id = $1 AND ($2::uuid IS NULL OR workspaces.id > $2)
               AND ($4::uuid[] IS NULL OR workspaces.id = ANY ($4))
           ORDER BY workspaces.id
           LIMIT $3"#,
        user as _,
        after,
        limit,
        allowed as _
    )
    .fetch_all(conn)
    .await
}

/// The workspace that a new key is bound to: the named one, or the account's default, if the account owns it.
pub async fn owned(
    conn: &mut PgConnection,
    account: AccountId,
    named: Option<WorkspaceId>,
) -> sqlx::Result<Option<WorkspaceId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: WorkspaceId" FROM workspaces
           WHERE account_id = $1 AND (id = $2 OR ($2::uuid IS NULL AND is_default))"#,
        account as _,
        named as _
    )
    .fetch_optional(conn)
    .await
}
