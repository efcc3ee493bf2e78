//! Pings: deliveries that an account asks for in order to test an endpoint.

use chrono::{DateTime, Utc};
use domain::ids::EndpointId;
use sqlx::PgConnection;

/// The pings that an endpoint was sent recently.
#[derive(Debug, Clone, Copy)]
pub struct LatelyPinged {
    /// The number of pings.
    pub pings: i64,
    /// Seconds until the oldest of them is no longer counted; none when there are none.
    pub wait_seconds: Option<i64>,
    /// The database's time.
    pub now: DateTime<Utc>,
}

/// Returns the pings of the last `seconds`. Call it under the endpoint's lock; otherwise two that race may both be
/// allowed.
pub async fn pings_lately(conn: &mut PgConnection, endpoint: EndpointId, seconds: f64) -> sqlx::Result<LatelyPinged> {
    sqlx::query_as!(
        LatelyPinged,
        r#"SELECT count(*) AS "pings!", mws_now() AS "now!",
               ceil(extract(epoch FROM min(created_at) + make_interval(secs => $2) - mws_now()))::bigint AS wait_seconds
           FROM deliveries
           WHERE endpoint_id = $1 AND trigger = 'test' AND created_at > mws_now() - make_interval(secs => $2)"#,
        endpoint as _,
        seconds
    )
    .fetch_one(conn)
    .await
}
