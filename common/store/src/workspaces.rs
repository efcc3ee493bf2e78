//! Workspaces as their members see them (contract §2, "Workspace").

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, UserId, WorkspaceId};
use sqlx::PgConnection;
use uuid::Uuid;

/// A workspace and the caller's role in it.
#[derive(Debug)]
pub struct WorkspaceRow {
    /// The workspace.
    pub id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The caller's role: `owner`, `editor` or `viewer`.
    pub role: String,
    /// Whether it is the default of the caller's own account.
    pub is_default: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Returns the only workspace that a key or a session of the account gives access to, with `role` as the role there.
pub async fn bound(
    conn: &mut PgConnection,
    account: AccountId,
    workspace: WorkspaceId,
    role: &str,
) -> sqlx::Result<Vec<WorkspaceRow>> {
    sqlx::query_as!(
        WorkspaceRow,
        r#"SELECT id AS "id: WorkspaceId", name, $2::text AS "role!", is_default AND account_id = $3 AS "is_default!",
               created_at
           FROM workspaces WHERE id = $1"#,
        workspace as _,
        role,
        account as _
    )
    .fetch_all(conn)
    .await
}

/// Returns the workspaces that a user of the account is a member of, oldest first, with ids above `after`; with
/// `allowed`, only those among them. Another account's default is not shown as a default.
pub async fn of_user(
    conn: &mut PgConnection,
    account: AccountId,
    user: UserId,
    allowed: Option<&[WorkspaceId]>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<WorkspaceRow>> {
    sqlx::query_as!(
        WorkspaceRow,
        r#"SELECT workspaces.id AS "id: WorkspaceId", workspaces.name, members.role,
               is_default AND workspaces.account_id = $5 AS "is_default!", workspaces.created_at
           FROM members JOIN workspaces ON workspaces.id = members.workspace_id
           WHERE members.user_id = $1 AND ($2::uuid IS NULL OR workspaces.id > $2)
               AND ($4::uuid[] IS NULL OR workspaces.id = ANY ($4))
           ORDER BY workspaces.id
           LIMIT $3"#,
        user as _,
        after,
        limit,
        allowed as _,
        account as _
    )
    .fetch_all(conn)
    .await
}

/// Returns the workspace for a new key: the named one or the account's default; none when the account owns no such
/// workspace.
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

/// A workspace as operators see it.
#[derive(Debug, Clone)]
pub struct OwnedRow {
    /// The workspace.
    pub id: WorkspaceId,
    /// The account that owns it.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// Whether it is its account's default.
    pub is_default: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Opens a workspace of an account; the first one is its default. Returns none when there is no such account. Call it
/// under the account's lock, so that two at once don't both become the default.
pub async fn open(conn: &mut PgConnection, account: AccountId, name: &str) -> sqlx::Result<Option<OwnedRow>> {
    sqlx::query_as!(
        OwnedRow,
        r#"INSERT INTO workspaces (id, account_id, name, is_default)
           SELECT $1, id, $3, NOT EXISTS (SELECT FROM workspaces WHERE account_id = $2 AND is_default)
           FROM accounts WHERE id = $2
           RETURNING id AS "id: WorkspaceId", account_id AS "account_id: AccountId", name, is_default, created_at"#,
        WorkspaceId::mint() as _,
        account as _,
        name
    )
    .fetch_optional(conn)
    .await
}

/// Returns how many workspaces of an account are not erased, at most `most`.
pub async fn count(conn: &mut PgConnection, account: AccountId, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM workspaces WHERE account_id = $1 AND erased_at IS NULL LIMIT $2) AS counted"#,
        account as _,
        most
    )
    .fetch_one(conn)
    .await
}

/// Returns a workspace of any account; none when there is no such workspace.
pub async fn find(conn: &mut PgConnection, id: WorkspaceId) -> sqlx::Result<Option<OwnedRow>> {
    sqlx::query_as!(
        OwnedRow,
        r#"SELECT id AS "id: WorkspaceId", account_id AS "account_id: AccountId", name, is_default, created_at
           FROM workspaces WHERE id = $1"#,
        id as _
    )
    .fetch_optional(conn)
    .await
}

/// Returns workspaces, newest first, that are older than `after`; with `account`, only those that it owns.
pub async fn list(
    conn: &mut PgConnection,
    account: Option<AccountId>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<OwnedRow>> {
    sqlx::query_as!(
        OwnedRow,
        r#"SELECT id AS "id: WorkspaceId", account_id AS "account_id: AccountId", name, is_default, created_at
           FROM workspaces
           WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR id < $2)
           ORDER BY id DESC
           LIMIT $3"#,
        account as _,
        after,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Returns the workspaces that an account owns, by which its jobs are found. An account has few.
pub async fn owned_by(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<WorkspaceId>> {
    sqlx::query_scalar!(r#"SELECT id AS "id: WorkspaceId" FROM workspaces WHERE account_id = $1"#, account as _)
        .fetch_all(conn)
        .await
}

/// Renames a workspace.
pub async fn rename(conn: &mut PgConnection, id: WorkspaceId, name: &str) -> sqlx::Result<()> {
    sqlx::query!("UPDATE workspaces SET name = $2 WHERE id = $1", id as _, name).execute(conn).await?;
    Ok(())
}

/// Clears the account's default workspace, so that another can become it. Call it under the account's lock.
pub async fn unset_default(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<()> {
    sqlx::query!("UPDATE workspaces SET is_default = false WHERE account_id = $1 AND is_default", account as _)
        .execute(conn)
        .await?;
    Ok(())
}

/// Makes a workspace its account's default. Call it after `unset_default`.
pub async fn set_default(conn: &mut PgConnection, id: WorkspaceId) -> sqlx::Result<()> {
    sqlx::query!("UPDATE workspaces SET is_default = true WHERE id = $1", id as _).execute(conn).await?;
    Ok(())
}
