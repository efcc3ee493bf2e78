//! The contents of a media file, as `ffprobe` reports them, and whether they are within the limits.
//!
//! Only numbers and names of formats are asked for: tags are the uploader's text and stay in the file. Only names on a
//! list are accepted, since a child that was taken over may say anything. A declared duration is only a claim, and one
//! that ffprobe guessed does not count; `sound` counts what is really there.

mod description;
mod frame_rate;

use super::output::whole_output;
use super::{MediaTools, input_arguments, names};
use crate::readers::{JobCtx, ReadError};
use description::Described;
use domain::item;
use domain::media_time::FrameRate;
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
