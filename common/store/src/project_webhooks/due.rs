//! What duties do with projects' webhooks: new tickets for those that wait without one, the end of those whose sender
//! never told it, and the removal of old ones.

use domain::ids::ProjectWebhookId;
use sqlx::PgConnection;

/// Locks up to `limit` pending webhooks that are due and whose ticket is dead (the view `live_tickets`).
pub async fn lock_due(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<ProjectWebhookId>> {
    sqlx::query_scalar!(
        r#"SELECT w.id AS "id: ProjectWebhookId"
           FROM project_webhooks AS w
           WHERE w.status = 'pending' AND w.finished_at IS NULL AND w.due_at <= mws_now()
               AND (SELECT id FROM live_tickets WHERE id = w.ticket_id LIMIT 1) IS NULL
           ORDER BY w.due_at
           LIMIT $1
           FOR UPDATE OF w SKIP LOCKED"#,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Stores the tickets that the rows, locked by this transaction, are given.
pub async fn set_tickets(conn: &mut PgConnection, ids: &[ProjectWebhookId], tickets: &[String]) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE project_webhooks AS w SET ticket_id = given.ticket_id
         FROM unnest($1::uuid[], $2::text[]) AS given (id, ticket_id)
         WHERE w.id = given.id AND w.status = 'pending'",
        ids as _,
        tickets
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends up to `limit` webhooks that were sent and whose sender did not tell the end in time, as `unknown`. They are
/// never sent again: whether they arrived can't be known. Returns which.
pub async fn call_unknown(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<ProjectWebhookId>> {
    sqlx::query_scalar!(
        r#"UPDATE project_webhooks AS w
           SET status = 'unknown', error = 'interrupted', finished_at = mws_now(), body = ''
           FROM (
               SELECT id FROM project_webhooks
               WHERE status = 'sent' AND finished_at IS NULL AND lease_until <= mws_now()
               ORDER BY lease_until
               LIMIT $1
               FOR UPDATE SKIP LOCKED
           ) AS lost
           WHERE w.id = lost.id
           RETURNING w.id AS "id: ProjectWebhookId""#,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Deletes up to `limit` ended webhooks older than `retention_days`. Returns how many.
///
/// Ids sort by the time they were minted, so the oldest rows are the primary key's first and need no other index.
pub async fn prune(conn: &mut PgConnection, retention_days: i32, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM project_webhooks WHERE id = ANY (ARRAY(
             SELECT old.id FROM project_webhooks AS old
             WHERE old.id < mws_first_id(mws_now() - make_interval(days => $1)) AND old.finished_at IS NOT NULL
                 AND old.created_at < mws_now() - make_interval(days => $1)
             ORDER BY old.id
             LIMIT $2
             FOR UPDATE SKIP LOCKED
         ))",
        retention_days,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
