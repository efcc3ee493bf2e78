//! The sound of a film: every sound decoded at its time, mixed block by block, limited, and encoded as it comes.
//!
//! A sound is decoded when the mix reaches it. One decoder serves all parts of an item that follow each other, as
//! `domain::decoding` plans it, so that a talk of three hundred cuts is decoded once. Where an item is shorter than its
//! plan, there is silence.

use super::{FilmRender, misplaced};
use crate::readers::decode::{Channels, Encoder, Feed, SoundFormat, SoundStream, Workshop};
use crate::readers::{JobCtx, Progress, ReadError};
use crate::renders::limiter::Limiter;
use crate::renders::mix::{CHANNELS, Gain};
use domain::decoding::{SOUND_RATE as RATE, Source, Step};
use domain::film::{FilmFormat, FilmSound};
use domain::media_time::sample_at;
use std::collections::HashMap;
use std::ffi::OsStr;

/// Frames that are mixed at once.
const BLOCK: usize = 24_000;
/// Microseconds of the fade on each side of a cut: enough to avoid a click.
const FADE_US: i64 = 2_000;

/// A sound that is being mixed.
struct Playing<'a> {
    /// Its number in the film.
    number: usize,
    sound: &'a FilmSound,
    /// Whether a later sound goes on with its decoder.
    is_kept: bool,
    /// Its first frame in the film, and the number of its frames.
    at: i64,
    len: i64,
    /// The number of frames that were mixed.
    given: i64,
    gain: Option<Gain>,
    stream: Part,
}

/// A decoded sound, and the position in its item.
struct Part {
    stream: SoundStream,
    /// Samples that were decoded but not taken.
    pending: Vec<f32>,
    /// The number of the item's next frame.
    next: i64,
}

impl Part {
    /// Takes `frames` frames, or fewer at the item's end.
    async fn take(&mut self, frames: usize, ctx: &JobCtx) -> Result<Vec<f32>, ReadError> {
        while self.pending.len() < frames * CHANNELS {
            let Some(block) = self.stream.next(ctx).await? else { break };
            self.pending.extend(block);
        }
        let rest = self.pending.split_off((frames * CHANNELS).min(self.pending.len()));
        let taken = std::mem::replace(&mut self.pending, rest);
        self.next += i64::try_from(frames).unwrap_or(0);
        Ok(taken)
    }

    /// Skips frames until this one comes next.
    async fn skip_to(&mut self, sample: i64, ctx: &JobCtx) -> Result<(), ReadError> {
        while self.next < sample {
            let frames = usize::try_from(sample - self.next).unwrap_or(0).min(BLOCK);
            self.take(frames, ctx).await?;
        }
        Ok(())
    }
}

/// Mixes a film's sound into a file of the workshop.
pub(super) async fn mix(
    render: &FilmRender<'_>,
    workshop: &Workshop,
    name: &str,
    ctx: &JobCtx,
) -> Result<(), ReadError> {
    let film = render.film;
    let mut encoder = encoder(render, workshop, name, ctx).await?;
    let mut limiter = Limiter::new(RATE, CHANNELS);
    let mut waiting = heard(render).into_iter().peekable();
    let (mut playing, mut idle): (Vec<Playing<'_>>, HashMap<usize, Part>) = (Vec::new(), HashMap::new());
    let whole = sample_at(film.duration_us, RATE);
    let mut at = 0;
    while at < whole {
        let frames = usize::try_from(whole - at).unwrap_or(BLOCK).min(BLOCK);
        let end = at + i64::try_from(frames).unwrap_or(0);
        let mut sum = vec![0.0_f32; frames * CHANNELS];
        // Those that go on come first, so that their decoders are free for sounds that begin in the same block.
        for sound in &mut playing {
            add(sound, at, &mut sum, ctx).await?;
        }
        retire(&mut playing, &mut idle, end).await;
        while let Some(next) = waiting.next_if(|heard| sample_at(heard.sound.at_us, RATE) < end) {
            let mut begun = begin(render, next, &mut idle, ctx).await?;
            add(&mut begun, at, &mut sum, ctx).await?;
            playing.push(begun);
            retire(&mut playing, &mut idle, end).await;
        }
        encoder.write(&bytes(&limiter.limit(&sum)), ctx).await?;
        at = end;
        ctx.progress.reach_part(at.unsigned_abs(), whole.unsigned_abs());
    }
    encoder.write(&bytes(&limiter.finish()), ctx).await?;
    for mut part in idle.into_values().chain(playing.into_iter().map(|sound| sound.stream)) {
        part.stream.kill().await;
    }
    let ending = encoder.finish(ctx).await?;
    if ending.status.success() {
        return Ok(());
    }
    tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not encode a film's sound.");
    Err(ReadError::Crashed)
}

/// A sound of a film that is audible.
#[derive(Debug, Clone, Copy)]
struct Heard<'a> {
    /// Its number in the film.
    number: usize,
    sound: &'a FilmSound,
    /// How it is decoded.
    step: Step,
}

/// Returns each sound of a film that is audible.
fn heard<'a>(render: &'a FilmRender<'_>) -> Vec<Heard<'a>> {
    let steps = render.film.sounds.iter().zip(&render.decoding.sounds).enumerate();
    steps.filter_map(|(number, (sound, step))| Some(Heard { number, sound, step: (*step)? })).collect()
}

/// Ends sounds: a decoder is kept for a later part of its item, if there is one.
async fn retire(playing: &mut Vec<Playing<'_>>, idle: &mut HashMap<usize, Part>, end: i64) {
    for mut done in playing.extract_if(.., |sound| sound.at + sound.len <= end).collect::<Vec<_>>() {
        if done.is_kept {
            idle.insert(done.number, done.stream);
        } else {
            done.stream.stream.kill().await;
        }
    }
}

/// Begins a sound, decoded up to its first frame.
async fn begin<'a>(
    render: &FilmRender<'_>,
    heard: Heard<'a>,
    idle: &mut HashMap<usize, Part>,
    ctx: &JobCtx,
) -> Result<Playing<'a>, ReadError> {
    let Heard { number, sound, step } = heard;
    let from = sample_at(sound.from_us, RATE);
    let (at, end) = (sample_at(sound.at_us, RATE), sample_at(sound.at_us + sound.len_us, RATE));
    // The film's progress is that of the mix, so this has its own.
    let aside = render.paid_for(sound.item, &JobCtx { progress: Progress::new(), ..ctx.clone() });
    let mut stream = match step.source {
        Source::After(earlier) => idle.remove(&earlier).ok_or_else(|| misplaced("sound"))?,
        Source::Opened(sample) => {
            let wanted = SoundFormat { rate: RATE, channels: Channels::Stereo };
            let second = u32::try_from(sample / i64::from(RATE)).unwrap_or(0);
            let stream = SoundStream::start_at(render.source(sound.item)?, wanted, second, &aside).await?;
            let next = i64::try_from(stream.at()).unwrap_or(0);
            Part { stream, pending: Vec::new(), next }
        }
    };
    stream.skip_to(from, &aside).await?;
    let gain = (!sound.envelope.is_empty()).then(|| Gain::from(&sound.envelope, RATE, at));
    Ok(Playing { number, sound, is_kept: step.is_kept, at, len: end - at, given: 0, gain, stream })
}

/// Adds the part of a sound that falls into a block which begins at frame `block_at`.
async fn add(playing: &mut Playing<'_>, block_at: i64, sum: &mut [f32], ctx: &JobCtx) -> Result<(), ReadError> {
    let into = usize::try_from(playing.at + playing.given - block_at).unwrap_or(0);
    let left = usize::try_from(playing.len - playing.given).unwrap_or(0);
    let frames = left.min((sum.len() / CHANNELS).saturating_sub(into));
    let aside = JobCtx { progress: Progress::new(), ..ctx.clone() };
    let samples = playing.stream.take(frames, &aside).await?;
    let fades = Fades::of(playing.sound);
    let mut out = sum.iter_mut().skip(into * CHANNELS);
    for frame in samples.chunks_exact(CHANNELS) {
        let ducked = playing.gain.as_mut().map_or(1.0, Gain::next);
        let gain = fades.gain(playing.given, playing.len) * ducked;
        for sample in frame {
            if let Some(out) = out.next() {
                *out += sample * gain;
            }
        }
        playing.given += 1;
    }
    // Where the item has ended there is silence.
    playing.given += i64::try_from(frames - samples.len() / CHANNELS).unwrap_or(0);
    Ok(())
}

/// A sound's fade-in and fade-out in frames, and its volume.
struct Fades {
    fade_in: i64,
    fade_out: i64,
    volume: f32,
}

impl Fades {
    #[expect(clippy::cast_precision_loss, reason = "a volume is a small number")]
    fn of(sound: &FilmSound) -> Self {
        // A sound that begins with its item is not cut there.
        let least_in = if sound.from_us == 0 { 0 } else { FADE_US };
        let samples = |us: i64, least: i64| sample_at(us.max(least).min(sound.len_us / 2 + us / 2), RATE);
        Self {
            fade_in: samples(sound.fade_in_us, least_in),
            fade_out: samples(sound.fade_out_us, FADE_US),
            volume: sound.volume as f32 / 1e6,
        }
    }

    /// Returns the gain of a frame.
    #[expect(clippy::cast_precision_loss, reason = "a fade is far shorter than 2^24 samples wherever it is heard")]
    fn gain(&self, sample: i64, len: i64) -> f32 {
        let ramp = |from_edge: i64, fade: i64| if from_edge >= fade { 1.0 } else { from_edge as f32 / fade as f32 };
        self.volume * ramp(sample + 1, self.fade_in) * ramp(len - sample, self.fade_out)
    }
}

/// Starts the child that encodes the mix.
async fn encoder(render: &FilmRender<'_>, workshop: &Workshop, name: &str, ctx: &JobCtx) -> Result<Encoder, ReadError> {
    let (rate, channels, output) = (RATE.to_string(), CHANNELS.to_string(), format!("file:{name}"));
    let input = ["-nostdin", "-hide_banner", "-v", "error", "-protocol_whitelist", "pipe", "-f", "f32le"];
    let shape = ["-ar", &rate, "-ac", &channels, "-i", "pipe:0", "-map", "0:a:0", "-map_metadata", "-1"];
    let exact = ["-fflags", "+bitexact", "-flags:a", "+bitexact", "-threads", "1"];
    let written: &[&str] = match render.film.format {
        FilmFormat::Mp4 | FilmFormat::Mov => &["-c:a", "aac", "-b:a", "192k", "-f", "ipod"],
        FilmFormat::Webm => &["-c:a", "libopus", "-b:a", "160k", "-f", "webm"],
        FilmFormat::Mp3 => &["-c:a", "libmp3lame", "-b:a", "192k", "-f", "mp3"],
        FilmFormat::Wav => &["-c:a", "pcm_s16le", "-rf64", "auto", "-f", "wav"],
    };
    let arguments = input.into_iter().chain(shape).chain(exact).chain(written.iter().copied());
    let arguments = arguments.chain([output.as_str()]).map(OsStr::new);
    Encoder::start(render.tools(), workshop, arguments, Feed::Written, render.most_bytes, ctx).await
}

/// Returns samples as the encoder reads them.
fn bytes(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::ItemId;
    use proptest::prelude::*;

    fn sound(from_us: i64, len_us: i64, fade_in_us: i64, fade_out_us: i64) -> FilmSound {
        let item = ItemId::mint();
        FilmSound { item, from_us, at_us: 0, len_us, volume: 500_000, fade_in_us, fade_out_us, envelope: Vec::new() }
    }

    #[test]
    fn a_sound_comes_up_and_goes_down_as_long_as_was_asked_and_is_as_loud_in_between() {
        let fades = Fades::of(&sound(0, 1_000_000, 100_000, 200_000));
        for (ms, gain) in [(0, 0.0), (50, 0.25), (100, 0.5), (500, 0.5), (900, 0.25)] {
            assert!((fades.gain(ms * 48, 48_000) - gain).abs() < 0.001, "{ms} ms: {}", fades.gain(ms * 48, 48_000));
        }
    }

    proptest! {
        #[test]
        fn no_gain_is_more_than_the_volume(from in 0_i64..9, len in 1_i64..100_000, fade in 0_i64..9_000) {
            let fades = Fades::of(&sound(from, len, fade.min(len), (len - fade).max(0)));
            let whole = sample_at(len, RATE);
            for sample in 0..whole {
                let gain = fades.gain(sample, whole);
                prop_assert!((0.0..=0.5).contains(&gain), "{gain}");
            }
        }
    }
}
