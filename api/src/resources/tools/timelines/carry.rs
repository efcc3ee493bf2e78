//! `export_timeline` and `import_timeline`: exchange timelines with other editors (contract §4.11).
//!
//! Nothing that an imported document names is opened: its media must be items of the workspace.

use super::material::{Material, add_transcripts};
use super::shapes::Timeline;
use crate::app::App;
use crate::app::beside::in_turn_if;
use crate::auth::Auth;
use crate::contract::envelope::{Stored, ToolAnswer, Written};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use crate::usecases::document_reads;
use crate::usecases::documents::Kept;
use crate::usecases::import_timeline::{Carried, CarriedFormat, import_timeline};
use crate::usecases::once::Once;
use domain::captions::{srt, vtt};
use domain::ids::TimelineId;
use domain::timeline::{self, CaptionSource, MOST_EVENTS, Names, edl, left_out, otio};
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, Object, OpenApi};
use std::collections::HashMap;
use store::items;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/export_timeline", &[Code::TimelineNotFound, Code::WorkspaceForbidden]),
    ("POST /tools/import_timeline", &[Code::RoleForbidden, Code::QuotaReached]),
];

/// The formats for exchanging timelines with other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum CarryFormat {
    /// `OpenTimelineIO`: the whole timeline, as JSON.
    Otio,
    /// A CMX 3600 edit decision list: the scenes, with their cuts and dissolves.
    Edl,
    /// Captions, as `SubRip`.
    Srt,
    /// Captions, as `WebVTT`.
    Vtt,
}

impl CarryFormat {
    const fn is_captions(self) -> bool {
        matches!(self, Self::Srt | Self::Vtt)
    }
}

impl From<CarryFormat> for CarriedFormat {
    fn from(format: CarryFormat) -> Self {
        match format {
            CarryFormat::Otio => Self::Otio,
            CarryFormat::Edl => Self::Edl,
            CarryFormat::Srt => Self::Srt,
            CarryFormat::Vtt => Self::Vtt,
        }
    }
}

/// Which timeline to export, and how.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ExportTimeline {
    /// The timeline.
    pub timeline_id: Text,
    /// The format of the document.
    pub format: CarryFormat,
}

/// A timeline for another editor.
#[derive(Debug, Object)]
pub struct ExportedTimeline {
    /// The timeline.
    pub timeline_id: Text,
    /// The revision that was exported.
    pub revision: i32,
    /// The format of the document.
    pub format: CarryFormat,
    /// The document.
    pub content: Text,
    /// What the document lacks of the timeline, in whole sentences.
    pub warnings: Vec<Text>,
}

/// A document to import.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ImportTimeline {
    /// The document as text, up to the size limit of requests. Its media must be items of the workspace: `mws:itm_…`,
    /// or in an EDL the items' names or refs.
    pub content: Text,
    /// The format of the document; `otio` when not given.
    pub format: Option<CarryFormat>,
    /// The frame rate, in frames per second, that an EDL counts in: when not given 25, or 29.97 for drop-frame
    /// timecode. For captions, the frame rate of the new timeline.
    pub fps: Option<f64>,
    /// The timeline's name; the document's when not given.
    pub name: Option<Text>,
}

/// A timeline that was imported.
#[derive(Debug, Object)]
pub struct ImportedTimeline {
    /// The timeline.
    pub timeline: Timeline,
    /// What the timeline lacks of the document, in whole sentences.
    pub warnings: Vec<Text>,
}

/// The tools.
pub struct CarryTools(pub App);

#[OpenApi(tag = "Tag::Timeline")]
impl CarryTools {
    /// Export a timeline
    ///
    /// Returns it as `OpenTimelineIO`, which `import_timeline` restores unchanged; as an edit decision list; or as
    /// captions: its own cues, or those of the stored transcripts of its scenes and its voiceover.
    #[oai(path = "/tools/export_timeline", method = "post", operation_id = "export_timeline")]
    async fn export_timeline(
        &self,
        auth: Auth,
        arguments: Json<ExportTimeline>,
    ) -> Answer<Written<ToolAnswer<ExportedTimeline>>> {
        let (Auth(caller), ExportTimeline { timeline_id, format }) = (auth, arguments.0);
        let id: TimelineId = timeline_id.id(Code::TimelineNotFound)?;
        let kept = document_reads::reach::<timeline::Timeline>(&self.0, &caller, id.uuid()).await?;
        let used = kept.body.items();
        let mut names = HashMap::new();
        let mut material = Material::default();
        for item in items::usable(&mut *self.0.conn().await?, &used, caller.workspace.id).await? {
            names.insert(item.id, item.name);
            material.sources.insert(item.id, item.facts);
        }
        let has_cues = kept.body.captions.as_ref().is_some_and(|captions| captions.source == CaptionSource::Cues);
        if format.is_captions() && !has_cues {
            add_transcripts(&self.0, &caller, &kept.body, &mut material).await?;
        }
        let is_long = kept.is_long || !material.transcripts.is_empty();
        let write = || {
            let data = exported(&kept, format, &names, material)?;
            Ok(Written::of(&ToolAnswer::new(&caller.request_id, data)))
        };
        in_turn_if(&self.0, caller.account_id, is_long, write).await
    }

    /// Import a timeline
    ///
    /// Makes a new timeline of an `OpenTimelineIO` document, whose first video track's clips become the scenes and
    /// whose audio tracks' clips the sound; of an edit decision list, whose events become the same; or of captions,
    /// which become its cues. Media that are not items of the workspace leave a black scene in their place, and what
    /// can't be rendered is left out; `warnings` names both.
    #[oai(path = "/tools/import_timeline", method = "post", operation_id = "import_timeline")]
    async fn import_timeline(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<ImportTimeline>,
    ) -> Answer<Stored<ToolAnswer<ImportedTimeline>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "import_timeline", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let ImportTimeline { content, format, fps, name } = arguments.0;
        let request_id = caller.request_id.clone();
        let show = move |kept, warnings: Vec<String>| {
            let warnings = warnings.into_iter().map(Text).collect();
            let data = ImportedTimeline { timeline: Timeline::of(kept, None), warnings };
            ToolAnswer::new(&request_id, data).to_json_string()
        };
        let format = format.unwrap_or(CarryFormat::Otio).into();
        let carried = Carried { content: content.0, format, fps, name: name.map(|name| name.0) };
        Ok(import_timeline(&self.0, &caller, &once, carried, show).await?.into())
    }
}

/// Writes the timeline in this format, with what is stored about its items.
fn exported(
    kept: &Kept<timeline::Timeline>,
    format: CarryFormat,
    names: &Names,
    material: Material,
) -> Answer<ExportedTimeline> {
    let Material { transcripts, mut warnings, .. } = material;
    let (name, body) = (&kept.name, &kept.body);
    let content = match format {
        CarryFormat::Otio => serde_json::to_string(&otio(name, body, names)).map_err(ApiError::internal)?,
        CarryFormat::Edl => {
            warnings.extend(left_out(body));
            edl(name, body, names).ok_or_else(|| {
                let message = format!("An EDL has at most {MOST_EVENTS} scenes; export it as `otio`.");
                ApiError::new(Code::InvalidRequest, message)
            })?
        }
        CarryFormat::Srt => srt(&body.cues(&transcripts)),
        CarryFormat::Vtt => vtt(&body.cues(&transcripts)),
    };
    Ok(ExportedTimeline {
        timeline_id: Text::of(TimelineId::from(kept.id)),
        revision: kept.revision,
        format,
        content: Text(content),
        warnings: warnings.into_iter().map(Text).collect(),
    })
}
