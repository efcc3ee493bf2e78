//! Decoding: from a file that anyone may have uploaded to probed facts and blocks of samples (docs/confinement.md).
//!
//! Only `ffprobe` and `ffmpeg` read the bytes, as confined child processes that get the opened file and never its name.
//! `confine` limits what a child can reach, and `child` is the only place that starts one; `names` lists the formats
//! that are opened and the names that may be reported; `source` opens and checks the file; `probe` reads its facts, and
//! `packets` its length where it declares none. `sound` streams samples, `pictures` small frames to analyse, `frames`
//! whole ones to draw with, `stills` gives one picture to draw, `single_pictures` those to show and to read text from;
//! `paid` limits how far any of them goes. `output` is for children that write text, `encoder` for those that write a
//! file. Whatever the bytes, the answer is a result or a typed error by the deadline, and no other file's content.

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
mod single_pictures;
mod sound;
mod source;
mod stills;

#[cfg(target_os = "linux")]
pub(crate) use confine::NICER;
pub use confine::Refused;
pub use decoded::DecodeSummary;
pub(crate) use encoder::{Encoder, Feed, Workshop, made};
pub(crate) use frames::{FirstFrame, FrameSize, FrameStream, black, image_frame, image_layer};
pub(crate) use key_pictures::gone_through_ms;
pub(crate) use output::{nameless, whole_output};
pub(crate) use packets::{PICTURE, picture_length, stream_length};
pub(crate) use paid::{Paid, fits_a_second};
pub(crate) use pictures::{SmallSize, small_pictures};
pub use probe::{AudioStream, Probe};
pub(crate) use single_pictures::cover;
pub(super) use single_pictures::{page, still, still_and_page};
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

/// The file that the child inherits as its standard input, by a name that the uploader had no part in. The child opens
/// it again, and so can read from any position.
#[cfg(target_os = "linux")]
const INPUT: &str = "file:/proc/self/fd/0";
#[cfg(not(target_os = "linux"))]
const INPUT: &str = "file:/dev/fd/0";

/// Returns the path of the file that the child inherits, for a program that takes a plain path.
pub(crate) fn input_path() -> &'static str {
    INPUT.trim_start_matches("file:")
}

/// The limits of media that is read; larger media is refused with `LimitExceeded`.
#[derive(Debug, Clone)]
pub struct MediaLimits {
    /// Media time in milliseconds (`MWS_MAX_MEDIA_SECONDS`; by default 24 h).
    pub duration_ms: i64,
    /// Width times height of any stream, in pixels.
    pub pixels: u64,
    /// Number of streams in one container.
    pub streams: u64,
    /// Number of sound channels of any stream.
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

/// The decoder of this machine and its limits.
#[derive(Debug, Clone)]
pub struct MediaTools {
    ffmpeg: PathBuf,
    ffprobe: PathBuf,
    scratch_dir: PathBuf,
    limits: MediaLimits,
    confiner: Confiner,
    /// The number of decoders that were started, for tests of sharing. Probes don't count.
    #[cfg(test)]
    decodes: Arc<AtomicUsize>,
}

/// Why nothing can be decoded here.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NoDecoder {
    /// A program is missing.
    #[error("ffmpeg or ffprobe was not found, so this worker can compute no reads")]
    Missing,
    /// Decoders can't be confined as far as the settings ask for.
    #[error(
        "decoders can't be confined here as MWS_DECODER_CONFINEMENT={} asks, so nothing is decoded ({why})",
        .least.name()
    )]
    Unconfined {
        /// The level that the settings ask for.
        least: Confinement,
        /// What was tried, and how it failed.
        why: Refused,
    },
}

impl MediaTools {
    /// Finds the decoder that the settings name or that is in `PATH`, confined as far as this machine allows.
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

    /// Returns the number of decoders that were started.
    #[cfg(test)]
    pub(crate) fn decodes(&self) -> usize {
        self.decodes.load(Ordering::SeqCst)
    }

    /// Returns the level at which decoders are confined.
    pub fn confinement(&self) -> Confinement {
        self.confiner.level()
    }

    /// Returns the limits of media that is read.
    pub fn limits(&self) -> &MediaLimits {
        &self.limits
    }

    /// Returns the folder for files that last as long as a job.
    pub(super) fn scratch_dir(&self) -> &Path {
        &self.scratch_dir
    }

    /// Returns the path of `ffmpeg`.
    pub(crate) fn ffmpeg(&self) -> &Path {
        &self.ffmpeg
    }

    /// Returns ffmpeg's answer to a question about itself, an option such as `-encoders`; none when it can't be run. It
    /// reads no media.
    pub(crate) fn ffmpeg_says(&self, option: &str) -> Option<String> {
        let output = Command::new(&self.ffmpeg).args(["-hide_banner", option]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Returns the absolute path of a program: the given one, or the first of that name in `PATH`. It is resolved here
/// because a child gets no `PATH`.
pub(crate) fn executable(given: Option<&Path>, name: &str) -> Option<PathBuf> {
    if let Some(given) = given {
        return given.is_file().then(|| std::path::absolute(given).ok()).flatten();
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// Arguments before the input of a child that reports when its pictures are. Where a container's clock may start
/// anywhere (MPEG-TS, Ogg), ffmpeg counts from the first of the requested streams, and not from the media's start,
/// unless the input has an offset: a microsecond is below the resolution of any stream's clock.
pub(crate) const ON_THE_MEDIAS_CLOCK: [&str; 2] = ["-itsoffset", "0.000001"];

/// Pixels per picture that a decoder accepts of any video. Recordings of calls begin small and may grow to this.
const LEAST_MOST_PIXELS: u64 = 2_560 * 1_440;
/// How many times as many pixels as the first picture a later one may have.
const LARGER: u64 = 3;

/// Returns the most pixels per picture that a decoder of this media accepts (`-max_pixels`): the price goes by the
/// first picture, and a stream may change its size with any. Larger ones are left out, as damaged ones are.
pub(crate) fn most_pixels(probe: &Probe) -> String {
    let side = |pixels: Option<u32>| u64::from(pixels.unwrap_or(0));
    let first = side(probe.width).saturating_mul(side(probe.height));
    first.saturating_mul(LARGER).max(LEAST_MOST_PIXELS).to_string()
}

/// Returns the arguments that every child has before the input, and the input.
pub(crate) fn input_arguments() -> [&'static OsStr; 8] {
    let all = ["-protocol_whitelist", "file", "-format_whitelist", FORMATS, "-codec_whitelist", CODECS, "-i", INPUT];
    all.map(OsStr::new)
}
