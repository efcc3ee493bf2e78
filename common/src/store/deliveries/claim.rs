//! Claiming deliveries for an attempt, and putting back what was claimed too early (design.md, "Fences").
//!
//! A claim raises `claim_no`, which every later write names, and `attempt_count`. It leaves the status `pending`: the
//! lease tells a row that runs from one that waits. Whether a claimed delivery is sent at once is the worker's business.

use crate::domain::event::EventType;
use crate::domain::series::Trigger;
use crate::ids::{AccountId, DeliveryId, EndpointId};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// A delivery that is ours until its lease ends, with all that an attempt needs.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Which.
    pub id: DeliveryId,
    /// The fencing token.
    pub claim_no: i32,
    /// The attempt to make; the first is 1.
    pub attempt: i16,
    /// Why it is sent.
    pub trigger: Trigger,
    /// Where it goes.
    pub endpoint_id: EndpointId,
    /// The endpoint's account.
    pub account_id: AccountId,
    /// The event's id, for `Service-Delivery`.
    pub event_id: String,
    /// The event's type, for `Service-Event`.
    pub event_type: EventType,
    /// When it was claimed, by the database's clock.
    pub claimed_at: DateTime<Utc>,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
    /// The endpoint's present URL.
    pub url: String,
    /// Whether the endpoint is enabled and its last counted attempt did not fail.
    pub healthy: bool,
    /// The stored bytes.
    pub body: String,
    /// The account's signing secret, sealed; none means the shared default.
    pub sealed: Option<Vec<u8>>,
    /// The secret before it, while it still verifies.
    pub previous_sealed: Option<Vec<u8>>,
}

/// Claims those that are pending, due and nobody's. Those whose endpoint is disabled or removed are ended instead, as
/// `skipped` or `cancelled`, and not answered. A ping is claimed whether its endpoint is enabled or not.
pub async fn claim(
    conn: &mut PgConnection,
    ids: &[DeliveryId],
    worker: &str,
    lease_ms: i64,
) -> sqlx::Result<Vec<Claim>> {
    sqlx::query_file_as!(Claim, "src/store/deliveries/claim.sql", ids as _, worker, lease_ms).fetch_all(conn).await
}

/// A claim to be undone: its attempt was not made.
#[derive(Debug, Clone, Copy)]
pub struct PutBack {
    /// Which.
    pub id: DeliveryId,
    /// The claim's fencing token.
    pub claim_no: i32,
    /// Milliseconds until it is due again.
    pub after_ms: i64,
}

/// Undoes claims: the attempt is not counted, the ticket is spent, and the rows are due again when they say. Those whose
/// claim has been lost meanwhile are left alone. Answers how many were undone.
pub async fn put_back(conn: &mut PgConnection, claims: &[PutBack]) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE deliveries AS d
         SET attempt_count = d.attempt_count - 1, lease_until = NULL, ticket_id = NULL,
             due_at = mws_now() + undone.after_ms * interval '1 ms'
         FROM unnest($1::uuid[], $2::int[], $3::bigint[]) AS undone (id, claim_no, after_ms)
         WHERE d.id = undone.id AND d.claim_no = undone.claim_no AND d.status = 'pending'
             AND d.lease_until IS NOT NULL",
        &claims.iter().map(|claim| claim.id).collect::<Vec<_>>() as _,
        &claims.iter().map(|claim| claim.claim_no).collect::<Vec<_>>(),
        &claims.iter().map(|claim| claim.after_ms).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
