//! Deletes old rows, some at a time: tables stay small, and no snapshot is held for long. Each function is one
//! statement, so that a failing one does not prevent the others.

use sqlx::PgConnection;

/// Deletes up to `limit` jobs that ended more than `days` ago, and their claims. Returns how many jobs.
pub async fn delete_jobs(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let jobs = sqlx::query_scalar!(
        r#"WITH old AS MATERIALIZED (
               SELECT id FROM jobs
               WHERE id < mws_first_id(mws_now() - make_interval(days => $1))
                   AND finished_at < mws_now() - make_interval(days => $1)
               ORDER BY id LIMIT $2
           ), claims AS (
               DELETE FROM job_claims WHERE job_id = ANY (ARRAY(SELECT id FROM old))
           ), gone AS (
               DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING 1
           )
           SELECT count(*) AS "gone!" FROM gone"#,
        days,
        limit
    )
    .fetch_one(conn)
    .await?;
    Ok(u64::try_from(jobs).unwrap_or_default())
}

/// Deletes up to `limit` calls that are older than `days` and have no jobs any more, and their idempotency keys.
/// Returns how many calls. Jobs are looked up one by one, however many calls are old.
pub async fn delete_calls(conn: &mut PgConnection, days: i32, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "WITH old AS MATERIALIZED (
             SELECT c.id FROM calls c
             WHERE c.id < mws_first_id(mws_now() - make_interval(days => $1))
                 AND c.created_at < mws_now() - make_interval(days => $1)
                 AND (SELECT j.id FROM jobs j WHERE j.call_id = c.id LIMIT 1) IS NULL
             ORDER BY c.id LIMIT $2
         ), keys AS (
             DELETE FROM idempotency_keys WHERE call_id = ANY (ARRAY(SELECT id FROM old))
         )
         DELETE FROM calls WHERE id = ANY (ARRAY(SELECT id FROM old))",
        days,
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes up to `limit` tickets that were done more than five minutes ago. Returns how many.
pub async fn delete_tickets(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM apalis.jobs WHERE id = ANY (ARRAY(
             SELECT id FROM apalis.jobs WHERE status = 'Done' AND done_at < now() - interval '5 minutes'
             ORDER BY done_at LIMIT $1 FOR UPDATE SKIP LOCKED))",
        limit
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes the queue's workers that were not seen for an hour. Returns how many.
pub async fn delete_queue_workers(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM apalis.workers WHERE last_seen < now() - interval '1 hour'");
    Ok(done.execute(conn).await?.rows_affected())
}

/// Deletes up to `limit` tickets that a vanished queue worker held: their rows got new ones long ago. Returns how many.
pub async fn delete_held_tickets(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM apalis.jobs WHERE id = ANY (ARRAY(
             SELECT t.id FROM apalis.jobs t
             WHERE t.status IN ('Queued', 'Running') AND t.lock_by IS NOT NULL
                 AND NOT EXISTS (SELECT FROM apalis.workers w WHERE w.id = t.lock_by)
             LIMIT $1 FOR UPDATE SKIP LOCKED))",
        limit
    );
    Ok(done.execute(conn).await?.rows_affected())
}

/// Deletes session codes that expired more than an hour ago. Returns how many.
pub async fn delete_session_codes(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM session_codes WHERE expires_at < mws_now() - interval '1 hour'");
    Ok(done.execute(conn).await?.rows_affected())
}

/// Deletes session tokens that expired more than an hour ago. Returns how many.
pub async fn delete_session_tokens(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done = sqlx::query!("DELETE FROM session_tokens WHERE expires_at < mws_now() - interval '1 hour'");
    Ok(done.execute(conn).await?.rows_affected())
}

/// Deletes the rates of up to `limit` accounts that have been within their rate for an hour. Returns how many. It reads
/// every row: an index on the time would be written at every call.
pub async fn delete_paces(conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "DELETE FROM rate_limits WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM rate_limits WHERE theoretical_arrival < mws_now() - interval '1 hour'
             LIMIT $1 FOR UPDATE SKIP LOCKED))",
        limit
    );
    Ok(done.execute(conn).await?.rows_affected())
}
