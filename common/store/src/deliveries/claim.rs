//! Claims deliveries for an attempt, hands back claims whose attempt was not made, and defers deliveries without a
//! claim (ARCHITECTURE.md, "Life of a webhook").
//!
//! A claim raises `attempt_count` and `claim_no`; every later write names the latter. The status stays `pending`: a
//! delivery that runs differs from one that waits by its lease. A worker decides whether it sends a claimed delivery at
//! once; if not, it looks at the row again before it sends.

use chrono::{DateTime, Utc};
use domain::event::EventType;
use domain::ids::{AccountId, DeliveryId, EndpointId};
use domain::series::Trigger;
use sqlx::PgConnection;

/// A delivery that this process holds until its lease ends, with all that an attempt needs.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Its id.
    pub id: DeliveryId,
    /// The fencing token.
    pub claim_no: i32,
    /// The attempt to make; the first is 1.
    pub attempt: i16,
    /// Why it is sent.
    pub trigger: Trigger,
    /// The endpoint that it goes to.
    pub endpoint_id: EndpointId,
    /// The endpoint's account.
    pub account_id: AccountId,
    /// The event's id, for `Service-Delivery`.
    pub event_id: String,
    /// The event's type, for `Service-Event`.
    pub event_type: EventType,
    /// When it was claimed, by the database's clock.
    pub claimed_at: DateTime<Utc>,
    /// The trace that it belongs to; none when there is none.
    pub traceparent: Option<String>,
    /// The endpoint's present URL.
    pub url: String,
    /// Whether the endpoint is enabled and its last counted attempt succeeded.
    pub healthy: bool,
    /// The event's stored bytes, which are sent as they are.
    pub body: String,
    /// The account's signing secret, sealed; none means the shared default.
    pub sealed: Option<Vec<u8>>,
    /// The account's previous secret, sealed; none once it no longer verifies.
    pub previous_sealed: Option<Vec<u8>>,
}

/// First attempts that are wanted by endpoint, not by id.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// How many deliveries to claim at most.
    pub many: i64,
    /// Claims only deliveries with a higher id than this: those before it are known to be taken, and their index
    /// entries are skipped.
    pub after: Option<DeliveryId>,
}

/// Claims the deliveries of `ids` that are pending, due and not claimed, and for each endpoint of `wanted` its next
/// first attempts, the oldest first. Their tickets are deleted. Returns what was claimed.
///
/// A delivery of `ids` whose endpoint is disabled or removed is ended instead, as `skipped` or `cancelled`, and not
/// returned; a ping is claimed whether its endpoint is enabled or not. For `wanted`, rows that another transaction has
/// locked are skipped, and nothing is claimed for an endpoint that fails or is disabled.
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

/// Returns which of these endpoints are enabled but fail: for those [`claim`] takes nothing that is wanted, though some
/// may wait.
pub async fn failing(conn: &mut PgConnection, endpoints: &[EndpointId]) -> sqlx::Result<Vec<EndpointId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: EndpointId" FROM webhook_endpoints
           WHERE id = ANY ($1) AND enabled AND consecutive_failures > 0"#,
        endpoints as _
    )
    .fetch_all(conn)
    .await
}

/// What a claimed delivery would be sent to now, and signed with.
#[derive(Debug, Clone)]
pub struct CurrentTarget {
    /// The delivery's id.
    pub id: DeliveryId,
    /// Whether it is still to be sent: its endpoint exists, and is enabled unless this is a ping.
    pub is_wanted: bool,
    /// The endpoint's URL.
    pub url: String,
    /// The account's signing secret, sealed; none means the shared default.
    pub sealed: Option<Vec<u8>>,
    /// The account's previous secret, sealed; none once it no longer verifies.
    pub previous_sealed: Option<Vec<u8>>,
}

impl Claim {
    /// Takes over the present URL and secrets. Returns whether the delivery is still to be sent.
    pub fn renew(&mut self, target: CurrentTarget) -> bool {
        (self.url, self.sealed, self.previous_sealed) = (target.url, target.sealed, target.previous_sealed);
        target.is_wanted
    }
}

/// Looks at claimed deliveries once more, by id and fencing token. Claims that are lost, have ended, or whose lease
/// ends within `left_ms` milliseconds are left out of the result. Nothing is locked or written.
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

/// A claim to hand back: its attempt was not made.
#[derive(Debug, Clone, Copy)]
pub struct HandedBackClaim {
    /// The delivery's id.
    pub id: DeliveryId,
    /// The claim's fencing token.
    pub claim_no: i32,
    /// Milliseconds until it is due again.
    pub after_ms: i64,
}

/// Hands claims back: the attempt is not counted, the row has no ticket any more, and is due again after `after_ms`.
/// Claims that are lost by now are left alone. Returns how many were handed back.
pub async fn hand_back(conn: &mut PgConnection, claims: &[HandedBackClaim]) -> sqlx::Result<u64> {
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

/// A delivery to defer, because its endpoint has too many under way.
#[derive(Debug, Clone, Copy)]
pub struct Deferred {
    /// Its id.
    pub id: DeliveryId,
    /// Milliseconds until it is due again.
    pub after_ms: i64,
}

/// Defers due deliveries that nobody has claimed: they have no ticket any more, and are due again after `after_ms`.
/// Those that are claimed, or locked by another transaction, are left alone. Returns how many were deferred.
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
