//! Ends deliveries without an attempt, and deletes those that are old enough.
//!
//! They end so because their endpoint was disabled or removed, or because a resend replaces them. A delivery whose
//! attempt is under way ends after that is recorded, unless the endpoint's owner resends it: then it ends here, and its
//! attempt is still logged.

use domain::ids::EndpointId;
use sqlx::PgConnection;

/// Ends up to `limit` waiting series: of disabled endpoints as `skipped` (except pings, which are still sent),
/// and of removed ones as `cancelled`. `endpoint` restricts it to one. Returns how many.
///
/// It looks at the endpoints of which [`note_emptied`] has not noted that nothing waits for them.
pub async fn end_silent(conn: &mut PgConnection, endpoint: Option<EndpointId>, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE deliveries AS d
         SET status = ended.status, finished_at = mws_now(),
             error = CASE WHEN ended.status = 'skipped' THEN 'endpoint_disabled' ELSE d.error END
         FROM (
             SELECT waiting.id, CASE WHEN w.deleted_at IS NULL THEN 'skipped' ELSE 'cancelled' END AS status
             FROM webhook_endpoints AS w
             JOIN deliveries AS waiting ON waiting.endpoint_id = w.id
             WHERE w.to_empty AND ($1::uuid IS NULL OR w.id = $1)
                 AND waiting.status = 'pending' AND waiting.finished_at IS NULL AND waiting.lease_until IS NULL
                 AND (w.deleted_at IS NOT NULL OR waiting.trigger <> 'test')
             LIMIT $2
             FOR UPDATE OF waiting SKIP LOCKED
         ) AS ended
         WHERE d.id = ended.id",
        endpoint as _,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Notes of up to `limit` endpoints that nothing waits for them: those that have been disabled or removed for so long
/// that what was under way at that moment has ended. An attempt whose lease is not over may come back and wait. Until
/// they are disabled or removed again, a delivery that begins to wait for one all the same is ended by its claim.
/// Returns how many.
pub async fn note_emptied(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE webhook_endpoints SET emptied_at = greatest(disabled_at, deleted_at) WHERE id = ANY (ARRAY(
             SELECT w.id FROM webhook_endpoints AS w
             WHERE w.to_empty AND greatest(w.disabled_at, w.deleted_at) < mws_now() - interval '10 minutes'
                 AND NOT EXISTS (
                     SELECT FROM deliveries AS d
                     WHERE d.endpoint_id = w.id AND d.status = 'pending' AND d.finished_at IS NULL
                         AND d.lease_until IS NULL AND (w.deleted_at IS NOT NULL OR d.trigger <> 'test')
                     OFFSET 0)
                 AND w.id NOT IN (
                     SELECT d.endpoint_id FROM deliveries AS d
                     WHERE d.status = 'pending' AND d.finished_at IS NULL AND d.lease_until IS NOT NULL)
             LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED))",
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Cancels what is pending of an event for an endpoint, because a resend replaces it: the series to resend, or an
/// earlier resend of it. The caller's transaction has locked the endpoint, so that no two resends do this at once.
/// Returns how many it cancelled.
pub async fn replace(conn: &mut PgConnection, endpoint: EndpointId, event_id: &str) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "UPDATE deliveries SET status = 'cancelled', finished_at = mws_now()
         WHERE endpoint_id = $1 AND event_id = $2 AND status = 'pending'",
        endpoint as _,
        event_id
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes up to `limit` ended series older than `retention_days`, with their attempts. Returns how many series.
///
/// Ids sort by the time they were minted, so the oldest rows come first in the primary key and need no other index. The
/// database's time decides whether one is old enough: a host whose clock is behind mints ids that look old at once.
pub async fn prune(conn: &mut PgConnection, retention_days: i32, limit: i64) -> sqlx::Result<u64> {
    let deleted = sqlx::query_scalar!(
        r#"WITH old AS MATERIALIZED (
             SELECT d.id FROM deliveries AS d
             WHERE d.id < mws_first_id(mws_now() - make_interval(days => $1)) AND d.status <> 'pending'
                 AND d.created_at < mws_now() - make_interval(days => $1)
             ORDER BY d.id
             LIMIT $2
             FOR UPDATE SKIP LOCKED
         ), attempts AS (
             DELETE FROM delivery_attempts WHERE delivery_id = ANY (ARRAY(SELECT id FROM old))
         ), gone AS (
             DELETE FROM deliveries WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING 1
         )
         SELECT count(*) AS "count!" FROM gone"#,
        retention_days,
        limit
    )
    .fetch_one(conn)
    .await?;
    Ok(deleted.unsigned_abs())
}
