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
/// so far, among the `window` newest deliveries; those with the most first, and `limit` groups at most. Pings don't
/// count. Endpoints are looked up one by one: a join might read all of them.
pub async fn failures(
    conn: &mut PgConnection,
    hours: i32,
    window: i64,
    limit: i64,
) -> sqlx::Result<Vec<DeliveryFailureGroup>> {
    sqlx::query_as!(
        DeliveryFailureGroup,
        r#"WITH newest AS MATERIALIZED (
               SELECT id, endpoint_id, account_id, trigger, status, error, response_status, created_at
               FROM deliveries ORDER BY id DESC LIMIT $2
           )
           SELECT host AS "host!", error AS "error!", response_status AS "response_status?",
               count(*) AS "deliveries!", count(*) FILTER (WHERE status = 'pending') AS "pending!",
               count(DISTINCT endpoint_id) AS "endpoints!", count(DISTINCT account_id) AS "accounts!",
               min(created_at) AS "first_at!", max(created_at) AS "last_at!",
               (array_agg(id ORDER BY id DESC))[1] AS "sample!: DeliveryId",
               (array_agg(endpoint_id ORDER BY id DESC))[1] AS "endpoint!: EndpointId",
               (SELECT min(created_at) FROM newest) AS "looked_from!"
           FROM (
               SELECT newest.id, newest.endpoint_id, newest.account_id, newest.status, newest.error,
                   newest.response_status, newest.created_at,
                   coalesce(substring(
                       (SELECT url FROM webhook_endpoints WHERE id = newest.endpoint_id)
                       FROM '^[^:]+://(?:[^/?#]*@)?([^/?#]+)'), 'unknown') AS host
               FROM newest
               WHERE newest.status IN ('failed', 'pending') AND newest.error IS NOT NULL AND newest.trigger <> 'test'
                   AND newest.created_at > mws_now() - make_interval(hours => $1)
           ) AS failed
           GROUP BY host, error, response_status
           ORDER BY count(*) DESC, max(created_at) DESC
           LIMIT $3"#,
        hours,
        window,
        limit
    )
    .fetch_all(conn)
    .await
}
