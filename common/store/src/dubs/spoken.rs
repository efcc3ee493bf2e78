//! What a job stores at its end of a dub that it has spoken: items, the dub, its timeline, and what was spoken.

use crate::documents::{self, Body, NewDocument};
use crate::new_item::{self, JobItem};
use domain::document::DocumentKind;
use domain::dub::{OldVoices, Piece, Volumes, revoiced};
use domain::ids::{DubId, ItemId, TimelineId};
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

/// What a job stores of a dub that it has spoken.
#[derive(Debug, Clone)]
pub struct SpokenDub {
    /// The media item.
    pub item: JobItem,
    /// The item of the voices alone.
    pub voice: JobItem,
    /// The dub's id.
    pub dub: DubId,
    /// The dub's name and body, when it is new.
    pub new: Option<(String, Body)>,
    /// The revision of it that was spoken.
    pub revision: i32,
    /// The hash of the plan that made it.
    pub plan_hash: Vec<u8>,
    /// How loud its sounds are in the mix, and in the timeline.
    pub volumes: Volumes,
    /// Where in the voices' item each segment is.
    pub pieces: Vec<Piece>,
    /// The timeline's id.
    pub timeline: TimelineId,
    /// The timeline's name and body. They are stored when no such timeline exists; otherwise that gets their sound.
    pub new_timeline: (String, Body),
}

/// The revision of a dub that was last spoken, the item of its voices, and how loud its sounds are: none when a release
/// without volumes spoke it.
#[derive(Debug)]
struct LastSpoken {
    revision: i32,
    voice: ItemId,
    volumes: Option<Json<Volumes>>,
}

/// Returns what was last spoken of a dub, and locks it until the caller's transaction ends; none when nothing was.
async fn last_spoken(conn: &mut PgConnection, dub: DubId) -> sqlx::Result<Option<LastSpoken>> {
    sqlx::query_as!(
        LastSpoken,
        r#"SELECT revision, voice_item_id AS "voice: ItemId", volumes AS "volumes: Json<Volumes>"
           FROM dub_outputs WHERE document_id = $1 FOR UPDATE"#,
        dub.uuid()
    )
    .fetch_optional(conn)
    .await
}

/// Locks the timeline of a dub that was spoken, if there is one, as [`keep`] does. It waits for people who edit it:
/// call it before the job's row is locked, which others wait for.
pub async fn lock_timeline(conn: &mut PgConnection, spoken: &SpokenDub) -> sqlx::Result<()> {
    documents::find_to_change(conn, DocumentKind::Timeline, spoken.timeline.uuid()).await.map(drop)
}

/// Stores a dub that was spoken: its items, its timeline, the dub itself when it is new, and what was spoken. Call it
/// in the transaction that ends the job. The job of a dub that is deleted is cancelled and comes to no such end; where
/// a process of the release before has deleted the dub, its items and timeline are stored alone.
///
/// Jobs of two revisions may end in either order: the dub and its timeline have the later revision afterwards. The
/// timeline gets the new voices, as loud as in the new mix, unless somebody has put others there than those that were
/// last spoken (`revoiced`).
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
    let before = last_spoken(conn, spoken.dub).await?;
    if before.as_ref().is_some_and(|before| before.revision > spoken.revision) {
        return Ok(());
    }
    if let Some(row) = documents::find_to_change(conn, DocumentKind::Timeline, spoken.timeline.uuid()).await? {
        let volumes = |before: &LastSpoken| before.volumes.as_ref().map(|volumes| volumes.0);
        let before = before.map(|before| OldVoices { voice: before.voice, volumes: volumes(&before) });
        let (stands, fresh) = (parsed(&row.body)?, parsed(&spoken.new_timeline.1.whole)?);
        if let Some((whole, summary)) = revoiced(&stands, before, &fresh) {
            documents::replace(conn, &row, &row.name, &Body { whole: whole.to_string(), summary }).await?;
        }
    } else {
        let (name, body) = &spoken.new_timeline;
        documents::create(conn, &new(spoken.timeline.uuid(), DocumentKind::Timeline)(name, body)).await?;
    }
    sqlx::query!(
        "INSERT INTO dub_outputs (document_id, plan_hash, revision, item_id, voice_item_id, timeline_id, pieces,
             volumes)
         SELECT id, $2, $3, $4, $5, $6, $7, $8 FROM documents WHERE id = $1
         ON CONFLICT (document_id) DO UPDATE SET revision = excluded.revision, item_id = excluded.item_id,
             voice_item_id = excluded.voice_item_id, timeline_id = excluded.timeline_id, pieces = excluded.pieces,
             volumes = excluded.volumes, made_at = mws_now()",
        spoken.dub.uuid(),
        spoken.plan_hash,
        spoken.revision,
        spoken.item.id as ItemId,
        spoken.voice.id as ItemId,
        spoken.timeline as TimelineId,
        Json(&spoken.pieces) as Json<&Vec<Piece>>,
        Json(spoken.volumes) as Json<Volumes>
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn parsed(body: &str) -> sqlx::Result<Value> {
    serde_json::from_str(body).map_err(|error| sqlx::Error::Decode(error.into()))
}
