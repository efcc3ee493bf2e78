//! One attempt at an upload: to fetch its bytes, or to find out what is in them.
//!
//! The caller writes how an attempt ended. Fetched bytes are kept under a key that no row names yet, and are deleted if
//! the attempt is given up.

use super::aside::Slot;
use super::failure::{Failure, facts, settled};
use super::room::Room;
use crate::readers::decode::{Channels, SoundFormat, cover, decode_sound, picture_length};
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
/// How long a download stays in its slot.
const QUICK_FETCH: Duration = Duration::from_secs(10);
/// The longest that measuring a file of undeclared length may take.
const COUNT_TIME: Duration = Duration::from_mins(15);
/// The same limit for an empty file, and what each MiB adds. An hour of ordinary sound has 40 MiB and takes seconds.
const LEAST_COUNT_TIME: Duration = Duration::from_secs(30);
const COUNT_TIME_A_MIB: Duration = Duration::from_secs(1);
/// The time limit for making a picture to show.
const PICTURE_TIME: Duration = Duration::from_secs(15);
/// The processor time of all that, at most, for an empty file and for each MiB: measuring an hour of ordinary sound
/// takes six seconds.
const MOST_TIME: Duration = Duration::from_secs(10);
const MOST_TIME_A_MIB: Duration = Duration::from_secs(1);
/// The part of it that uploads have for free; the rest counts as unpaid processor time, as a job's does.
const USUAL_TIME: Duration = Duration::from_secs(3);
const USUAL_TIME_A_MIB: Duration = Duration::from_millis(200);
/// How long probing, and making the picture, each stay in the slot.
const QUICK_LOOK: Duration = Duration::from_secs(3);
/// Samples per second when a length is measured: a low rate will do.
const COUNT_RATE: u32 = 8_000;
/// The container whose length is known only by the times of its last packets; the last one may hold a third of a
/// second.
const BY_TIMES: &str = "mpegts";

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
        let mut fetching = std::pin::pin!(self.fetch_all());
        if let Ok(fetched) = timeout(QUICK_FETCH, &mut fetching).await {
            return fetched;
        }
        let place = self.slot.leave();
        if !place.is_aside() {
            tracing::warn!(upload.id = %self.claim.id, "A slow download stays in its slot: as many as may go on beside the slots.");
        }
        fetching.await
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
        let (key, _place) = self.one_object().await?;
        let received = uploads::whole(&mut *self.process.pool.acquire().await?, self.claim).await?;
        let bytes = received.map_or(0, |whole| whole.bytes);
        let local = self.process.media.local_whole(&key, bytes).await?;
        let mib = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
        let processor = ProcessorTime::at_most(MOST_TIME + MOST_TIME_A_MIB * mib);
        let seen = self.see(local.path(), &processor).await;
        let usual = USUAL_TIME + USUAL_TIME_A_MIB * mib;
        self.unpaid.count(self.claim.account_id, processor.taken().saturating_sub(usual)).await;
        seen
    }

    async fn see(&self, path: &Path, processor: &ProcessorTime) -> Result<Facts, Failure> {
        let tools = self.tools;
        let open = |ctx| async move { MediaSource::open(path, tools, &ctx).await };
        let media = in_turn(self.slot, PROBE_TIME, processor, open).await?;
        let mut facts = told(&media, self.claim.content_type.as_deref(), self.slot, processor).await?;
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
        match self.process.media.put(&key, jpeg.into()).await {
            Ok(()) => Some(key),
            Err(error) => {
                tracing::warn!(item.id = %self.claim.item_id, error = %error, "An item's picture was not kept.");
                None
            }
        }
    }
}

/// Does quick work in the slot. Work that takes longer is given up and done again beside the slots, when its turn
/// comes: there it may take `most`.
async fn in_turn<T, Work: Future<Output = Result<T, ReadError>>>(
    slot: &Slot,
    most: Duration,
    processor: &ProcessorTime,
    work: impl Fn(JobCtx) -> Work,
) -> Result<T, ReadError> {
    if !slot.is_left() {
        match work(within(QUICK_LOOK, processor)).await {
            Err(ReadError::Timeout) => {}
            done => return done,
        }
    }
    let (_place, _turn) = slot.turn().await;
    work(within(most, processor)).await
}

/// Returns what this media is, and how long.
async fn told(
    media: &MediaSource,
    announced: Option<&str>,
    slot: &Slot,
    processor: &ProcessorTime,
) -> Result<Facts, Failure> {
    let mut facts = facts(media.probe(), announced);
    match facts.duration_ms {
        None => facts.duration_ms = counted(media, &facts, slot, processor).await?,
        // If measuring fails, the length that the file declares stands: a read of it will report why.
        Some(_) if facts.has_audio && media.probe().format_name == BY_TIMES => {
            facts.duration_ms = facts.duration_ms.max(counted(media, &facts, slot, processor).await.unwrap_or(None));
        }
        Some(_) => {}
    }
    settled(facts)
}

/// Returns the true length in milliseconds of a file that does not declare it: a recording whose writer never noted it,
/// or a format that has no field for it. Reads are priced by it, get their time by it, and end there. Measuring takes
/// long, so it is done beside the slots.
async fn counted(
    media: &MediaSource,
    facts: &Facts,
    slot: &Slot,
    processor: &ProcessorTime,
) -> Result<Option<i64>, ReadError> {
    if !facts.has_audio && !facts.has_video {
        return Ok(None);
    }
    let (_place, _turn) = slot.turn().await;
    let ctx = within(count_time(media.file().metadata()?.len()), processor);
    if facts.has_audio {
        let few = SoundFormat { rate: COUNT_RATE, channels: Channels::Mono };
        let heard = decode_sound(media, few, &ctx, |blocks| {
            blocks.for_each(drop);
            Ok(())
        });
        return Ok(Some(heard.await?.1.duration_ms));
    }
    // Nothing is decoded: a picture may be so large that hours of them take hours.
    Ok(Some(picture_length(media, &ctx).await?))
}

/// Returns how long measuring a file of `bytes` bytes may take: many times what sound of an ordinary rate takes, so
/// that a small file that claims to last days gets no more.
fn count_time(bytes: u64) -> Duration {
    (LEAST_COUNT_TIME + COUNT_TIME_A_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX)).min(COUNT_TIME)
}

/// Returns the milliseconds that an item of this media would last; none where it would be no item.
#[cfg(test)]
pub(crate) async fn length_ms(media: &MediaSource) -> Option<i64> {
    told(media, None, &Slot::alone(), &ProcessorTime::unbounded())
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
mod tests {
    use super::*;
    use crate::readers::decode::{SmallSize, small_pictures};
    use crate::readers::tests::{Studio, an_hour};

    #[tokio::test]
    async fn what_takes_longer_than_a_moment_is_done_again_beside_the_slots() {
        let slot = Slot::alone();
        let free = ProcessorTime::unbounded();
        let quick = in_turn(&slot, PROBE_TIME, &free, |_| async { Ok(1) }).await;
        assert!(matches!(quick, Ok(1)) && !slot.is_left());
        let looks = std::cell::Cell::new(0);
        let looking = |_| async {
            looks.set(looks.get() + 1);
            if slot.is_left() { Ok(looks.get()) } else { Err(ReadError::Timeout) }
        };
        assert!(matches!(in_turn(&slot, PROBE_TIME, &free, looking).await, Ok(2)));
        let wrong = in_turn(&Slot::alone(), PROBE_TIME, &free, |_| async { Err::<(), _>(ReadError::NoAudio) }).await;
        assert!(matches!(wrong, Err(ReadError::NoAudio)), "what is wrong with it is wrong beside the slots too");
    }

    #[tokio::test]
    async fn a_picture_to_show_is_a_key_frame_and_costs_no_others() {
        let studio = Studio::new();
        let [red, blue] = [("red", 2), ("blue", 98)].map(|(name, d)| format!("color=c={name}:s=64x64:r=10:d={d}"));
        let film = format!("{red}[a];{blue}[b];[a][b]concat");
        for (keys, is_red) in [("600", true), ("50", false)] {
            let path = studio.make(
                &format!("{keys}.mp4"),
                &film,
                &["-c:v", "mpeg4", "-sc_threshold", "1000000000", "-g", keys],
            );
            let media = studio.open(&path, &an_hour()).await.unwrap();
            let jpeg = cover(&media, 100_000, &an_hour()).await.unwrap().expect("a picture");
            let shown = path.with_extension("jpg");
            std::fs::write(&shown, jpeg).unwrap();
            let moving = studio.make(&format!("{keys}.mkv"), &format!("movie={}", shown.display()), &["-c:v", "mpeg4"]);
            let shown = studio.open(&moving, &an_hour()).await.unwrap();
            let mut found = Vec::new();
            small_pictures(&shown, SmallSize { width: 8, height: 2 }, &an_hour(), |_, cells| {
                found.extend_from_slice(cells);
            })
            .await
            .unwrap();
            // Three planes: how bright, how blue, how red.
            let plane = found.len() / 3;
            assert_eq!(found[2 * plane] > found[plane], is_red, "a key frame each {keys} frames");
        }
    }

    #[tokio::test]
    async fn what_does_not_say_how_long_it_is_is_counted() {
        let studio = Studio::new();
        let loud_then_still = "anoisesrc=d=10:r=44100:seed=1,apad=whole_dur=30";
        let still_then_loud = "anoisesrc=d=30:r=44100:seed=1,volume='gt(t,20)':eval=frame";
        let screen = "testsrc=s=64x48:r=10:d=30";
        let no_tag = &["-c:a", "libmp3lame", "-q:a", "4", "-write_xing", "0"][..];
        for (name, source, codecs) in [
            ("loud.aac", loud_then_still, &["-c:a", "aac", "-b:a", "96k"][..]),
            ("still.aac", still_then_loud, &["-c:a", "aac", "-b:a", "96k"]),
            ("loud.mp3", loud_then_still, no_tag),
            ("still.mp3", still_then_loud, no_tag),
            ("microphone.mkv", loud_then_still, &["-c:a", "libopus", "-live", "1"]),
            ("screen.mkv", screen, &["-c:v", "mpeg4", "-live", "1"]),
        ] {
            let path = studio.make(name, source, codecs);
            let media = studio.open(&path, &an_hour()).await.unwrap();
            assert_eq!(media.probe().duration_ms, None, "{name}");
            let counted =
                told(&media, None, &Slot::alone(), &ProcessorTime::unbounded()).await.unwrap().duration_ms.unwrap();
            println!("{name}: {counted} ms");
            assert!((counted - 30_000).abs() <= 110, "{name}: {counted}");
        }
    }
}
