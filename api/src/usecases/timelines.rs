//! Timelines: what an edit names is looked up and done in the edit's transaction (`documents`).

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{self, BegunChange, Document, Kept, refused, resolve_refs};
use crate::usecases::once::{Made, Once};
use domain::document::{DocumentKind, MOST_NAME_CHARACTERS, edited};
use domain::ids::{ItemId, TimelineId};
use domain::timeline::{Imported, MOST_ITEMS, Sources, Timeline, import, named_items};
use serde_json::{Value, json};
use sqlx::PgConnection;
use store::items;

impl Document for Timeline {
    const KIND: DocumentKind = DocumentKind::Timeline;
    const NOT_FOUND: Code = Code::TimelineNotFound;

    fn summary(&self) -> Value {
        json!({
            "duration_us": self.duration().0, "aspect_ratio": self.aspect_ratio(), "scenes": self.scenes.len(),
            "variant_of": self.variant_of,
        })
    }

    fn items(&self) -> Vec<ItemId> {
        Self::items(self)
    }
}

/// An edit of a timeline.
#[derive(Debug)]
pub struct TimelineEdit {
    /// The revision that it is for.
    pub if_revision: Option<i32>,
    /// What the timeline is called from now on.
    pub name: Option<String>,
    /// What is done, one after the other; `ref` names an item.
    pub ops: Vec<Value>,
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
        body = done(&mut conn, caller, &body, &ops).await?;
    }
    documents::create(app, caller, once, (TimelineId::mint().uuid(), name, &body), show).await
}

/// Changes a timeline, all that is asked or nothing. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change` and `Change::write`; `invalid_request` names the operation that can't be done.
pub async fn edit_timeline(
    app: &App,
    caller: &Caller,
    once: &Once,
    timeline: TimelineId,
    mut edit: TimelineEdit,
    show: impl FnOnce(Kept<Timeline>) -> String,
) -> Answer<Made> {
    let begun = documents::begin_change::<Timeline>(app, caller, once, timeline.uuid(), edit.if_revision).await?;
    let mut change = match begun {
        BegunChange::Now(change) => change,
        BegunChange::Before(before) => return Ok(Made::Before(before)),
    };
    resolve_refs(&mut change.tx, caller, &mut edit.ops, ("ref", "item_id")).await?;
    if !edit.ops.is_empty() || edit.name.is_none() {
        change.body = done(&mut change.tx, caller, &change.body, &edit.ops).await?;
    }
    if let Some(name) = edit.name {
        change.name = name;
    }
    change.write(app, caller, once, show).await
}

/// Creates a timeline of an `OpenTimelineIO` document. `show` writes the answer, with what is not in the timeline.
///
/// # Errors
/// As `documents::create`; `invalid_request` for what is no such document.
pub async fn import_timeline(
    app: &App,
    caller: &Caller,
    once: &Once,
    (otio, name): (&str, Option<String>),
    show: impl FnOnce(Kept<Timeline>, Vec<String>) -> String,
) -> Answer<Made> {
    let wrong = |why: String| ApiError::new(Code::InvalidRequest, format!("`otio`: {why}."));
    // The body that it came in is bounded, and what is deeper than 128 levels is refused by the parser.
    let document: Value = serde_json::from_str(otio).map_err(|error| wrong(error.to_string()))?;
    let named = named_items(&document);
    if named.len() > MOST_ITEMS {
        return Err(wrong(format!("it names more than {MOST_ITEMS} items")));
    }
    let sources = sources(&mut *app.conn().await?, caller, &named).await?;
    let Imported { name: its, ops, mut warnings, .. } = import(&document, &sources).map_err(wrong)?;
    let mut body = Timeline::new();
    for mut op in ops {
        if let Some(id) = op["variant_of"].as_str() {
            match reach_variant(&mut *app.conn().await?, caller, id).await {
                Ok(()) => {}
                Err(gone) if [Code::TimelineNotFound, Code::WorkspaceForbidden].contains(&gone.code()) => {
                    warnings.push("The timeline that it is a variant of is not in this workspace.".to_owned());
                    op["variant_of"] = Value::Null;
                }
                Err(error) => return Err(error),
            }
        }
        let op = serde_json::from_value(op).map_err(|error| wrong(error.to_string()))?;
        body.apply(op, &sources).map_err(wrong)?;
    }
    let name = name.or_else(|| its.and_then(|its| fit(&its))).unwrap_or_else(|| "Imported".to_owned());
    let new = (TimelineId::mint().uuid(), name.as_str(), &body);
    documents::create(app, caller, once, new, |kept| show(kept, warnings)).await
}

/// Goes back to what a timeline was before its latest change. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change`; `nothing_to_undo`.
pub async fn undo_timeline(
    app: &App,
    caller: &Caller,
    once: &Once,
    (timeline, if_revision): (TimelineId, Option<i32>),
    show: impl FnOnce(Kept<Timeline>) -> String,
) -> Answer<Made> {
    match documents::begin_change::<Timeline>(app, caller, once, timeline.uuid(), if_revision).await? {
        BegunChange::Now(change) => change.undo(app, once, show).await,
        BegunChange::Before(before) => Ok(Made::Before(before)),
    }
}

/// What is known of the items that a timeline may name.
///
/// # Errors
/// Those of the database.
pub async fn sources(conn: &mut PgConnection, caller: &Caller, named: &[ItemId]) -> Answer<Sources> {
    let usable = items::usable(conn, named, caller.workspace.id).await?;
    Ok(usable.into_iter().map(|item| (item.id, item.facts)).collect())
}

/// What of a document's name can be a timeline's.
fn fit(name: &str) -> Option<String> {
    let letters = name.chars().filter(|letter| !letter.is_control());
    let name = letters.take(MOST_NAME_CHARACTERS).collect::<String>().trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// Whether a timeline of the workspace has this id.
async fn reach_variant(conn: &mut PgConnection, caller: &Caller, id: &str) -> Answer<()> {
    let id: TimelineId = id.parse().map_err(|_| ApiError::new(Code::TimelineNotFound, "There is no such timeline."))?;
    documents::reach::<Timeline>(conn, caller, id.uuid()).await.map(drop)
}

/// The timeline with these operations done.
async fn done(conn: &mut PgConnection, caller: &Caller, body: &Timeline, ops: &[Value]) -> Answer<Timeline> {
    let mut named = body.items();
    named.extend(ops.iter().filter_map(|op| op["item_id"].as_str()?.parse::<ItemId>().ok()));
    let sources = sources(conn, caller, &named).await?;
    for (index, op) in ops.iter().enumerate() {
        let Some(variant_of) = op["variant_of"].as_str().filter(|_| op["op"] == "set_details") else { continue };
        reach_variant(conn, caller, variant_of)
            .await
            .map_err(|error| ApiError::new(error.code(), format!("`ops[{index}].variant_of`: {}", error.message())))?;
    }
    edited(body, ops, |timeline: &mut Timeline, op| timeline.apply(op, &sources)).map_err(|error| refused(&error))
}
