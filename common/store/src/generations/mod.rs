//! Generations: what live jobs will make, whether a provider was asked for it (`asked`), and which makers are available
//! (`makers`).
//!
//! Their rows are those of renders (`renders`): a row of `job_renders` that has not ended promises that nobody makes
//! the same at the same time; the scheduler deletes rows of lost claims. Only what is particular to generations is
//! here.

mod asked;
mod makers;

pub use asked::{Asked, AskedInVain, forget_asked, note_asked, take_asked_in_vain, was_asked};
pub use makers::{FailingMaker, MakerOffer, announce, failing, is_offered, makers, note_answer};

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
