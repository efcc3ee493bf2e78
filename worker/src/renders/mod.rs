//! Renders: new media made of stored media, as a plan says (`domain::render`).
//!
//! Everything that touches bytes happens in confined children, as in `readers::decode`. `sound` cuts or mixes to the
//! sample, `picture_track` keeps a video's frames, `format` chooses the output format; `timeline` makes films and
//! `canvas` pictures, with the letters of `fonts`; all of that gives way to calls (`giving_way`), and `gone_through`
//! refuses plans that take too much decoding. Nothing here knows a database, a job row or the media store: opened
//! sources and a plan in, an opened file or a `ReadError` out.

mod canvas;
mod cut;
mod dub;
mod fonts;
mod format;
mod giving_way;
mod gone_through;
mod limiter;
mod mix;
mod picture_track;
mod sound;
#[cfg(test)]
mod tests;
mod timeline;

pub(crate) use canvas::{DecodedLayers, drawing_limits};
pub(crate) use dub::DubMix;
pub(crate) use giving_way::driven;

use crate::ingest::facts;
use crate::new_media::NewMedia;
use crate::readers::decode::{Channels, DecodeSummary, Workshop, cover, made};
use crate::readers::{Engine, JobCtx, MediaSource, MediaTools, ReadError};
use domain::decoding::Material;
use domain::ids::ItemId;
use domain::media_time::{FrameRate, Span, total_us};
use domain::pixels::Pictures;
use domain::render::RenderPlan;
use domain::still::Still;
use domain::task::Task;
use format::{Container, kept_channels};
use picture_track::PictureTrack;
use sound::Track;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use store::uploads::Facts;

/// The encoders that rendering needs.
const NEEDED: [&str; 2] = ["libx264", "aac"];
/// The part of a film's progress that its sound takes, in percent.
const SOUND: u8 = 25;
/// Milliseconds by which a render may be longer or shorter than its plan: a frame of AAC.
const TOLERANCE_MS: i64 = 25;
/// The name of the file with a film's sound, before the film is encoded.
const SOUND_FILE: &str = "sound";
/// The name of the file with the render.
const OUTPUT_FILE: &str = "output";

/// Renders with the `ffmpeg` of this machine.
#[derive(Debug, Clone)]
pub struct Renderer {
    engine: Engine,
    /// The option by which this `ffmpeg` reads filters from a file.
    filter_file_option: &'static str,
    /// Whether it can draw text.
    draws_text: bool,
}

pub(crate) use timeline::worth_ms;

/// The media that a plan uses.
#[derive(Debug)]
pub struct Sources {
    /// The media that is cut, or the voice.
    pub source: MediaSource,
    /// The music, where the plan names one.
    pub music: Option<MediaSource>,
    /// All items that a film is made from.
    pub others: HashMap<ItemId, ItemMedia>,
}

/// Media that a film or a picture is made from.
#[derive(Debug, Clone)]
pub struct ItemMedia {
    /// The media, opened.
    pub media: MediaSource,
    /// Its item's length in milliseconds, as its row has it; no more of it is decoded.
    pub duration_ms: i64,
}

/// A render that was made.
#[derive(Debug)]
pub struct Rendered {
    /// The new media.
    pub media: NewMedia,
    /// The milliseconds to charge for: those of the source that were actually decoded, of its sound or its picture, or
    /// the price of their pixels; for a film, its price by `domain::decoding`.
    pub duration_ms: i64,
}

/// Returns the facts that the price of decoding this media depends on.
fn material(media: &MediaSource) -> Material {
    let probe = media.probe();
    let side = |pixels: Option<u32>| pixels.and_then(|pixels| i32::try_from(pixels).ok());
    Material {
        seeks: probe.is_seekable(),
        pictures: Pictures::of(side(probe.width), side(probe.height), probe.frame_rate),
    }
}

/// Draws this picture of these layers, in at most `most_bytes` bytes.
pub(crate) async fn draw(
    tools: &Arc<MediaTools>,
    still: &Still,
    layers: DecodedLayers,
    most_bytes: u64,
    ctx: &JobCtx,
) -> Result<Rendered, ReadError> {
    canvas::draw(&canvas::Easel { still, tools, most_bytes }, layers, ctx).await
}

impl Renderer {
    /// Finds the renderer of this machine; none when its `ffmpeg` lacks an encoder.
    pub fn found(tools: &MediaTools) -> Option<Self> {
        let encoders = tools.ffmpeg_says("-encoders")?;
        let has = |name: &&str| encoders.lines().any(|line| line.split_whitespace().nth(1) == Some(name));
        if let Some(missing) = NEEDED.iter().find(|name| !has(name)) {
            tracing::warn!(encoder = missing, "ffmpeg lacks an encoder, so this worker can't render.");
            return None;
        }
        let built = tools.ffmpeg_says("-version")?;
        let version = built.split_whitespace().nth(2).unwrap_or("unknown").to_owned();
        let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        let filter_file_option = if major.is_some_and(|major| major < 7) { "-filter_script:v" } else { "-/filter:v" };
        let draws_text =
            tools.ffmpeg_says("-filters").is_some_and(|filters| timeline::text_mask::can_be_drawn(&filters, &built));
        let engine = Engine { name: "ffmpeg".to_owned(), version, model: None };
        Some(Self { engine, filter_file_option, draws_text })
    }

    /// Returns the engine that is stored with the result.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Whether films can have texts and captions in their picture.
    pub const fn draws_text(&self) -> bool {
        self.draws_text
    }

    /// Decodes the items of this picture, for `draw`.
    pub(crate) async fn decode(
        &self,
        sources: &HashMap<ItemId, ItemMedia>,
        still: &Still,
        ctx: &JobCtx,
    ) -> Result<DecodedLayers, ReadError> {
        if still.has_text() && !self.draws_text {
            return Err(ReadError::EngineNotConfigured(Task::Render));
        }
        canvas::decode(&canvas::Originals { still, sources }, ctx).await
    }

    /// Makes what the plan says, in at most `most_bytes` bytes; `decode` and `draw` make pictures.
    pub async fn render(
        &self,
        sources: &Sources,
        plan: &RenderPlan,
        most_bytes: u64,
        ctx: &JobCtx,
    ) -> Result<Rendered, ReadError> {
        if let RenderPlan::RenderTimeline { film } = plan {
            if film.has_text() && !self.draws_text {
                return Err(ReadError::EngineNotConfigured(Task::Render));
            }
            return timeline::render(sources, film, most_bytes, ctx).await;
        }
        let workshop = Workshop::of(&sources.source)?;
        let container = Container::of(&sources.source);
        let decoded = sound(sources, plan, container, &workshop, most_bytes, ctx).await?;
        let mut keep = kept(plan).into_owned();
        if container == Container::Mp4 {
            let rate = sources.source.probe().frame_rate.ok_or(ReadError::NoVideo)?;
            keep = on_frames(&keep, rate);
            let picture = PictureTrack {
                media: &sources.source,
                workshop: &workshop,
                sound: SOUND_FILE,
                name: OUTPUT_FILE,
                most_bytes,
            };
            picture.write(self, &keep, rate, &ctx.step(SOUND, 100)).await?;
        }
        let output = made(&workshop, OUTPUT_FILE, &sources.source, ctx).await?;
        let facts = checked(&output, container, &keep)?;
        let picture = match container {
            Container::Mp4 => cover(&output, facts.duration_ms.unwrap_or(0), ctx).await.unwrap_or_default(),
            _ => None,
        };
        let decoded_ms = decoded.duration_ms.max(pictured_ms(container, &keep));
        let duration_ms = material(&sources.source).pictures.worth_ms(decoded_ms);
        Ok(Rendered { media: NewMedia { file: output.file().try_clone()?, facts, picture }, duration_ms })
    }
}

/// Writes the sound of the render: as a file of its own before the video, or as the whole render.
async fn sound(
    sources: &Sources,
    plan: &RenderPlan,
    container: Container,
    workshop: &Workshop,
    most_bytes: u64,
    ctx: &JobCtx,
) -> Result<DecodeSummary, ReadError> {
    let media = &sources.source;
    let is_film = container == Container::Mp4;
    let name = if is_film { SOUND_FILE } else { OUTPUT_FILE };
    let step = if is_film { ctx.step(0, SOUND) } else { ctx.clone() };
    let track = Track { media, workshop, name, container: container.of_sound(), most_bytes };
    match plan {
        RenderPlan::RemoveSilence { keep, .. } => {
            let channels = media.probe().audio.as_ref().map_or(Channels::Mono, kept_channels);
            track.cut(keep, media.probe().frame_rate, channels, &step).await
        }
        RenderPlan::DuckMusic { envelope, .. } => {
            let music = sources.music.as_ref().ok_or(ReadError::Missing)?;
            track.mix(music, envelope, &step).await
        }
        RenderPlan::RenderTimeline { .. } | RenderPlan::RenderCanvas { .. } => {
            Err(ReadError::Internal("a film or a picture was taken for a cut".to_owned()))
        }
    }
}

/// Returns the spans of the source that the render keeps.
fn kept(plan: &RenderPlan) -> Cow<'_, [Span]> {
    match plan {
        RenderPlan::RemoveSilence { keep, .. } => Cow::Borrowed(keep),
        RenderPlan::DuckMusic { envelope, .. } => {
            Cow::Owned(vec![Span::new(0, envelope.last().map_or(0, |end| end.t_us))])
        }
        RenderPlan::RenderTimeline { film } => Cow::Owned(vec![Span::new(0, film.duration_us)]),
        // A picture has no duration.
        RenderPlan::RenderCanvas { .. } => Cow::Owned(Vec::new()),
    }
}

/// Returns the milliseconds of the source whose picture was decoded: up to the last frame that is kept.
fn pictured_ms(container: Container, keep: &[Span]) -> i64 {
    match container {
        Container::Mp4 => keep.last().map_or(0, |span| span.end_us / 1000),
        _ => 0,
    }
}

/// Returns these spans as `cut` and `picture_track` keep them: from frame to frame. A plan that was made when its
/// item's frame rate was unknown has borders between frames.
fn on_frames(keep: &[Span], rate: FrameRate) -> Vec<Span> {
    let border = |us| rate.us_of(rate.nearest(us));
    keep.iter().map(|span| Span::new(border(span.start_us), border(span.end_us))).collect()
}

/// Returns the facts of the new media, if they are as planned.
fn checked(output: &MediaSource, container: Container, keep: &[Span]) -> Result<Facts, ReadError> {
    let probe = output.probe();
    let planned_ms = total_us(keep) / 1000;
    let frame_ms = probe.frame_rate.map_or(0, |rate| rate.us_of(1) / 1000);
    let off_ms = (probe.duration_ms.unwrap_or(0) - planned_ms).abs();
    if probe.has_video != (container == Container::Mp4) || !probe.has_audio() || off_ms > TOLERANCE_MS + frame_ms {
        tracing::warn!(planned_ms, ?probe, "A render is not what was planned.");
        return Err(ReadError::Corrupt("it can't be rendered whole"));
    }
    Ok(facts(probe, Some(container.content_type())))
}
