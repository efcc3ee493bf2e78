//! What a worker gets of a job that it claims: what to do, and all that it needs for it.

use crate::items::StoredMedia;
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::render::RenderPlan;
use domain::task::Task;
use serde_json::Value;

/// A job as its worker needs it.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The job.
    pub job: JobId,
    /// The fencing token of this claim.
    pub claim_no: i32,
    /// How many attempts failed before.
    pub failures: i16,
    /// What to do; none for a kind that this release does not run.
    pub task: Option<Task>,
    /// Its item, and where the media is stored; none when the item was deleted or there is none.
    pub item: Option<ClaimedItem>,
    /// What to render, for a render.
    pub render: Option<ClaimedRender>,
    /// All minutes that are held for it, in hundredths.
    pub held: i64,
    /// Whether this job also stores the speech read.
    pub owns_speech: bool,
    /// The item's stored speech, for a read that uses it; none when it is not stored.
    pub speech: Option<StoredSpeech>,
    /// The workspace that it acts in.
    pub workspace: WorkspaceId,
    /// The account that pays.
    pub payer: AccountId,
    /// The account that owns the workspace; a new item uses its storage.
    pub owner: AccountId,
    /// Seconds from when it was due until this claim.
    pub waited_seconds: f64,
}

impl Claimed {
    /// Whether an item that it needs was deleted: then there is nothing to do, and nothing to charge.
    pub fn is_orphaned(&self) -> bool {
        let lacks_some = |render: &ClaimedRender| matches!(render.music, Some(Music::Gone)) || render.others.is_none();
        let needs_none = self.item.is_none() && self.render.as_ref().is_some_and(ClaimedRender::needs_no_item);
        (self.item.is_none() && !needs_none) || self.render.as_ref().is_some_and(lacks_some)
    }
}

/// The item of a claimed job.
#[derive(Debug, Clone)]
pub struct ClaimedItem {
    /// Its id.
    pub id: ItemId,
    /// Its media's key in the media store.
    pub object_key: String,
    /// Its probed duration in milliseconds; 0 when it has none.
    pub duration_ms: i64,
    /// Its size in bytes.
    pub bytes: i64,
    /// SHA-256 of its bytes; none when it is not known.
    pub sha256: Option<Vec<u8>>,
}

impl ClaimedItem {
    /// Returns the location of its bytes.
    pub fn media(&self) -> StoredMedia {
        StoredMedia { object_key: self.object_key.clone(), bytes: self.bytes, sha256: self.sha256.clone() }
    }
}

/// Where the result of a stored speech read is.
#[derive(Debug, Clone)]
pub enum StoredSpeech {
    /// In its row, as JSON text.
    Inline(String),
    /// In the media store, under this key.
    Object(String),
}

/// What a claimed job is to render.
#[derive(Debug, Clone)]
pub struct ClaimedRender {
    /// The plan as it is stored (`domain::render`).
    pub plan: Value,
    /// Its hash.
    pub hash: Vec<u8>,
    /// The new item's id.
    pub output: ItemId,
    /// The new item's name.
    pub name: String,
    /// The music that it needs; none when it needs none.
    pub music: Option<Music>,
    /// The further items that it needs; none when one of them was deleted.
    pub others: Option<Vec<ClaimedItem>>,
}

impl ClaimedRender {
    /// Whether its plan needs no item: a picture of words and shapes.
    fn needs_no_item(&self) -> bool {
        serde_json::from_value::<RenderPlan>(self.plan.clone()).is_ok_and(|plan| plan.source().is_none())
    }
}

/// The item that a render takes its music from.
#[derive(Debug, Clone)]
pub enum Music {
    /// It is there.
    Here(ClaimedItem),
    /// It was deleted.
    Gone,
}
