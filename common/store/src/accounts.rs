//! Accounts, their users, workspaces and members: who exists, not what they may do (contract §2, §5).
//!
//! Keys are in `keys`, the lookup of a presented credential in `credentials`, minutes in `minutes`.

use crate::keys::{self, MadeBy, NewKey};
use crate::users::Identity;
use chrono::{DateTime, Utc};
use domain::credential::ApiKey;
use domain::ids::{AccountId, KeyId, UserId, WorkspaceId};
use domain::minutes::Minutes;
use sqlx::PgConnection;
use uuid::Uuid;

/// Creates an account. Returns its id.
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
    /// Its name, which need not be unique.
    pub name: String,
    /// Its own monthly allowance; none means the deployment's.
    pub monthly_allowance: Option<Minutes>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was suspended: its credentials are refused since then. None when it is not.
    pub suspended_at: Option<DateTime<Utc>>,
    /// Why it was suspended, as its callers are told.
    pub suspended_reason: Option<String>,
    /// When its names and stored bytes were erased; none when they were not.
    pub erased_at: Option<DateTime<Utc>>,
}

/// Returns the account; none when there is no such account.
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

/// Returns accounts, newest first, that are older than `after`; with `name`, only those with exactly this name.
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

/// Renames an account. Returns its former name; none when there is no such account.
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

/// Returns the oldest account with this name; none when there is none.
pub async fn named(conn: &mut PgConnection, name: &str) -> sqlx::Result<Option<AccountId>> {
    sqlx::query_scalar!(r#"SELECT id AS "id: AccountId" FROM accounts WHERE name = $1 ORDER BY id LIMIT 1"#, name)
        .fetch_optional(conn)
        .await
}

/// Creates a workspace, the account's default one if it is the first. Returns its id.
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

/// Creates a user. `identity` is the issuer and the subject of the tokens that stand for them. Returns the user's id.
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

/// Gives a user this role in a workspace (`owner`, `editor` or `viewer`), as a new member or instead of another role.
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

/// The ids that [`create_with_key`] returns.
#[derive(Debug)]
pub struct AccountWithKey {
    /// The account.
    pub account_id: AccountId,
    /// Its default workspace, which is also the key's.
    pub workspace_id: WorkspaceId,
    /// The key's id.
    pub key_id: KeyId,
}

/// Creates an account with a workspace and a key for it, as `mws up` and tests need them. The caller keeps the key's
/// text: only its hash is stored. It runs several statements: call it in a transaction.
pub async fn create_with_key(conn: &mut PgConnection, name: &str, key: &ApiKey) -> sqlx::Result<AccountWithKey> {
    let account_id = create(conn, name).await?;
    let workspace_id = create_workspace(conn, account_id, name).await?;
    let new = NewKey { account_id, workspace_id, name: Some(name), key, made_by: MadeBy::default() };
    let key_id = keys::insert(conn, &new).await?.id;
    Ok(AccountWithKey { account_id, workspace_id, key_id })
}

/// Locks the account's row until the transaction ends. Returns false when there is no such account.
///
/// The lock is `FOR NO KEY UPDATE`, so that inserts that refer to the account don't wait for it.
pub async fn lock(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<bool> {
    let row = sqlx::query!("SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE", account.uuid())
        .fetch_optional(conn)
        .await?;
    Ok(row.is_some())
}

/// As [`lock`], for a change that takes access away from somebody: it waits behind the account's own calls for up to
/// fifteen seconds, where others give up after two.
pub async fn lock_patiently(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<bool> {
    sqlx::query!("SELECT set_config('lock_timeout', '15s', true)").fetch_one(&mut *conn).await?;
    lock(conn, account).await
}
