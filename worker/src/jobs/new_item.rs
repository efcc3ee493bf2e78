//! New items: room for them in the account's storage, and their media in the media store, under keys that name the
//! claim.
//!
//! No row names an object until the job's end is committed. The scheduler's `prune_renders` deletes those that a lost
//! claim has left. Neighbours: `render`, `generation` and `dub`, which have media made.

use crate::jobs::Worker;
use crate::new_media::NewMedia;
use crate::readers::ReadError;
use domain::generation::MadeBy;
use domain::ids::ItemId;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use runtime::media::{WriteError, new_thumbnail_key, rendered_key};
use std::io;
use std::time::Duration;
use store::jobs::Claimed;
use store::new_item::{self, Inherited, JobItem};
use store::{is_refused_for_good, items, renders};
use tokio::time::sleep;
use tokio_util::io::ReaderStream;

/// Bytes that are moved to the media store at once.
const CHUNK_BYTES: usize = 1 << 20;
/// The pauses before the database is asked again: half a minute in all.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(15),
];

/// A claim's new item, apart from its media.
pub(super) struct ItemToCome {
    /// Its id.
    pub(super) id: ItemId,
    /// The item's name.
    pub(super) name: String,
    /// The hash by which a repeat of the same plan finds it.
    pub(super) hash: Vec<u8>,
    /// How the item will say that it was made.
    pub(super) made_by: MadeBy,
}

impl Worker {
    /// Puts media and its picture into the media store, for the claim's end to make an item of it. The item is
    /// synthetic where one of its sources is, and a film where it shows one once more.
    pub(super) async fn new_item(
        &self,
        claimed: &Claimed,
        to_come: ItemToCome,
        made: NewMedia,
        most_bytes: u64,
    ) -> Result<JobItem, ReadError> {
        let ItemToCome { id, name, hash, mut made_by } = to_come;
        let NewMedia { file, mut facts, picture } = made;
        let object_key = rendered_key(id, claimed.job, claimed.claim_no);
        let bytes = ReaderStream::with_capacity(tokio::fs::File::from_std(file), CHUNK_BYTES);
        let written = self.process.media.write(&object_key, bytes, most_bytes).await.map_err(not_written)?;
        if let Some(jpeg) = picture {
            let key = new_thumbnail_key(id);
            self.process.media.put(&key, jpeg.into()).await.map_err(io::Error::other)?;
            facts.thumbnail_key = Some(key);
        }
        let inherited = patiently(|| self.inherited(&made_by).boxed()).await?;
        made_by.synthetic |= inherited.synthetic;
        made_by.film |= inherited.film;
        Ok(JobItem {
            id,
            job: claimed.job,
            hash,
            workspace: claimed.workspace,
            account: claimed.owner,
            name,
            facts,
            bytes: i64::try_from(written.bytes).unwrap_or(i64::MAX),
            sha256: written.sha256.to_vec(),
            object_key,
            made_by,
        })
    }

    /// Transaction "reserve": storage for the new item, before its bytes are kept. Two renders that would each fit
    /// alone must not both take the last of it. What the job reserved before is replaced; its end releases it.
    pub(super) async fn reserve(&self, claimed: &Claimed, bytes: u64) -> Result<(), ReadError> {
        self.reserve_beyond(claimed, bytes, 0).await
    }

    /// As [`Self::reserve`], for what is paid already: with it the account may keep so many bytes more than it may
    /// otherwise.
    pub(super) async fn reserve_beyond(&self, claimed: &Claimed, bytes: u64, beyond: u64) -> Result<(), ReadError> {
        let quota = self.process.settings.storage_quota_bytes.saturating_add(beyond);
        let fits = patiently(|| self.reserve_once(claimed, bytes, quota).boxed()).await?;
        if fits { Ok(()) } else { Err(ReadError::NoRoom) }
    }

    async fn reserve_once(&self, claimed: &Claimed, bytes: u64, quota: u64) -> sqlx::Result<bool> {
        let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        let mut reserve = self.process.pool.begin().await?;
        items::lock_storage(&mut reserve, claimed.owner).await?;
        let (job, claim_no) = (claimed.job, claimed.claim_no);
        let fits = renders::reserve(&mut reserve, job, claim_no, claimed.owner, number(bytes), number(quota)).await?;
        reserve.commit().await?;
        Ok(fits)
    }

    async fn inherited(&self, made_by: &MadeBy) -> sqlx::Result<Inherited> {
        new_item::inherited(&mut *self.process.pool.acquire().await?, made_by).await
    }

    /// Returns how many bytes the new item may have: the limit of one file, or what is left of the account's storage.
    pub(super) async fn room(&self, claimed: &Claimed) -> Result<u64, ReadError> {
        let settings = &self.process.settings;
        let kept = async {
            let mut conn = self.process.pool.acquire().await?;
            let kept = items::bytes_kept(&mut conn, claimed.owner).await?;
            // Storage that an earlier attempt reserved counts as this one's.
            Ok::<i64, sqlx::Error>(kept - renders::reserved(&mut conn, claimed.job).await?)
        };
        let kept = kept.await.map_err(io::Error::other)?;
        let left = settings.storage_quota_bytes.saturating_sub(u64::try_from(kept).unwrap_or(0));
        if left == 0 { Err(ReadError::NoRoom) } else { Ok(left.min(settings.max_upload_bytes)) }
    }
}

/// Asks the database until it answers, or refuses for good: what was made took minutes or is paid for, and the end of
/// its job is written as patiently. What may have been committed is the same when it is asked again.
pub(super) async fn patiently<'a, T>(ask: impl Fn() -> BoxFuture<'a, sqlx::Result<T>>) -> Result<T, ReadError> {
    for pause in PAUSES {
        match ask().await {
            Err(error) if !is_refused_for_good(&error) => {
                tracing::warn!(%error, "The database does not answer for what was made; asking again.");
                sleep(pause).await;
            }
            answered => return answered.map_err(not_answered),
        }
    }
    ask().await.map_err(not_answered)
}

fn not_answered(error: sqlx::Error) -> ReadError {
    io::Error::other(error).into()
}

fn not_written(error: WriteError<io::Error>) -> ReadError {
    match error {
        WriteError::TooLarge(_) => ReadError::NoRoom,
        WriteError::Source(error) => error.into(),
        WriteError::Store(error) => io::Error::other(error).into(),
    }
}
