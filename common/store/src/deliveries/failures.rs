//! The deliveries of late whose last attempt failed, grouped by the host and by what it answered: for the operators'
//! page of failures.

use chrono::{DateTime, Utc};
use domain::ids::{DeliveryId, EndpointId};
use sqlx::PgConnection;

/// Deliveries to one host whose last attempt failed alike.
#[derive(Debug, Clone)]
pub struct DeliveryFailureGroup {
    /// The host and the port of their endpoints' URLs; `unknown` for endpoints that were deleted.
    pub host: String,
    /// Why the last attempt failed, by its name in `domain::attempt`.
    pub error: String,
    /// The HTTP status that was answered; none where nothing was.
    pub response_status: Option<i16>,
    /// How many deliveries there are.
    pub deliveries: i64,
    /// How many of them are tried again.
    pub pending: i64,
    /// How many failed and were sent again.
    pub sent_again: i64,
    /// How many of those have arrived.
    pub arrived: i64,
    /// How many failed, were not sent again, and have an endpoint that was not removed.
    pub unsent: i64,
    /// How many endpoints they go to.
    pub endpoints: i64,
    /// How many accounts those belong to.
    pub accounts: i64,
    /// When the first of them was made.
    pub first_at: DateTime<Utc>,
    /// When the last of them was made.
    pub last_at: DateTime<Utc>,
    /// The newest of them.
    pub sample: DeliveryId,
    /// The endpoint that the newest of them goes to.
    pub endpoint: EndpointId,
    /// When the oldest of all deliveries that were looked through was made: the same in each group.
    pub looked_from: DateTime<Utc>,
}

/// Returns the groups of deliveries that were made within so many hours and failed at their last attempt, for good or
/// so far, among the `window` newest deliveries; `limit` groups at most. Those of which something is unsent or tried
/// again come first, and of these those with the most. Pings don't count.
///
/// Endpoints are looked up one by one: a join might read all of them. So is what stands for a delivery that failed. Of
/// several of one event the last alone can be unsent, and alone is looked up, however often the event was sent again.
pub async fn failures(
    conn: &mut PgConnection,
    hours: i32,
    window: i64,
    limit: i64,
) -> sqlx::Result<Vec<DeliveryFailureGroup>> {
    sqlx::query_as!(
        DeliveryFailureGroup,
        r#"WITH newest AS MATERIALIZED (
               SELECT id, endpoint_id, account_id, event_id, trigger, status, error, response_status, created_at
               FROM deliveries ORDER BY id DESC LIMIT $2
           ), failed AS (
               SELECT newest.*,
                   row_number() OVER (PARTITION BY event_id, endpoint_id, status ORDER BY id DESC) = 1 AS is_last
               FROM newest
               WHERE status IN ('failed', 'pending') AND error IS NOT NULL AND trigger <> 'test'
                   AND created_at > mws_now() - make_interval(hours => $1)
           ), told AS (
               SELECT failed.*,
                   coalesce(substring(target.url FROM '^[^:]+://(?:[^/?#]*@)?([^/?#]+)'), 'unknown') AS host,
                   failed.status = 'failed' AND (NOT failed.is_last OR again.arrived IS NOT NULL) AS sent_again,
                   failed.status = 'failed' AND bool_or(again.arrived)
                       OVER (PARTITION BY failed.event_id, failed.endpoint_id) AS arrived,
                   failed.status = 'failed' AND failed.is_last AND again.arrived IS NULL AND target.is_there AS unsent
               FROM failed
               LEFT JOIN LATERAL (
                   SELECT url, deleted_at IS NULL AS is_there FROM webhook_endpoints
                   WHERE id = failed.endpoint_id LIMIT 1
               ) AS target ON true
               LEFT JOIN LATERAL (
                   SELECT bool_or(later.status = 'succeeded') AS arrived FROM deliveries AS later
                   WHERE failed.is_last AND failed.status = 'failed' AND later.event_id = failed.event_id
                       AND later.endpoint_id = failed.endpoint_id
                       AND mws_stands_for(later.status, later.id, failed.id)
               ) AS again ON true
           )
           SELECT host AS "host!", error AS "error!", response_status AS "response_status?",
               count(*) AS "deliveries!", count(*) FILTER (WHERE status = 'pending') AS "pending!",
               count(*) FILTER (WHERE sent_again) AS "sent_again!", count(*) FILTER (WHERE arrived) AS "arrived!",
               count(*) FILTER (WHERE unsent) AS "unsent!",
               count(DISTINCT endpoint_id) AS "endpoints!", count(DISTINCT account_id) AS "accounts!",
               min(created_at) AS "first_at!", max(created_at) AS "last_at!",
               (array_agg(id ORDER BY id DESC))[1] AS "sample!: DeliveryId",
               (array_agg(endpoint_id ORDER BY id DESC))[1] AS "endpoint!: EndpointId",
               (SELECT min(created_at) FROM newest) AS "looked_from!"
           FROM told
           GROUP BY host, error, response_status
           ORDER BY count(*) FILTER (WHERE unsent OR status = 'pending') = 0, count(*) DESC, max(created_at) DESC
           LIMIT $3"#,
        hours,
        window,
        limit
    )
    .fetch_all(conn)
    .await
}
