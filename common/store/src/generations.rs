//! Generations: what live jobs will make, whether a provider was asked for it, which makers are available, and which of
//! them answer nothing.
//!
//! Their rows are those of renders (`renders`): a row of `job_renders` that has not ended promises that nobody makes
//! the same at the same time; the scheduler deletes rows of lost claims. Only what is particular to generations is
//! here.

use chrono::{DateTime, Utc};
use domain::credits::Credits;
use domain::ids::{ItemId, JobId};
use domain::minutes::Minutes;
use domain::model::{Per, Price};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;

/// A price as it is stored with a job.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct KeptPrice {
    per: Per,
    hundredths: i64,
}

impl From<Price> for KeptPrice {
    fn from(price: Price) -> Self {
        Self { per: price.per, hundredths: price.credits.hundredths() }
    }
}

impl From<KeptPrice> for Price {
    fn from(kept: KeptPrice) -> Self {
        Self { per: kept.per, credits: Credits::from_hundredths(kept.hundredths) }
    }
}

/// A generation that a call wants.
#[derive(Debug, Clone)]
pub struct NewGeneration<'a> {
    /// Its job.
    pub job: JobId,
    /// The hash of its plan.
    pub hash: &'a [u8],
    /// The plan.
    pub plan: &'a Value,
    /// The id of the item that it will make.
    pub output: ItemId,
    /// The name that the item will have.
    pub name: &'a str,
    /// The model's price; none for a built-in engine.
    pub price: Option<Price>,
}

/// Stores the promise that this job makes the generation, and waits for a call that did the same a moment ago. Returns
/// false when another live job has the promise.
pub async fn claim_ownership(conn: &mut PgConnection, new: &NewGeneration<'_>) -> sqlx::Result<bool> {
    let taken = sqlx::query!(
        "INSERT INTO job_renders (job_id, hash, plan, output_item_id, output_name, price)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (hash) WHERE ended_at IS NULL DO NOTHING",
        new.job as JobId,
        new.hash,
        new.plan,
        new.output as ItemId,
        new.name,
        new.price.map(KeptPrice::from).map(Json) as Option<Json<KeptPrice>>
    )
    .execute(conn)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// A generation that a live job is making.
#[derive(Debug, Clone, Copy)]
pub struct LiveGeneration {
    /// That job's id.
    pub job: JobId,
    /// Minutes that are held for it.
    pub minutes: Minutes,
    /// AI credits that are held for it.
    pub credits: Credits,
}

/// Returns the live job of a generation with this hash; none when there is none.
pub async fn live(conn: &mut PgConnection, hash: &[u8]) -> sqlx::Result<Option<LiveGeneration>> {
    sqlx::query_as!(
        LiveGeneration,
        r#"SELECT r.job_id AS "job: JobId", j.held_month + j.held_bought AS "minutes!: Minutes",
               j.held_credits AS "credits: Credits"
           FROM job_renders r JOIN jobs j ON j.id = r.job_id
           WHERE r.hash = $1 AND r.ended_at IS NULL"#,
        hash
    )
    .fetch_optional(conn)
    .await
}

/// What a claimed job is to generate.
#[derive(Debug, Clone)]
pub struct ClaimedGeneration {
    /// The plan as it is stored (`domain::generation`).
    pub plan: Value,
    /// Its hash.
    pub hash: Vec<u8>,
    /// The new item's id.
    pub output: ItemId,
    /// The new item's name.
    pub name: String,
    /// The model's price; none for a built-in engine.
    pub price: Option<Price>,
}

/// Returns what the live job is to make; none when it has ended or is no generation.
pub async fn of_job(conn: &mut PgConnection, job: JobId) -> sqlx::Result<Option<ClaimedGeneration>> {
    let row = sqlx::query!(
        r#"SELECT plan, hash, output_item_id AS "output: ItemId", output_name, price AS "price: Json<KeptPrice>"
           FROM job_renders WHERE job_id = $1 AND ended_at IS NULL"#,
        job as JobId
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| ClaimedGeneration {
        plan: row.plan,
        hash: row.hash,
        output: row.output,
        name: row.output_name,
        price: row.price.map(|price| price.0.into()),
    }))
}

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

/// A maker that a worker offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MakerOffer {
    /// Its name: a built-in engine's, or a model's id.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Records which makers a worker offers, and deletes those that no worker has offered for 30 days.
pub async fn announce(conn: &mut PgConnection, offers: &[MakerOffer]) -> sqlx::Result<()> {
    sqlx::query!(
        "WITH gone AS (
             DELETE FROM generation_makers WHERE seen_at < mws_now() - interval '30 days' AND name <> ALL ($1)
         )
         INSERT INTO generation_makers (name, version)
         SELECT name, version FROM unnest($1::text[], $2::text[]) AS offered (name, version) ORDER BY name
         ON CONFLICT (name) DO UPDATE SET version = excluded.version, seen_at = mws_now()",
        &offers.iter().map(|one| one.name.clone()).collect::<Vec<_>>(),
        &offers.iter().map(|one| one.version.clone()).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns whether a worker has offered this maker within the last ten minutes.
pub async fn is_offered(conn: &mut PgConnection, maker: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM generation_makers WHERE name = $1 AND seen_at > mws_now() - interval '10 minutes'
           ) AS "is!""#,
        maker
    )
    .fetch_one(conn)
    .await
}

/// Returns the names of the makers that workers have offered within the last seven days, as long as for reads.
pub async fn makers(conn: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        "SELECT name FROM generation_makers WHERE seen_at > mws_now() - interval '7 days' ORDER BY name"
    )
    .fetch_all(conn)
    .await
}

/// Records whether a model's provider answered a request. One answer, to whichever request, ends its failing.
pub async fn note_answer(conn: &mut PgConnection, model: &str, answered: bool) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE generation_makers
         SET failing_since = CASE WHEN $2 THEN NULL ELSE coalesce(failing_since, mws_now()) END,
             failed_at = CASE WHEN $2 THEN NULL ELSE mws_now() END
         WHERE name = $1 AND (NOT $2 OR failing_since IS NOT NULL)",
        model,
        answered
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A model whose provider answers nothing.
#[derive(Debug, Clone)]
pub struct FailingMaker {
    /// The model's id.
    pub name: String,
    /// When the first request failed after the last that was answered.
    pub since: DateTime<Utc>,
}

/// Returns the models whose providers have answered nothing for a minute or longer, and were asked within an hour.
pub async fn failing(conn: &mut PgConnection) -> sqlx::Result<Vec<FailingMaker>> {
    sqlx::query_as!(
        FailingMaker,
        r#"SELECT name, failing_since AS "since!" FROM generation_makers
           WHERE failed_at > mws_now() - interval '1 hour' AND failed_at >= failing_since + interval '1 minute'"#
    )
    .fetch_all(conn)
    .await
}
