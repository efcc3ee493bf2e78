//! What limits look at: how many documents a workspace has, how many bytes those of an account take, and the lock that
//! callers take so that neither grows meanwhile.

use domain::document::DocumentKind;
use domain::ids::{AccountId, WorkspaceId};
use sqlx::PgConnection;

/// Makes other calls that add to the account's documents wait until the caller's transaction ends.
pub async fn lock(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<()> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('documents ' || $1::uuid::text, 0))",
        account as AccountId
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// Returns how many documents of a kind a workspace has, at most `most`.
pub async fn count(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    kind: DocumentKind,
    most: i64,
) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!"
           -- In the order of the index, which is read then and not the whole table.
           FROM (SELECT FROM documents WHERE workspace_id = $1 AND kind = $2 ORDER BY id LIMIT $3) AS counted"#,
        workspace as WorkspaceId,
        kind.name(),
        most,
    )
    .fetch_one(conn)
    .await
}

/// Returns how many bytes an account's documents take, with their revisions.
pub async fn kept_bytes(conn: &mut PgConnection, account: AccountId) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT coalesce(sum(kept_bytes), 0)::bigint AS "bytes!" FROM documents WHERE account_id = $1"#,
        account as AccountId,
    )
    .fetch_one(conn)
    .await
}
