//! The mix of a dub: the voices, over the item's own sound if that is kept, at its loudness and with its picture.
//!
//! Loudness can't be computed by adding, so it is measured: the voices are brought to the item's loudness, then the mix
//! is measured and its gain corrected until it has that loudness too. The volumes that are found are those of the dub's
//! timeline as well. Sound goes through in blocks, however long it is.

use super::format::{Container, kept_channels};
use super::limiter::Limiter;
use super::mix::Gain;
use super::picture_track::PictureTrack;
use super::sound::{Track, bytes, finish};
use super::{OUTPUT_FILE, Rendered, Renderer, SOUND, SOUND_FILE, on_frames};
use crate::dubs::{RATE, VoiceTrack};
use crate::ingest::facts;
use crate::new_media::NewMedia;
use crate::readers::decode::{Channels, SoundFormat, SoundStream, Workshop, cover, made};
use crate::readers::{JobCtx, MediaSource, Progress, ReadError, integrated_loudness};
use domain::dub::{ATTACK_MS, DOWN, MOST_GAIN_DB, Piece, RELEASE_MS, Volumes};
use domain::ducking::{DuckRule, GainPoint, envelope};
use domain::media_time::{Span, sample_at};
use domain::timeline::Ratio;
use ebur128::{EbuR128, Mode};
use std::io::SeekFrom;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, BufReader};

/// Frames that are mixed at once.
const BLOCK: usize = 24_000;
/// The loudness of the voices over an item that is silent, in LUFS.
const USUAL_LUFS: f64 = -23.0;
/// A difference from the item's loudness that is small enough, in LU.
const NEAR_LU: f64 = 0.3;
/// How often the mix is measured and its gain corrected, at most: only a mix that the limiter turns down needs two.
const MOST_TURNS: usize = 3;
/// The largest reduction, in decibels.
const LEAST_DB: f64 = -40.0;

/// The inputs of a mix.
#[derive(Debug)]
pub(crate) struct DubMix<'a> {
    /// The item.
    pub(crate) source: &'a MediaSource,
    /// The voices.
    pub(crate) track: &'a VoiceTrack,
    /// Whether the item's own sound is kept under them.
    pub(crate) background: bool,
    /// The item's length in microseconds, as its row has it.
    pub(crate) duration_us: i64,
    /// The largest that the file may be, in bytes.
    pub(crate) most_bytes: u64,
}

/// The gains of the voices and of the whole mix, in decibels.
#[derive(Debug, Clone, Copy)]
struct Levels {
    voice: f64,
    all: f64,
}

impl Renderer {
    /// Mixes a dub and writes it, as long as its item or until its last word, whichever is longer. Returns the volumes
    /// of its sounds too.
    pub(crate) async fn dub(&self, mix: &DubMix<'_>, ctx: &JobCtx) -> Result<(Rendered, Volumes), ReadError> {
        let (workshop, container) = (Workshop::of(mix.source)?, Container::of(mix.source));
        let is_film = container == Container::Mp4;
        let (name, sound_ends) = if is_film { (SOUND_FILE, SOUND * 2) } else { (OUTPUT_FILE, 100) };
        let sounding = ctx.step(0, sound_ends);
        let (loudness, decoded_ms) = integrated_loudness(mix.source, &sounding.step(0, 20)).await?;
        let volumes = mix.volumes(loudness.unwrap_or(USUAL_LUFS), &sounding).await?;
        let track = Track {
            media: mix.source,
            workshop: &workshop,
            name,
            container: container.of_sound(),
            most_bytes: mix.most_bytes,
        };
        let mut encoder = track.encoder(SoundFormat { rate: RATE, channels: mix.channels() }, ctx).await?;
        let mut mixing = Mixing::start(mix, volumes, &sounding).await?;
        while let Some(block) = mixing.next(&sounding).await? {
            encoder.write(&bytes(&block), ctx).await?;
            sounding.progress.reach_part(mixing.done.unsigned_abs(), mixing.len.unsigned_abs());
        }
        encoder.write(&bytes(&mixing.limiter.finish()), ctx).await?;
        mixing.end().await;
        finish(encoder, ctx).await?;
        if is_film {
            let rate = mix.source.probe().frame_rate.ok_or(ReadError::NoVideo)?;
            let keep = on_frames(&[Span::new(0, mix.duration_us)], rate);
            let (media, most_bytes) = (mix.source, mix.most_bytes);
            let picture = PictureTrack { media, workshop: &workshop, sound: SOUND_FILE, name: OUTPUT_FILE, most_bytes };
            picture.write(self, &keep, rate, &ctx.step(sound_ends, 100)).await?;
        }
        let output = made(&workshop, OUTPUT_FILE, mix.source, ctx).await?;
        let (probe, facts) = (output.probe(), facts(output.probe(), Some(container.content_type())));
        if probe.has_video != is_film || !probe.has_audio() {
            return Err(ReadError::Corrupt("it can't be dubbed whole"));
        }
        let picture = match container {
            Container::Mp4 => cover(&output, facts.duration_ms.unwrap_or(0), ctx).await.unwrap_or_default(),
            _ => None,
        };
        let media = NewMedia { file: output.file().try_clone()?, facts, picture };
        Ok((Rendered { media, duration_ms: decoded_ms }, volumes))
    }
}

impl DubMix<'_> {
    fn channels(&self) -> Channels {
        self.source.probe().audio.as_ref().map_or(Channels::Mono, kept_channels)
    }

    /// Returns the frames of the mix: the item's, or those to the end of the last word.
    fn len(&self) -> i64 {
        sample_at(self.duration_us, RATE).max(self.track.samples)
    }

    /// Returns the volumes of these gains.
    fn at(&self, levels: Levels) -> Volumes {
        let background = self.background.then(|| Volumes::of_gain(levels.all));
        Volumes { voices: Volumes::of_gain(levels.voice + levels.all), background }
    }

    /// Returns the volumes at which the mix has the loudness `wanted`, in LUFS.
    async fn volumes(&self, wanted: f64, ctx: &JobCtx) -> Result<Volumes, ReadError> {
        let aside = JobCtx { progress: Progress::new(), ..ctx.clone() };
        let mut levels = Levels { voice: 0.0, all: 0.0 };
        // First without the item's own sound: the voices alone are brought to its loudness.
        let alone = DubMix { background: false, ..*self };
        let Some(voices) = alone.measure(alone.at(levels), &aside).await? else { return Ok(self.at(levels)) };
        levels.voice = (wanted - voices).clamp(LEAST_DB, MOST_GAIN_DB);
        // Neither sound is louder than a timeline can have it.
        let most_db = MOST_GAIN_DB - levels.voice.max(0.0);
        for turn in 0..MOST_TURNS {
            let Some(found) = self.measure(self.at(levels), &aside).await? else { break };
            ctx.progress.reach(u8::try_from(30 + turn * 10).unwrap_or(50));
            if (wanted - found).abs() <= NEAR_LU {
                break;
            }
            levels.all = (levels.all + wanted - found).clamp(LEAST_DB, most_db);
        }
        Ok(self.at(levels))
    }

    /// Returns the loudness of the mix with these volumes, in LUFS; none for silence.
    async fn measure(&self, volumes: Volumes, ctx: &JobCtx) -> Result<Option<f64>, ReadError> {
        let channels = count(self.channels());
        let failed = |error: ebur128::Error| ReadError::Internal(format!("ebur128: {error}"));
        let mut meter = EbuR128::new(u32::try_from(channels).unwrap_or(1), RATE, Mode::I).map_err(failed)?;
        let mut mixing = Mixing::start(self, volumes, ctx).await?;
        while let Some(block) = mixing.next(ctx).await? {
            meter.add_frames_f32(&block).map_err(failed)?;
        }
        meter.add_frames_f32(&mixing.limiter.finish()).map_err(failed)?;
        mixing.end().await;
        Ok(Some(meter.loudness_global().map_err(failed)?).filter(|found| found.is_finite()))
    }

    /// Returns the envelope that turns the item's own sound down under the voices.
    fn envelope(&self) -> Vec<GainPoint> {
        let us = |samples: i64| samples * 1_000_000 / i64::from(RATE);
        let spoken: Vec<Span> = self.track.pieces.iter().map(Piece::heard).collect();
        envelope(&spoken, us(self.len()), DuckRule::new(f64::from(DOWN) / 100.0, ATTACK_MS, RELEASE_MS))
    }
}

/// A mix in progress.
struct Mixing {
    own: Option<SoundStream>,
    pending: Vec<f32>,
    voices: BufReader<File>,
    /// How the item's own sound is turned down under the voices.
    gain: Gain,
    /// The volumes of the voices and of the item's own sound.
    voice: f32,
    background: f32,
    limiter: Limiter,
    channels: usize,
    done: i64,
    len: i64,
}

impl Mixing {
    async fn start(mix: &DubMix<'_>, volumes: Volumes, ctx: &JobCtx) -> Result<Self, ReadError> {
        let wanted = SoundFormat { rate: RATE, channels: mix.channels() };
        let own = if mix.background { Some(SoundStream::start(mix.source, wanted, &aside(ctx)).await?) } else { None };
        let mut file = File::from_std(mix.track.file.try_clone()?);
        file.seek(SeekFrom::Start(0)).await?;
        let channels = count(mix.channels());
        Ok(Self {
            own,
            pending: Vec::new(),
            voices: BufReader::with_capacity(BLOCK * 2, file),
            gain: Gain::from(&mix.envelope(), RATE, 0),
            voice: factor(volumes.voices),
            background: volumes.background.map_or(0.0, factor),
            limiter: Limiter::new(RATE, channels),
            channels,
            done: 0,
            len: mix.len(),
        })
    }

    /// Returns the next block; none at the end, when the limiter still holds some samples.
    async fn next(&mut self, ctx: &JobCtx) -> Result<Option<Vec<f32>>, ReadError> {
        let frames = usize::try_from(self.len - self.done).unwrap_or(0).min(BLOCK);
        if frames == 0 {
            return Ok(None);
        }
        ctx.bounded(std::future::ready(())).await?;
        let voices = self.voices(frames).await?;
        let own = self.own(frames, ctx).await?;
        let mut mixed = Vec::with_capacity(frames * self.channels);
        for (frame, voice) in voices.into_iter().enumerate() {
            let gain = self.gain.next();
            for channel in 0..self.channels {
                let own = own.get(frame * self.channels + channel).copied().unwrap_or(0.0);
                mixed.push(own * gain * self.background + voice * self.voice);
            }
        }
        self.done += i64::try_from(frames).unwrap_or(0);
        Ok(Some(self.limiter.limit(&mixed)))
    }

    /// Returns the next `frames` samples of the voices, silent after their end.
    async fn voices(&mut self, frames: usize) -> Result<Vec<f32>, ReadError> {
        let mut bytes = vec![0; frames * 2];
        let mut filled = 0;
        while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
            let read = self.voices.read(room).await?;
            if read == 0 {
                break;
            }
            filled += read;
        }
        let samples = bytes.as_chunks::<2>().0.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32_768.0);
        Ok(samples.collect())
    }

    /// Returns as many frames of the item's own sound, or fewer at its end.
    async fn own(&mut self, frames: usize, ctx: &JobCtx) -> Result<Vec<f32>, ReadError> {
        let wanted = frames * self.channels;
        while self.pending.len() < wanted {
            let Some(stream) = &mut self.own else { break };
            let Some(block) = stream.next(&aside(ctx)).await? else { break };
            self.pending.extend(block);
        }
        let rest = self.pending.split_off(wanted.min(self.pending.len()));
        Ok(std::mem::replace(&mut self.pending, rest))
    }

    async fn end(mut self) {
        if let Some(own) = &mut self.own {
            own.kill().await;
        }
    }
}

/// Returns the context with a progress of its own.
fn aside(ctx: &JobCtx) -> JobCtx {
    JobCtx { progress: Progress::new(), ..ctx.clone() }
}

const fn count(channels: Channels) -> usize {
    if matches!(channels, Channels::Mono) { 1 } else { 2 }
}

#[expect(clippy::cast_possible_truncation, reason = "volumes of sound")]
fn factor(volume: Ratio) -> f32 {
    volume.number() as f32
}
