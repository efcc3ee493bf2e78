//! One attempt at an upload: its bytes, where they are not here yet, and what is in them.
//!
//! It writes one thing only, that the bytes have been fetched, so that the next attempt need not; what the attempt comes
//! to is written by its caller.

use super::failure::{Failure, facts, settled};
use crate::readers::decode::{Channels, SoundFormat, cover, decode_sound};
use crate::readers::{JobCtx, MediaSource, MediaTools};
use common::domain::item::ItemType;
use common::media::{new_media_key, new_thumbnail_key};
use common::process::Process;
use common::store::items;
use common::store::uploads::{self, Claim, Facts};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The whole of a download, its last byte included.
const FETCH_TIME: Duration = Duration::from_hours(1);
/// A look at a file's headers.
const PROBE_TIME: Duration = Duration::from_mins(1);
/// A count of the sound of a file that does not say how long it is.
const COUNT_TIME: Duration = Duration::from_mins(15);
/// A picture to show of it.
const PICTURE_TIME: Duration = Duration::from_secs(30);
/// Samples a second of that count; what is counted is time, so few will do.
const COUNT_RATE: u32 = 8_000;

/// What an attempt works with.
pub(super) struct Attempt<'a> {
    pub process: &'a Process,
    pub tools: &'a Arc<MediaTools>,
    pub probes: &'a Semaphore,
    pub claim: &'a Claim,
}

impl Attempt<'_> {
    /// What the bytes are, fetched first if need be.
    pub async fn run(&self) -> Result<Facts, Failure> {
        let (key, announced) = match (&self.claim.object_key, &self.claim.source_url) {
            (Some(key), _) => (key.clone(), self.claim.content_type.clone()),
            (None, Some(url)) => self.fetch(url).await?,
            (None, None) => return Err(Failure::missing()),
        };
        self.probe(&key, announced.as_deref()).await
    }

    /// Brings the bytes of a URL into the media store; answers where they are and what type they are said to have.
    async fn fetch(&self, url: &str) -> Result<(String, Option<String>), Failure> {
        let max_bytes = self.room().await?;
        let fetched = self.process.outbound.fetch(url, max_bytes, FETCH_TIME).await?;
        let announced = fetched.content_type.clone();
        let key = new_media_key(self.claim.item_id);
        let written = self.process.media.write(&key, fetched.into_stream(), max_bytes).await?;
        let bytes = i64::try_from(written.bytes).unwrap_or(i64::MAX);
        let mut conn = self.process.pool.acquire().await?;
        let recorded =
            uploads::fetched(&mut conn, self.claim, &key, bytes, &written.sha256, announced.as_deref()).await?;
        drop(conn);
        if !recorded {
            // The claim is lost, so nobody knows of this object but us.
            self.process.media.delete(&key).await?;
            return Err(Failure::missing());
        }
        Ok((key, announced))
    }

    /// Bytes that the download may have: the limit of one file, or what is left of the account's storage.
    async fn room(&self) -> Result<u64, Failure> {
        let settings = &self.process.settings;
        let mut conn = self.process.pool.acquire().await?;
        let kept = items::bytes_kept(&mut conn, self.claim.account_id).await?;
        let left = settings.storage_quota_bytes.saturating_sub(u64::try_from(kept).unwrap_or(0));
        Ok(left.min(settings.max_upload_bytes))
    }

    async fn probe(&self, key: &str, announced: Option<&str>) -> Result<Facts, Failure> {
        let _turn = self.probes.acquire().await.map_err(|_| Failure::panicked())?;
        let local = self.process.media.local(key).await?;
        let media = MediaSource::open(local.path(), self.tools, &within(PROBE_TIME)).await?;
        let mut facts = facts(media.probe(), announced);
        if facts.duration_ms.is_none() && facts.has_audio {
            // A recording whose writer never came back to note its length. It is priced by its length, so count it.
            let few = SoundFormat { rate: COUNT_RATE, channels: Channels::Mono };
            let ctx = within(COUNT_TIME);
            let heard = decode_sound(&media, few, &ctx, |blocks| {
                blocks.for_each(drop);
                Ok(())
            });
            facts.duration_ms = Some(heard.await?.1.duration_ms);
        }
        let mut facts = settled(facts)?;
        facts.thumbnail_key = self.picture(&media, &facts).await;
        Ok(facts)
    }

    /// Keeps a picture of the item to show, and answers where. An item is none the worse without one.
    async fn picture(&self, media: &MediaSource, facts: &Facts) -> Option<String> {
        let duration_ms = match facts.item_type {
            ItemType::Audio => return None,
            ItemType::Image => 0,
            ItemType::Video => facts.duration_ms.unwrap_or(0),
        };
        let jpeg = cover(media, duration_ms, &within(PICTURE_TIME)).await?;
        let key = new_thumbnail_key(self.claim.item_id);
        match self.process.media.put(&key, jpeg.into()).await {
            Ok(()) => Some(key),
            Err(error) => {
                tracing::warn!(item.id = %self.claim.item_id, error = %error, "An item's picture was not kept.");
                None
            }
        }
    }
}

/// A frame for a decoder. Nobody cancels it: an attempt is ended by dropping it, which kills its children.
fn within(time: Duration) -> JobCtx {
    JobCtx::new(Instant::now() + time, CancellationToken::new())
}
