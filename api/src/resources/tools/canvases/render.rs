//! `render_canvas`: a canvas as a picture, made by a job (contract §4.13).
//!
//! What the picture shows is fixed here, as a plan: names of the brand kit are resolved and placeholders filled, so
//! that later changes do not affect the job. Neighbour: `edits::call`, which starts the job.

use crate::app::App;
use crate::app::beside::in_turn_if;
use crate::auth::{Auth, Role};
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{MinuteCount, Text};
use crate::resources::tools::edits::call::{Priced, RenderCall};
use crate::resources::tools::edits::rendered::Rendered;
use crate::resources::tools::stored_read::NeedStatus;
use crate::usecases::canvases::{Material, material};
use crate::usecases::document_reads;
use domain::canvas::{Canvas, KitNames, Known, Milli, NotDrawable, StillOutput, Values, still_of};
use domain::ids::CanvasId;
use domain::render::RenderPlan;
use domain::still::StillFormat;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde_json::json;
use std::collections::BTreeMap;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[(
    "POST /tools/render_canvas",
    &[
        Code::CanvasNotFound,
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

/// The range of `scale`, in thousandths.
const SCALES: std::ops::RangeInclusive<i32> = 10..=8_000;

/// The formats of rendered canvases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum PictureFormat {
    /// Lossless, with transparency.
    Png,
    /// Small; transparent parts become white.
    Jpeg,
    /// Smaller still, with transparency.
    Webp,
    /// Vector shapes: letters become shapes, and images are embedded.
    Svg,
}

/// Which canvas to render, and how.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct RenderCanvas {
    /// The canvas.
    pub canvas_id: Text,
    /// The format of the picture; `png` when not given.
    pub format: Option<PictureFormat>,
    /// Pixels of the picture for each pixel of the canvas, 0.01 to 8; 1 when not given.
    #[oai(validator(minimum(value = "0.01"), maximum(value = "8")))]
    pub scale: Option<f64>,
    /// Values for the placeholders, by their names. Every placeholder of the canvas needs one.
    pub values: Option<BTreeMap<String, Text>>,
    /// `true` returns what the call would hold, and starts nothing.
    pub dry_run: Option<bool>,
}

/// The state of a render.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct RenderedCanvas {
    /// The canvas.
    pub canvas_id: Text,
    /// The revision that is rendered.
    pub revision: i32,
    /// The picture's width, in pixels.
    pub width: u32,
    /// The picture's height, in pixels.
    pub height: u32,
    /// Whether the picture is ready.
    pub status: NeedStatus,
    /// The job that renders it; only when queued.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held; only when queued or startable.
    pub estimated_minutes: Option<MinuteCount>,
    /// The rendered item; only when ready.
    pub output_item_id: Option<Text>,
    /// What the picture lacks of the canvas, in whole sentences.
    pub warnings: Vec<Text>,
}

/// The tool.
pub struct RenderTools(pub App);

#[OpenApi(tag = "Tag::Canvas")]
impl RenderTools {
    /// Render a canvas
    ///
    /// Starts a job that makes a new image of the canvas as it is now, with `values` for its placeholders and the names
    /// of the brand kit resolved now. The same canvas always gives the same bytes, and while a picture's item exists
    /// the same picture is not made again. It costs as much as one second of film for each 3840 × 2160 pixels begun, or
    /// the cost of decoding its images if that is more. `warnings` names letters that the fonts lack.
    #[oai(path = "/tools/render_canvas", method = "post", operation_id = "render_canvas")]
    async fn render_canvas(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<RenderCanvas>,
    ) -> Answer<Stored<ToolAnswer<RenderedCanvas>>> {
        let (Auth(caller), RenderCanvas { canvas_id, format, scale, values, dry_run }) = (auth, arguments.0);
        caller.require(Role::Editor)?;
        let id: CanvasId = canvas_id.id(Code::CanvasNotFound)?;
        let (format, scale) = (still_format(format), thousandths(scale.unwrap_or(1.0))?);
        let values: Values = values.into_iter().flatten().map(|(name, value)| (name, value.0)).collect();
        let canonical = json!({ "canvas_id": id, "format": format, "scale": scale, "values": values });
        let call = RenderCall::new(&self.0, &caller, "render_canvas", canonical, key, dry_run);
        if let Some(answer) = call.replayed().await? {
            return Ok(answer);
        }
        let kept = document_reads::reach::<Canvas>(&self.0, &caller, id.uuid()).await?;
        let Material { sources, kit } = material(&mut *self.0.conn().await?, &caller, kept.body.items()).await?;
        let output = StillOutput { workspace: caller.workspace.id, format, scale };
        // A canvas may have half a megabyte of texts, each letter of which is looked at.
        let planned = || {
            let names = KitNames::of(&kit);
            let still = still_of(&kept.body, Known { sources: &sources, kit: &names }, &values, output)?;
            let undrawn = kept.body.undrawn(&still);
            Ok::<_, NotDrawable>((still, undrawn))
        };
        let planned = in_turn_if(&self.0, caller.account_id, kept.is_long, planned).await;
        let (still, undrawn) = planned.map_err(|error| refused(&error))?;
        if still.has_text() && !store::renders::draws_text(&mut *self.0.conn().await?).await? {
            let refusal = ApiError::new(Code::EngineNotConfigured, "No worker of this deployment can draw letters.");
            return Err(refusal.suggest("Remove the texts, or ask the operator for the fonts."));
        }
        let priced_ms = still.priced_ms(|item| sources.get(&item).map(|source| source.material()).unwrap_or_default());
        let (revision, [width, height]) = (kept.revision, still.size);
        let answer = move |rendered: &Rendered| RenderedCanvas {
            canvas_id: Text::of(id),
            revision,
            width,
            height,
            status: rendered.status(),
            job_id: rendered.job_id(),
            estimated_minutes: rendered.estimated_minutes(),
            output_item_id: rendered.output_item_id(),
            warnings: undrawn.iter().map(Text::of).collect(),
        };
        let plan = RenderPlan::RenderCanvas { still: Box::new(still) };
        call.render(plan, Priced { source_name: &kept.name, duration_ms: priced_ms }, &answer).await
    }
}

/// Returns the scale in thousandths.
fn thousandths(scale: f64) -> Answer<Milli> {
    let rounded = (scale * 1e3).round();
    let fits = rounded >= f64::from(*SCALES.start()) && rounded <= f64::from(*SCALES.end());
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
    if fits {
        Ok(Milli(rounded as i32))
    } else {
        Err(ApiError::new(Code::InvalidRequest, "`scale`: expected 0.01 to 8."))
    }
}

/// Returns the refusal of a canvas that can't be rendered.
fn refused(error: &NotDrawable) -> ApiError {
    let code = if let NotDrawable::Gone { .. } = error { Code::ItemNotFound } else { Code::InvalidRequest };
    let refusal = ApiError::new(code, format!("It can't be rendered: {error}."));
    refusal.suggest("Change the canvas with `edit_canvas`, or what is asked for, then render it again.")
}

const fn still_format(format: Option<PictureFormat>) -> StillFormat {
    match format {
        None | Some(PictureFormat::Png) => StillFormat::Png,
        Some(PictureFormat::Jpeg) => StillFormat::Jpeg,
        Some(PictureFormat::Webp) => StillFormat::Webp,
        Some(PictureFormat::Svg) => StillFormat::Svg,
    }
}
