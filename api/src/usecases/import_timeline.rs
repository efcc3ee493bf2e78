//! Imports a timeline from another program's document. The items that it names are looked up; no file is opened.
//!
//! A document may have thousands of parts: each piece of work on one is done in its account's turn, as long bodies are
//! read, and no connection is held meanwhile.

use crate::app::App;
use crate::app::beside::in_turn;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{self, DocumentToCreate, Kept};
use crate::usecases::library::sources;
use crate::usecases::once::{Made, Once};
use crate::usecases::timelines::reach_variant;
use domain::document::MOST_NAME_CHARACTERS;
use domain::ids::{ItemId, TimelineId};
use domain::timeline::{
    DecisionList, Imported, MOST_ITEMS, NamedItems, SceneCounts, Sources, Timeline, captions_of, import, named_items,
};
use domain::warnings::Warnings;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use store::items;

/// A document to import.
#[derive(Debug)]
pub struct Carried {
    /// Its text.
    pub content: String,
    /// Its format.
    pub format: CarriedFormat,
    /// Frames a second, for a document that does not say them.
    pub fps: Option<f64>,
    /// The timeline's name, if not the document's own.
    pub name: Option<String>,
}

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarriedFormat {
    /// `OpenTimelineIO`.
    Otio,
    /// CMX 3600.
    Edl,
    /// `SubRip`.
    Srt,
    /// `WebVTT`.
    Vtt,
}

/// What a document is turned into.
struct Converted {
    name: Option<String>,
    ops: Vec<Value>,
    warnings: Warnings,
}

/// Creates a timeline from a document. `show` writes the answer, with what was left out of the timeline.
///
/// # Errors
/// As `documents::create`; `invalid_request` for a text that is not such a document.
pub async fn import_timeline(
    app: &App,
    caller: &Caller,
    once: &Once,
    carried: Carried,
    show: impl FnOnce(Kept<Timeline>, Vec<String>) -> String,
) -> Answer<Made> {
    let Carried { content, format, fps, name } = carried;
    if fps.is_some() && format == CarriedFormat::Otio {
        let message = "`fps`: an OTIO document says its own; leave it out.";
        return Err(ApiError::new(Code::InvalidRequest, message));
    }
    let parts = parts_of(app, caller, &content, format, fps).await?;
    let (body, warnings) = build(app, caller, parts.ops, parts.warnings).await?;
    let name = name.or_else(|| parts.name.and_then(|its| fit(&its))).unwrap_or_else(|| "Imported".to_owned());
    let new = DocumentToCreate { id: TimelineId::mint().uuid(), name: &name, body: &body };
    documents::create(app, caller, once, new, |kept| show(kept, warnings.into_sentences())).await
}

/// Works on a document in its account's turn.
async fn aside<T>(app: &App, caller: &Caller, work: impl FnOnce() -> T) -> T {
    in_turn(&app.turns.documents, caller.account_id.into(), work).await
}

/// Takes a document apart.
async fn parts_of(
    app: &App,
    caller: &Caller,
    content: &str,
    format: CarriedFormat,
    fps: Option<f64>,
) -> Answer<Converted> {
    match format {
        CarriedFormat::Otio => {
            // The request's body is bounded, and the parser refuses more than 128 levels.
            let document = aside(app, caller, || serde_json::from_str(content)).await;
            of_document(app, caller, document.map_err(|error| wrong(error.to_string()))?).await
        }
        CarriedFormat::Edl => of_list(app, caller, content, fps).await,
        CarriedFormat::Srt | CarriedFormat::Vtt => {
            let reading = aside(app, caller, || captions_of(content, format == CarriedFormat::Vtt));
            let (captions, warnings) = reading.await.map_err(wrong)?;
            let format = fps.map(|fps| json!({ "op": "set_format", "fps": fps }));
            let captions = json!({ "op": "set_captions", "captions": captions });
            Ok(Converted { name: None, ops: format.into_iter().chain([captions]).collect(), warnings })
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn wrong(why: String) -> ApiError {
    let refusal = ApiError::new(Code::InvalidRequest, format!("`content`: {why}."));
    refusal.suggest("Say what the document is with `format` (otio, edl, srt, vtt), and mend what is named.")
}

/// Refuses a document that names more items than a timeline may, before they are looked up.
fn refuse_many_items(named: usize) -> Answer<()> {
    if named > MOST_ITEMS { Err(wrong(format!("it names more than {MOST_ITEMS} items"))) } else { Ok(()) }
}

/// Turns an `OpenTimelineIO` document and the workspace's items that it names into parts.
async fn of_document(app: &App, caller: &Caller, document: Value) -> Answer<Converted> {
    let named = aside(app, caller, || named_items(&document)).await;
    refuse_many_items(named.len())?;
    let sources = sources(&mut *app.conn().await?, caller, &named).await?;
    let imported = aside(app, caller, move || import(&document, &sources)).await;
    let Imported { name, ops, warnings, .. } = imported.map_err(wrong)?;
    Ok(Converted { name, ops, warnings })
}

/// Turns an edit decision list into parts: it names items by their ids, or by the names of its clips and reels.
async fn of_list(app: &App, caller: &Caller, content: &str, fps: Option<f64>) -> Answer<Converted> {
    let list = aside(app, caller, || DecisionList::read(content, fps)).await.map_err(wrong)?;
    let mut by_name: BTreeMap<String, Vec<ItemId>> = BTreeMap::new();
    for (clip, item) in items::called(&mut *app.conn().await?, &list.names(), caller.workspace.id).await? {
        by_name.entry(clip).or_default().push(item);
    }
    let mut many = Warnings::default();
    let mut named = NamedItems::new();
    for (clip, found) in by_name {
        if let [item] = found[..] {
            named.insert(clip, item);
        } else {
            let say = "several items are called so. Put `* FROM CLIP: mws:itm_…` under its event";
            many.add(format!("`{clip}` leaves black: {say}."));
        }
    }
    let (document, warnings) = aside(app, caller, move || list.document(&named)).await;
    let Converted { name, ops, warnings: more } = of_document(app, caller, document).await?;
    Ok(Converted { name, ops, warnings: warnings.and(many).and(more) })
}

/// The timeline that these operations make.
async fn build(
    app: &App,
    caller: &Caller,
    mut ops: Vec<Value>,
    mut warnings: Warnings,
) -> Answer<(Timeline, Warnings)> {
    // An overlay may have a field of this name, of which `named_items` knows nothing.
    let named: HashSet<ItemId> = ops.iter().filter_map(|op| op["item_id"].as_str()?.parse().ok()).collect();
    refuse_many_items(named.len())?;
    let named: Vec<ItemId> = named.into_iter().collect();
    let mut conn = app.conn().await?;
    let sources = sources(&mut conn, caller, &named).await?;
    // An overlay of the document may have a field of this name too, of which nothing comes.
    for op in ops.iter_mut().filter(|op| op["op"] == "set_details") {
        if let Some(id) = op["variant_of"].as_str() {
            match reach_variant(&mut conn, caller, id).await {
                Ok(()) => {}
                Err(gone) if [Code::TimelineNotFound, Code::WorkspaceForbidden].contains(&gone.code()) => {
                    warnings.add("The timeline that it is a variant of is not in this workspace.".to_owned());
                    op["variant_of"] = Value::Null;
                }
                Err(error) => return Err(error),
            }
        }
    }
    drop(conn);
    let body = aside(app, caller, move || applied(ops, &sources)).await.map_err(wrong)?;
    Ok((body, warnings))
}

fn applied(ops: Vec<Value>, sources: &Sources) -> Result<Timeline, String> {
    let mut body = Timeline::new();
    let mut counted = SceneCounts::of(&body);
    for op in ops {
        let op = serde_json::from_value(op).map_err(|error| error.to_string())?;
        body.apply_next(op, sources, &mut counted)?;
    }
    Ok(body)
}

/// Makes a document's name one that a timeline may have; none where nothing is left.
fn fit(name: &str) -> Option<String> {
    let letters = name.chars().filter(|letter| !letter.is_control());
    let name = letters.take(MOST_NAME_CHARACTERS).collect::<String>().trim().to_owned();
    (!name.is_empty()).then_some(name)
}
