//! The `search_index` read: the moments of a video, to be searched by what is said and shown by a still.
//!
//! `shots` tells the changes of the picture, `moments` makes shots of them, and each gets a still. What is said in them
//! is the transcript's to know: the two are joined when they are read, whichever ended first.

mod moments;
mod shots;

use crate::readers::decode::{small_pictures, still};
use crate::readers::stored::seconds;
use crate::readers::{Engine, JobCtx, MediaSource, OutputFile, ReadError, ReadOutcome, Reader};
use domain::read::Read;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use moments::Moment;
use serde::Serialize;
use shots::Shots;

/// How much of the progress is done once the cuts are found, in percent. The rest is stills.
const LOOKED: u8 = 70;
/// The stills of a read, which are held until it is stored: each is a child process and some 10 KiB.
const MOST_STILLS: MostStills = MostStills { moments: 2_000, bytes: 64 << 20 };

/// The `data` of a `search_index` read (docs/reads.md, "The stored result").
#[derive(Debug, Serialize)]
struct SearchIndexData {
    moments: Vec<Moment>,
}

/// When enough stills are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MostStills {
    /// Moments that get one, at most.
    pub(super) moments: usize,
    /// Total bytes after which no further still is made.
    pub(super) bytes: usize,
}

/// Finds shots on small pictures of all frames.
#[derive(Debug)]
pub(super) struct SearchIndex {
    /// How many stills a read has at most.
    pub(super) most: MostStills,
}

impl Default for SearchIndex {
    fn default() -> Self {
        Self { most: MOST_STILLS }
    }
}

impl Reader for SearchIndex {
    fn read(&self) -> Read {
        Read::SearchIndex
    }

    fn engine(&self) -> Engine {
        Engine { name: "mws-shots".to_owned(), version: "1".to_owned(), model: None }
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.index(media, ctx).boxed()
    }
}

impl SearchIndex {
    async fn index(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let mut shots = Shots::default();
        let looking = ctx.step(0, LOOKED);
        let seen = small_pictures(media, shots::SIZE, &looking, |second, cells| shots.add(second, cells)).await?;
        let mut moments = moments::moments(&shots.finish(), seconds(seen.duration_ms));
        let (files, looked_at) = stills(&mut moments, self.most, media, &ctx.step(LOOKED, 100)).await?;
        ctx.progress.reach(100);
        let mut warnings = seen.warnings;
        if looked_at < moments.len() {
            warnings.push(format!("Only the first {looked_at} of {} moments have a still.", moments.len()));
        }
        let data = SearchIndexData { moments };
        let mut outcome = ReadOutcome::new(self.read(), self.engine(), seen.duration_ms, warnings, &data)?;
        outcome.files = files;
        Ok(outcome)
    }
}

/// Makes a still of each moment and writes its key into the moment. Returns the files and the number of moments that
/// were tried. A moment whose picture can't be decoded has no still.
async fn stills(
    moments: &mut [Moment],
    most: MostStills,
    media: &MediaSource,
    ctx: &JobCtx,
) -> Result<(Vec<OutputFile>, usize), ReadError> {
    let (mut files, mut bytes) = (Vec::new(), 0);
    let count = moments.len().min(most.moments);
    for (number, moment) in moments.iter_mut().take(count).enumerate() {
        if bytes >= most.bytes {
            return Ok((files, number));
        }
        ctx.progress.reach_part(number as u64, count as u64);
        if let Some(jpeg) = still(media, moment.still_second(), ctx).await? {
            bytes += jpeg.len();
            let key = format!("{}/{}.jpg", ctx.files_prefix, moment.id);
            files.push(OutputFile { key: key.clone(), bytes: jpeg.into() });
            moment.thumbnail = Some(key);
        }
    }
    Ok((files, count))
}
