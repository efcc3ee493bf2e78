//! Finds due deliveries without a live ticket, so that they are given new ones (glossary.md).
//!
//! Retries and deliveries over a cap have no ticket while they wait: a partial index holds them. A ticket can also be
//! lost, with a worker or when somebody changes the queue's tables. Lost ones are looked for among some of the due rows
//! at a time: the oldest, because tickets are served in that order, and others, because a slow endpoint's rows stay the
//! oldest for long.

use domain::ids::{DeliveryId, EndpointId};
use sqlx::PgConnection;

/// A due delivery that needs a ticket. Its row is locked until the transaction ends.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// Its id.
    pub id: DeliveryId,
    /// The endpoint that it goes to.
    pub endpoint: EndpointId,
    /// How many attempts were made; 0 for a first attempt.
    pub attempt_count: i32,
    /// Whether its endpoint is healthy.
    pub healthy: bool,
}

/// Returns up to `limit` due deliveries that have no ticket, the longest due first, and locks them; locked rows are
/// skipped.
pub async fn due_without_ticket(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Due>> {
    sqlx::query_as!(
        Due,
        r#"SELECT d.id AS "id: DeliveryId", d.endpoint_id AS "endpoint: EndpointId",
               d.attempt_count, coalesce(mws_is_healthy(w.enabled, w.consecutive_failures), false) AS "healthy!"
           FROM deliveries AS d
           LEFT JOIN webhook_endpoints AS w ON w.id = d.endpoint_id
           WHERE d.status = 'pending' AND d.finished_at IS NULL AND d.lease_until IS NULL AND d.ticket_id IS NULL
               AND d.due_at <= mws_now()
           ORDER BY d.due_at
           LIMIT $1
           FOR UPDATE OF d SKIP LOCKED"#,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Where to begin among the due deliveries, as a fraction of time: 0 is the oldest due time, 1 is now.
#[derive(Debug, Clone, Copy)]
pub struct ScanStart(pub f64);

/// Looks at the `some` due deliveries with tickets that follow `from`. Returns and locks those whose ticket is dead
/// (not in the view `live_tickets`), but for those that another scheduler has given a ticket since they were looked at.
pub async fn due_with_dead_ticket(conn: &mut PgConnection, from: ScanStart, some: i64) -> sqlx::Result<Vec<Due>> {
    sqlx::query_as!(
        Due,
        r#"WITH oldest AS (
             SELECT min(due_at) AS due_at FROM deliveries
             WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
           ), looked_at AS MATERIALIZED (
             SELECT id, ticket_id FROM deliveries
             WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL AND ticket_id IS NOT NULL
                 AND due_at <= mws_now()
                 AND due_at >= (SELECT due_at + (mws_now() - due_at) * $2::float8 FROM oldest)
             ORDER BY due_at
             LIMIT $1
           ), lost AS MATERIALIZED (
             SELECT id, ticket_id FROM looked_at
             WHERE (SELECT id FROM live_tickets WHERE id = looked_at.ticket_id LIMIT 1) IS NULL
           )
           SELECT d.id AS "id!: DeliveryId", d.endpoint_id AS "endpoint!: EndpointId",
               d.attempt_count AS "attempt_count!",
               coalesce(mws_is_healthy(w.enabled, w.consecutive_failures), false) AS "healthy!"
           FROM lost CROSS JOIN LATERAL (
               SELECT id, endpoint_id, attempt_count FROM deliveries
               WHERE id = lost.id AND ticket_id = lost.ticket_id AND status = 'pending' AND lease_until IS NULL
               FOR UPDATE SKIP LOCKED
           ) AS d
           LEFT JOIN webhook_endpoints AS w ON w.id = d.endpoint_id"#,
        some,
        from.0
    )
    .fetch_all(conn)
    .await
}

/// Stores the new tickets of these rows, which this transaction has locked. `ids` and `tickets` have the same order.
pub async fn set_tickets(conn: &mut PgConnection, ids: &[DeliveryId], tickets: &[String]) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE deliveries AS d SET ticket_id = given.ticket_id
         FROM unnest($1::uuid[], $2::text[]) AS given (id, ticket_id)
         WHERE d.id = given.id AND d.status = 'pending'",
        ids as _,
        tickets
    )
    .execute(conn)
    .await?;
    Ok(())
}
