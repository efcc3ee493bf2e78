//! Dubs: what live jobs will make of them, what they were spoken as, and what a job that ends leaves.
//!
//! A dub and its timeline are documents (`documents`); a row of `dub_outputs` says what was spoken of it. The jobs'
//! rows are those of renders (`renders`), with a second item: the voices alone.

use crate::documents::{self, Body, NewDocument};
use crate::items::StoredMedia;
use crate::new_item::{self, NewItem};
use domain::document::DocumentKind;
use domain::dub::{Before, Piece, revoiced};
use domain::ids::{DubId, ItemId, JobId, TimelineId, WorkspaceId};
use domain::timeline::Micros;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

/// A dub that a call wants spoken.
#[derive(Debug, Clone)]
pub struct NewDubJob<'a> {
    /// Its job.
    pub job: JobId,
    /// The hash of its plan.
    pub hash: &'a [u8],
    /// The plan.
    pub plan: &'a Value,
    /// The item to come.
    pub output: ItemId,
    /// What it will be called.
    pub name: &'a str,
    /// The item to come that has the voices alone.
    pub voice: ItemId,
}

/// Tries to own a dub, waiting for a call that took the same one a moment ago. False when another job owns it.
pub async fn take(conn: &mut PgConnection, new: &NewDubJob<'_>) -> sqlx::Result<bool> {
    let taken = sqlx::query!(
        "INSERT INTO job_renders (job_id, hash, plan, output_item_id, output_name, second_item_id)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (hash) WHERE ended_at IS NULL DO NOTHING",
        new.job as JobId,
        new.hash,
        new.plan,
        new.output as ItemId,
        new.name,
        new.voice as ItemId
    )
    .execute(conn)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// A dub that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeDub {
    /// The dub.
    pub dub: DubId,
    /// Its media.
    pub item: ItemId,
    /// Its timeline, which may be deleted by now.
    pub timeline: TimelineId,
}

/// The dub that a plan with this hash made, while it and its media are there.
pub async fn made(conn: &mut PgConnection, hash: &[u8]) -> sqlx::Result<Option<MadeDub>> {
    sqlx::query_as!(
        MadeDub,
        r#"SELECT o.document_id AS "dub: DubId", o.item_id AS "item: ItemId", o.timeline_id AS "timeline: TimelineId"
           FROM dub_outputs o JOIN items i ON i.id = o.item_id AND i.deleted_at IS NULL
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
    /// Of which revision.
    pub revision: i32,
    /// The media.
    pub item: ItemId,
    /// The voices alone.
    pub voice: ItemId,
    /// The timeline.
    pub timeline: TimelineId,
    /// Whether the media is there still.
    pub is_there: bool,
    /// Where in the sound of the voices each segment is.
    pub pieces: Vec<Piece>,
}

impl DubOutput {
    /// What the next render may take from it.
    pub fn before(&self) -> Before {
        Before { voice: self.voice, pieces: self.pieces.clone() }
    }
}

/// What was last spoken of this dub.
pub async fn output(conn: &mut PgConnection, dub: DubId) -> sqlx::Result<Option<DubOutput>> {
    let row = sqlx::query!(
        r#"SELECT o.revision, o.item_id AS "item: ItemId", o.voice_item_id AS "voice: ItemId",
               o.timeline_id AS "timeline: TimelineId", o.pieces AS "pieces: Json<Vec<Piece>>",
               i.id IS NOT NULL AS "is_there!"
           FROM dub_outputs o LEFT JOIN items i ON i.id = o.item_id AND i.deleted_at IS NULL
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
        pieces: row.pieces.0,
    }))
}

/// What a job finds out before it speaks.
#[derive(Debug, Clone)]
pub struct DubMaterial {
    /// The item to come that has the voices alone.
    pub voice: ItemId,
    /// What was spoken before, where that is there still.
    pub before: Option<StoredMedia>,
}

/// What the live job makes beside its item, and what it may take from what was spoken before.
pub async fn material(
    conn: &mut PgConnection,
    job: JobId,
    workspace: WorkspaceId,
    before: Option<ItemId>,
) -> sqlx::Result<Option<DubMaterial>> {
    let row = sqlx::query!(
        r#"SELECT r.second_item_id AS "voice!: ItemId", i.object_key AS "key?", i.bytes AS "bytes?"
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
        let before = row.key.zip(row.bytes).map(|(object_key, bytes)| StoredMedia { object_key, bytes });
        DubMaterial { voice: row.voice, before }
    }))
}

/// A dub as a job leaves it.
#[derive(Debug, Clone)]
pub struct SpokenDub {
    /// Its media.
    pub item: NewItem,
    /// The voices alone.
    pub voice: NewItem,
    /// The dub.
    pub dub: DubId,
    /// What it is called, and holds, where it is new.
    pub new: Option<(String, Body)>,
    /// The revision of it that was spoken.
    pub revision: i32,
    /// The hash of the plan that made it.
    pub plan_hash: Vec<u8>,
    /// Where in the sound of the voices each segment is.
    pub pieces: Vec<Piece>,
    /// Its timeline.
    pub timeline: TimelineId,
    /// What that is called, and holds, where it is not there.
    pub new_timeline: (String, Body),
    /// The voices that it had before.
    pub voice_before: Option<ItemId>,
}

/// Keeps a dub that was spoken: its items, its timeline, itself when it is new, and what was spoken. Nothing is said of
/// one that was deleted meanwhile; its media stays.
pub async fn keep(conn: &mut PgConnection, spoken: &SpokenDub) -> sqlx::Result<()> {
    for item in [&spoken.item, &spoken.voice] {
        new_item::store(conn, item).await?;
    }
    let item = &spoken.item;
    let new = |id: Uuid, kind| {
        move |name, body| NewDocument { id, workspace: item.workspace, account: item.account, kind, name, body }
    };
    if let Some((name, body)) = &spoken.new {
        documents::create(conn, &new(spoken.dub.uuid(), DocumentKind::Dub)(name, body)).await?;
    }
    if let Some(row) = documents::find_to_change(conn, DocumentKind::Timeline, spoken.timeline.uuid()).await? {
        let duration = Micros::ms(spoken.voice.facts.duration_ms.unwrap_or(0));
        if let Some((whole, summary)) = revoiced(&row.body, spoken.voice_before, (spoken.voice.id, duration)) {
            documents::replace(conn, &row, &row.name, &Body { whole, summary }).await?;
        }
    } else {
        let (name, body) = &spoken.new_timeline;
        documents::create(conn, &new(spoken.timeline.uuid(), DocumentKind::Timeline)(name, body)).await?;
    }
    sqlx::query!(
        "INSERT INTO dub_outputs (document_id, plan_hash, revision, item_id, voice_item_id, timeline_id, pieces)
         SELECT id, $2, $3, $4, $5, $6, $7 FROM documents WHERE id = $1
         ON CONFLICT (document_id) DO UPDATE SET revision = excluded.revision, item_id = excluded.item_id,
             voice_item_id = excluded.voice_item_id, timeline_id = excluded.timeline_id, pieces = excluded.pieces,
             made_at = mws_now()",
        spoken.dub.uuid(),
        spoken.plan_hash,
        spoken.revision,
        spoken.item.id as ItemId,
        spoken.voice.id as ItemId,
        spoken.timeline as TimelineId,
        Json(&spoken.pieces) as Json<&Vec<Piece>>
    )
    .execute(conn)
    .await?;
    Ok(())
}
