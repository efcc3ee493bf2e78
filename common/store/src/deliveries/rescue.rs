//! Deliveries whose lease ended before their attempt was recorded: the process died, or lost the database.
//!
//! Such an attempt may have reached the receiver. It is logged as `interrupted`, not counted, and sent again under its
//! own number, at most three times; then it counts (contract §6.3).

use chrono::{DateTime, Utc};
use domain::ids::{DeliveryId, EndpointId};
use domain::series::{Trigger, UNCOUNTED_INTERRUPTIONS};
use sqlx::PgConnection;

/// Logs up to `limit` interrupted attempts that don't count, and makes their deliveries due now. Returns how many.
pub async fn free_interrupted(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "WITH lost AS (
             SELECT id FROM deliveries
             WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NOT NULL AND due_at <= mws_now()
                 AND interrupted_count < $2
             ORDER BY due_at
             LIMIT $1
             FOR UPDATE SKIP LOCKED
         ), freed AS (
             UPDATE deliveries AS d
             SET lease_until = NULL, ticket_id = NULL, due_at = mws_now(), error = 'interrupted',
                 attempt_count = d.attempt_count - 1, interrupted_count = d.interrupted_count + 1
             FROM lost
             WHERE d.id = lost.id
             RETURNING d.id, d.claim_no, d.attempt_count + 1 AS attempt, d.claimed_by, d.claimed_at
         )
         INSERT INTO delivery_attempts (delivery_id, claim_no, attempt, counted, worker, at, duration_ms, error)
         SELECT id, claim_no, attempt, false, claimed_by, claimed_at,
             least(extract(epoch FROM mws_now() - claimed_at) * 1000, 2147483647)::int, 'interrupted'
         FROM freed
         ON CONFLICT (delivery_id, claim_no) DO NOTHING",
        limit,
        UNCOUNTED_INTERRUPTIONS
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// A claim whose attempt was interrupted more often than is forgiven.
#[derive(Debug, Clone)]
pub struct LostClaim {
    /// The delivery's id.
    pub id: DeliveryId,
    /// The lost claim's fencing token.
    pub claim_no: i32,
    /// The number of the attempt that it made or was to make.
    pub attempt: i16,
    /// Why the series is sent.
    pub trigger: Trigger,
    /// The endpoint that it goes to.
    pub endpoint_id: EndpointId,
    /// When it was claimed.
    pub claimed_at: DateTime<Utc>,
    /// The process that claimed it.
    pub claimed_by: String,
    /// Milliseconds since it was claimed.
    pub age_ms: i32,
}

/// Returns up to `limit` lost claims whose interruption counts. Nothing is locked: `attempts::record`, which ends them,
/// names the claim, so that of two processes that see the same claim only the first changes anything.
pub async fn lost_for_good(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<LostClaim>> {
    sqlx::query_as!(
        LostClaim,
        r#"SELECT id AS "id: DeliveryId", claim_no, attempt_count AS attempt, trigger AS "trigger: Trigger",
               endpoint_id AS "endpoint_id: EndpointId", claimed_at AS "claimed_at!", claimed_by AS "claimed_by!",
               least(extract(epoch FROM mws_now() - claimed_at) * 1000, 2147483647)::int AS "age_ms!"
           FROM deliveries
           WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NOT NULL AND due_at <= mws_now()
               AND interrupted_count >= $2
           ORDER BY due_at
           LIMIT $1"#,
        limit,
        UNCOUNTED_INTERRUPTIONS
    )
    .fetch_all(conn)
    .await
}
