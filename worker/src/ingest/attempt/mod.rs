//! One attempt at an upload: to fetch its bytes, or to find out what is in them.
//!
//! The caller writes how an attempt ended. Fetched bytes are kept under a key that no row names yet, and are deleted if
//! the attempt is given up.

use super::aside::{QUICK_BYTES, Slot};
use super::failure::{Failure, facts, settled};
use super::room::Room;
use crate::readers::decode::{Channels, PICTURE, SoundFormat, cover, decode_sound, picture_length, stream_length};
use crate::readers::{JobCtx, MediaSource, MediaTools, ProcessorTime, ReadError};
use crate::unpaid::Unpaid;
use domain::item::ItemType;
use runtime::media::{new_media_key, new_thumbnail_key};
use runtime::outbound::{FetchLimits, Pace};
use runtime::process::Process;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::uploads::{self, Claim, Facts};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// The time limit of a whole download, its last byte included.
const FETCH_TIME: Duration = Duration::from_hours(1);
/// The time limit of probing a file's headers.
const PROBE_TIME: Duration = Duration::from_mins(1);
/// How long a download, a look at a file, measuring it, and a request to the media store may each stay in the slot.
/// Others wait for the slot no longer than that, and usual work ends within it, even on a busy machine.
const QUICK: Duration = Duration::from_secs(2);
/// The longest that measuring a file of undeclared length may take.
const COUNT_TIME: Duration = Duration::from_mins(15);
/// How long measuring an empty file may take, and what each MiB adds, up to `COUNT_TIME`. An hour of ordinary sound has
/// 40 MiB and takes seconds.
const LEAST_COUNT_TIME: Duration = Duration::from_secs(30);
const COUNT_TIME_A_MIB: Duration = Duration::from_secs(1);
/// The time limit for making a picture to show.
const PICTURE_TIME: Duration = Duration::from_secs(15);
/// The processor time of all that, at most, for an empty file and for each MiB: measuring an hour of ordinary sound
/// takes six seconds.
const MOST_TIME: Duration = Duration::from_secs(10);
const MOST_TIME_A_MIB: Duration = Duration::from_secs(1);
/// The part of it that a file has for its size. The rest counts as unpaid processor time, as a job's does, beyond what
/// its account has free in each minute.
const USUAL_TIME_A_MIB: Duration = Duration::from_millis(200);
/// The samples by which a length is measured: a low rate will do.
const COUNTED: SoundFormat = SoundFormat { rate: 8_000, channels: Channels::Mono };
/// The container whose length is known only by the times of its last packets; the last one may hold a third of a
/// second.
const BY_TIMES: &str = "mpegts";

/// A file with fewer bytes for each second that it declares is looked through: so few are hardly any sound or picture.
const THIN_BYTES_A_SECOND: u64 = 512;

/// The parts that an attempt works with.
pub(super) struct Attempt<'a> {
    pub process: &'a Process,
    pub tools: &'a Arc<MediaTools>,
    pub claim: &'a Claim,
    pub slot: &'a Slot,
    pub unpaid: &'a Unpaid,
}

/// Bytes that were fetched, under a key that no row names yet.
pub(super) struct Fetched {
    pub key: String,
    pub bytes: i64,
    pub sha256: [u8; 32],
    /// The type that they were announced as.
    pub announced: Option<String>,
}

impl Attempt<'_> {
    /// Fetches the bytes of a URL into the media store. A slow download goes on beside the slots.
    pub async fn fetch(&self) -> Result<Fetched, Failure> {
        let (fetched, _place) = Box::pin(self.slot.quickly(QUICK, self.fetch_all())).await;
        fetched
    }

    async fn fetch_all(&self) -> Result<Fetched, Failure> {
        let Some(url) = &self.claim.source_url else { return Err(Failure::missing()) };
        let settings = &self.process.settings;
        let max_bytes = settings.max_upload_bytes.min(settings.storage_quota_bytes);
        let limits = FetchLimits { max_bytes, timeout: FETCH_TIME, pace: Pace::default() };
        let fetched = self.process.outbound.fetch(url, self.claim.account_id, limits).await?;
        let announced = fetched.content_type.clone();
        let room = Room::take(self.process, self.claim, fetched.announced_bytes).await?;
        let key = new_media_key(self.claim.item_id);
        let written = self.process.media.write(&key, room.fill(fetched.into_stream()), max_bytes).await?;
        let bytes = i64::try_from(written.bytes).unwrap_or(i64::MAX);
        Ok(Fetched { key, bytes, sha256: written.sha256, announced })
    }

    /// Finds out what the bytes are, and makes a picture to show.
    pub async fn probe(&self) -> Result<Facts, Failure> {
        let (object, _joined_aside) = self.slot.quickly(QUICK, self.one_object()).await;
        let (key, copying) = object?;
        let received = uploads::whole(&mut *self.process.pool.acquire().await?, self.claim).await?;
        let (bytes, sha256) = received.map_or((0, None), |whole| (whole.bytes, whole.sha256));
        // From a bucket the whole file is copied to this machine, and stays until it was looked at.
        let _copying = match copying {
            None if self.process.media.is_bucket() && bytes > QUICK_BYTES => Some(self.slot.copy_turn().await),
            copying => copying,
        };
        let copied = self.process.media.local_whole(&key, bytes, sha256.as_deref());
        let (local, _copied_aside) = self.slot.quickly(QUICK, copied).await;
        let local = local?;
        let mib = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
        let processor = ProcessorTime::at_most(MOST_TIME + MOST_TIME_A_MIB * mib);
        let seen = self.see(local.path(), &processor).await;
        let beyond = processor.taken().saturating_sub(USUAL_TIME_A_MIB * mib);
        self.unpaid.count_look(self.claim.account_id, beyond).await;
        seen
    }

    async fn see(&self, path: &Path, processor: &ProcessorTime) -> Result<Facts, Failure> {
        let tools = self.tools;
        let open = |ctx| async move { MediaSource::open(path, tools, &ctx).await };
        let media = in_turn(self.slot, PROBE_TIME, processor, open).await?;
        let mut facts = find_facts(&media, self.claim.content_type.as_deref(), self.slot, processor).await?;
        facts.thumbnail_key = self.keep_picture(&media, &facts, processor).await;
        Ok(facts)
    }

    /// Stores a picture of the item and returns its key. An item can do without one.
    async fn keep_picture(&self, media: &MediaSource, facts: &Facts, processor: &ProcessorTime) -> Option<String> {
        let duration_ms = match facts.item_type {
            ItemType::Audio => return None,
            ItemType::Image => 0,
            ItemType::Video => facts.duration_ms.unwrap_or(0),
        };
        let cover = |ctx| async move { cover(media, duration_ms, &ctx).await };
        let jpeg = in_turn(self.slot, PICTURE_TIME, processor, cover).await.unwrap_or_default()?;
        let key = new_thumbnail_key(self.claim.item_id);
        let (kept, _place) = self.slot.quickly(QUICK, self.process.media.put(&key, jpeg.into())).await;
        match kept {
            Ok(()) => Some(key),
            Err(error) => {
                tracing::warn!(item.id = %self.claim.item_id, error = %error, "An item's picture was not kept.");
                None
            }
        }
    }
}

/// Does quick work in the slot. Work that takes longer goes on beside the slots, where it may take `most`: at once if a
/// turn is free, and otherwise it is given up and done again when its turn comes.
async fn in_turn<T, Work: Future<Output = Result<T, ReadError>>>(
    slot: &Slot,
    most: Duration,
    processor: &ProcessorTime,
    work: impl Fn(JobCtx) -> Work,
) -> Result<T, ReadError> {
    if !slot.is_left() {
        let mut working = Box::pin(work(within(most, processor)));
        if let Ok(done) = timeout(QUICK, &mut working).await {
            return done;
        }
        if let Some(_turn) = slot.free_turn() {
            return working.await;
        }
    }
    let (_place, _turn) = slot.turn().await;
    work(within(most, processor)).await
}

/// Returns what this media is, and how long.
async fn find_facts(
    media: &MediaSource,
    announced: Option<&str>,
    slot: &Slot,
    processor: &ProcessorTime,
) -> Result<Facts, Failure> {
    let mut facts = facts(media.probe(), announced);
    match facts.duration_ms {
        None => facts.duration_ms = count_length(media, &facts, slot, processor).await?,
        // If measuring fails, the length that the file declares stands: a read of it will report why.
        Some(_) if facts.has_audio && media.probe().format_name == BY_TIMES => {
            facts.duration_ms =
                facts.duration_ms.max(count_length(media, &facts, slot, processor).await.unwrap_or(None));
        }
        Some(declared) if is_thin(media, declared) => {
            let found = look_through(media, slot, processor).await.unwrap_or(None);
            // What is somewhat shorter may be so for its own reasons.
            facts.duration_ms = found.filter(|ms| *ms > 0 && ms.saturating_mul(2) < declared).or(Some(declared));
        }
        Some(_) => {}
    }
    settled(facts)
}

/// Whether the file has hardly a byte for what it declares.
fn is_thin(media: &MediaSource, declared_ms: i64) -> bool {
    let seconds = declared_ms.unsigned_abs() / 1_000;
    media.file().metadata().is_ok_and(|file| file.len() < seconds.saturating_mul(THIN_BYTES_A_SECOND))
}

/// Returns how long the longer of its sound and its picture lasts by the times of their packets, in milliseconds.
/// Nothing is decoded.
async fn look_through(media: &MediaSource, slot: &Slot, processor: &ProcessorTime) -> Result<Option<i64>, ReadError> {
    let most = count_time(media.file().metadata()?.len());
    let sound = media.probe().audio.as_ref().map(|audio| audio.index.to_string());
    let picture = media.probe().has_video.then(|| PICTURE.to_owned());
    let mut longest = None;
    for stream in sound.iter().chain(&picture) {
        let length = |ctx| async move { stream_length(media, stream, &ctx).await };
        longest = longest.max(Some(in_turn(slot, most, processor, length).await?));
    }
    Ok(longest)
}

/// Returns the true length in milliseconds of a file that does not declare it: a recording whose writer never noted it,
/// or a format that has no field for it. Reads are priced by it, get their time by it, and end there. A short file is
/// measured in the slot: beside the slots it would wait for others' long ones.
async fn count_length(
    media: &MediaSource,
    facts: &Facts,
    slot: &Slot,
    processor: &ProcessorTime,
) -> Result<Option<i64>, ReadError> {
    if !facts.has_audio && !facts.has_video {
        return Ok(None);
    }
    let most = count_time(media.file().metadata()?.len());
    let sound = |ctx| async move {
        let heard = decode_sound(media, COUNTED, &ctx, |blocks| {
            blocks.for_each(drop);
            Ok(())
        });
        heard.await.map(|((), decoded)| decoded.duration_ms)
    };
    // Nothing is decoded: a picture may be so large that hours of them take hours.
    let picture = |ctx| async move { picture_length(media, &ctx).await };
    let length = if facts.has_audio {
        in_turn(slot, most, processor, sound).await?
    } else {
        in_turn(slot, most, processor, picture).await?
    };
    Ok(Some(length))
}

/// Returns how long measuring a file of `bytes` bytes may take: many times what sound of an ordinary rate takes, so
/// that a small file that claims to last days gets no more.
fn count_time(bytes: u64) -> Duration {
    (LEAST_COUNT_TIME + COUNT_TIME_A_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX)).min(COUNT_TIME)
}

/// Returns the milliseconds that an item of this media would last; none where it would be no item.
#[cfg(test)]
pub(crate) async fn length_ms(media: &MediaSource) -> Option<i64> {
    find_facts(media, None, &Slot::alone(), &ProcessorTime::unbounded())
        .await
        .ok()
        .map(|facts| facts.duration_ms.unwrap_or(0))
}

/// Returns a context for a decoder. Nobody cancels it: an attempt is ended by dropping it, which kills its children.
fn within(time: Duration, processor: &ProcessorTime) -> JobCtx {
    let ctx = JobCtx::new(Instant::now() + time, CancellationToken::new());
    JobCtx { processor: processor.clone(), ..ctx }
}

#[cfg(test)]
mod tests;
