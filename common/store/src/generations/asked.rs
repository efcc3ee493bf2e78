//! Whether a job's provider was asked, so that nothing is asked for twice, and nothing that was asked in vain goes on.

use domain::ids::JobId;
use sqlx::PgConnection;

/// Whether a provider was asked for a job before this claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// It was not; this claim is recorded as the one that asks.
    Now,
    /// It was, by an earlier claim. The outcome of that request is not known.
    Before,
    /// The claim is lost: nothing may be asked.
    Lost,
}

/// Records that this claim asks the provider of a model. Commit it before the provider is asked, so that it is known
/// even if the worker dies in the next moment.
pub async fn note_asked(conn: &mut PgConnection, job: JobId, claim_no: i32, model: &str) -> sqlx::Result<Asked> {
    let before = sqlx::query_scalar!(
        r#"WITH before AS (
               SELECT r.job_id, r.asked_claim FROM job_renders r
               WHERE r.job_id = $1 AND r.ended_at IS NULL AND EXISTS (
                   SELECT FROM jobs j WHERE j.id = $1 AND j.claim_no = $2 AND j.status = 'running'
               )
               FOR UPDATE
           )
           UPDATE job_renders r SET asked_claim = coalesce(before.asked_claim, $2), asked_model = $3
           FROM before WHERE r.job_id = before.job_id
           RETURNING before.asked_claim IS NOT NULL AS "before!""#,
        job as JobId,
        claim_no,
        model
    )
    .fetch_optional(conn)
    .await?;
    Ok(match before {
        Some(true) => Asked::Before,
        Some(false) => Asked::Now,
        None => Asked::Lost,
    })
}

/// Returns whether a claim of the job has noted that its provider is asked.
pub async fn was_asked(conn: &mut PgConnection, job: JobId) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM job_renders WHERE job_id = $1 AND asked_claim IS NOT NULL) AS "was!""#,
        job as JobId
    )
    .fetch_one(conn)
    .await
}

/// Records that a provider's request is known to have had no effect, so that another claim may ask.
pub async fn forget_asked(conn: &mut PgConnection, job: JobId, claim_no: i32) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE job_renders SET asked_claim = NULL WHERE job_id = $1 AND asked_claim = $2 AND ended_at IS NULL",
        job as JobId,
        claim_no
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A cancelled job whose provider was asked, and may still be at work.
#[derive(Debug, Clone)]
pub struct AskedInVain {
    /// The job.
    pub job: JobId,
    /// The model whose provider was asked.
    pub model: String,
}

/// Returns at most `limit` cancelled jobs for which one of these models was asked, each once: whoever gets one tells
/// its provider.
pub async fn take_asked_in_vain(
    conn: &mut PgConnection,
    models: &[String],
    limit: i64,
) -> sqlx::Result<Vec<AskedInVain>> {
    sqlx::query_as!(
        AskedInVain,
        r#"WITH taken AS (
               SELECT r.job_id, r.asked_model FROM job_renders r JOIN jobs j ON j.id = r.job_id
               WHERE r.ended_at IS NOT NULL AND r.asked_model IS NOT NULL AND r.asked_model = ANY ($1)
                   AND j.status = 'cancelled'
               ORDER BY r.ended_at LIMIT $2
               FOR UPDATE OF r SKIP LOCKED
           )
           UPDATE job_renders r SET asked_model = NULL FROM taken WHERE r.job_id = taken.job_id
           RETURNING r.job_id AS "job!: JobId", taken.asked_model AS "model!""#,
        models,
        limit
    )
    .fetch_all(conn)
    .await
}
