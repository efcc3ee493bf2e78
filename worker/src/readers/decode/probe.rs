//! What a media file holds, as `ffprobe` tells it, and whether that is within the limits.
//!
//! Only numbers and names of formats are asked for: tags are the uploader's text and stay in the file. A declared
//! duration is a claim; `sound` counts what is really there.

use super::output::whole_output;
use super::{MediaLimits, MediaTools, input_arguments};
use crate::readers::stored::seconds;
use crate::readers::{JobCtx, Limit, ReadError};
use common::domain::item;
use serde::Deserialize;
use std::ffi::OsStr;
use std::fs::File;

/// The fields that are asked for.
const ENTRIES: &str = "format=format_name,duration,start_time:\
                       stream=index,codec_name,codec_type,width,height,avg_frame_rate,sample_rate,channels,channel_layout,\
                       duration,start_time:stream_disposition=default,attached_pic";
/// How much description is read: far more than `streams` of it need.
const ANSWER_BYTES: usize = 1 << 20;

/// What a media file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Declared media time in milliseconds; unknown for an image, and for a recording whose writer never came back
    /// to note it.
    pub duration_ms: Option<i64>,
    /// All streams, of any kind.
    pub streams: Vec<item::Stream>,
    /// The sound that readers hear, if there is any.
    pub audio: Option<AudioStream>,
    /// Whether there is a moving picture; the cover of an album is none.
    pub has_video: bool,
    /// Whether the file is a picture.
    pub is_image: bool,
    /// Pixels across, of the first picture.
    pub width: Option<u32>,
    /// Pixels down, of the first picture.
    pub height: Option<u32>,
    /// The container, as ffprobe calls it.
    pub format_name: String,
}

/// The sound stream that readers hear: the one marked as default, or else the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AudioStream {
    /// Its number in the container.
    pub index: u32,
    /// Samples a second.
    pub rate: u32,
    /// How many channels it has.
    pub channels: u32,
    /// Where they stand, as ffprobe names it, such as `5.1(side)`; unknown for some files.
    pub layout: Option<String>,
    /// Milliseconds between the media's start and the sound's.
    pub lead_in_ms: i64,
}

impl Probe {
    /// Whether there is sound.
    pub fn has_audio(&self) -> bool {
        self.audio.is_some()
    }
}

/// Asks what `file` holds, and refuses what is beyond the limits.
pub(super) async fn probe(file: &File, tools: &MediaTools, ctx: &JobCtx) -> Result<Probe, ReadError> {
    let asked = ["-v", "error", "-print_format", "json", "-show_entries", ENTRIES].map(OsStr::new);
    let arguments = asked.into_iter().chain(input_arguments());
    let (answer, ending) = whole_output(&tools.ffprobe, arguments, file, tools, ANSWER_BYTES, ctx).await?;
    if !ending.status.success() {
        tracing::debug!(ffprobe.stderr = ending.stderr, "ffprobe could not open the media");
        return Err(ReadError::Corrupt("it is in no format that is read here"));
    }
    let described: Described =
        serde_json::from_slice(&answer).map_err(|_| ReadError::Corrupt("its description makes no sense"))?;
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
    duration: Option<String>,
    start_time: Option<String>,
    #[serde(default)]
    disposition: Disposition,
}

#[derive(Debug, Default, Deserialize)]
struct Disposition {
    #[serde(default)]
    default: u8,
    #[serde(default)]
    attached_pic: u8,
}

impl Described {
    /// The facts, or what there is too much of.
    fn checked(self, limits: &MediaLimits) -> Result<Probe, ReadError> {
        within(Limit::Streams, self.streams.len() as u64, limits.streams)?;
        for stream in &self.streams {
            let pixels = u64::from(stream.width.unwrap_or(0)) * u64::from(stream.height.unwrap_or(0));
            within(Limit::Pixels, pixels, limits.pixels)?;
            within(Limit::Channels, u64::from(stream.channels.unwrap_or(0)), limits.channels)?;
        }
        let is_image = self.format.name.ends_with("_pipe") || self.format.name == "gif";
        let duration_ms = if is_image { None } else { self.duration_ms() };
        let allowed = u64::try_from(limits.duration_ms).unwrap_or(0);
        within(Limit::Duration, duration_ms.map_or(0, i64::unsigned_abs), allowed)?;

        let pictures: Vec<_> = self.streams.iter().filter(|stream| stream.is("video")).collect();
        let audio = self.audio();
        if pictures.is_empty() && audio.is_none() {
            return Err(ReadError::Corrupt("it holds neither sound nor a picture"));
        }
        Ok(Probe {
            duration_ms,
            streams: self.streams.iter().map(Stream::described).collect(),
            audio,
            has_video: !is_image && pictures.iter().any(|stream| stream.disposition.attached_pic == 0),
            is_image,
            width: pictures.first().and_then(|stream| stream.width),
            height: pictures.first().and_then(|stream| stream.height),
            format_name: self.format.name,
        })
    }

    /// The longest of what the container and its streams declare.
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

    /// This stream as an item shows it.
    fn described(&self) -> item::Stream {
        let kind = match self.codec_type.as_deref() {
            Some("video") if self.disposition.attached_pic == 1 => "picture",
            Some(known @ ("video" | "audio" | "subtitle" | "attachment")) => known,
            _ => "data",
        };
        let pictured = matches!(kind, "video" | "picture");
        let codec = self.codec_name.clone().filter(|name| !matches!(name.as_str(), "unknown" | "none"));
        item::Stream {
            index: self.index,
            kind: kind.to_owned(),
            codec,
            duration_seconds: milliseconds(self.duration.as_deref()).filter(|ms| *ms > 0).map(seconds),
            width: self.width.filter(|_| pictured),
            height: self.height.filter(|_| pictured),
            frame_rate: self.avg_frame_rate.as_deref().and_then(frame_rate).filter(|_| kind == "video"),
            sample_rate: self.sample_rate.as_deref().and_then(|rate| rate.parse().ok()).filter(|_| kind == "audio"),
            channels: self.channels.filter(|_| kind == "audio"),
        }
    }

    /// This stream as sound, when it is sound that can be decoded.
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
        Some(AudioStream { index: self.index, rate, channels, layout, lead_in_ms })
    }
}

/// `30000/1001` as a number with three decimals; nothing for `0/0`.
fn frame_rate(fraction: &str) -> Option<f64> {
    let (pictures, seconds) = fraction.split_once('/')?;
    let (pictures, seconds): (f64, f64) = (pictures.parse().ok()?, seconds.parse().ok()?);
    let rate = (pictures / seconds * 1000.0).round() / 1000.0;
    (rate.is_finite() && rate > 0.0).then_some(rate)
}

/// Whether a layout's name can stand in a filter as it is.
fn is_plain(layout: &str) -> bool {
    layout != "unknown" && layout.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '(' | ')'))
}

fn within(limit: Limit, found: u64, allowed: u64) -> Result<(), ReadError> {
    if found > allowed { Err(ReadError::LimitExceeded { limit, found, allowed }) } else { Ok(()) }
}

/// `"12.345678"` seconds in milliseconds; nothing for `N/A` and for what no media can last.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn milliseconds(seconds: Option<&str>) -> Option<i64> {
    let seconds: f64 = seconds?.parse().ok()?;
    (seconds.abs() < 1e12).then(|| (seconds * 1000.0).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_rate_is_a_fraction_and_never_nonsense() {
        assert_eq!(frame_rate("30000/1001"), Some(29.97));
        assert_eq!(frame_rate("25/1"), Some(25.0));
        for nonsense in ["0/0", "1/0", "-1/1", "x/y", "25", "nan/1"] {
            assert_eq!(frame_rate(nonsense), None, "{nonsense}");
        }
    }
}
