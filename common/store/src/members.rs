//! Members of workspaces and their roles, as operators see and change them (contract §2, "Workspace").

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, UserId, WorkspaceId};
use domain::role::Role;
use sqlx::PgConnection;
use uuid::Uuid;

/// A membership.
#[derive(Debug, Clone)]
pub struct MemberRow {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The user.
    pub user_id: UserId,
    /// The user's name.
    pub user_name: String,
    /// The user's role there.
    pub role: Role,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// The result of setting a membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// The user is a member with that role.
    Done {
        /// The role before; none when the user was no member.
        before: Option<Role>,
    },
    /// There is no such workspace.
    NoWorkspace,
    /// There is no such user.
    NoUser,
}

/// Makes a user a member of a workspace with this role, or changes the role.
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

/// Ends a membership. Returns its role; none when there was no such membership.
pub async fn remove(conn: &mut PgConnection, workspace: WorkspaceId, user: UserId) -> sqlx::Result<Option<Role>> {
    sqlx::query_scalar!(
        r#"DELETE FROM members WHERE workspace_id = $1 AND user_id = $2 RETURNING role AS "role: Role""#,
        workspace as _,
        user as _
    )
    .fetch_optional(conn)
    .await
}

/// Returns how many members who are not disabled are owners of a workspace. Call it under the account's lock, so that
/// the number stays true.
pub async fn owners(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
           WHERE m.workspace_id = $1 AND m.role = 'owner'"#,
        workspace as _
    )
    .fetch_one(conn)
    .await
}

/// Returns whether the account knows this user: as one of its own, or as a member of one of its workspaces.
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

/// Returns whether work can be started in a workspace for an account: the workspace is not erased, and is the account's
/// own, or somebody of the account is an editor or an owner there and not disabled.
pub async fn may_work(conn: &mut PgConnection, workspace: WorkspaceId, account: AccountId) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM workspaces w WHERE w.id = $1 AND w.erased_at IS NULL AND (w.account_id = $2 OR EXISTS (
                   SELECT FROM members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
                   WHERE m.workspace_id = $1 AND u.account_id = $2 AND m.role IN ('owner', 'editor')))) AS "may!""#,
        workspace as _,
        account as _
    )
    .fetch_one(conn)
    .await
}

/// Returns one membership; none when there is none.
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

/// Returns the members of a workspace that follow `after`, in the order of their ids.
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

/// Returns the memberships of a user that follow `after`, in the order of the workspaces' ids.
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
