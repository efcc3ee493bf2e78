//! The sound of a media file as a stream of blocks, decoded by `ffmpeg` and never held whole.
//!
//! Blocks go through a short queue to an analysis on a thread of its own, so that the async runtime never waits for the
//! decoder or the analysis. Time starts with the media: silence stands in for sound that starts late or has a gap. The
//! sound that is counted here is charged, and only what is paid for is handed out (`paid`), whatever the container
//! declares.

mod stream;

pub(crate) use stream::SoundStream;

use super::MediaSource;
use super::decoded::DecodeSummary;
use super::probe::AudioStream;
use crate::readers::{JobCtx, ReadError};
use tokio::sync::mpsc;

/// Blocks that may be queued for the analysis.
const QUEUED_BLOCKS: usize = 8;

/// The channels that are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channels {
    /// All channels, unchanged.
    Native,
    /// One channel, mixed from all.
    Mono,
    /// Two channels; a mono source is copied to both, sample by sample.
    Stereo,
}

impl Channels {
    /// Returns how many channels these are for that sound.
    fn of(self, audio: &AudioStream) -> u32 {
        match self {
            Self::Native => audio.channels,
            Self::Mono => 1,
            Self::Stereo => 2,
        }
    }
}

/// The format of the wanted samples: `f32`, interleaved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoundFormat {
    /// Samples per second.
    pub rate: u32,
    /// The channels.
    pub channels: Channels,
}

/// The decoded blocks, in order. Each holds whole frames of interleaved samples, all finite.
#[derive(Debug)]
pub struct SoundBlocks(mpsc::Receiver<Vec<f32>>);

impl Iterator for SoundBlocks {
    type Item = Vec<f32>;

    fn next(&mut self) -> Option<Vec<f32>> {
        self.0.blocking_recv()
    }
}

/// Decodes the sound of `media` and has `analyse` go through it on a blocking thread.
///
/// Returns the result of `analyse`. `NoAudio` without sound, `Corrupt` when none of it can be decoded; a file that ends
/// early or is damaged further on gives what there is, with a warning.
pub async fn decode_sound<T, A>(
    media: &MediaSource,
    wanted: SoundFormat,
    ctx: &JobCtx,
    analyse: A,
) -> Result<(T, DecodeSummary), ReadError>
where
    T: Send + 'static,
    A: FnOnce(SoundBlocks) -> Result<T, ReadError> + Send + 'static,
{
    let mut stream = SoundStream::start(media, wanted, ctx).await?;
    let (blocks, received) = mpsc::channel(QUEUED_BLOCKS);
    let analysis = tokio::task::spawn_blocking(move || analyse(SoundBlocks(received)));
    let pumped = pump(&mut stream, blocks, ctx).await;
    let analysed = analysis.await.map_err(|_| ReadError::Crashed)?;
    match pumped {
        // The analysis stopped listening, so it has the reason.
        Err(PumpError::NobodyListens) => match analysed {
            Ok(_) => Err(ReadError::Internal("an analysis ended before the sound did".to_owned())),
            Err(error) => Err(error),
        },
        Err(PumpError::Read(error)) => Err(error),
        Ok(()) => Ok((analysed?, stream.decoded_so_far())),
    }
}

/// Carries blocks to the analysis, which ends when their sender is dropped.
async fn pump(stream: &mut SoundStream, blocks: mpsc::Sender<Vec<f32>>, ctx: &JobCtx) -> Result<(), PumpError> {
    while let Some(block) = stream.next(ctx).await? {
        if ctx.bounded(blocks.send(block)).await?.is_err() {
            stream.kill().await;
            return Err(PumpError::NobodyListens);
        }
    }
    Ok(())
}

/// Why the pump stopped early.
enum PumpError {
    Read(ReadError),
    NobodyListens,
}

impl From<ReadError> for PumpError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}
