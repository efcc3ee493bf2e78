//! Dubs: what live jobs will make, what was last spoken of a dub, and what a job stores at its end (`spoken`).
//!
//! A dub and its timeline are documents (`documents`); a row of `dub_outputs` has what was last spoken of the dub. The
//! jobs' rows are those of renders (`renders`), with a second item: the voices alone.

mod spoken;

pub use spoken::{SpokenDub, keep, lock_timeline};

use crate::generations::KeptPrice;
use crate::items::StoredMedia;
use domain::dub::{Before, Piece};
use domain::ids::{DubId, ItemId, JobId, TimelineId, WorkspaceId};
use domain::model::Price;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;

/// A dub that a call wants to have spoken.
#[derive(Debug, Clone)]
pub struct NewDubJob<'a> {
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
    /// The id of the item that it will make of the voices alone.
    pub voice: ItemId,
    /// The price of the provider's model that translates it; `None` where none does.
    pub price: Option<Price>,
}

/// Stores the promise that this job makes the dub. Waits for a call that did the same a moment ago. Returns false when
/// another job has the promise.
pub async fn claim_ownership(conn: &mut PgConnection, new: &NewDubJob<'_>) -> sqlx::Result<bool> {
    let taken = sqlx::query!(
        "INSERT INTO job_renders (job_id, hash, plan, output_item_id, output_name, second_item_id, price)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (hash) WHERE ended_at IS NULL DO NOTHING",
        new.job as JobId,
        new.hash,
        new.plan,
        new.output as ItemId,
        new.name,
        new.voice as ItemId,
        new.price.map(KeptPrice::from).map(Json) as Option<Json<KeptPrice>>
    )
    .execute(conn)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// Stores the plan of a claimed dub with its translations, so that no later claim has them made again. Returns false
/// when the claim is lost. The plan keeps the hash that the call made of it.
pub async fn keep_plan(conn: &mut PgConnection, job: JobId, claim_no: i32, plan: &Value) -> sqlx::Result<bool> {
    let kept = sqlx::query!(
        "UPDATE job_renders r SET plan = $3
         WHERE r.job_id = $1 AND r.ended_at IS NULL AND EXISTS (
             SELECT FROM jobs j WHERE j.id = $1 AND j.claim_no = $2 AND j.status = 'running'
         )",
        job as JobId,
        claim_no,
        plan
    )
    .execute(conn)
    .await?;
    Ok(kept.rows_affected() == 1)
}

/// A dub that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeDub {
    /// The dub.
    pub dub: DubId,
    /// Its media item.
    pub item: ItemId,
    /// Its timeline; none when that was deleted.
    pub timeline: Option<TimelineId>,
}

/// Returns the dub that a plan with this hash made; none when the dub or its media was deleted or never made.
pub async fn made(conn: &mut PgConnection, hash: &[u8]) -> sqlx::Result<Option<MadeDub>> {
    sqlx::query_as!(
        MadeDub,
        r#"SELECT o.document_id AS "dub: DubId", o.item_id AS "item: ItemId", t.id AS "timeline?: TimelineId"
           FROM dub_outputs o JOIN items i ON i.id = o.item_id AND i.deleted_at IS NULL
           LEFT JOIN documents t ON t.id = o.timeline_id
           WHERE o.plan_hash = $1
           ORDER BY o.document_id LIMIT 1"#,
        hash
    )
    .fetch_optional(conn)
    .await
}

/// What was last spoken of a dub.
#[derive(Debug, Clone)]
pub struct DubOutput {
    /// The dub's revision that was spoken.
    pub revision: i32,
    /// The media item.
    pub item: ItemId,
    /// The item of the voices alone.
    pub voice: ItemId,
    /// The timeline.
    pub timeline: TimelineId,
    /// Whether the media item still exists.
    pub is_there: bool,
    /// Whether the item of the voices still exists.
    pub has_voice: bool,
    /// Whether the timeline still exists.
    pub has_timeline: bool,
    /// Where in the voices' item each segment is.
    pub pieces: Vec<Piece>,
}

impl DubOutput {
    /// Returns what the next job may reuse of it.
    pub fn before(&self) -> Before {
        Before { voice: self.voice, pieces: self.pieces.clone() }
    }
}

/// Returns what was last spoken of this dub; none when nothing was.
pub async fn output(conn: &mut PgConnection, dub: DubId) -> sqlx::Result<Option<DubOutput>> {
    let row = sqlx::query!(
        r#"SELECT o.revision, o.item_id AS "item: ItemId", o.voice_item_id AS "voice: ItemId",
               o.timeline_id AS "timeline: TimelineId", o.pieces AS "pieces: Json<Vec<Piece>>",
               i.id IS NOT NULL AS "is_there!", v.id IS NOT NULL AS "has_voice!", t.id IS NOT NULL AS "has_timeline!"
           FROM dub_outputs o
           LEFT JOIN items i ON i.id = o.item_id AND i.deleted_at IS NULL
           LEFT JOIN items v ON v.id = o.voice_item_id AND v.deleted_at IS NULL
           LEFT JOIN documents t ON t.id = o.timeline_id
           WHERE o.document_id = $1"#,
        dub.uuid()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| DubOutput {
        revision: row.revision,
        item: row.item,
        voice: row.voice,
        timeline: row.timeline,
        is_there: row.is_there,
        has_voice: row.has_voice,
        has_timeline: row.has_timeline,
        pieces: row.pieces.0,
    }))
}

/// Returns what was spoken in this item, when it has the voices of a dub as that was last spoken.
pub async fn spoken_in(conn: &mut PgConnection, voice: ItemId) -> sqlx::Result<Option<Vec<Piece>>> {
    let pieces = sqlx::query_scalar!(
        r#"SELECT pieces AS "pieces: Json<Vec<Piece>>" FROM dub_outputs WHERE voice_item_id = $1 LIMIT 1"#,
        voice as ItemId
    )
    .fetch_optional(conn)
    .await?;
    Ok(pieces.map(|pieces| pieces.0))
}

/// What a job needs to know before it speaks.
#[derive(Debug, Clone)]
pub struct DubMaterial {
    /// The id of the item that it will make of the voices alone.
    pub voice: ItemId,
    /// The voices that were spoken before; none when they were deleted or never made.
    pub before: Option<StoredMedia>,
}

/// Returns the id of the live job's second item, and the earlier voices in `before` that it may reuse. None when the
/// job is not live or makes no second item.
pub async fn material(
    conn: &mut PgConnection,
    job: JobId,
    workspace: WorkspaceId,
    before: Option<ItemId>,
) -> sqlx::Result<Option<DubMaterial>> {
    let row = sqlx::query!(
        r#"SELECT r.second_item_id AS "voice!: ItemId", i.object_key AS "key?", i.bytes AS "bytes?",
               i.sha256 AS "sha256?"
           FROM job_renders r
           LEFT JOIN items i ON i.id = $3 AND i.workspace_id = $2 AND i.deleted_at IS NULL
               AND i.object_key IS NOT NULL
           WHERE r.job_id = $1 AND r.ended_at IS NULL AND r.second_item_id IS NOT NULL"#,
        job as JobId,
        workspace as WorkspaceId,
        before.map(ItemId::uuid)
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| {
        let (key, bytes, sha256) = (row.key, row.bytes, row.sha256);
        let before = key.zip(bytes).map(|(object_key, bytes)| StoredMedia { object_key, bytes, sha256 });
        DubMaterial { voice: row.voice, before }
    }))
}
