//! The decoder of one sound stream: how it is started, what of its sound is handed out, and how it ended.

use super::{Channels, SoundFormat};
use crate::readers::decode::child::{Decoder, Ending};
use crate::readers::decode::decoded::DecodeSummary;
use crate::readers::decode::paid::Paid;
use crate::readers::decode::probe::AudioStream;
use crate::readers::decode::{MediaSource, input_arguments};
use crate::readers::{JobCtx, Limit, ReadError};
use std::ffi::OsStr;

/// Bytes that are read from the decoder at once.
const READ_BYTES: usize = 64 * 1024;

/// Samples are clamped to this: larger ones would overflow what is computed from them.
const LOUDEST: f32 = 1024.0;
/// Milliseconds by which a media may be shorter than declared before a warning says so.
const SHORTFALL_MS: i64 = 1_000;

/// Starts ffmpeg on the one sound stream that is used.
async fn start(
    media: &MediaSource,
    audio: &AudioStream,
    wanted: SoundFormat,
    sought: &str,
    ctx: &JobCtx,
) -> Result<Decoder, ReadError> {
    let tools = media.tools();
    let most_seconds = Paid::of(ctx).seconds(&tools.limits);
    let stream = format!("0:{}", audio.index);
    let (layout, mix) = match wanted.channels {
        // The mix is the mean of the channels, never their sum: two equal channels would otherwise be 3 dB louder, and
        // clip where an engine takes 16 bits.
        Channels::Mono => (":channel_layouts=mono".to_owned(), ":rematrix_maxval=1"),
        // ffmpeg would attenuate mono to 0.707 in each channel.
        Channels::Stereo if audio.channels == 1 => (":channel_layouts=mono,pan=stereo|c0=c0|c1=c0".to_owned(), ""),
        Channels::Stereo => (":channel_layouts=stereo".to_owned(), ""),
        Channels::Native => {
            let layout = audio.layout.as_ref().map(|layout| format!(":channel_layouts={layout}"));
            (layout.unwrap_or_default(), "")
        }
    };
    let filter = format!("aresample={}:async=1{mix},aformat=sample_fmts=flt{layout}", wanted.rate);
    let (channels, rate) = (wanted.channels.of(audio).to_string(), wanted.rate.to_string());
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-t", &most_seconds];
    let seek = ["-ss", sought];
    let seek = if sought == "0" { &[] } else { &seek[..] };
    let after = ["-map", &stream, "-vn", "-sn", "-dn", "-af", &filter, "-ac", &channels, "-ar", &rate];
    let output = ["-map_metadata", "-1", "-c:a", "pcm_f32le", "-f", "f32le", "pipe:1"];
    let arguments = before
        .into_iter()
        .chain(seek.iter().copied())
        .map(OsStr::new)
        .chain(input_arguments())
        .chain(after.into_iter().chain(output).map(OsStr::new));
    Decoder::start(&tools.ffmpeg, arguments, media.file(), tools, ctx).await
}

/// The sound of a media, block by block, and the count of what was decoded.
#[derive(Debug)]
pub(crate) struct SoundStream {
    /// None once the sound has ended.
    ffmpeg: Option<Decoder>,
    bytes: Vec<u8>,
    /// Bytes of an incomplete frame.
    kept: usize,
    /// Samples that are not handed out yet.
    decoded: Option<Vec<f32>>,
    channels: usize,
    rate: u64,
    lead_in_frames: u64,
    declared_ms: Option<i64>,
    most_ms: i64,
    paid: Paid,
    frames: u64,
    /// The frame at which it was started.
    first: u64,
    /// Frames that came after the paid length, and were dropped.
    beyond: u64,
    warnings: Vec<String>,
}

impl SoundStream {
    /// Starts decoding. `NoAudio` when there is no sound.
    pub(crate) async fn start(media: &MediaSource, wanted: SoundFormat, ctx: &JobCtx) -> Result<Self, ReadError> {
        Self::start_at(media, wanted, 0, ctx).await
    }

    /// Starts in the middle, at `second`, of media that is known to allow it (`Probe::is_seekable`).
    pub(crate) async fn start_at(
        media: &MediaSource,
        wanted: SoundFormat,
        second: u32,
        ctx: &JobCtx,
    ) -> Result<Self, ReadError> {
        let audio = media.probe().audio.as_ref().ok_or(ReadError::NoAudio)?;
        let rate = u64::from(wanted.rate);
        Ok(Self {
            ffmpeg: Some(start(media, audio, wanted, &second.to_string(), ctx).await?),
            bytes: vec![0; READ_BYTES],
            kept: 0,
            decoded: None,
            channels: wanted.channels.of(audio) as usize,
            rate,
            lead_in_frames: audio.lead_in_ms.unsigned_abs().saturating_mul(rate) / 1000,
            declared_ms: media.probe().duration_ms,
            most_ms: media.tools().limits.duration_ms,
            paid: Paid::of(ctx),
            frames: u64::from(second) * rate,
            first: u64::from(second) * rate,
            beyond: 0,
            warnings: Vec::new(),
        })
    }

    /// Returns the next block: at least one whole frame. None at the end, which must be reached for the count to be
    /// complete; `Corrupt` when nothing came before it.
    pub(crate) async fn next(&mut self, ctx: &JobCtx) -> Result<Option<Vec<f32>>, ReadError> {
        loop {
            if let Some(block) = self.ready() {
                let block = self.cut_to_paid(block, ctx).await?;
                if block.is_empty() {
                    continue;
                }
                return Ok(Some(block));
            }
            let Some(ffmpeg) = &mut self.ffmpeg else { return Ok(None) };
            let room = self.bytes.get_mut(self.kept..).unwrap_or_default();
            let read = ffmpeg.read(room, ctx).await?;
            if read == 0 {
                self.end(ctx).await?;
                return Ok(None);
            }
            let block = self.whole_frames(self.kept + read);
            self.decoded = (!block.is_empty()).then_some(block);
        }
    }

    /// Returns what can be handed out: up to a second of the silence before the first sound, or the decoded block.
    fn ready(&mut self) -> Option<Vec<f32>> {
        self.decoded.as_ref()?;
        let frames = self.rate.min(self.lead_in_frames.saturating_sub(self.frames));
        let silence = vec![0.0; usize::try_from(frames).unwrap_or(0) * self.channels];
        if silence.is_empty() { self.decoded.take() } else { Some(silence) }
    }

    /// Returns the samples of the whole frames among the first `filled` bytes.
    fn whole_frames(&mut self, filled: usize) -> Vec<f32> {
        let whole = filled - filled % (self.channels * size_of::<f32>());
        let block = self.bytes.get(..whole).map(samples).unwrap_or_default();
        self.bytes.copy_within(whole..filled, 0);
        self.kept = filled - whole;
        block
    }

    /// Returns the part of a block that is paid for. Ends a media that goes on for longer than honest ones do.
    async fn cut_to_paid(&mut self, mut block: Vec<f32>, ctx: &JobCtx) -> Result<Vec<f32>, ReadError> {
        let frames = (block.len() / self.channels) as u64;
        let within = frames.min(self.paid.frames(self.rate).saturating_sub(self.frames));
        block.truncate(usize::try_from(within).unwrap_or(usize::MAX).saturating_mul(self.channels));
        self.frames += within;
        self.beyond += frames - within;
        if let Some(warning) = self.paid.passed(self.beyond.saturating_mul(1000) / self.rate) {
            self.kill().await;
            self.decoded = None;
            self.warnings = vec![warning];
        }
        let decoded_ms = self.decoded_ms();
        if decoded_ms > self.most_ms {
            self.kill().await;
            let (found, allowed) = (decoded_ms.unsigned_abs(), self.most_ms.unsigned_abs());
            return Err(ReadError::LimitExceeded { limit: Limit::Duration, found, allowed });
        }
        let whole_ms = ctx.paid_ms.or(self.declared_ms).unwrap_or(0).unsigned_abs();
        ctx.progress.reach_part(decoded_ms.unsigned_abs(), whole_ms);
        Ok(block)
    }

    fn decoded_ms(&self) -> i64 {
        i64::try_from(self.frames.saturating_mul(1000) / self.rate).unwrap_or(i64::MAX)
    }

    /// Waits for the decoder's end, and checks how it did.
    async fn end(&mut self, ctx: &JobCtx) -> Result<(), ReadError> {
        let Some(ffmpeg) = self.ffmpeg.take() else { return Ok(()) };
        let ending = ffmpeg.wait(ctx).await?;
        self.warnings = self.judge(&ending)?;
        Ok(())
    }

    /// Returns the warnings about a decoder that has ended, or the error if it decoded nothing.
    fn judge(&self, ending: &Ending) -> Result<Vec<String>, ReadError> {
        if self.frames == 0 && self.first == 0 {
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
        Ok(warnings)
    }

    /// Ends the decoder early.
    pub(crate) async fn kill(&mut self) {
        if let Some(mut ffmpeg) = self.ffmpeg.take() {
            ffmpeg.kill().await;
        }
    }

    /// Returns the number of the frame, counted from the media's start, that comes next.
    pub(crate) const fn at(&self) -> u64 {
        self.frames
    }

    /// Returns the summary of what was decoded so far.
    pub(crate) fn decoded_so_far(&self) -> DecodeSummary {
        DecodeSummary { duration_ms: self.decoded_ms(), warnings: self.warnings.clone() }
    }
}

/// Parses little-endian samples; NaN and infinite ones become silence, so that one can't spoil a whole measurement.
fn samples(bytes: &[u8]) -> Vec<f32> {
    let (whole, _) = bytes.as_chunks::<4>();
    whole
        .iter()
        .map(|sample| f32::from_le_bytes(*sample))
        .map(|sample| if sample.is_finite() { sample.clamp(-LOUDEST, LOUDEST) } else { 0.0 })
        .collect()
}
