//! What refs name: many at once, in one statement, for tools that take `ref` or `refs` (contract §4.2).

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::item::{ItemName, ItemStatus, ItemType};
use domain::media_time::FrameRate;
use domain::pixels::Pictures;
use domain::read::Read;
use sqlx::PgConnection;

/// An item as far as a read is concerned: whether it applies, can start, or is stored already.
#[derive(Debug, Clone)]
pub struct ItemForReads {
    /// Its id.
    pub id: ItemId,
    /// The account its workspace belongs to, who owns the events of its jobs.
    pub account_id: AccountId,
    /// Its `ref`, whichever name it was asked by.
    pub item_ref: String,
    /// What people call it.
    pub name: String,
    /// None until it was probed.
    pub item_type: Option<ItemType>,
    /// Only a ready one can be read.
    pub status: ItemStatus,
    /// Why it failed, if it did: code and message.
    pub error: Option<(String, String)>,
    /// Milliseconds. None for an image, and until it was probed.
    pub duration_ms: Option<i64>,
    /// Whether it has sound.
    pub has_audio: bool,
    /// Whether it has moving pictures.
    pub has_video: bool,
    /// The frames on which a video's cuts stand; none for sound, and for what was probed before that was asked.
    pub frame_rate: Option<FrameRate>,
    /// Its pictures, as far as work on it costs by them; none of what has none.
    pub pictures: Pictures,
    /// Until when a computer holds its reads back; only while that lease lives.
    pub leased_until: Option<DateTime<Utc>>,
    /// The reads stored on it.
    pub reads: Vec<Read>,
}

/// What one ref names.
#[derive(Debug, Clone)]
pub enum Resolved {
    /// An item of the caller's workspace.
    Here(Box<ItemForReads>),
    /// An item of another workspace (`workspace_forbidden`).
    Elsewhere,
    /// No item, or a deleted one (`item_not_found`).
    Unknown,
}

/// A rate as the columns have it.
fn rate_of(frames: Option<i32>, seconds: Option<i32>) -> Option<FrameRate> {
    let (frames, seconds) = frames.zip(seconds)?;
    FrameRate::new(u32::try_from(frames).ok()?, u32::try_from(seconds).ok()?)
}

/// The same of a film that was probed before its rate was asked for: the usual one.
pub(super) fn shown_rate(frames: Option<i32>, seconds: Option<i32>, has_video: bool) -> Option<FrameRate> {
    rate_of(frames, seconds).or_else(|| if has_video { FrameRate::new(30, 1) } else { None })
}

/// What each of these refs names, in their order, for a call that acts in `workspace`.
///
/// Ids are looked up in every workspace, so that one the caller can't reach is told from one that does not exist; a
/// free text only in the caller's own.
pub async fn resolve(conn: &mut PgConnection, refs: &[String], workspace: WorkspaceId) -> sqlx::Result<Vec<Resolved>> {
    let names: Vec<ItemName<'_>> = refs.iter().map(|text| ItemName::of(text)).collect();
    let ids: Vec<Option<ItemId>> =
        names.iter().map(|name| if let ItemName::Id(id) = name { Some(*id) } else { None }).collect();
    let jobs: Vec<Option<JobId>> =
        names.iter().map(|name| if let ItemName::MadeBy(id) = name { Some(*id) } else { None }).collect();
    let texts: Vec<Option<&str>> =
        names.iter().map(|name| if let ItemName::Ref(text) = name { Some(*text) } else { None }).collect();
    let rows = sqlx::query_file!(
        "src/items/resolve.sql",
        &ids as &[Option<ItemId>],
        &jobs as &[Option<JobId>],
        &texts as &[Option<&str>],
        workspace as WorkspaceId,
    )
    .fetch_all(conn)
    .await?;

    let mut resolved = vec![Resolved::Unknown; refs.len()];
    for row in rows {
        let Some(slot) = usize::try_from(row.position - 1).ok().and_then(|position| resolved.get_mut(position)) else {
            continue;
        };
        if row.workspace_id != workspace {
            *slot = Resolved::Elsewhere;
            continue;
        }
        *slot = Resolved::Here(Box::new(ItemForReads {
            id: row.id,
            account_id: row.account_id,
            item_ref: row.item_ref,
            name: row.name,
            item_type: row.item_type,
            status: row.status,
            error: row.error_code.map(|code| (code, row.error_message.unwrap_or_default())),
            duration_ms: row.duration_ms,
            has_audio: row.has_audio,
            has_video: row.has_video,
            frame_rate: rate_of(row.rate_frames, row.rate_seconds),
            pictures: Pictures::of(row.width, row.height, shown_rate(row.rate_frames, row.rate_seconds, row.has_video)),
            leased_until: row.leased_until,
            reads: row.reads.iter().filter_map(|name| Read::from_name(name)).collect(),
        }));
    }
    Ok(resolved)
}
