//! The sound of a render: decoded, cut or mixed here, and encoded by a child as it comes.
//!
//! Samples go through in blocks, so that a day of sound needs no more memory than a minute. `cut` and `mix` process
//! them; nothing is decided here.

use super::cut::{Cutter, pieces};
use super::format::Container;
use super::mix::{CHANNELS, Mixer};
use crate::readers::decode::{Channels, DecodeSummary, Encoder, Feed, SoundFormat, SoundStream, Workshop};
use crate::readers::{JobCtx, MediaSource, Progress, ReadError};
use domain::ducking::GainPoint;
use domain::media_time::{FrameRate, Span, sample_at};
use std::ffi::OsStr;

/// Silence that is written at once, in samples.
const SILENCE: usize = 48_000;

/// The file that a sound is written to, and its format.
#[derive(Debug)]
pub(super) struct Track<'a> {
    /// The media that decides its format.
    pub(super) media: &'a MediaSource,
    /// The folder to write in.
    pub(super) workshop: &'a Workshop,
    /// The name of the file.
    pub(super) name: &'static str,
    /// The container to write.
    pub(super) container: Container,
    /// The largest that it may be, in bytes.
    pub(super) most_bytes: u64,
}

impl Track<'_> {
    /// Writes what these spans keep of the media's sound. With a frame rate, it is as long as their frames.
    pub(super) async fn cut(
        &self,
        keep: &[Span],
        frame_rate: Option<FrameRate>,
        channels: Channels,
        ctx: &JobCtx,
    ) -> Result<DecodeSummary, ReadError> {
        let format = self.samples(channels)?;
        let count = channel_count(channels);
        let pieces = pieces(keep, format.rate, frame_rate);
        let mut cutter = Cutter::new(pieces, count, format.rate, ctx.paid_ms.or(self.media.probe().duration_ms));
        let mut source = SoundStream::start(self.media, format, ctx).await?;
        let mut encoder = self.encoder(format, ctx).await?;
        while let Some(block) = source.next(ctx).await? {
            encoder.write(&bytes(&cutter.cut(&block)), ctx).await?;
        }
        let missing = usize::try_from(cutter.missing()).unwrap_or(0) * count;
        write_silence(&mut encoder, missing, ctx).await?;
        finish(encoder, ctx).await?;
        Ok(source.decoded_so_far())
    }

    /// Writes the media's sound over that of `music`, which the envelope turns down. It is as long as the envelope.
    pub(super) async fn mix(
        &self,
        music: &MediaSource,
        envelope: &[GainPoint],
        ctx: &JobCtx,
    ) -> Result<DecodeSummary, ReadError> {
        let format = self.samples(Channels::Stereo)?;
        let len = envelope.last().map_or(0, |end| sample_at(end.t_us, format.rate));
        let mut mixer = Mixer::new(envelope, len, format.rate);
        // The progress is the voice's alone.
        let aside = JobCtx { progress: Progress::new(), ..ctx.clone() };
        let mut voice = Buffered::of(SoundStream::start(self.media, format, ctx).await?);
        let mut music = Buffered::of(SoundStream::start(music, format, &aside).await?);
        let mut encoder = self.encoder(format, ctx).await?;
        while mixer.left() > 0 {
            voice.fill(ctx).await?;
            music.fill(&aside).await?;
            let both = voice.pending.len().min(music.pending.len());
            let samples = if both > 0 { both } else { voice.pending.len().max(music.pending.len()) };
            let frames = if samples > 0 {
                mixer.mix(&voice.take(samples), &music.take(samples))
            } else {
                // Both are shorter than the voice was declared to be.
                mixer.mix(&vec![0.0; SILENCE], &[])
            };
            encoder.write(&bytes(&frames), ctx).await?;
        }
        encoder.write(&bytes(&mixer.finish()), ctx).await?;
        music.stream.kill().await;
        voice.stream.kill().await;
        finish(encoder, ctx).await?;
        Ok(voice.stream.decoded_so_far())
    }

    fn samples(&self, channels: Channels) -> Result<SoundFormat, ReadError> {
        let audio = self.media.probe().audio.as_ref().ok_or(ReadError::NoAudio)?;
        Ok(self.container.samples(audio, channels))
    }

    /// Starts the child that encodes samples of this format.
    pub(super) async fn encoder(&self, format: SoundFormat, ctx: &JobCtx) -> Result<Encoder, ReadError> {
        let bits = self.media.probe().audio.as_ref().map_or(16, |audio| audio.bits);
        let count = if format.channels == Channels::Mono { 1 } else { 2 };
        let (rate, channels, output) = (format.rate.to_string(), count.to_string(), format!("file:{}", self.name));
        let input = ["-nostdin", "-hide_banner", "-v", "error", "-protocol_whitelist", "pipe", "-f", "f32le"];
        let shape = ["-ar", &rate, "-ac", &channels, "-i", "pipe:0", "-map", "0:a:0", "-map_metadata", "-1"];
        let exact = ["-fflags", "+bitexact", "-flags:a", "+bitexact", "-threads", "1"];
        let arguments = input
            .into_iter()
            .chain(shape)
            .chain(exact)
            .chain(self.container.sound_arguments(count, bits).iter().copied())
            .chain([output.as_str()])
            .map(OsStr::new);
        Encoder::start(self.media.tools(), self.workshop, arguments, Feed::Written, self.most_bytes, ctx).await
    }
}

/// A decoded sound, from which any number of samples may be taken.
#[derive(Debug)]
struct Buffered {
    stream: SoundStream,
    pending: Vec<f32>,
}

impl Buffered {
    const fn of(stream: SoundStream) -> Self {
        Self { stream, pending: Vec::new() }
    }

    /// Reads a block when no samples are left, unless the sound has ended.
    async fn fill(&mut self, ctx: &JobCtx) -> Result<(), ReadError> {
        if self.pending.is_empty() {
            self.pending = self.stream.next(ctx).await?.unwrap_or_default();
        }
        Ok(())
    }

    /// Takes this many samples, or all that there are.
    fn take(&mut self, samples: usize) -> Vec<f32> {
        let rest = self.pending.split_off(samples.min(self.pending.len()));
        std::mem::replace(&mut self.pending, rest)
    }
}

const fn channel_count(channels: Channels) -> usize {
    if matches!(channels, Channels::Mono) { 1 } else { CHANNELS }
}

async fn write_silence(encoder: &mut Encoder, mut samples: usize, ctx: &JobCtx) -> Result<(), ReadError> {
    let silence = vec![0; SILENCE * size_of::<f32>()];
    while samples > 0 {
        let now = samples.min(SILENCE);
        encoder.write(silence.get(..now * size_of::<f32>()).unwrap_or_default(), ctx).await?;
        samples -= now;
    }
    Ok(())
}

/// Waits for the encoder. Its input was made here, so one that fails has crashed.
pub(super) async fn finish(encoder: Encoder, ctx: &JobCtx) -> Result<(), ReadError> {
    let ending = encoder.finish(ctx).await?;
    if ending.status.success() {
        return Ok(());
    }
    tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not encode a sound.");
    Err(ReadError::Crashed)
}

/// Returns samples as the encoder reads them.
pub(super) fn bytes(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}
