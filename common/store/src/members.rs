//! Who is a member of which workspace, and as what, as operators see and change it (contract §2, "Workspace").

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, UserId, WorkspaceId};
use domain::role::Role;
use sqlx::PgConnection;
use uuid::Uuid;

/// A membership.
#[derive(Debug, Clone)]
pub struct MemberRow {
    /// Where.
    pub workspace_id: WorkspaceId,
    /// Who.
    pub user_id: UserId,
    /// What the user is called.
    pub user_name: String,
    /// As what.
    pub role: Role,
    /// Since when.
    pub created_at: DateTime<Utc>,
}

/// What became of a membership that was to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It is; before, the user had this role, if any.
    Done {
        /// The role before.
        before: Option<Role>,
    },
    /// There is no such workspace.
    NoWorkspace,
    /// There is no such user.
    NoUser,
}

/// Gives a user a role in a workspace, or changes it.
pub async fn put(conn: &mut PgConnection, workspace: WorkspaceId, user: UserId, role: Role) -> sqlx::Result<Put> {
    let row = sqlx::query!(
        r#"WITH before AS (
               SELECT role FROM members WHERE workspace_id = $1 AND user_id = $2 FOR UPDATE
           ), place AS (SELECT id FROM workspaces WHERE id = $1), person AS (SELECT id FROM users WHERE id = $2), done AS (
               -- The row is read and locked before it is written: a row that its own statement has changed is not seen.
               INSERT INTO members (workspace_id, user_id, role)
               SELECT place.id, person.id, $3 FROM place, person, (SELECT count(*) FROM before) AS locked
               ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role
               RETURNING role
           )
           SELECT EXISTS (SELECT FROM place) AS "place!", EXISTS (SELECT FROM person) AS "person!",
               EXISTS (SELECT FROM done) AS "done!", (SELECT role FROM before) AS "before: Role""#,
        workspace as _,
        user as _,
        role.name()
    )
    .fetch_one(conn)
    .await?;
    Ok(match (row.place, row.person) {
        (false, _) => Put::NoWorkspace,
        (true, false) => Put::NoUser,
        (true, true) => Put::Done { before: row.before },
    })
}

/// Ends a membership. Returns the role that it gave; none when there was none.
pub async fn remove(conn: &mut PgConnection, workspace: WorkspaceId, user: UserId) -> sqlx::Result<Option<Role>> {
    sqlx::query_scalar!(
        r#"DELETE FROM members WHERE workspace_id = $1 AND user_id = $2 RETURNING role AS "role: Role""#,
        workspace as _,
        user as _
    )
    .fetch_optional(conn)
    .await
}

/// How many owners a workspace has among its members who may sign in. Call it under the account's lock, so that they
/// stay as many.
pub async fn owners(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
           WHERE m.workspace_id = $1 AND m.role = 'owner'"#,
        workspace as _
    )
    .fetch_one(conn)
    .await
}

/// Whether the account knows this user: as one of its own, or as a member of one of its workspaces.
pub async fn is_known(conn: &mut PgConnection, account: AccountId, user: UserId) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM users WHERE id = $2 AND account_id = $1) OR EXISTS (
               SELECT FROM members m JOIN workspaces w ON w.id = m.workspace_id
               WHERE m.user_id = $2 AND w.account_id = $1) AS "is_known!""#,
        account as _,
        user as _
    )
    .fetch_one(conn)
    .await
}

/// One membership.
pub async fn find(conn: &mut PgConnection, workspace: WorkspaceId, user: UserId) -> sqlx::Result<Option<MemberRow>> {
    sqlx::query_as!(
        MemberRow,
        r#"SELECT m.workspace_id AS "workspace_id: WorkspaceId", m.user_id AS "user_id: UserId", u.name AS user_name,
               m.role AS "role: Role", m.created_at
           FROM members m JOIN users u ON u.id = m.user_id
           WHERE m.workspace_id = $1 AND m.user_id = $2"#,
        workspace as _,
        user as _
    )
    .fetch_optional(conn)
    .await
}

/// The members of a workspace, by their ids, after `after`.
pub async fn of_workspace(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<MemberRow>> {
    sqlx::query_as!(
        MemberRow,
        r#"SELECT m.workspace_id AS "workspace_id: WorkspaceId", m.user_id AS "user_id: UserId", u.name AS user_name,
               m.role AS "role: Role", m.created_at
           FROM members m JOIN users u ON u.id = m.user_id
           WHERE m.workspace_id = $1 AND ($2::uuid IS NULL OR m.user_id > $2)
           ORDER BY m.user_id
           LIMIT $3"#,
        workspace as _,
        after,
        limit
    )
    .fetch_all(conn)
    .await
}

/// The memberships of a user, by the workspaces' ids, after `after`.
pub async fn of_user(
    conn: &mut PgConnection,
    user: UserId,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<MemberRow>> {
    sqlx::query_as!(
        MemberRow,
        r#"SELECT m.workspace_id AS "workspace_id: WorkspaceId", m.user_id AS "user_id: UserId", u.name AS user_name,
               m.role AS "role: Role", m.created_at
           FROM members m JOIN users u ON u.id = m.user_id
           WHERE m.user_id = $1 AND ($2::uuid IS NULL OR m.workspace_id > $2)
           ORDER BY m.workspace_id
           LIMIT $3"#,
        user as _,
        after,
        limit
    )
    .fetch_all(conn)
    .await
}
