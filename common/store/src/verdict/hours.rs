//! Jobs and deliveries of the last day, hour by hour, for the drawings beside the verdict.

use domain::verdict::LOOKED_AT;
use sqlx::PgConnection;

/// How many hours there are, back from now.
pub const HOURS: i32 = 24;

/// What happened within an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HourRow {
    /// The jobs that ended.
    pub ended: i64,
    /// Those of them that failed.
    pub failed: i64,
    /// Whether more jobs ended than were looked at.
    pub has_more_jobs: bool,
    /// The deliveries that began, and of which an attempt has ended.
    pub attempted: i64,
    /// Those of them whose last attempt failed.
    pub troubled: i64,
    /// Whether more deliveries began than were looked at.
    pub has_more_deliveries: bool,
}

/// Returns the last [`HOURS`] hours, the oldest first. Of each hour the newest [`LOOKED_AT`] events and deliveries are
/// looked at, by an index. Call it in a transaction, whose plans it narrows.
pub async fn by_hour(conn: &mut PgConnection) -> sqlx::Result<Vec<HourRow>> {
    // Where rows don't lie in the order of their times, the planner would rather fetch a whole hour and sort it.
    sqlx::raw_sql("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off").execute(&mut *conn).await?;
    sqlx::query_as!(
        HourRow,
        r#"SELECT jobs.ended AS "ended!", jobs.failed AS "failed!", jobs.looked_at = $2 AS "has_more_jobs!",
               sent.attempted AS "attempted!", sent.troubled AS "troubled!", sent.looked_at = $2 AS "has_more_deliveries!"
           FROM (
               SELECT ago, mws_now() - make_interval(hours => ago + 1) AS begins, mws_now() - make_interval(hours => ago) AS ends
               FROM generate_series(0, $1::int - 1) AS ago
           ) AS hours
           CROSS JOIN LATERAL (
               SELECT count(*) AS looked_at, count(*) FILTER (WHERE job_id IS NOT NULL) AS ended,
                   count(*) FILTER (WHERE type = 'job.failed') AS failed
               FROM (
                   SELECT job_id, type FROM events WHERE created_at >= hours.begins AND created_at < hours.ends
                   ORDER BY created_at DESC LIMIT $2
               ) AS newest
           ) AS jobs
           CROSS JOIN LATERAL (
               SELECT count(*) AS looked_at,
                   count(*) FILTER (WHERE is_sent AND (status IN ('succeeded', 'failed', 'skipped')
                       OR status = 'pending' AND error IS NOT NULL)) AS attempted,
                   count(*) FILTER (WHERE is_sent AND (status = 'skipped'
                       OR status IN ('failed', 'pending') AND error IS NOT NULL)) AS troubled
               FROM (
                   SELECT status, error, attempt_count > 0 AND trigger <> 'test' AS is_sent FROM deliveries
                   WHERE id >= mws_first_id(hours.begins) AND id < mws_first_id(hours.ends) ORDER BY id DESC LIMIT $2
               ) AS newest
           ) AS sent
           ORDER BY hours.ago DESC"#,
        HOURS,
        LOOKED_AT
    )
    .fetch_all(conn)
    .await
}
