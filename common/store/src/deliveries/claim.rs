//! Claiming deliveries for an attempt, releasing claims whose attempt was not made, and deferring what need not be
//! claimed at all (ARCHITECTURE.md, "Life of a read").
//!
//! A claim raises `claim_no`, which every later write names, and `attempt_count`. It leaves the status `pending`: the
//! lease tells a row that runs from one that waits. Whether a claimed delivery is sent at once is the worker's
//! business; one that was not is looked at again before it is.

use chrono::{DateTime, Utc};
use domain::event::EventType;
use domain::ids::{AccountId, DeliveryId, EndpointId};
use domain::series::Trigger;
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

/// First attempts that are asked for by their endpoint.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Which endpoint's.
    pub endpoint: EndpointId,
    /// How many, at most.
    pub many: i64,
    /// Only those after this one: what was before it is known to be taken, and its entries of the index are passed
    /// over.
    pub after: Option<DeliveryId>,
}

/// Claims those of `ids` that are pending, due and nobody's, and the first attempts that each endpoint of `wanted` is
/// to get next, the oldest first; their tickets are consumed.
///
/// A named one whose endpoint is disabled or removed is ended instead, as `skipped` or `cancelled`, and not answered; a
/// ping is claimed whether its endpoint is enabled or not. Of what is wanted those that another is about to take are
/// passed over, and of an endpoint that fails or is disabled none is claimed.
pub async fn claim(
    conn: &mut PgConnection,
    ids: &[DeliveryId],
    wanted: &[Wanted],
    worker: &str,
    lease_ms: i64,
) -> sqlx::Result<Vec<Claim>> {
    sqlx::query_file_as!(
        Claim,
        "src/deliveries/claim.sql",
        ids as _,
        worker,
        lease_ms,
        &wanted.iter().map(|one| one.endpoint).collect::<Vec<_>>() as _,
        &wanted.iter().map(|one| one.many).collect::<Vec<_>>(),
        &wanted.iter().map(|one| one.after.map_or(uuid::Uuid::nil(), DeliveryId::uuid)).collect::<Vec<_>>()
    )
    .fetch_all(conn)
    .await
}

/// Those of these endpoints that fail now: of what is wanted of them [`claim`] takes none, though some may wait.
pub async fn failing(conn: &mut PgConnection, endpoints: &[EndpointId]) -> sqlx::Result<Vec<EndpointId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: EndpointId" FROM webhook_endpoints
           WHERE id = ANY ($1) AND enabled AND consecutive_failures > 0"#,
        endpoints as _
    )
    .fetch_all(conn)
    .await
}

/// What a claimed delivery would be sent with now.
#[derive(Debug, Clone)]
pub struct CurrentTarget {
    /// Which.
    pub id: DeliveryId,
    /// Whether it is to be sent: its endpoint is there, and enabled unless this is a ping.
    pub is_wanted: bool,
    /// The endpoint's URL.
    pub url: String,
    /// The account's signing secret, sealed; none means the shared default.
    pub sealed: Option<Vec<u8>>,
    /// The secret before it, while it still verifies.
    pub previous_sealed: Option<Vec<u8>>,
}

impl Claim {
    /// Takes over what has changed since the claim. Returns whether the delivery is still to be sent.
    pub fn renew(&mut self, target: CurrentTarget) -> bool {
        (self.url, self.sealed, self.previous_sealed) = (target.url, target.sealed, target.previous_sealed);
        target.is_wanted
    }
}

/// Looks at claimed deliveries once more, by id and fencing token. A claim that is lost, whose series has ended
/// meanwhile, or whose lease ends within so many milliseconds, is not answered. Nothing is locked or written.
pub async fn revalidate(
    conn: &mut PgConnection,
    claims: &[(DeliveryId, i32)],
    left_ms: i64,
) -> sqlx::Result<Vec<CurrentTarget>> {
    sqlx::query_as!(
        CurrentTarget,
        r#"SELECT d.id AS "id: DeliveryId",
               w.deleted_at IS NULL AND (w.enabled OR d.trigger = 'test') AS "is_wanted!", w.url,
               s.sealed AS "sealed?",
               CASE WHEN s.previous_expires_at > mws_now() THEN s.previous_sealed END AS previous_sealed
           FROM unnest($1::uuid[], $2::int[]) AS claim (id, claim_no)
           JOIN deliveries AS d ON d.id = claim.id
           JOIN webhook_endpoints AS w ON w.id = d.endpoint_id
           LEFT JOIN webhook_secrets AS s ON s.account_id = d.account_id
           WHERE d.claim_no = claim.claim_no AND d.status = 'pending'
               AND d.lease_until >= mws_now() + $3::bigint * interval '1 ms'"#,
        &claims.iter().map(|(id, _)| *id).collect::<Vec<_>>() as _,
        &claims.iter().map(|(_, claim_no)| *claim_no).collect::<Vec<_>>(),
        left_ms
    )
    .fetch_all(conn)
    .await
}

/// A claim to be released: its attempt was not made.
#[derive(Debug, Clone, Copy)]
pub struct ReleasedClaim {
    /// Which.
    pub id: DeliveryId,
    /// The claim's fencing token.
    pub claim_no: i32,
    /// Milliseconds until it is due again.
    pub after_ms: i64,
}

/// Releases claims: the attempt is not counted, the ticket is spent, and the rows are due again when they say. Those
/// whose claim has been lost meanwhile are left alone. Returns how many were released.
pub async fn release_claims(conn: &mut PgConnection, claims: &[ReleasedClaim]) -> sqlx::Result<u64> {
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

/// A delivery whose endpoint has too many already.
#[derive(Debug, Clone, Copy)]
pub struct Deferred {
    /// Which.
    pub id: DeliveryId,
    /// Milliseconds until it is due again.
    pub after_ms: i64,
}

/// Defers deliveries that are due and nobody's, unclaimed: their tickets are spent, and they are due again when they
/// say. Those that another has claimed, or is about to, are left alone. Returns how many were deferred.
pub async fn defer(conn: &mut PgConnection, deliveries: &[Deferred]) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE deliveries AS d SET ticket_id = NULL, due_at = mws_now() + late.after_ms * interval '1 ms'
         FROM (
             SELECT waiting.id, off.after_ms
             FROM unnest($1::uuid[], $2::bigint[]) AS off (id, after_ms)
             JOIN deliveries AS waiting ON waiting.id = off.id
             WHERE waiting.status = 'pending' AND waiting.lease_until IS NULL AND waiting.due_at <= mws_now()
             FOR UPDATE OF waiting SKIP LOCKED
         ) AS late
         WHERE d.id = late.id",
        &deliveries.iter().map(|one| one.id).collect::<Vec<_>>() as _,
        &deliveries.iter().map(|one| one.after_ms).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
