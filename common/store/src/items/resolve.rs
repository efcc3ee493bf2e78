//! Looks up many refs in one statement, for tools that take `ref` or `refs` (contract §4.2).

use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ItemId, JobId, WorkspaceId};
use domain::item::{ItemName, ItemStatus, ItemType};
use domain::media_time::FrameRate;
use domain::media_use::{Media, is_svg};
use domain::minutes::Minutes;
use domain::pixels::Pictures;
use domain::plan::LiveJob;
use domain::read::Read;
use sqlx::PgConnection;

/// An item with what decides whether a read applies to it, can start, or is stored already.
#[derive(Debug, Clone)]
pub struct ItemForReads {
    /// Its id.
    pub id: ItemId,
    /// The account that owns its workspace, and therefore its jobs' events.
    pub account_id: AccountId,
    /// Its `ref`, even if it was found by another name.
    pub item_ref: String,
    /// Its name.
    pub name: String,
    /// Its type; none until it is probed.
    pub item_type: Option<ItemType>,
    /// Its status; only a ready item can be read.
    pub status: ItemStatus,
    /// The code and the message of the error that it failed with; none when it has not failed.
    pub error: Option<(String, String)>,
    /// Its duration in milliseconds; none for a picture, and until it is probed.
    pub duration_ms: Option<i64>,
    /// Whether it has sound.
    pub has_audio: bool,
    /// Whether it has moving pictures.
    pub has_video: bool,
    /// Whether it is an SVG.
    pub is_svg: bool,
    /// Its frame rate, which a video's cuts are aligned to; none for sound, and for items probed before rates were
    /// stored.
    pub frame_rate: Option<FrameRate>,
    /// What its pictures add to the cost of work on it; none without pictures.
    pub pictures: Pictures,
    /// Until when a client computes its reads itself; none without such a lease, or after it.
    pub leased_until: Option<DateTime<Utc>>,
    /// The reads stored on it.
    pub reads: Vec<Read>,
    /// The reads that live jobs will store on it, each with its job.
    pub live: Vec<(Read, LiveJob)>,
}

impl ItemForReads {
    /// Returns what decides what it may be used as; none until it is probed.
    pub fn media(&self) -> Option<Media> {
        let (has_audio, has_video, is_svg) = (self.has_audio, self.has_video, self.is_svg);
        self.item_type.map(|kind| Media { kind, has_audio, has_video, is_svg })
    }
}

/// The item that a ref names, if any.
#[derive(Debug, Clone)]
pub enum Resolved {
    /// An item of the caller's workspace.
    Here(Box<ItemForReads>),
    /// An item of another workspace (`workspace_forbidden`).
    Elsewhere,
    /// No item, or a deleted one (`item_not_found`).
    Unknown,
}

/// Returns the frame rate that is stored in two columns; none when it is not stored.
fn rate_of(frames: Option<i32>, seconds: Option<i32>) -> Option<FrameRate> {
    let (frames, seconds) = frames.zip(seconds)?;
    FrameRate::new(u32::try_from(frames).ok()?, u32::try_from(seconds).ok()?)
}

/// Returns the same, with 30 frames a second for a film that was probed before rates were stored.
pub(super) fn shown_rate(frames: Option<i32>, seconds: Option<i32>, has_video: bool) -> Option<FrameRate> {
    rate_of(frames, seconds).or_else(|| if has_video { FrameRate::new(30, 1) } else { None })
}

/// Returns what each of these refs names, in their order, for a call that acts in `workspace`.
///
/// Ids are looked up in every workspace, so that an item which the caller can't reach is told apart from one that does
/// not exist; other refs are looked up only in the caller's own.
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
        let jobs = row.live_jobs.into_iter().zip(row.live_estimates);
        let live = row.live_reads.iter().zip(jobs).filter_map(|(name, (id, estimate))| {
            Some((Read::from_name(name)?, LiveJob { id, estimate: Minutes::from_hundredths(estimate) }))
        });
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
            is_svg: is_svg(row.content_type.as_deref()),
            frame_rate: rate_of(row.rate_frames, row.rate_seconds),
            pictures: Pictures::of(row.width, row.height, shown_rate(row.rate_frames, row.rate_seconds, row.has_video)),
            leased_until: row.leased_until,
            reads: row.reads.iter().filter_map(|name| Read::from_name(name)).collect(),
            live: live.collect(),
        }));
    }
    Ok(resolved)
}
