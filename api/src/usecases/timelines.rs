//! Timelines: what an edit names is looked up and done in the edit's transaction (`document_edits`).

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::document_edits::Edited;
use crate::usecases::documents::{self, Document, Kept, refused, resolve_refs};
use crate::usecases::once::{Made, Once};
use domain::document::{DocumentKind, edited};
use domain::ids::{ItemId, TimelineId};
use domain::timeline::{Sources, Timeline};
use serde_json::Value;
use sqlx::PgConnection;
use store::items;
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
}

/// Creates a timeline on which these operations are done. `show` writes the answer.
///
/// # Errors
/// As `documents::create`; `invalid_request` names the operation that can't be done.
pub async fn create_timeline(
    app: &App,
    caller: &Caller,
    once: &Once,
    (name, mut ops): (&str, Vec<Value>),
    show: impl FnOnce(Kept<Timeline>) -> String,
) -> Answer<Made> {
    let mut body = Timeline::new();
    if !ops.is_empty() {
        let mut conn = app.conn().await?;
        resolve_refs(&mut conn, caller, &mut ops, ("ref", "item_id")).await?;
        body = Timeline::done(&mut conn, caller, None, &body, &ops).await?;
    }
    documents::create(app, caller, once, (TimelineId::mint().uuid(), name, &body), show).await
}

/// What is known of the items that a timeline may name.
///
/// # Errors
/// Those of the database.
pub async fn sources(conn: &mut PgConnection, caller: &Caller, named: &[ItemId]) -> Answer<Sources> {
    let usable = items::usable(conn, named, caller.workspace.id).await?;
    Ok(usable.into_iter().map(|item| (item.id, item.facts)).collect())
}

/// Whether a timeline of the workspace has this id.
///
/// # Errors
/// `timeline_not_found` and `workspace_forbidden`; those of the database.
pub async fn reach_variant(conn: &mut PgConnection, caller: &Caller, id: &str) -> Answer<()> {
    let id: TimelineId = id.parse().map_err(|_| ApiError::new(Code::TimelineNotFound, "There is no such timeline."))?;
    documents::reach::<Timeline>(conn, caller, id.uuid()).await.map(drop)
}

impl Edited for Timeline {
    async fn done(
        conn: &mut PgConnection,
        caller: &Caller,
        own: Option<Uuid>,
        body: &Self,
        ops: &[Value],
    ) -> Answer<Self> {
        let mut named = body.items();
        named.extend(ops.iter().filter_map(|op| op["item_id"].as_str()?.parse::<ItemId>().ok()));
        let sources = sources(conn, caller, &named).await?;
        for (index, op) in ops.iter().enumerate() {
            let Some(variant_of) = op["variant_of"].as_str().filter(|_| op["op"] == "set_details") else { continue };
            if own.is_some_and(|own| variant_of.parse() == Ok(TimelineId::from(own))) {
                let message = format!("`ops[{index}].variant_of`: a timeline is no variant of itself.");
                return Err(ApiError::new(Code::InvalidRequest, message));
            }
            reach_variant(conn, caller, variant_of).await.map_err(|error| {
                ApiError::new(error.code(), format!("`ops[{index}].variant_of`: {}", error.message()))
            })?;
        }
        edited(body, ops, |timeline: &mut Self, op| timeline.apply(op, &sources)).map_err(|error| refused(&error))
    }
}
