//! The deletion of old events that no delivery refers to any more.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// How far pruning has come among the old events: the last one that was looked at.
#[derive(Debug, Clone, Copy)]
pub struct Pruned {
    created_at: DateTime<Utc>,
    seq: i64,
}

/// Looks at the next `some` events older than `retention_days` and deletes those that no delivery refers to any more: a
/// resend can outlive the series that it repeats. Returns how many were deleted, and where to go on; none when all were
/// looked at.
///
/// Deliveries are looked up one by one: a join would read all of both tables for a batch of a million old events.
pub async fn prune(
    conn: &mut PgConnection,
    retention_days: i32,
    after: Option<Pruned>,
    some: i64,
) -> sqlx::Result<(u64, Option<Pruned>)> {
    let after = after.unwrap_or(Pruned { created_at: DateTime::UNIX_EPOCH, seq: 0 });
    let row = sqlx::query!(
        r#"WITH old AS MATERIALIZED (
               SELECT id, created_at, seq FROM events
               WHERE created_at < mws_now() - make_interval(days => $1) AND (created_at, seq) > ($2, $3::bigint)
               ORDER BY created_at, seq LIMIT $4
           ), gone AS (
               DELETE FROM events WHERE id = ANY (ARRAY(
                   SELECT id FROM old WHERE (SELECT d.id FROM deliveries AS d WHERE d.event_id = old.id LIMIT 1) IS NULL
               ))
               RETURNING 1
           )
           SELECT (SELECT count(*) FROM gone) AS "gone!", (SELECT count(*) FROM old) = $4 AS "more!",
               last.created_at AS "created_at?", last.seq AS "seq?"
           FROM (VALUES (1)) AS one (row)
           LEFT JOIN (SELECT created_at, seq FROM old ORDER BY created_at DESC, seq DESC LIMIT 1) AS last ON true"#,
        retention_days,
        after.created_at,
        after.seq,
        some
    )
    .fetch_one(conn)
    .await?;
    let last = row.created_at.zip(row.seq).map(|(created_at, seq)| Pruned { created_at, seq });
    Ok((row.gone.unsigned_abs(), last.filter(|_| row.more)))
}
