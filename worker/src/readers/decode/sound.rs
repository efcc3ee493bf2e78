//! The sound of a media file as a stream of blocks, decoded by `ffmpeg` and never held whole.
//!
//! Blocks go through a short queue to an analysis on a thread of its own, so that neither the decoder nor the analysis
//! is waited for by the async runtime. Time starts with the media: silence stands in for sound that starts late or has
//! a gap. What is counted here is what is charged, whatever the container declares.

use super::child::{Decoder, Ending};
use super::probe::AudioStream;
use super::{MediaSource, input_arguments};
use crate::readers::{JobCtx, Limit, ReadError};
use std::ffi::OsStr;
use tokio::sync::mpsc;

/// Bytes that are read from the decoder at once.
const READ_BYTES: usize = 64 * 1024;
/// Blocks that may wait for the analysis.
const QUEUED_BLOCKS: usize = 8;
/// Samples beyond this are no sound, and would overflow what is computed of them.
const LOUDEST: f32 = 1024.0;
/// How much shorter than declared a media may be before its reader says so.
const SHORTFALL_MS: i64 = 1_000;

/// Which channels are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channels {
    /// All, as they are.
    Native,
    /// One, mixed of all.
    Mono,
}

/// The samples that are wanted: `f32`, interleaved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoundFormat {
    /// Samples a second.
    pub rate: u32,
    /// Which channels.
    pub channels: Channels,
}

/// What was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedSound {
    /// Milliseconds of media, counted.
    pub duration_ms: i64,
    /// What the customer should know, in whole sentences.
    pub warnings: Vec<String>,
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
/// Answers with what `analyse` made of it. `NoAudio` without sound, `Corrupt` when nothing of it can be decoded; a
/// file that ends early or is damaged further on gives what is there, with a warning.
pub async fn decode_sound<T, A>(
    media: &MediaSource,
    wanted: SoundFormat,
    ctx: &JobCtx,
    analyse: A,
) -> Result<(T, DecodedSound), ReadError>
where
    T: Send + 'static,
    A: FnOnce(SoundBlocks) -> Result<T, ReadError> + Send + 'static,
{
    let audio = media.probe().audio.as_ref().ok_or(ReadError::NoAudio)?;
    let (blocks, received) = mpsc::channel(QUEUED_BLOCKS);
    let ffmpeg = start(media, audio, wanted, ctx).await?;
    let analysis = tokio::task::spawn_blocking(move || analyse(SoundBlocks(received)));
    let mut pump = Pump::new(media, audio, wanted, blocks);
    let pumped = pump.run(ffmpeg, ctx).await;
    // The analysis ends when nobody can send to it any more.
    drop(pump);
    let analysed = analysis.await.map_err(|_| ReadError::Crashed)?;
    match pumped {
        // The analysis stopped listening, so it has the reason.
        Err(PumpError::NobodyListens) => match analysed {
            Ok(_) => Err(ReadError::Internal("an analysis ended before the sound did".to_owned())),
            Err(error) => Err(error),
        },
        Err(PumpError::Read(error)) => Err(error),
        Ok(decoded) => Ok((analysed?, decoded)),
    }
}

/// Starts ffmpeg on the one stream that is heard.
async fn start(
    media: &MediaSource,
    audio: &AudioStream,
    wanted: SoundFormat,
    ctx: &JobCtx,
) -> Result<Decoder, ReadError> {
    let tools = media.tools();
    // A second more than is allowed, to tell what is too long from what just fits.
    let most_seconds = (tools.limits.duration_ms / 1000 + 2).to_string();
    let stream = format!("0:{}", audio.index);
    let (channels, layout, mix) = match wanted.channels {
        // The mean of what is mixed, never its sum: two channels that are alike would else be 3 dB louder, and cut off where
        // an engine takes 16 bits.
        Channels::Mono => (1, ":channel_layouts=mono".to_owned(), ":rematrix_maxval=1"),
        Channels::Native => {
            let layout = audio.layout.as_ref().map(|layout| format!(":channel_layouts={layout}"));
            (audio.channels, layout.unwrap_or_default(), "")
        }
    };
    let filter = format!("aresample={}:async=1{mix},aformat=sample_fmts=flt{layout}", wanted.rate);
    let (channels, rate) = (channels.to_string(), wanted.rate.to_string());
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-t", &most_seconds];
    let after = ["-map", &stream, "-vn", "-sn", "-dn", "-af", &filter, "-ac", &channels, "-ar", &rate];
    let output = ["-map_metadata", "-1", "-c:a", "pcm_f32le", "-f", "f32le", "pipe:1"];
    let arguments = before
        .into_iter()
        .map(OsStr::new)
        .chain(input_arguments())
        .chain(after.into_iter().chain(output).map(OsStr::new));
    Decoder::start(&tools.ffmpeg, arguments, media.file(), tools, ctx).await
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

/// Carries samples from the decoder to the analysis, and counts them.
struct Pump {
    blocks: mpsc::Sender<Vec<f32>>,
    channels: usize,
    rate: u64,
    lead_in_frames: u64,
    declared_ms: Option<i64>,
    most_ms: i64,
    frames: u64,
}

impl Pump {
    fn new(media: &MediaSource, audio: &AudioStream, wanted: SoundFormat, blocks: mpsc::Sender<Vec<f32>>) -> Self {
        let channels = if wanted.channels == Channels::Mono { 1 } else { audio.channels as usize };
        let rate = u64::from(wanted.rate);
        Self {
            blocks,
            channels,
            rate,
            lead_in_frames: audio.lead_in_ms.unsigned_abs() * rate / 1000,
            declared_ms: media.probe().duration_ms,
            most_ms: media.tools().limits.duration_ms,
            frames: 0,
        }
    }

    async fn run(&mut self, mut ffmpeg: Decoder, ctx: &JobCtx) -> Result<DecodedSound, PumpError> {
        let mut bytes = vec![0; READ_BYTES];
        let mut kept = 0;
        let frame_bytes = self.channels * size_of::<f32>();
        while let Some(room) = bytes.get_mut(kept..) {
            let read = ffmpeg.read(room, ctx).await?;
            if read == 0 {
                break;
            }
            let filled = kept + read;
            let whole = filled - filled % frame_bytes;
            let block = bytes.get(..whole).map(samples).unwrap_or_default();
            bytes.copy_within(whole..filled, 0);
            kept = filled - whole;
            if let Err(error) = self.pass_on(block, ctx).await {
                ffmpeg.kill().await;
                return Err(error);
            }
        }
        let ending = ffmpeg.ended(ctx).await?;
        Ok(self.judge(&ending)?)
    }

    /// Sends a block, after the silence that comes before the first one.
    async fn pass_on(&mut self, block: Vec<f32>, ctx: &JobCtx) -> Result<(), PumpError> {
        while self.frames < self.lead_in_frames {
            let frames = self.rate.min(self.lead_in_frames - self.frames);
            self.send(vec![0.0; usize::try_from(frames).unwrap_or(0) * self.channels], ctx).await?;
        }
        self.send(block, ctx).await
    }

    async fn send(&mut self, block: Vec<f32>, ctx: &JobCtx) -> Result<(), PumpError> {
        if block.is_empty() {
            return Ok(());
        }
        self.frames += (block.len() / self.channels) as u64;
        ctx.bounded(self.blocks.send(block)).await?.map_err(|_| PumpError::NobodyListens)?;
        let decoded_ms = self.decoded_ms();
        if decoded_ms > self.most_ms {
            let (found, allowed) = (decoded_ms.unsigned_abs(), self.most_ms.unsigned_abs());
            return Err(ReadError::LimitExceeded { limit: Limit::Duration, found, allowed }.into());
        }
        ctx.progress.reach_part(decoded_ms.unsigned_abs(), self.declared_ms.unwrap_or(0).unsigned_abs());
        Ok(())
    }

    fn decoded_ms(&self) -> i64 {
        i64::try_from(self.frames.saturating_mul(1000) / self.rate).unwrap_or(i64::MAX)
    }

    /// What an ended decoder's output is worth.
    fn judge(&self, ending: &Ending) -> Result<DecodedSound, ReadError> {
        if ending.out_of_cpu() {
            return Err(ReadError::Timeout);
        }
        if self.frames == 0 {
            tracing::debug!(ffmpeg.stderr = ending.stderr, "ffmpeg decoded nothing");
            return Err(ReadError::Corrupt("none of its sound can be decoded"));
        }
        let duration_ms = self.decoded_ms();
        let mut warnings = Vec::new();
        if !ending.status.success() || !ending.stderr.is_empty() {
            tracing::debug!(ffmpeg.stderr = ending.stderr, "ffmpeg complained of the media");
            warnings.push("Parts of the file are damaged and were left out.".to_owned());
        }
        if let Some(declared_ms) = self.declared_ms.filter(|declared_ms| declared_ms - duration_ms > SHORTFALL_MS) {
            warnings.push(format!(
                "The file declares {declared_ms} ms of media, and its sound ends after {duration_ms} ms."
            ));
        }
        Ok(DecodedSound { duration_ms, warnings })
    }
}

/// Little-endian samples; what is no number becomes silence, so that one of them can't spoil a whole measurement.
fn samples(bytes: &[u8]) -> Vec<f32> {
    let (whole, _) = bytes.as_chunks::<4>();
    whole
        .iter()
        .map(|sample| f32::from_le_bytes(*sample))
        .map(|sample| if sample.is_finite() { sample.clamp(-LOUDEST, LOUDEST) } else { 0.0 })
        .collect()
}
