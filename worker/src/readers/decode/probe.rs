//! The contents of a media file, as `ffprobe` reports them, and whether they are within the limits.
//!
//! Only numbers and names of formats are asked for: tags are the uploader's text and stay in the file. Only names on a
//! list are accepted, since a child that was taken over may say anything. A declared duration is only a claim, and one
//! that ffprobe guessed does not count; `sound` counts what is really there.

use super::output::whole_output;
use super::{MediaLimits, MediaTools, input_arguments, names};
use crate::readers::stored::seconds;
use crate::readers::{JobCtx, Limit, ReadError};
use domain::item;
use domain::media_time::{FrameRate, MOST_FRAMES_A_SECOND};
use serde::Deserialize;
use std::ffi::OsStr;
use std::fs::File;

/// The beginnings of ffprobe's names for containers that have an index of their frames.
const SEEKABLE: [&str; 2] = ["mov", "matroska"];
/// The fields that are asked for.
const ENTRIES: &str = "format=format_name,duration,start_time:\
                       stream=index,codec_name,codec_type,width,height,sample_rate,sample_fmt,channels,channel_layout,\
                       duration,start_time,r_frame_rate,avg_frame_rate:stream_disposition=default,attached_pic:\
                       stream_side_data=rotation";
/// ffprobe's warning when it estimates a duration by the file's size and the bitrate of its first seconds: for a talk
/// that begins with silence, many times the real one.
const GUESSED: &str = "Estimating duration from bitrate";
/// A format that never declares its duration.
const LENGTHLESS: &str = "aac";
/// The frame rate that is assumed for a video that declares none.
const USUAL_FRAMES_A_SECOND: u32 = 25;
/// The longest name of a layout: `hexadecagonal` and its like, or a list of channels.
const LONGEST_LAYOUT: usize = 48;
/// Bytes of description that are read: far more than `streams` of it need.
const ANSWER_BYTES: usize = 1 << 20;

/// The contents of a media file.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Declared media time in milliseconds; none for an image, for a recording whose writer never noted it, and for a
    /// format that has no field for it, such as ADTS.
    pub duration_ms: Option<i64>,
    /// All streams, of any kind.
    pub streams: Vec<item::Stream>,
    /// The sound stream that readers use, if there is any.
    pub audio: Option<AudioStream>,
    /// Whether there is a moving picture; an album cover does not count.
    pub has_video: bool,
    /// Whether the file is an image.
    pub is_image: bool,
    /// Pixels across as displayed, of the moving picture or else of the first picture.
    pub width: Option<u32>,
    /// Pixels down, of the same picture.
    pub height: Option<u32>,
    /// The rate of the frames that cuts are placed on, if there is a moving picture.
    pub frame_rate: Option<FrameRate>,
    /// The container, as ffprobe calls it.
    pub format_name: String,
}

/// The sound stream that readers use: the one marked as default, or else the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AudioStream {
    /// Its number in the container.
    pub index: u32,
    /// Samples per second.
    pub rate: u32,
    /// The number of channels.
    pub channels: u32,
    /// The channels' layout, as ffprobe names it, such as `5.1(side)`; none for some files.
    pub layout: Option<String>,
    /// Milliseconds from the media's start to the sound's.
    pub lead_in_ms: i64,
    /// Bits per sample when it is written without loss: 16, or 24 for sound that has more.
    pub bits: u32,
}

impl Probe {
    /// Whether there is sound that can be decoded.
    pub fn has_audio(&self) -> bool {
        self.audio.is_some()
    }

    /// Whether it can be decoded from its middle, exactly to the frame and the sample: its container has an index, or
    /// all samples have one size.
    pub fn is_seekable(&self) -> bool {
        let is_pcm = |stream: &item::Stream| stream.codec.as_ref().is_some_and(|codec| codec.starts_with("pcm_"));
        match self.format_name.as_str() {
            "wav" => self.streams.iter().all(is_pcm),
            "flac" => true,
            name => SEEKABLE.iter().any(|container| name.starts_with(container)),
        }
    }
}

/// Asks ffprobe for the contents of `file`, and refuses those beyond the limits.
pub(super) async fn probe(file: &File, tools: &MediaTools, ctx: &JobCtx) -> Result<Probe, ReadError> {
    let asked = ["-v", "warning", "-print_format", "json", "-show_entries", ENTRIES].map(OsStr::new);
    let arguments = asked.into_iter().chain(input_arguments());
    let (answer, ending) = whole_output(&tools.ffprobe, arguments, file, tools, ANSWER_BYTES, ctx).await?;
    if !ending.status.success() {
        tracing::debug!(ffprobe.stderr = ending.stderr, "ffprobe could not open the media");
        return Err(ReadError::Corrupt("it is in no format that is read here"));
    }
    let described: Described =
        serde_json::from_slice(&answer).map_err(|_| ReadError::Corrupt("its description makes no sense"))?;
    if !names::is_format(&described.format.name) {
        return Err(ReadError::Corrupt("it is in no format that is read here"));
    }
    let guessed = described.format.name == LENGTHLESS || ending.stderr.contains(GUESSED);
    let described = if guessed { described.without_durations() } else { described };
    described.checked(&tools.limits)
}

#[derive(Debug, Default, Deserialize)]
struct Described {
    #[serde(default)]
    format: Format,
    #[serde(default)]
    streams: Vec<Stream>,
}

#[derive(Debug, Default, Deserialize)]
struct Format {
    #[serde(default, rename = "format_name")]
    name: String,
    duration: Option<String>,
    start_time: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Stream {
    index: u32,
    codec_type: Option<String>,
    codec_name: Option<String>,
    width: Option<u32>,
    height: Option<u32>,
    avg_frame_rate: Option<String>,
    sample_rate: Option<String>,
    channels: Option<u32>,
    channel_layout: Option<String>,
    sample_fmt: Option<String>,
    duration: Option<String>,
    start_time: Option<String>,
    r_frame_rate: Option<String>,
    #[serde(default)]
    disposition: Disposition,
    #[serde(default, rename = "side_data_list")]
    side_data: Vec<SideData>,
}

#[derive(Debug, Default, Deserialize)]
struct SideData {
    /// Degrees by which a player turns the picture.
    rotation: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct Disposition {
    #[serde(default)]
    default: u8,
    #[serde(default)]
    attached_pic: u8,
}

impl Described {
    /// Returns the same description without durations.
    fn without_durations(mut self) -> Self {
        self.format.duration = None;
        self.streams.iter_mut().for_each(|stream| stream.duration = None);
        self
    }

    /// Returns the facts, or an error when they exceed a limit.
    fn checked(self, limits: &MediaLimits) -> Result<Probe, ReadError> {
        self.refuse_large_streams(limits)?;
        let is_image = self.format.name.ends_with("_pipe") || self.format.name == "gif";
        let duration_ms = if is_image { None } else { self.duration_ms() };
        let allowed = u64::try_from(limits.duration_ms).unwrap_or(0);
        within(Limit::Duration, duration_ms.map_or(0, i64::unsigned_abs), allowed)?;

        let pictures: Vec<_> = self.streams.iter().filter(|stream| stream.is("video")).collect();
        let audio = self.audio();
        if pictures.is_empty() && audio.is_none() {
            return Err(ReadError::Corrupt("it holds neither sound nor a picture"));
        }
        let moving = pictures.iter().find(|stream| !is_image && stream.disposition.attached_pic == 0);
        let (width, height) = moving.or(pictures.first()).map_or((None, None), |stream| stream.shown_size());
        Ok(Probe {
            duration_ms,
            streams: self.streams.iter().map(Stream::described).collect(),
            audio,
            has_video: moving.is_some(),
            is_image,
            frame_rate: moving.map(|stream| stream.frame_rate()),
            width,
            height,
            format_name: self.format.name,
        })
    }

    /// Refuses more streams than are read, or too large a one.
    fn refuse_large_streams(&self, limits: &MediaLimits) -> Result<(), ReadError> {
        within(Limit::Streams, self.streams.len() as u64, limits.streams)?;
        for stream in &self.streams {
            let pixels = u64::from(stream.width.unwrap_or(0)) * u64::from(stream.height.unwrap_or(0));
            within(Limit::Pixels, pixels, limits.pixels)?;
            within(Limit::Channels, u64::from(stream.channels.unwrap_or(0)), limits.channels)?;
        }
        Ok(())
    }

    /// Returns the longest duration that the container and its streams declare, in milliseconds.
    fn duration_ms(&self) -> Option<i64> {
        let declared = self.streams.iter().map(|stream| &stream.duration).chain([&self.format.duration]);
        declared.filter_map(|duration| milliseconds(duration.as_deref())).filter(|ms| *ms > 0).max()
    }

    fn audio(&self) -> Option<AudioStream> {
        let audio = |stream: &Stream| stream.audio(&self.format);
        let mut defaults = self.streams.iter().filter(|stream| stream.disposition.default == 1);
        defaults.find_map(audio).or_else(|| self.streams.iter().find_map(audio))
    }
}

impl Stream {
    fn is(&self, codec_type: &str) -> bool {
        self.codec_type.as_deref() == Some(codec_type)
    }

    /// Returns the rate of the frames that cuts are placed on: the rate that fits every frame, if there are about that
    /// many frames; for a variable frame rate, the whole rate nearest to the average.
    fn frame_rate(&self) -> FrameRate {
        let base = self.r_frame_rate.as_deref().and_then(Fraction::of);
        let average = self.avg_frame_rate.as_deref().and_then(Fraction::of);
        let fits = |base: &Fraction| average.is_none_or(|average| base.a_second() <= 1.5 * average.a_second());
        let exact = base.filter(fits).and_then(|base| FrameRate::new(base.frames, base.seconds));
        let near = average.or(base).map_or(USUAL_FRAMES_A_SECOND, |rate| whole(rate.a_second()));
        exact.or_else(|| FrameRate::new(near, 1)).unwrap_or(FrameRate::ONE_A_SECOND)
    }

    /// Returns the width and height as players and decoders show it: phones film sideways and declare a rotation.
    fn shown_size(&self) -> (Option<u32>, Option<u32>) {
        let turned = self
            .side_data
            .iter()
            .filter_map(|data| data.rotation)
            .any(|degrees| (45.0..135.0).contains(&(degrees.abs() % 180.0)));
        if turned { (self.height, self.width) } else { (self.width, self.height) }
    }

    /// Returns this stream as an item shows it.
    fn described(&self) -> item::Stream {
        let kind = match self.codec_type.as_deref() {
            Some("video") if self.disposition.attached_pic == 1 => "picture",
            Some(known @ ("video" | "audio" | "subtitle" | "attachment")) => known,
            _ => "data",
        };
        let pictured = matches!(kind, "video" | "picture");
        let codec = self.codec_name.as_deref().and_then(names::codec).map(str::to_owned);
        item::Stream {
            index: self.index,
            kind: kind.to_owned(),
            codec,
            duration_seconds: milliseconds(self.duration.as_deref()).filter(|ms| *ms > 0).map(seconds),
            width: self.width.filter(|_| pictured),
            height: self.height.filter(|_| pictured),
            frame_rate: self
                .avg_frame_rate
                .as_deref()
                .and_then(Fraction::of)
                .map(to_three_places)
                .filter(|_| kind == "video"),
            sample_rate: self.sample_rate.as_deref().and_then(|rate| rate.parse().ok()).filter(|_| kind == "audio"),
            channels: self.channels.filter(|_| kind == "audio"),
        }
    }

    /// Returns this stream as sound, when it is sound that can be decoded.
    fn audio(&self, format: &Format) -> Option<AudioStream> {
        if !self.is("audio") || matches!(self.codec_name.as_deref(), None | Some("unknown" | "none")) {
            return None;
        }
        let rate = self.sample_rate.as_deref()?.parse().ok().filter(|rate| *rate > 0)?;
        let channels = self.channels.filter(|channels| *channels > 0)?;
        let media_start = milliseconds(format.start_time.as_deref()).unwrap_or(0);
        let own_start = milliseconds(self.start_time.as_deref()).unwrap_or(media_start);
        let lead_in_ms = own_start.saturating_sub(media_start).max(0);
        let layout = self.channel_layout.clone().filter(|layout| is_plain(layout));
        let bits = if matches!(self.sample_fmt.as_deref(), Some("u8" | "u8p" | "s16" | "s16p")) { 16 } else { 24 };
        Some(AudioStream { index: self.index, rate, channels, layout, lead_in_ms, bits })
    }
}

/// Whether a layout's name can be used in a filter unquoted.
fn is_plain(layout: &str) -> bool {
    layout != "unknown"
        && layout.len() <= LONGEST_LAYOUT
        && layout.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '(' | ')'))
}

/// A frame rate as a stream declares it.
#[derive(Debug, Clone, Copy)]
struct Fraction {
    frames: u32,
    seconds: u32,
}

impl Fraction {
    /// Parses `30000/1001` as its two numbers; none for `0/0`.
    fn of(text: &str) -> Option<Self> {
        let (frames, seconds) = text.split_once('/')?;
        let (frames, seconds) = (frames.parse().ok()?, seconds.parse().ok()?);
        (frames > 0 && seconds > 0).then_some(Self { frames, seconds })
    }

    fn a_second(self) -> f64 {
        f64::from(self.frames) / f64::from(self.seconds)
    }
}

/// Returns a rate as a number, rounded to three places.
fn to_three_places(rate: Fraction) -> f64 {
    (rate.a_second() * 1000.0).round() / 1000.0
}

/// Returns the whole frame rate nearest to a rate, within the allowed range.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped to what fits")]
fn whole(rate: f64) -> u32 {
    rate.round().clamp(1.0, f64::from(MOST_FRAMES_A_SECOND)) as u32
}

fn within(limit: Limit, found: u64, allowed: u64) -> Result<(), ReadError> {
    if found > allowed { Err(ReadError::LimitExceeded { limit, found, allowed }) } else { Ok(()) }
}

/// Returns seconds such as `"12.345678"` in milliseconds; none for `N/A` and for implausible lengths.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn milliseconds(seconds: Option<&str>) -> Option<i64> {
    let seconds: f64 = seconds?.parse().ok()?;
    (seconds.abs() < 1e12).then(|| (seconds * 1000.0).round() as i64)
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
