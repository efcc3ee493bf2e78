//! Erases personal data: names, texts and addresses are removed; ids, times and the ledger's numbers stay
//! (docs/operators.md).
//!
//! It owns which columns hold such data. `items::tombstone` makes items tombstones and `items::purge` deletes them;
//! jobs, events and deliveries end with their retention. Each function changes a bounded number of rows, so that no
//! transaction is long.

use domain::ids::{AccountId, ItemId, UserId, WorkspaceId};
use sqlx::PgConnection;

/// The result of erasing an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// It was erased now.
    Now,
    /// It had been erased before.
    Before,
    /// It is not suspended, and was left as it is.
    NotSuspended,
    /// There is no such account.
    Missing,
}

/// Marks a suspended account as erased, for good, and removes its name.
pub async fn erase_account(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Erased> {
    let found = sqlx::query!(
        r#"WITH before AS (
               SELECT id, suspended_at, erased_at FROM accounts WHERE id = $1 FOR NO KEY UPDATE
           ), changed AS (
               UPDATE accounts SET name = '', erased_at = mws_now(), suspended_reason = 'erased'
               FROM before
               WHERE accounts.id = before.id AND before.suspended_at IS NOT NULL AND before.erased_at IS NULL
           )
           SELECT suspended_at IS NOT NULL AS "suspended!", erased_at IS NOT NULL AS "erased!" FROM before"#,
        account as _
    )
    .fetch_optional(conn)
    .await?;
    Ok(match found {
        None => Erased::Missing,
        Some(row) if row.erased => Erased::Before,
        Some(row) if row.suspended => Erased::Now,
        Some(_) => Erased::NotSuspended,
    })
}

/// Removes the names and the OAuth subjects of the account's users, disables them and ends their sessions. Returns
/// their ids.
pub async fn forget_users(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Vec<UserId>> {
    sqlx::query_scalar!(
        r#"WITH gone AS (
               UPDATE users SET name = '', oauth_issuer = NULL, oauth_subject = NULL,
                   disabled_at = coalesce(disabled_at, mws_now())
               WHERE account_id = $1
               RETURNING id
           ), no_members AS (
               DELETE FROM members USING gone WHERE members.user_id = gone.id
           ), no_codes AS (
               DELETE FROM session_codes WHERE account_id = $1
           ), no_tokens AS (
               DELETE FROM session_tokens WHERE account_id = $1
           ), no_passes AS (
               DELETE FROM portal_passes WHERE account_id = $1
           )
           SELECT id AS "id!: UserId" FROM gone"#,
        account as _
    )
    .fetch_all(conn)
    .await
}

/// Deletes the account's signing secret, audit log and kept answers; removes its endpoints and the URLs in them.
pub async fn delete_belongings(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH no_endpoints AS (
             UPDATE webhook_endpoints SET url = 'https://erased.invalid/', description = NULL,
                 deleted_at = coalesce(deleted_at, mws_now()), updated_at = mws_now()
             WHERE account_id = $1
         ), no_secret AS (
             DELETE FROM webhook_secrets WHERE account_id = $1
         ), no_answers AS (
             DELETE FROM idempotency_keys WHERE account_id = $1
         )
         DELETE FROM account_audit WHERE account_id = $1",
        account as _
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes a workspace's name and members, revokes its keys and public links, and deletes its calendar.
pub async fn erase_workspace(conn: &mut PgConnection, workspace: WorkspaceId) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH no_name AS (
             UPDATE workspaces SET name = '', erased_at = coalesce(erased_at, mws_now()) WHERE id = $1
         ), no_members AS (
             DELETE FROM members WHERE workspace_id = $1
         ), no_links AS (
             UPDATE public_links SET revoked_at = coalesce(revoked_at, mws_now()) WHERE workspace_id = $1
         ), no_feeds AS (
             DELETE FROM calendar_feeds WHERE workspace_id = $1
         ), no_plans AS (
             DELETE FROM calendar_entries WHERE workspace_id = $1
         )
         UPDATE api_keys SET name = NULL, revoked_at = coalesce(revoked_at, mws_now()) WHERE workspace_id = $1",
        workspace as _
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes up to `limit` projects of a workspace with their webhooks. Returns how many.
pub async fn delete_projects(conn: &mut PgConnection, workspace: WorkspaceId, limit: i64) -> sqlx::Result<u64> {
    let gone: Vec<uuid::Uuid> = sqlx::query_scalar!(
        "SELECT id FROM projects WHERE workspace_id = $1 ORDER BY id LIMIT $2",
        workspace as _,
        limit
    )
    .fetch_all(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM project_webhooks WHERE project_id = ANY ($1)", &gone).execute(&mut *conn).await?;
    let done = sqlx::query!("DELETE FROM projects WHERE id = ANY ($1)", &gone).execute(conn).await?;
    Ok(done.rows_affected())
}

/// Deletes up to `limit` documents of a workspace with their revisions. Returns how many.
pub async fn delete_documents(conn: &mut PgConnection, workspace: WorkspaceId, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM documents WHERE id = ANY (ARRAY(
             SELECT id FROM documents WHERE workspace_id = $1 ORDER BY id LIMIT $2))",
        workspace as _,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Returns up to `limit` items of a workspace that are not deleted.
pub async fn items_left(conn: &mut PgConnection, workspace: WorkspaceId, limit: i64) -> sqlx::Result<Vec<ItemId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: ItemId" FROM items WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $2"#,
        workspace as _,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Removes items' names, tags and comments and their uploads' file names, whether their bytes are deleted yet or not.
/// Call it after `items::tombstone`.
pub async fn forget_item_names(conn: &mut PgConnection, items: &[ItemId]) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH no_uploads AS (
             UPDATE uploads SET filename = '', source_url = NULL WHERE item_id = ANY ($1) AND finished_at IS NOT NULL
         ), no_comments AS (
             DELETE FROM comments WHERE item_id = ANY ($1)
         )
         UPDATE items SET name = '', ref = '', tags = '{}', sha256 = NULL, streams = NULL, error_message = NULL,
             erased_at = mws_now()
         WHERE id = ANY ($1) AND deleted_at IS NOT NULL AND erased_at IS NULL",
        items as &[ItemId]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes `before` and `after` from the operators' log for these targets. Who did what, and when, stays. Returns how
/// many rows lost them.
pub async fn forget_audited(conn: &mut PgConnection, targets: &[String]) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE operator_audit SET before = NULL, after = NULL, erased_at = mws_now()
         WHERE target = ANY ($1) AND erased_at IS NULL AND number IS NOT NULL
             AND (before IS NOT NULL OR after IS NOT NULL)",
        targets
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
