//! API keys; only their hashes are stored (contract §2, "API key").
//!
//! To bound an account's keys, call `accounts::lock`, `keep_live` for the key that makes another, and then
//! `insert_within`, in one transaction.

use chrono::{DateTime, Utc};
use domain::credential::ApiKey;
use domain::ids::{AccountId, KeyId, UserId, WorkspaceId};
use sqlx::PgConnection;
use uuid::Uuid;

/// A key to be stored.
#[derive(Debug)]
pub struct NewKey<'a> {
    /// The account that pays for its use.
    pub account_id: AccountId,
    /// The only workspace that it gives access to, which the account owns.
    pub workspace_id: WorkspaceId,
    /// The name that its owner gave it.
    pub name: Option<&'a str>,
    /// The key itself; its hash and its first characters are stored.
    pub key: &'a ApiKey,
    /// Who makes it.
    pub made_by: MadeBy,
}

/// Who makes a key; both are none when no user and no key does.
#[derive(Debug, Clone, Copy, Default)]
pub struct MadeBy {
    /// The user; for a key made with another key, the user who made that one.
    pub user: Option<UserId>,
    /// The key that it is made with.
    pub key: Option<KeyId>,
}

/// A key as lists show it.
#[derive(Debug)]
pub struct KeyRow {
    /// Its id.
    pub id: KeyId,
    /// The name that its owner gave it.
    pub name: Option<String>,
    /// Its first characters.
    pub prefix: String,
    /// The workspace that it gives access to.
    pub workspace_id: WorkspaceId,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last used, with a precision of a minute; none when it never was.
    pub last_used_at: Option<DateTime<Utc>>,
    /// The user who made it, or whose key made it.
    pub made_by_user: Option<UserId>,
    /// The key that it was made with.
    pub made_by_key: Option<KeyId>,
    /// When it was revoked; none for a live key.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Stores a key, however many the account has. Returns its row.
pub async fn insert(conn: &mut PgConnection, new: &NewKey<'_>) -> sqlx::Result<KeyRow> {
    insert_within(conn, new, i64::MAX).await?.ok_or(sqlx::Error::RowNotFound)
}

/// Stores a key, and returns its row; none when the account has `most` live keys already. Call it under the account's
/// lock.
pub async fn insert_within(conn: &mut PgConnection, new: &NewKey<'_>, most: i64) -> sqlx::Result<Option<KeyRow>> {
    let hash = new.key.hash();
    sqlx::query_as!(
        KeyRow,
        r#"INSERT INTO api_keys (id, account_id, workspace_id, name, prefix, key_hash, made_by_user_id, made_by_key_id)
           SELECT $1, $2, $3, $4, $5, $6, coalesce($8, (SELECT made_by_user_id FROM api_keys WHERE id = $9)), $9
           WHERE (SELECT count(*) FROM api_keys WHERE account_id = $2 AND revoked_at IS NULL) < $7
           RETURNING id AS "id: KeyId", name, prefix, workspace_id AS "workspace_id: WorkspaceId", created_at,
               last_used_at, made_by_user_id AS "made_by_user: UserId", made_by_key_id AS "made_by_key: KeyId",
               revoked_at"#,
        KeyId::mint() as _,
        new.account_id as _,
        new.workspace_id as _,
        new.name,
        new.key.display_prefix(),
        hash.as_bytes(),
        most,
        new.made_by.user as _,
        new.made_by.key as _
    )
    .fetch_optional(conn)
    .await
}

/// Returns the key's account and workspace, without counting a request; none when it is revoked or unknown.
pub async fn owner(conn: &mut PgConnection, key: &ApiKey) -> sqlx::Result<Option<(AccountId, WorkspaceId)>> {
    let hash = key.hash();
    let row = sqlx::query!(
        r#"SELECT account_id AS "account_id: AccountId", workspace_id AS "workspace_id: WorkspaceId"
           FROM api_keys WHERE key_hash = $1 AND revoked_at IS NULL"#,
        hash.as_bytes()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (row.account_id, row.workspace_id)))
}

/// Returns the workspace of this key of the account, live or revoked; none when it is no key of the account.
pub async fn workspace_of(
    conn: &mut PgConnection,
    account: AccountId,
    key: &ApiKey,
) -> sqlx::Result<Option<WorkspaceId>> {
    let hash = key.hash();
    sqlx::query_scalar!(
        r#"SELECT workspace_id AS "workspace: WorkspaceId" FROM api_keys WHERE key_hash = $1 AND account_id = $2"#,
        hash.as_bytes(),
        account as _
    )
    .fetch_optional(conn)
    .await
}

/// Revokes the account's oldest live key with this name, to make room for another. Returns false when there is none.
pub async fn revoke_oldest_named(conn: &mut PgConnection, account: AccountId, name: &str) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE api_keys SET revoked_at = mws_now()
         WHERE id = (SELECT id FROM api_keys WHERE account_id = $1 AND name = $2 AND revoked_at IS NULL
                     ORDER BY id LIMIT 1)",
        account as _,
        name
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Returns the account's live keys, newest first, that are older than `after`.
pub async fn list(
    conn: &mut PgConnection,
    account: AccountId,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<KeyRow>> {
    sqlx::query_as!(
        KeyRow,
        r#"SELECT id AS "id: KeyId", name, prefix, workspace_id AS "workspace_id: WorkspaceId", created_at, last_used_at,
               made_by_user_id AS "made_by_user: UserId", made_by_key_id AS "made_by_key: KeyId", revoked_at
           FROM api_keys
           WHERE account_id = $1 AND revoked_at IS NULL AND ($2::uuid IS NULL OR id < $2)
           ORDER BY id DESC
           LIMIT $3"#,
        account as _,
        after,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Returns a live key of any account, with that account; none when there is no such live key.
pub async fn find(conn: &mut PgConnection, key: KeyId) -> sqlx::Result<Option<(AccountId, KeyRow)>> {
    let row = sqlx::query!(
        r#"SELECT account_id AS "account_id: AccountId", name, prefix, workspace_id AS "workspace_id: WorkspaceId",
               created_at, last_used_at, made_by_user_id AS "made_by_user: UserId", made_by_key_id AS "made_by_key: KeyId",
               revoked_at
           FROM api_keys WHERE id = $1 AND revoked_at IS NULL"#,
        key as _
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| {
        let shown = KeyRow {
            id: key,
            name: row.name,
            prefix: row.prefix,
            workspace_id: row.workspace_id,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            made_by_user: row.made_by_user,
            made_by_key: row.made_by_key,
            revoked_at: row.revoked_at,
        };
        (row.account_id, shown)
    }))
}

/// Keeps a key from being revoked until the caller's transaction ends. Returns false when it is revoked already.
pub async fn keep_live(conn: &mut PgConnection, key: KeyId) -> sqlx::Result<bool> {
    let row = sqlx::query!("SELECT id FROM api_keys WHERE id = $1 AND revoked_at IS NULL FOR SHARE", key as _)
        .fetch_optional(conn)
        .await?;
    Ok(row.is_some())
}

/// The result of revoking a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revoked {
    /// The key and its sessions are refused from now on.
    Now,
    /// It was revoked before, or never existed.
    Missing,
    /// It belongs to another account.
    Foreign,
}

/// Revokes a live key of the account.
pub async fn revoke(conn: &mut PgConnection, account: AccountId, key: KeyId) -> sqlx::Result<Revoked> {
    let row = sqlx::query!(
        r#"WITH revoked AS (
               UPDATE api_keys SET revoked_at = mws_now()
               WHERE id = $2 AND account_id = $1 AND revoked_at IS NULL
               RETURNING id
           )
           SELECT EXISTS (SELECT FROM revoked) AS "now!",
               EXISTS (SELECT FROM api_keys WHERE id = $2 AND account_id <> $1) AS "foreign!""#,
        account as _,
        key as _
    )
    .fetch_one(conn)
    .await?;
    Ok(match (row.now, row.foreign) {
        (true, _) => Revoked::Now,
        (false, true) => Revoked::Foreign,
        (false, false) => Revoked::Missing,
    })
}

/// Returns an account's keys, live and revoked, newest first, that are older than `after`. For operators.
pub async fn every(
    conn: &mut PgConnection,
    account: AccountId,
    after: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<KeyRow>> {
    sqlx::query_as!(
        KeyRow,
        r#"SELECT id AS "id: KeyId", name, prefix, workspace_id AS "workspace_id: WorkspaceId", created_at, last_used_at,
               made_by_user_id AS "made_by_user: UserId", made_by_key_id AS "made_by_key: KeyId", revoked_at
           FROM api_keys
           WHERE account_id = $1 AND ($2::uuid IS NULL OR id < $2)
           ORDER BY id DESC
           LIMIT $3"#,
        account as _,
        after,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Returns the account's live key that a link made by an operator stands for: the newest of its default workspace, or
/// else the newest; none when the account has no live key.
pub async fn for_portal(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Option<KeyId>> {
    sqlx::query_scalar!(
        r#"SELECT k.id AS "id: KeyId" FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
           WHERE k.account_id = $1 AND k.revoked_at IS NULL
           ORDER BY w.is_default DESC, k.id DESC LIMIT 1"#,
        account as _
    )
    .fetch_optional(conn)
    .await
}

/// Revokes a live key of any account. Returns that account; none when there is no such live key.
pub async fn revoke_any(conn: &mut PgConnection, key: KeyId) -> sqlx::Result<Option<AccountId>> {
    sqlx::query_scalar!(
        r#"UPDATE api_keys SET revoked_at = mws_now() WHERE id = $1 AND revoked_at IS NULL
           RETURNING account_id AS "account_id: AccountId""#,
        key as _
    )
    .fetch_optional(conn)
    .await
}

/// Revokes the account's live keys that a user made, directly or with another key. Returns their ids.
pub async fn revoke_made_by(conn: &mut PgConnection, account: AccountId, user: UserId) -> sqlx::Result<Vec<KeyId>> {
    sqlx::query_scalar!(
        r#"UPDATE api_keys SET revoked_at = mws_now()
           WHERE made_by_user_id = $2 AND account_id = $1 AND revoked_at IS NULL
           RETURNING id AS "id: KeyId""#,
        account as _,
        user as _
    )
    .fetch_all(conn)
    .await
}
