//! Due deliveries without a ticket, and the tickets they are given (glossary.md).
//!
//! A retry and what went over a cap have no ticket while they wait: they stand in an index of their own. A ticket can
//! also be lost, with a worker or by a hand in the queue's tables; those are looked for among some of the due rows at a
//! time: the oldest, because tickets are served in that order, and others, because a slow endpoint's stay the oldest
//! for long.

use domain::ids::{DeliveryId, EndpointId};
use sqlx::PgConnection;

/// A due delivery that needs a ticket. Its row is locked until the transaction ends.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// Which.
    pub id: DeliveryId,
    /// Where it goes.
    pub endpoint: EndpointId,
    /// How many attempts were made.
    pub attempt_count: i32,
    /// Whether its endpoint is.
    pub healthy: bool,
}

/// Locks up to `limit` due deliveries that wait without a ticket, the longest due first.
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

/// Where among the due deliveries to look for those with lost tickets: 0 is the oldest, 1 now.
#[derive(Debug, Clone, Copy)]
pub struct ScanStart(pub f64);

/// Of the `some` next due deliveries from there on, locks those whose ticket is dead (the view `live_tickets`).
pub async fn due_with_dead_ticket(conn: &mut PgConnection, from: ScanStart, some: i64) -> sqlx::Result<Vec<Due>> {
    sqlx::query_as!(
        Due,
        r#"WITH oldest AS (
             SELECT min(due_at) AS due_at FROM deliveries
             WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
           ), looked_at AS (
             SELECT id FROM deliveries
             WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL AND ticket_id IS NOT NULL
                 AND due_at <= mws_now()
                 AND due_at >= (SELECT due_at + (mws_now() - due_at) * $2::float8 FROM oldest)
             ORDER BY due_at
             LIMIT $1
           )
           SELECT d.id AS "id: DeliveryId", d.endpoint_id AS "endpoint: EndpointId",
               d.attempt_count, coalesce(mws_is_healthy(w.enabled, w.consecutive_failures), false) AS "healthy!"
           FROM looked_at
           JOIN deliveries AS d ON d.id = looked_at.id
           LEFT JOIN webhook_endpoints AS w ON w.id = d.endpoint_id
           WHERE d.status = 'pending' AND d.lease_until IS NULL AND d.ticket_id IS NOT NULL
               AND (SELECT id FROM live_tickets WHERE id = d.ticket_id LIMIT 1) IS NULL
           FOR UPDATE OF d SKIP LOCKED"#,
        some,
        from.0
    )
    .fetch_all(conn)
    .await
}

/// Stores the tickets that the rows, locked by this transaction, are given.
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
