//! `render_timeline`: renders a timeline as a new item (contract §4.11).
//!
//! The timeline is rendered as it is at the call: its plan (`domain::film`) holds all that is seen and heard, so that a
//! later edit does not affect a job that runs. Neighbours: `film`, which makes the plan, and `edits::call`, which
//! starts the job.

use super::film::{PlannedFilm, planned_film};
use crate::app::App;
use crate::auth::{Auth, Role};
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::text::{MinuteCount, Text};
use crate::resources::tools::edits::call::{Priced, RenderCall};
use crate::resources::tools::edits::rendered::Rendered;
use crate::resources::tools::stored_read::NeedStatus;
use crate::usecases::document_reads;
use domain::film::{FilmFormat, FilmOutput, FilmQuality};
use domain::ids::TimelineId;
use domain::render::RenderPlan;
use domain::timeline::Timeline;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde_json::json;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[(
    "POST /tools/render_timeline",
    &[
        Code::TimelineNotFound,
        Code::InsufficientMinutes,
        Code::RoleForbidden,
        Code::WorkspaceForbidden,
        Code::ItemNotFound,
        Code::IdempotencyInProgress,
        Code::IdempotencyKeyReused,
        Code::EngineNotConfigured,
        Code::FileTooLarge,
    ],
)];

/// The formats of rendered timelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum RenderFormat {
    /// H.264 and AAC.
    Mp4,
    /// VP9 and Opus.
    Webm,
    /// H.264 and AAC in `QuickTime`.
    Mov,
    /// The sound alone, as MP3.
    Mp3,
    /// The sound alone, lossless.
    Wav,
}

/// The quality of a render.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum RenderQuality {
    /// At most 480 lines, rendered sooner.
    Draft,
    /// The timeline's own size.
    Standard,
}

/// Which timeline to render, and how.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct RenderTimeline {
    /// The timeline.
    pub timeline_id: Text,
    /// The format of the film; `mp4` when not given.
    pub format: Option<RenderFormat>,
    /// The quality; `standard` when not given.
    pub quality: Option<RenderQuality>,
    /// `true` returns what the call would hold, and starts nothing.
    pub dry_run: Option<bool>,
}

/// The state of a render.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct RenderedTimeline {
    /// The timeline.
    pub timeline_id: Text,
    /// The revision that is rendered.
    pub revision: i32,
    /// The film's duration, in seconds.
    pub duration_seconds: f64,
    /// Whether the film is ready.
    pub status: NeedStatus,
    /// The job that renders it; only when queued.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held; only when queued or startable.
    pub estimated_minutes: Option<MinuteCount>,
    /// The rendered item; only when ready.
    pub output_item_id: Option<Text>,
    /// What the film lacks of the timeline, in whole sentences.
    pub warnings: Vec<Text>,
}

/// The tool.
pub struct RenderTools(pub App);

#[OpenApi(tag = "Tag::Timeline")]
impl RenderTools {
    /// Render a timeline
    ///
    /// Starts a job that makes a new item of the timeline as it is now: a film of its scenes, cut to the frame, with
    /// its overlays and its sound, or the sound alone. It costs as much as a render of its length, or as decoding up to
    /// the parts that it uses, if that is more. While a film's item exists, the same film is not made again. Tracks are
    /// turned down under the speech of those items whose `speech` read is stored; captions in the picture come from
    /// stored transcripts, or from the timeline's cues. `warnings` names what is missing.
    #[oai(path = "/tools/render_timeline", method = "post", operation_id = "render_timeline")]
    async fn render_timeline(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<RenderTimeline>,
    ) -> Answer<Stored<ToolAnswer<RenderedTimeline>>> {
        let (Auth(caller), RenderTimeline { timeline_id, format, quality, dry_run }) = (auth, arguments.0);
        caller.require(Role::Editor)?;
        let id: TimelineId = timeline_id.id(Code::TimelineNotFound)?;
        let asked = FilmOutput { format: film_format(format), quality: film_quality(quality) };
        let canonical = json!({ "timeline_id": id, "format": asked.format, "quality": asked.quality });
        let call = RenderCall::new(&self.0, &caller, "render_timeline", canonical, key, dry_run);
        if let Some(answer) = call.replayed().await? {
            return Ok(answer);
        }
        let kept = document_reads::reach::<Timeline>(&self.0, &caller, id.uuid()).await?;
        let PlannedFilm { kept, film, worth_ms, warnings } = planned_film(&self.0, &caller, kept, asked).await?;
        let duration_us = film.duration_us;
        let plan = RenderPlan::RenderTimeline { film: Box::new(film) };
        let answer = move |rendered: &Rendered| RenderedTimeline {
            timeline_id: Text::of(id),
            revision: kept.revision,
            duration_seconds: domain::timeline::Micros(duration_us).seconds(),
            status: rendered.status(),
            job_id: rendered.job_id(),
            estimated_minutes: rendered.estimated_minutes(),
            output_item_id: rendered.output_item_id(),
            warnings: warnings.iter().map(Text::of).collect(),
        };
        call.render(plan, Priced { source_name: &kept.name, duration_ms: worth_ms }, &answer).await
    }
}

const fn film_format(format: Option<RenderFormat>) -> FilmFormat {
    match format {
        None | Some(RenderFormat::Mp4) => FilmFormat::Mp4,
        Some(RenderFormat::Webm) => FilmFormat::Webm,
        Some(RenderFormat::Mov) => FilmFormat::Mov,
        Some(RenderFormat::Mp3) => FilmFormat::Mp3,
        Some(RenderFormat::Wav) => FilmFormat::Wav,
    }
}

const fn film_quality(quality: Option<RenderQuality>) -> FilmQuality {
    match quality {
        Some(RenderQuality::Draft) => FilmQuality::Draft,
        None | Some(RenderQuality::Standard) => FilmQuality::Standard,
    }
}
