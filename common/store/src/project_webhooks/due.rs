//! The duties for projects' webhooks: they give new tickets to those that wait without one, end those whose sender
//! never reported an end, and delete old ones.

use domain::ids::ProjectWebhookId;
use sqlx::PgConnection;

/// Returns up to `limit` pending webhooks that are due and whose ticket is dead (not in the view `live_tickets`), and
/// locks them; locked rows are skipped, and so are those that another scheduler has given a ticket since they were
/// looked at.
pub async fn lock_due(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<ProjectWebhookId>> {
    sqlx::query_scalar!(
        r#"WITH lost AS MATERIALIZED (
               SELECT w.id, w.ticket_id
               FROM project_webhooks AS w
               WHERE w.status = 'pending' AND w.finished_at IS NULL AND w.due_at <= mws_now()
                   AND (SELECT id FROM live_tickets WHERE id = w.ticket_id LIMIT 1) IS NULL
               ORDER BY w.due_at
               LIMIT $1
           )
           SELECT w.id AS "id!: ProjectWebhookId"
           FROM lost CROSS JOIN LATERAL (
               SELECT id FROM project_webhooks
               WHERE id = lost.id AND ticket_id IS NOT DISTINCT FROM lost.ticket_id AND status = 'pending'
                   AND due_at <= mws_now()
               FOR UPDATE SKIP LOCKED
           ) AS w"#,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Stores the new tickets of these rows, which this transaction has locked. `ids` and `tickets` have the same order.
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

/// Ends, as `unknown`, up to `limit` webhooks that were sent and whose sender did not report the end in time. They are
/// never sent again, since nobody can know whether they arrived. Returns their ids.
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
/// Ids sort by the time they were minted, so the oldest rows come first in the primary key and need no other index.
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
