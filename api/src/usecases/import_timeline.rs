//! A timeline out of another program's document: what it names is looked up, and nothing of it is opened.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{self, DocumentToCreate, Kept};
use crate::usecases::library::sources;
use crate::usecases::once::{Made, Once};
use crate::usecases::timelines::reach_variant;
use domain::document::MOST_NAME_CHARACTERS;
use domain::ids::{ItemId, TimelineId};
use domain::timeline::{DecisionList, Imported, MOST_ITEMS, NamedItems, Timeline, captions_of, import, named_items};
use domain::told::Told;
use serde_json::{Value, json};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use store::items;

/// A document to import.
#[derive(Debug)]
pub struct Carried {
    /// It.
    pub content: String,
    /// What it is.
    pub format: CarriedFormat,
    /// Frames a second, of what does not say them.
    pub fps: Option<f64>,
    /// What the timeline is called, if not as the document says.
    pub name: Option<String>,
}

/// What a document is.
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

/// What a document makes.
struct Parts {
    name: Option<String>,
    ops: Vec<Value>,
    told: Told,
}

/// Creates a timeline of a document. `show` writes the answer, with what is not in the timeline.
///
/// # Errors
/// As `documents::create`; `invalid_request` for what is no such document.
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
    let parts = match format {
        CarriedFormat::Otio => {
            // The body that it came in is bounded, and what is deeper than 128 levels is refused by the parser.
            let document: Value = serde_json::from_str(&content).map_err(|error| wrong(error.to_string()))?;
            of_document(&mut *app.conn().await?, caller, &document).await?
        }
        CarriedFormat::Edl => of_list(app, caller, content, fps).await?,
        CarriedFormat::Srt | CarriedFormat::Vtt => {
            let (captions, told) = captions_of(&content, format == CarriedFormat::Vtt).map_err(wrong)?;
            let format = fps.map(|fps| json!({ "op": "set_format", "fps": fps }));
            let captions = json!({ "op": "set_captions", "captions": captions });
            Parts { name: None, ops: format.into_iter().chain([captions]).collect(), told }
        }
    };
    let (body, told) = built(app, caller, parts.ops, parts.told).await?;
    let name = name.or_else(|| parts.name.and_then(|its| fit(&its))).unwrap_or_else(|| "Imported".to_owned());
    let new = DocumentToCreate { id: TimelineId::mint().uuid(), name: &name, body: &body };
    documents::create(app, caller, once, new, |kept| show(kept, told.into_sentences())).await
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn wrong(why: String) -> ApiError {
    let refusal = ApiError::new(Code::InvalidRequest, format!("`content`: {why}."));
    refusal.suggest("Say what the document is with `format` (otio, edl, srt, vtt), and mend what is named.")
}

/// What an `OpenTimelineIO` document makes of the workspace's items.
async fn of_document(conn: &mut PgConnection, caller: &Caller, document: &Value) -> Answer<Parts> {
    let named = named_items(document);
    if named.len() > MOST_ITEMS {
        return Err(wrong(format!("it names more than {MOST_ITEMS} items")));
    }
    let sources = sources(conn, caller, &named).await?;
    let Imported { name, ops, told, .. } = import(document, &sources).map_err(wrong)?;
    Ok(Parts { name, ops, told })
}

/// What an edit decision list makes of them: by the ids that it says, or by what its clips and reels are called.
async fn of_list(app: &App, caller: &Caller, content: String, fps: Option<f64>) -> Answer<Parts> {
    // A list may have ten thousand lines.
    let reading = tokio::task::spawn_blocking(move || DecisionList::read(&content, fps));
    let list = reading.await.map_err(ApiError::internal)?.map_err(wrong)?;
    let mut conn = app.conn().await?;
    let mut by_name: BTreeMap<String, Vec<ItemId>> = BTreeMap::new();
    for (clip, item) in items::called(&mut conn, &list.names(), caller.workspace.id).await? {
        by_name.entry(clip).or_default().push(item);
    }
    let mut many = Told::default();
    let mut named = NamedItems::new();
    for (clip, found) in by_name {
        if let [item] = found[..] {
            named.insert(clip, item);
        } else {
            let say = "several items are called so. Put `* FROM CLIP: mws:itm_…` under its event";
            many.tell(format!("`{clip}` leaves black: {say}."));
        }
    }
    let (document, told) = list.document(&named);
    let Parts { name, ops, told: more } = of_document(&mut conn, caller, &document).await?;
    Ok(Parts { name, ops, told: told.and(many).and(more) })
}

/// The timeline that these operations make.
async fn built(app: &App, caller: &Caller, ops: Vec<Value>, mut told: Told) -> Answer<(Timeline, Told)> {
    let named: Vec<ItemId> = ops.iter().filter_map(|op| op["item_id"].as_str()?.parse().ok()).collect();
    let mut conn = app.conn().await?;
    let sources = sources(&mut conn, caller, &named).await?;
    let mut body = Timeline::new();
    for mut op in ops {
        if let Some(id) = op["variant_of"].as_str() {
            match reach_variant(&mut conn, caller, id).await {
                Ok(()) => {}
                Err(gone) if [Code::TimelineNotFound, Code::WorkspaceForbidden].contains(&gone.code()) => {
                    told.tell("The timeline that it is a variant of is not in this workspace.".to_owned());
                    op["variant_of"] = Value::Null;
                }
                Err(error) => return Err(error),
            }
        }
        let op = serde_json::from_value(op).map_err(|error| wrong(error.to_string()))?;
        body.apply(op, &sources).map_err(wrong)?;
    }
    Ok((body, told))
}

/// What of a document's name can be a timeline's.
fn fit(name: &str) -> Option<String> {
    let letters = name.chars().filter(|letter| !letter.is_control());
    let name = letters.take(MOST_NAME_CHARACTERS).collect::<String>().trim().to_owned();
    (!name.is_empty()).then_some(name)
}
