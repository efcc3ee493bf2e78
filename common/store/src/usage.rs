//! Counts what an account stores: bytes of media, projects and texts, and how many items and projects there are
//! (docs/decisions.md, "What an account keeps is counted as it changes").
//!
//! Triggers note every change in `account_usage_changes`, whatever statement makes it; here the notes are folded and
//! read. Callers check quotas, and hold `items::lock_storage` from the check to their commit.

use domain::ids::AccountId;
use sqlx::PgConnection;

/// What an account stores now, including the changes of the caller's transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Bytes in the media store, reserved ones included.
    pub media_bytes: i64,
    /// How many items there are, including deleted ones whose rows still exist.
    pub items: i64,
    /// Bytes of projects and of their webhooks.
    pub project_bytes: i64,
    /// How many projects there are.
    pub projects: i64,
    /// Bytes of comments and of calendar entries.
    pub text_bytes: i64,
}

/// Returns what this account stores.
pub async fn of(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<Usage> {
    sqlx::query_as!(
        Usage,
        r#"SELECT coalesce(sum(media_bytes), 0)::bigint AS "media_bytes!", coalesce(sum(items), 0)::bigint AS "items!",
               coalesce(sum(project_bytes), 0)::bigint AS "project_bytes!",
               coalesce(sum(projects), 0)::bigint AS "projects!",
               coalesce(sum(text_bytes), 0)::bigint AS "text_bytes!"
           FROM (
               SELECT media_bytes, items, project_bytes, projects, text_bytes FROM account_usage
               WHERE account_id = $1
               UNION ALL
               SELECT media_bytes, items, project_bytes, projects, text_bytes FROM account_usage_changes
               WHERE account_id = $1
           ) AS kept"#,
        account as AccountId,
    )
    .fetch_one(conn)
    .await
}

/// Folds up to `limit` notes into the accounts' rows. Returns how many. Notes that another transaction has locked are
/// skipped.
pub async fn fold(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    let folded = sqlx::query_scalar!(
        r#"WITH folded AS (
               DELETE FROM account_usage_changes WHERE ctid = ANY (ARRAY(
                   SELECT ctid FROM account_usage_changes LIMIT $1 FOR UPDATE SKIP LOCKED
               ))
               RETURNING account_id, media_bytes, items, project_bytes, projects, text_bytes
           ), kept AS (
               INSERT INTO account_usage AS usage (account_id, media_bytes, items, project_bytes, projects, text_bytes)
               SELECT account_id, sum(media_bytes), sum(items), sum(project_bytes), sum(projects), sum(text_bytes)
               FROM folded GROUP BY account_id ORDER BY account_id
               ON CONFLICT (account_id) DO UPDATE SET
                   media_bytes = usage.media_bytes + excluded.media_bytes,
                   items = usage.items + excluded.items,
                   project_bytes = usage.project_bytes + excluded.project_bytes,
                   projects = usage.projects + excluded.projects,
                   text_bytes = usage.text_bytes + excluded.text_bytes
           )
           SELECT count(*) AS "folded!" FROM folded"#,
        limit,
    )
    .fetch_one(conn)
    .await?;
    Ok(folded.unsigned_abs())
}
