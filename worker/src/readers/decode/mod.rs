//! Decoding: from a file that anyone may have uploaded to probed facts and blocks of samples (docs/confinement.md).
//!
//! Every look at the bytes happens in `ffprobe` or `ffmpeg`, as a confined child process that gets the opened file and
//! never its name. `confine` says what a child can reach, and `child` is the only place that starts one; `names` has
//! what is opened and what may be said back; `source` opens and checks the file; `probe` asks what it is, and `packets`
//! how long it is where it does not say. `sound` streams samples, `pictures` small frames to look at, `frames` whole
//! ones to draw with, `stills` gives one picture; `paid` says how far any of them goes. `output` is for children that
//! write text, `encoder` for those that write a file.
//! Whatever the bytes, the answer is a result or a typed error by the deadline, and no other file's content.

mod child;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(not(target_os = "linux"))]
#[path = "confine_elsewhere.rs"]
mod confine;
mod decoded;
mod encoder;
mod frames;
mod key_pictures;
mod names;
mod output;
mod packets;
mod paid;
mod pictures;
mod probe;
mod sound;
mod source;
mod stills;

pub use confine::Refused;
pub use decoded::DecodedSound;
pub(crate) use encoder::{Encoder, Feed, Workshop, made};
pub(crate) use frames::{FirstFrame, FrameSize, FrameStream, black, image_frame, image_layer};
pub(crate) use key_pictures::gone_through_ms;
pub(crate) use output::{nameless, whole_output};
pub(crate) use packets::picture_length;
pub(crate) use paid::{Paid, fits_a_second};
pub(crate) use pictures::{SmallSize, cover, small_pictures};
pub(super) use pictures::{page, still};
pub use probe::{AudioStream, Probe};
pub(crate) use sound::SoundStream;
pub use sound::{Channels, SoundBlocks, SoundFormat, decode_sound};
pub use source::MediaSource;
pub(crate) use stills::{DecodedPicture, Room, picture};

use super::ReaderSettings;
use confine::Confiner;
use domain::pixels::MOST_READ_PIXELS;
use names::{CODECS, FORMATS};
use runtime::config::Confinement;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(test)]
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The file that the child inherits as its standard input, by a name that the uploader had no part in. Opened anew by
/// the child, it can be read from any position.
#[cfg(target_os = "linux")]
const INPUT: &str = "file:/proc/self/fd/0";
#[cfg(not(target_os = "linux"))]
const INPUT: &str = "file:/dev/fd/0";

/// The same for a program that takes a plain path.
pub(crate) fn input_path() -> &'static str {
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
        Self {
            duration_ms: 86_400_000,
            pixels: MOST_READ_PIXELS.into(),
            streams: 64,
            channels: 16,
            child_memory_bytes: 2 << 30,
        }
    }
}

/// The decoder of this machine and what it may use.
#[derive(Debug, Clone)]
pub struct MediaTools {
    ffmpeg: PathBuf,
    ffprobe: PathBuf,
    scratch_dir: PathBuf,
    limits: MediaLimits,
    confiner: Confiner,
    /// How many decoders were started, for tests of what is shared. Probes don't count.
    #[cfg(test)]
    decodes: Arc<AtomicUsize>,
}

/// Why nothing can be decoded here.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NoDecoder {
    /// A program is missing.
    #[error("ffmpeg or ffprobe was not found, so this worker can compute no reads")]
    Missing,
    /// They can't be confined as far as the settings ask for.
    #[error(
        "decoders can't be confined here as MWS_DECODER_CONFINEMENT={} asks, so nothing is decoded ({why})",
        .least.name()
    )]
    Unconfined {
        /// What is asked for.
        least: Confinement,
        /// What was tried, and how it failed.
        why: Refused,
    },
}

impl MediaTools {
    /// The decoder that the settings name or `PATH` holds, confined as far as this machine allows.
    pub fn found(settings: &ReaderSettings) -> Result<Self, NoDecoder> {
        let ffprobe = executable(settings.ffprobe.as_deref(), "ffprobe").ok_or(NoDecoder::Missing)?;
        let least = settings.confinement;
        Ok(Self {
            ffmpeg: executable(settings.ffmpeg.as_deref(), "ffmpeg").ok_or(NoDecoder::Missing)?,
            scratch_dir: settings.scratch_dir.clone().unwrap_or_else(std::env::temp_dir),
            limits: settings.limits.clone(),
            confiner: Confiner::found(least, &ffprobe).map_err(|why| NoDecoder::Unconfined { least, why })?,
            ffprobe,
            #[cfg(test)]
            decodes: Arc::default(),
        })
    }

    /// How many decoders were started.
    #[cfg(test)]
    pub(crate) fn decodes(&self) -> usize {
        self.decodes.load(Ordering::SeqCst)
    }

    /// How far decoders are confined.
    pub fn confinement(&self) -> Confinement {
        self.confiner.level()
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

    /// What ffmpeg answers when it is asked what it is or can do, by an option such as `-encoders`; nothing when it
    /// can't be run. It gets nobody's bytes.
    pub(crate) fn ffmpeg_says(&self, option: &str) -> Option<String> {
        let output = Command::new(&self.ffmpeg).args(["-hide_banner", option]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The absolute path of a program: the one given, or the first of that name in `PATH`. It is settled once, because a
/// child gets no `PATH` to look in.
pub(crate) fn executable(given: Option<&Path>, name: &str) -> Option<PathBuf> {
    if let Some(given) = given {
        return given.is_file().then(|| std::path::absolute(given).ok()).flatten();
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// What stands before the input of a child that tells when its pictures are. Where a container's clock may start
/// anywhere (MPEG-TS, Ogg), ffmpeg counts from the first of the streams that the child asks for, and not from the
/// media's start, unless the input is shifted on purpose: a microsecond is no time on any stream's clock.
pub(crate) const ON_THE_MEDIAS_CLOCK: [&str; 2] = ["-itsoffset", "0.000001"];

/// Pixels of a picture that a decoder takes of any video. Recordings of calls begin small and grow, to this at most.
const LEAST_MOST_PIXELS: u64 = 2_560 * 1_440;
/// How many times as large as the first a later picture may be.
const LARGER: u64 = 3;

/// The most pixels of a picture that a decoder of this media takes (`-max_pixels`): what is paid for goes by the first,
/// and a stream may change its size with any. Larger ones are left out, as damaged ones are.
pub(crate) fn most_pixels(probe: &Probe) -> String {
    let side = |pixels: Option<u32>| u64::from(pixels.unwrap_or(0));
    let first = side(probe.width).saturating_mul(side(probe.height));
    first.saturating_mul(LARGER).max(LEAST_MOST_PIXELS).to_string()
}

/// The arguments that every child has before the input, and the input.
pub(crate) fn input_arguments() -> [&'static OsStr; 8] {
    let all = ["-protocol_whitelist", "file", "-format_whitelist", FORMATS, "-codec_whitelist", CODECS, "-i", INPUT];
    all.map(OsStr::new)
}
