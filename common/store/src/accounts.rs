//! Accounts, their users, workspaces and members: who may exist, not who may do what (contract §2, §5).
//!
//! Keys are in `keys`, credentials that are presented in `credentials`, minutes in `minutes`.

use crate::keys::{self, MadeBy, NewKey};
use crate::users::Identity;
use chrono::{DateTime, Utc};
use domain::credential::ApiKey;
use domain::ids::{AccountId, KeyId, UserId, WorkspaceId};
use domain::minutes::Minutes;
use sqlx::PgConnection;
use uuid::Uuid;

/// Creates an account.
pub async fn create(conn: &mut PgConnection, name: &str) -> sqlx::Result<AccountId> {
    let id = AccountId::mint();
    sqlx::query!("INSERT INTO accounts (id, name) VALUES ($1, $2)", id as _, name).execute(conn).await?;
    Ok(id)
}

/// An account as operators see it.
#[derive(Debug)]
pub struct AccountRow {
    /// Its id.
    pub id: AccountId,
    /// What it is called.
    pub name: String,
    /// Its own monthly allowance; none means the deployment's.
    pub monthly_allowance: Option<Minutes>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Since when its credentials are refused.
    pub suspended_at: Option<DateTime<Utc>>,
    /// Why, as its callers are told.
    pub suspended_reason: Option<String>,
    /// When its names and bytes went.
    pub erased_at: Option<DateTime<Utc>>,
}

/// One account.
pub async fn find(conn: &mut PgConnection, id: AccountId) -> sqlx::Result<Option<AccountRow>> {
    sqlx::query_as!(
        AccountRow,
        r#"SELECT id AS "id: AccountId", name, monthly_allowance AS "monthly_allowance: Minutes", created_at,
               suspended_at, suspended_reason, erased_at
           FROM accounts WHERE id = $1"#,
        id as _
    )
    .fetch_optional(conn)
    .await
}

/// Accounts, newest first, after (that is, older than) `after`; with `name` those of that name alone.
pub async fn list(
    conn: &mut PgConnection,
    name: Option<&str>,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<AccountRow>> {
    sqlx::query_as!(
        AccountRow,
        r#"SELECT id AS "id: AccountId", name, monthly_allowance AS "monthly_allowance: Minutes", created_at,
               suspended_at, suspended_reason, erased_at
           FROM accounts
           WHERE ($1::text IS NULL OR name = $1) AND ($2::uuid IS NULL OR id < $2)
           ORDER BY id DESC
           LIMIT $3"#,
        name,
        after,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Gives an account another name. Returns the one it had; none when there is no such account.
pub async fn rename(conn: &mut PgConnection, id: AccountId, name: &str) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        "WITH before AS (SELECT id, name FROM accounts WHERE id = $1 FOR NO KEY UPDATE)
         UPDATE accounts SET name = $2 FROM before WHERE accounts.id = before.id RETURNING before.name",
        id as _,
        name
    )
    .fetch_optional(conn)
    .await
}

/// The oldest account of this name.
pub async fn named(conn: &mut PgConnection, name: &str) -> sqlx::Result<Option<AccountId>> {
    sqlx::query_scalar!(r#"SELECT id AS "id: AccountId" FROM accounts WHERE name = $1 ORDER BY id LIMIT 1"#, name)
        .fetch_optional(conn)
        .await
}

/// Creates a workspace; the account's first one is its default.
pub async fn create_workspace(conn: &mut PgConnection, account: AccountId, name: &str) -> sqlx::Result<WorkspaceId> {
    let id = WorkspaceId::mint();
    sqlx::query!(
        "INSERT INTO workspaces (id, account_id, name, is_default)
         SELECT $1, $2, $3, NOT EXISTS (SELECT FROM workspaces WHERE account_id = $2 AND is_default)",
        id as _,
        account as _,
        name
    )
    .execute(conn)
    .await?;
    Ok(id)
}

/// Creates a user; `identity` is how the issuer of the tokens that stand for them names them.
pub async fn create_user(
    conn: &mut PgConnection,
    account: AccountId,
    name: &str,
    identity: Option<Identity<'_>>,
) -> sqlx::Result<UserId> {
    let id = UserId::mint();
    sqlx::query!(
        "INSERT INTO users (id, account_id, name, oauth_issuer, oauth_subject) VALUES ($1, $2, $3, $4, $5)",
        id as _,
        account as _,
        name,
        identity.map(|identity| identity.issuer),
        identity.map(|identity| identity.subject)
    )
    .execute(conn)
    .await?;
    Ok(id)
}

/// Gives a user a role in a workspace (`owner`, `editor` or `viewer`), or changes it.
pub async fn set_member(conn: &mut PgConnection, workspace: WorkspaceId, user: UserId, role: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO members (workspace_id, user_id, role) VALUES ($1, $2, $3)
         ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role",
        workspace as _,
        user as _,
        role
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What `create_with_key` made.
#[derive(Debug)]
pub struct AccountWithKey {
    /// The account.
    pub account_id: AccountId,
    /// Its default workspace, which the key is bound to.
    pub workspace_id: WorkspaceId,
    /// The key's id.
    pub key_id: KeyId,
}

/// Creates an account with a workspace and a key to it, as `mws up` and tests need them. The caller keeps the key's
/// text: only its hash is stored. Three statements: call it in a transaction.
pub async fn create_with_key(conn: &mut PgConnection, name: &str, key: &ApiKey) -> sqlx::Result<AccountWithKey> {
    let account_id = create(conn, name).await?;
    let workspace_id = create_workspace(conn, account_id, name).await?;
    let new = NewKey { account_id, workspace_id, name: Some(name), key, made_by: MadeBy::default() };
    let key_id = keys::insert(conn, &new).await?.id;
    Ok(AccountWithKey { account_id, workspace_id, key_id })
}

/// Locks the account until the transaction ends. False when there is no such account.
///
/// `NO KEY`, because inserts that name the account must not wait for it.
pub async fn lock(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<bool> {
    let row = sqlx::query!("SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE", account.uuid())
        .fetch_optional(conn)
        .await?;
    Ok(row.is_some())
}
