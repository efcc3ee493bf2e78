//! What `ffprobe` writes about a file, and the facts that are taken from it.

use super::frame_rate::{Fraction, to_three_places, whole};
use super::{AudioStream, Probe};
use crate::readers::decode::{MediaLimits, names};
use crate::readers::stored::seconds;
use crate::readers::{Limit, ReadError};
use domain::item;
use domain::media_time::FrameRate;
use serde::Deserialize;

/// The frame rate that is assumed for a video that declares none.
const USUAL_FRAMES_A_SECOND: u32 = 25;
/// The longest name of a layout: `hexadecagonal` and its like, or a list of channels.
const LONGEST_LAYOUT: usize = 48;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Described {
    #[serde(default)]
    pub(super) format: Format,
    #[serde(default)]
    streams: Vec<Stream>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Format {
    #[serde(default, rename = "format_name")]
    pub(super) name: String,
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
    pub(super) fn without_durations(mut self) -> Self {
        self.format.duration = None;
        self.streams.iter_mut().for_each(|stream| stream.duration = None);
        self
    }

    /// Returns the facts, or an error when they exceed a limit.
    pub(super) fn checked(self, limits: &MediaLimits) -> Result<Probe, ReadError> {
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
mod tests;
