//! When the next thing becomes due, so that nobody has to look each second whether something is.

use sqlx::PgConnection;

/// At most so many jobs that wait to be tried again are looked at, and at most so many that run. What becomes due of
/// the others is found when the duties run.
const JOBS_LOOKED_AT: i64 = 1_000;

/// Returns how many seconds from now the next thing becomes due that no ticket tells of: a delivery, a webhook of a
/// project, an upload or a job that is to be tried again, or the end of a lease. None when that is more than `within`
/// seconds away. What is due already is not looked at.
pub async fn next(conn: &mut PgConnection, within: f64) -> sqlx::Result<Option<f64>> {
    sqlx::query_scalar!(
        r#"SELECT extract(epoch FROM min(next.due) - mws_now())::double precision
           FROM (VALUES
               ((SELECT min(due_at) FROM deliveries
                 WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL AND due_at > mws_now())),
               ((SELECT min(due_at) FROM deliveries
                 WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NOT NULL AND due_at > mws_now())),
               ((SELECT min(due_at) FROM project_webhooks
                 WHERE status = 'pending' AND finished_at IS NULL AND due_at > mws_now())),
               ((SELECT min(lease_until) FROM project_webhooks
                 WHERE status = 'sent' AND finished_at IS NULL AND lease_until > mws_now())),
               ((SELECT min(due_at) FROM uploads
                 WHERE status = 'processing' AND finished_at IS NULL AND due_at > mws_now())),
               ((SELECT min(lease_until) FROM uploads WHERE lease_until > mws_now())),
               ((SELECT min(again.due_at) FROM (
                     SELECT due_at FROM jobs
                     WHERE NOT admitted AND finished_at IS NULL AND due_at > created_at
                     ORDER BY payer_account_id, read, due_at
                     LIMIT $2
                 ) AS again
                 WHERE again.due_at > mws_now())),
               ((SELECT min(j.lease_until)
                 FROM (SELECT job_id, claim_no FROM job_claims
                       WHERE ended_at IS NULL ORDER BY job_id LIMIT $2) AS open
                 CROSS JOIN LATERAL (
                     SELECT lease_until FROM jobs
                     WHERE id = open.job_id AND claim_no = open.claim_no AND status = 'running'
                         AND lease_until > mws_now()
                     LIMIT 1
                 ) AS j))
           ) AS next (due)
           WHERE next.due <= mws_now() + make_interval(secs => $1)"#,
        within,
        JOBS_LOOKED_AT
    )
    .fetch_one(conn)
    .await
}
