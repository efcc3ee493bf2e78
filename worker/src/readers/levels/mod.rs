//! The `levels` read: the loudness of a media's sound, with an outline of it for drawing.
//!
//! Measured on the file's own channels and at its own rate, since mixing or resampling would change the peaks.
//! `loudness` and `peaks` do the measuring.

mod loudness;
mod peaks;

use crate::readers::decode::{Channels, DecodeSummary, SoundFormat, decode_sound};
use crate::readers::{Engine, JobCtx, MediaSource, ReadError, ReadOutcome, Reader};
use domain::read::Read;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use loudness::{LevelsData, Meter};

/// The sample rates that are measured unchanged; others are resampled to the nearer end.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=192_000;

/// Measures loudness with `ebur128`.
#[derive(Debug)]
pub(super) struct Levels;

/// Returns a media's integrated loudness in LUFS, none for silence, and its length in milliseconds.
pub(crate) async fn integrated_loudness(media: &MediaSource, ctx: &JobCtx) -> Result<(Option<f64>, i64), ReadError> {
    let (levels, decoded) = measure_sound(media, ctx).await?;
    Ok((levels.integrated_lufs(), decoded.duration_ms))
}

/// Measures a media on its own channels, at its own rate.
async fn measure_sound(media: &MediaSource, ctx: &JobCtx) -> Result<(LevelsData, DecodeSummary), ReadError> {
    let audio = media.probe().audio.as_ref().ok_or(ReadError::NoAudio)?;
    let rate = audio.rate.clamp(*RATES.start(), *RATES.end());
    let mut meter = Meter::new(rate, audio.channels, audio.layout.as_deref())?;
    let wanted = SoundFormat { rate, channels: Channels::Native };
    decode_sound(media, wanted, ctx, move |mut blocks| {
        blocks.try_for_each(|block| meter.add(&block))?;
        meter.finish()
    })
    .await
}

impl Reader for Levels {
    fn read(&self) -> Read {
        Read::Levels
    }

    fn engine(&self) -> Engine {
        Engine { name: "ebur128".to_owned(), version: "0.1".to_owned(), model: None }
    }

    fn run<'a>(&'a self, media: &'a MediaSource, ctx: &'a JobCtx) -> BoxFuture<'a, Result<ReadOutcome, ReadError>> {
        self.measure(media, ctx).boxed()
    }
}

impl Levels {
    async fn measure(&self, media: &MediaSource, ctx: &JobCtx) -> Result<ReadOutcome, ReadError> {
        let (levels, decoded) = measure_sound(media, ctx).await?;
        ctx.progress.reach(100);
        ReadOutcome::new(self.read(), self.engine(), decoded.duration_ms, decoded.warnings, &levels)
    }
}
