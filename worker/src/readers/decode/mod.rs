//! Decoding: from a file that anyone may have uploaded to probed facts and blocks of samples (reads.md, "Hostile
//! media").
//!
//! Every look at the bytes happens in `ffprobe` or `ffmpeg`, as a confined child process that gets the opened file and
//! never its name. `child` is the only place that starts one; `source` opens and checks the file; `probe` asks what
//! it is; `sound` streams its samples, `pictures` its frames, and `paid` says how far; `encoder` is for children that write a file. Whatever the bytes, the answer is a result or a typed error by the deadline,
//! and no other file's content.

mod child;
mod confine;
mod encoder;
mod output;
mod paid;
mod pictures;
mod probe;
mod sound;
mod source;

pub(crate) use encoder::{Encoder, Feed, Workshop, made};
pub(super) use output::whole_output;
pub(crate) use paid::{Paid, fits_a_second};
pub(super) use pictures::still;
pub(crate) use pictures::{cover, small_pictures};
pub use probe::{AudioStream, Probe};
pub(crate) use sound::SoundStream;
pub use sound::{Channels, DecodedSound, SoundBlocks, SoundFormat, decode_sound};
pub use source::MediaSource;

use super::ReaderSettings;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The containers that are opened. A playlist (`concat`, `hls`, `dash`) names other files, so none stands here; nor
/// does `image2`, which reads a file's name as a pattern.
const FORMATS: &str = "mov,mp3,wav,flac,ogg,matroska,aac,avi,mpegts,\
                       png_pipe,jpeg_pipe,webp_pipe,gif,bmp_pipe,tiff_pipe";

/// The file that the child inherits as its standard input, by a name that the uploader had no part in. Opened anew by
/// the child, it can be read from any position.
#[cfg(target_os = "linux")]
const INPUT: &str = "file:/proc/self/fd/0";
#[cfg(not(target_os = "linux"))]
const INPUT: &str = "file:/dev/fd/0";

/// The same for a program that takes a plain path.
pub(super) fn input_path() -> &'static str {
    INPUT.trim_start_matches("file:")
}

/// The largest media that is read; what is larger is refused with `LimitExceeded`.
#[derive(Debug, Clone)]
pub struct MediaLimits {
    /// Media time in milliseconds (`MWS_MAX_MEDIA_SECONDS`; 24 h).
    pub duration_ms: i64,
    /// Width times height of any stream.
    pub pixels: u64,
    /// Streams in one container.
    pub streams: u64,
    /// Sound channels of any stream.
    pub channels: u64,
    /// Address space of a decoder, in bytes.
    pub child_memory_bytes: u64,
}

impl Default for MediaLimits {
    fn default() -> Self {
        Self { duration_ms: 86_400_000, pixels: 64_000_000, streams: 64, channels: 16, child_memory_bytes: 2 << 30 }
    }
}

/// The decoder of this machine and what it may use.
#[derive(Debug, Clone)]
pub struct MediaTools {
    ffmpeg: PathBuf,
    ffprobe: PathBuf,
    scratch_dir: PathBuf,
    limits: MediaLimits,
}

impl MediaTools {
    /// The decoder that the settings name or `PATH` holds; nothing when either half of it is missing.
    pub fn found(settings: &ReaderSettings) -> Option<Self> {
        Some(Self {
            ffmpeg: executable(settings.ffmpeg.as_deref(), "ffmpeg")?,
            ffprobe: executable(settings.ffprobe.as_deref(), "ffprobe")?,
            scratch_dir: settings.scratch_dir.clone().unwrap_or_else(std::env::temp_dir),
            limits: settings.limits.clone(),
        })
    }

    /// The largest media that is read.
    pub fn limits(&self) -> &MediaLimits {
        &self.limits
    }

    /// Where files for the length of a job are made.
    pub(super) fn scratch_dir(&self) -> &Path {
        &self.scratch_dir
    }

    /// Where `ffmpeg` is.
    pub(crate) fn ffmpeg(&self) -> &Path {
        &self.ffmpeg
    }
}

/// The absolute path of a program: the one given, or the first of that name in `PATH`. It is settled once, because a
/// child gets no `PATH` to look in.
pub(super) fn executable(given: Option<&Path>, name: &str) -> Option<PathBuf> {
    if let Some(given) = given {
        return given.is_file().then(|| std::path::absolute(given).ok()).flatten();
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// What stands before the input of a child that tells when its pictures are. Where a container's clock may start anywhere (MPEG-TS,
/// Ogg), ffmpeg counts from the first of the streams that the child asks for, and not from the media's start, unless the
/// input is shifted on purpose: a microsecond is no time on any stream's clock.
pub(crate) const ON_THE_MEDIAS_CLOCK: [&str; 2] = ["-itsoffset", "0.000001"];

/// The arguments that every child has before the input, and the input.
pub(crate) fn input_arguments() -> [&'static OsStr; 6] {
    ["-protocol_whitelist", "file", "-format_whitelist", FORMATS, "-i", INPUT].map(OsStr::new)
}
