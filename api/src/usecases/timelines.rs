//! Timelines: the items and the timelines that an edit depends on are read in the transaction in which it is done
//! (`document_edits`).

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::brand_kit::kit_of;
use crate::usecases::document_edits::{Edited, edited_by, refuse_many};
use crate::usecases::document_reads;
use crate::usecases::documents::{self, Document, DocumentToCreate, Kept, elsewhere, missing};
use crate::usecases::library::sources;
use crate::usecases::once::{Made, Once};
use crate::usecases::op_refs::resolve_refs;
use crate::usecases::settings::settings_of;
use crate::usecases::skills::reach_skills;
use crate::usecases::variants::refuse_circle;
use domain::brand_kit::CaptionStyle;
use domain::document::{DocumentKind, OpList};
use domain::ids::{ItemId, TimelineId, WorkspaceId};
use domain::timeline::{SceneCounts, Timeline};
use serde_json::Value;
use sqlx::PgConnection;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

impl Document for Timeline {
    const KIND: DocumentKind = DocumentKind::Timeline;
    const NOT_FOUND: Code = Code::TimelineNotFound;

    fn summary(&self) -> Value {
        Self::summary(self)
    }

    fn items(&self) -> Vec<ItemId> {
        Self::items(self)
    }

    fn variant_of(&mut self) -> Option<&mut Option<TimelineId>> {
        Some(&mut self.variant_of)
    }
}

/// Creates a timeline by these operations. `show` writes the answer.
///
/// # Errors
/// As `documents::create`; `invalid_request` names the operation that can't be done.
pub async fn create_timeline(
    app: &App,
    caller: &Caller,
    once: &Once,
    name: &str,
    mut ops: Vec<Value>,
    show: impl FnOnce(Kept<Timeline>) -> String,
) -> Answer<Made> {
    refuse_many(OpList::Ops, &ops)?;
    let mut body = Timeline::new();
    if !ops.is_empty() {
        let mut conn = app.process.conn_of(caller.account_id).await?;
        resolve_refs(&mut conn, caller.workspace.id, OpList::Ops, &mut ops).await?;
        body = Timeline::done(&mut conn, caller, None, &body, OpList::Ops, &ops).await?;
    }
    let new = DocumentToCreate { id: TimelineId::mint().uuid(), name, body: &body };
    documents::create(app, caller, once, new, show).await
}

/// Refuses an id that no timeline of the workspace has.
///
/// # Errors
/// `timeline_not_found` and `workspace_forbidden`; the database's.
pub async fn reach_variant(conn: &mut PgConnection, caller: &Caller, id: &str) -> Answer<()> {
    let id: TimelineId = id.parse().map_err(|_| ApiError::new(Code::TimelineNotFound, "There is no such timeline."))?;
    document_reads::summary::<Timeline>(conn, caller, id.uuid()).await.map(drop)
}

/// Refuses operations that make the timeline a variant of one that the workspace does not have, or that comes from it
/// (`own`) or is it.
///
/// # Errors
/// `invalid_request`, `timeline_not_found` and `workspace_forbidden` for the first such operation, with its place; the
/// database's.
pub async fn reach_variants(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    own: Option<Uuid>,
    list: OpList,
    ops: &[Value],
) -> Answer<()> {
    let variant_of = |op: &Value| -> Option<Result<TimelineId, ()>> {
        let text = op["variant_of"].as_str().filter(|_| op["op"] == "set_details")?;
        Some(text.parse().map_err(drop))
    };
    let named: Vec<Uuid> = ops.iter().filter_map(|op| Some(variant_of(op)?.ok()?.uuid())).collect();
    let places = if named.is_empty() {
        HashMap::new()
    } else {
        store::documents::workspaces_of(conn, DocumentKind::Timeline, &named).await?
    };
    let originals = match own {
        Some(_) if !named.is_empty() => store::documents::originals(conn, workspace).await?,
        _ => HashMap::new(),
    };
    let mut seen = HashSet::new();
    for (index, op) in ops.iter().enumerate() {
        let Some(named) = variant_of(op) else { continue };
        let place = format!("`{}[{index}].variant_of`", list.field());
        if own.is_some_and(|own| named == Ok(TimelineId::from(own))) {
            let message = format!("{place}: a timeline is no variant of itself.");
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        let error = match named.ok().and_then(|named| places.get(&named.uuid())) {
            Some(home) if *home == workspace => {
                if let (Some(own), Ok(of)) = (own, named) {
                    refuse_circle(&originals, own, of, &place, &mut seen)?;
                }
                continue;
            }
            Some(_) => elsewhere::<Timeline>(),
            None => missing::<Timeline>(),
        };
        return Err(ApiError::new(error.code(), format!("{place}: {}", error.message())));
    }
    Ok(())
}

/// The style of captions where a call leaves it open: the settings', completed by the brand kit's.
async fn caption_style(conn: &mut PgConnection, caller: &Caller) -> Answer<CaptionStyle> {
    let workspace = caller.workspace.id;
    let own = settings_of(conn, workspace).await?.caption_style.unwrap_or_default();
    Ok(own.or(kit_of(conn, workspace).await?.caption_style.unwrap_or_default()))
}

/// Returns the operations, with the style of captions where they leave it open.
async fn fill_styles(conn: &mut PgConnection, caller: &Caller, ops: &[Value]) -> Answer<Vec<Value>> {
    let mut ops = ops.to_vec();
    let captions: Vec<_> = ops.iter_mut().filter_map(|op| op.get_mut("captions")?.as_object_mut()).collect();
    if !captions.is_empty() {
        let style = caption_style(conn, caller).await?;
        for captions in captions {
            style.fill(captions);
        }
    }
    Ok(ops)
}

impl Edited for Timeline {
    async fn done(
        conn: &mut PgConnection,
        caller: &Caller,
        own: Option<Uuid>,
        body: &Self,
        list: OpList,
        ops: &[Value],
    ) -> Answer<Self> {
        let mut named = body.items();
        named.extend(ops.iter().filter_map(|op| op["item_id"].as_str()?.parse::<ItemId>().ok()));
        let sources = sources(conn, caller, &named).await?;
        reach_variants(conn, caller.workspace.id, own, list, ops).await?;
        reach_skills(conn, caller.workspace.id, &body.skills, list, ops).await?;
        let ops = fill_styles(conn, caller, ops).await?;
        let mut counted = SceneCounts::of(body);
        edited_by(body, list, &ops, |timeline: &mut Self, op| timeline.apply_next(op, &sources, &mut counted))
    }
}
