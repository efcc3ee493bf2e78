//! Films: a timeline's plan drawn frame by frame and mixed sample by sample (`domain::film`).
//!
//! Every item is decoded by a confined child of its own, and one child encodes what is drawn here; no child ever reads
//! two customers' files. `scenes` makes the background, `overlays` the layers over it, `picture` draws, `text_mask`
//! draws letters and `sound` mixes. Only the frames that are being drawn are in memory.

mod overlays;
mod picture;
mod scenes;
mod sound;
pub(super) mod text_mask;

use super::{ItemMedia, OUTPUT_FILE, Rendered, SOUND, SOUND_FILE, Sources, TOLERANCE_MS, material};
use crate::ingest::facts;
use crate::new_media::NewMedia;
use crate::readers::decode::{Encoder, Feed, Workshop, cover, made};
use crate::readers::{JobCtx, MediaSource, MediaTools, ReadError};
use crate::renders::gone_through::refuse_unpaid;
use domain::decoding::{Decoding, Source, Step};
use domain::film::{Film, FilmFormat, FilmPicture, FilmQuality};
use domain::ids::ItemId;
use overlays::Overlays;
use picture::Size;
use scenes::Scenes;
use std::collections::HashMap;
use std::ffi::OsStr;

/// Milliseconds by which an MP3 may be longer than planned: a frame at each of its ends, which some players leave out.
const PADDING_MS: i64 = 80;

/// A film that is being made.
pub(super) struct FilmRender<'a> {
    film: &'a Film,
    decoding: Decoding,
    sources: &'a Sources,
    most_bytes: u64,
}

impl FilmRender<'_> {
    /// Returns the media of an item.
    fn source(&self, item: ItemId) -> Result<&MediaSource, ReadError> {
        self.sources.others.get(&item).map(|other| &other.media).ok_or(ReadError::Missing)
    }

    /// Returns the context in which an item is decoded: only up to the length that its row says.
    fn paid_for(&self, item: ItemId, ctx: &JobCtx) -> JobCtx {
        let paid_ms = self.sources.others.get(&item).map(|other| other.duration_ms).filter(|ms| *ms > 0);
        JobCtx { paid_ms, ..ctx.clone() }
    }

    fn tools(&self) -> &MediaTools {
        self.sources.source.tools()
    }

    /// Returns the size that is drawn.
    fn size(&self) -> Size {
        let [width, height] = self.film.drawn_size().map(|side| side as usize);
        Size { width, height }
    }
}

/// Makes the film, in at most `most_bytes` bytes.
pub(super) async fn render(
    sources: &Sources,
    film: &Film,
    most_bytes: u64,
    ctx: &JobCtx,
) -> Result<Rendered, ReadError> {
    let decoding = decoding(film, &sources.others);
    let worth_ms = decoding.worth_ms(film);
    refuse_unpaid(&begun(film, &decoding), &sources.others, worth_ms, ctx).await?;
    let render = FilmRender { film, decoding, sources, most_bytes };
    let workshop = Workshop::of(&sources.source)?;
    let has_picture = film.format.has_picture();
    if has_picture {
        sound::mix(&render, &workshop, SOUND_FILE, &ctx.step(0, SOUND)).await?;
        draw(&render, &workshop, &ctx.step(SOUND, 100)).await?;
    } else {
        sound::mix(&render, &workshop, OUTPUT_FILE, ctx).await?;
    }
    // The film is paid for as a whole, whatever the lengths of its sources.
    let whole = JobCtx { paid_ms: None, ..ctx.clone() };
    let output = made(&workshop, OUTPUT_FILE, &sources.source, &whole).await?;
    let probe = output.probe();
    let frame_ms = film.rate.us_of(1) / 1000 + 1;
    let padding_ms = if film.format == FilmFormat::Mp3 { PADDING_MS } else { 0 };
    let (planned_ms, found_ms) = (film.duration_us / 1000, probe.duration_ms.unwrap_or(0));
    let is_off = (found_ms - planned_ms).abs() > TOLERANCE_MS + frame_ms + padding_ms;
    if probe.has_video != has_picture || !probe.has_audio() || is_off {
        tracing::warn!(planned_ms, ?probe, "A film is not what was planned.");
        return Err(ReadError::Corrupt("it can't be rendered whole"));
    }
    let picture = if has_picture { cover(&output, found_ms, &whole).await.unwrap_or_default() } else { None };
    let facts = facts(probe, Some(content_type(film.format)));
    let media = NewMedia { file: output.file().try_clone()?, facts, picture };
    Ok(Rendered { media, duration_ms: worth_ms })
}

/// Returns, for each item, the seconds of it at which a clip opens a decoder, but for those that open it at its start.
fn begun(film: &Film, decoding: &Decoding) -> HashMap<ItemId, Vec<i64>> {
    let mut begun: HashMap<ItemId, Vec<i64>> = HashMap::new();
    for (scene, step) in film.scenes.iter().zip(&decoding.scenes) {
        let (FilmPicture::Clip { item, .. }, Some(Step { source: Source::Opened(frame), .. })) = (&scene.picture, step)
        else {
            continue;
        };
        if *frame > 0 && film.format.has_picture() {
            begun.entry(*item).or_default().push(film.rate.us_of(*frame) / 1_000_000);
        }
    }
    begun
}

/// Returns what is decoded of these sources for a film, and from where on.
fn decoding(film: &Film, others: &HashMap<ItemId, ItemMedia>) -> Decoding {
    Decoding::of(film, |item| others.get(&item).map(|other| material(&other.media)).unwrap_or_default())
}

/// Returns the milliseconds of film that the price of this render counts.
pub(crate) fn worth_ms(film: &Film, others: &HashMap<ItemId, ItemMedia>) -> i64 {
    decoding(film, others).worth_ms(film)
}

/// Returns the error for a step of `domain::decoding` whose decoder is not there to go on with.
fn misplaced(what: &str) -> ReadError {
    ReadError::Internal(format!("a {what} goes on with a decoder that is not there"))
}

/// Returns the media type of a format.
const fn content_type(format: FilmFormat) -> &'static str {
    match format {
        FilmFormat::Mp4 => "video/mp4",
        FilmFormat::Webm => "video/webm",
        FilmFormat::Mov => "video/quicktime",
        FilmFormat::Mp3 => "audio/mpeg",
        FilmFormat::Wav => "audio/wav",
    }
}

/// Draws every frame, and has the frames encoded with the sound, which is complete already.
async fn draw(render: &FilmRender<'_>, workshop: &Workshop, ctx: &JobCtx) -> Result<(), ReadError> {
    let (film, size) = (render.film, render.size());
    let mut encoder = encoder(render, workshop, size, ctx).await?;
    let mut scenes = Scenes::of(render, size);
    let mut overlays = Overlays::of(render, workshop, size);
    let whole = film.frames();
    for number in 0..whole {
        let mut frame = scenes.frame(number, ctx).await?;
        overlays.draw(number, &mut frame, ctx).await?;
        encoder.write(&frame, ctx).await?;
        ctx.progress.reach_part(number.unsigned_abs(), whole.unsigned_abs());
    }
    scenes.end().await;
    let ending = encoder.finish(ctx).await?;
    if ending.status.success() {
        return Ok(());
    }
    tracing::warn!(ffmpeg.stderr = ending.stderr, "ffmpeg did not encode a film.");
    Err(ReadError::Crashed)
}

/// Starts the child that encodes frames.
async fn encoder(render: &FilmRender<'_>, workshop: &Workshop, size: Size, ctx: &JobCtx) -> Result<Encoder, ReadError> {
    let film = render.film;
    let (shape, rate) = (format!("{}x{}", size.width, size.height), film.rate.to_string());
    let (sound, output) = (format!("file:{SOUND_FILE}"), format!("file:{OUTPUT_FILE}"));
    let is_draft = film.quality == FilmQuality::Draft;
    let input = ["-nostdin", "-nostats", "-hide_banner", "-v", "error", "-protocol_whitelist", "pipe"];
    let raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s:v", &shape, "-r", &rate, "-i", "pipe:0"];
    let webm = film.format == FilmFormat::Webm;
    let (format, codec) = if webm { ("matroska", "libopus") } else { ("mov", "aac") };
    let beside = ["-protocol_whitelist", "file", "-format_whitelist", format, "-codec_whitelist", codec, "-i", &sound];
    let streams = ["-map", "0:v:0", "-map", "1:a:0", "-map_metadata", "-1", "-c:a", "copy", "-threads", "2"];
    let h264: &[&str] = if is_draft {
        &["-c:v", "libx264", "-preset", "ultrafast", "-crf", "28", "-pix_fmt", "yuv420p"]
    } else {
        &["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p"]
    };
    let vp9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-row-mt", "1", "-b:v", "0"];
    let quality: &[&str] = if is_draft { &["-crf", "45"] } else { &["-crf", "32"] };
    let colors: &[&str] = if size.height >= 720 {
        &["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]
    } else {
        &["-colorspace", "smpte170m", "-color_primaries", "smpte170m", "-color_trc", "smpte170m", "-color_range", "tv"]
    };
    let picture: Vec<&str> = if webm { [&vp9[..], quality].concat() } else { h264.to_vec() };
    let exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact"];
    let last: &[&str] = match film.format {
        FilmFormat::Webm => &["-f", "webm"],
        FilmFormat::Mov => &["-movflags", "+faststart", "-f", "mov"],
        _ => &["-movflags", "+faststart", "-f", "mp4"],
    };
    let arguments = input.into_iter().chain(raw).chain(beside).chain(streams).chain(picture).chain(exact);
    let arguments =
        arguments.chain(colors.iter().copied()).chain(last.iter().copied()).chain([output.as_str()]).map(OsStr::new);
    Encoder::start(render.tools(), workshop, arguments, Feed::Written, render.most_bytes, ctx).await
}
