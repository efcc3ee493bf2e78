//! What is stored about the items that a timeline names: their facts, their speech, and their transcripts.
//!
//! No read is started: missing ones are named in the warnings.

use crate::app::App;
use crate::app::beside::{LONG_READ, apart_in_turn_if};
use crate::auth::Caller;
use crate::http::answers::AnswerPermit;
use crate::http::error::{Answer, ApiError, Code};
use crate::resources::library::{said, stored_read};
use crate::usecases::library::sources;
use domain::dub::Piece;
use domain::ids::ItemId;
use domain::media_time::speech_of;
use domain::read::Read;
use domain::timeline::{CaptionSource, NotRenderable, Sources, Speech, Timeline, Transcripts};
use serde_json::Value;

/// What is stored about a timeline's items.
#[derive(Debug, Default)]
pub(super) struct Material {
    /// The facts of the items that exist.
    pub sources: Sources,
    /// The spans in which somebody speaks, by item.
    pub speech: Speech,
    /// The transcripts, by item.
    pub transcripts: Transcripts,
    /// The room for the speech and the transcripts, to be held as long as they are.
    pub room: Vec<AnswerPermit>,
    /// What is missing, in whole sentences.
    pub warnings: Vec<String>,
}

/// Returns what a render of the timeline needs; transcripts only if the render has a picture.
///
/// # Errors
/// `rate_limited` and `unavailable`, as when stored reads are answered.
pub(super) async fn stored_material(
    app: &App,
    caller: &Caller,
    timeline: &Timeline,
    has_picture: bool,
) -> Answer<Material> {
    let sources = sources(&mut *app.conn().await?, caller, &timeline.items()).await?;
    let mut material = Material { sources, ..Material::default() };
    let has_sound = |item| material.sources.get(&item).is_some_and(|source| source.media.has_audio);
    let voices: Vec<_> = timeline.voices().into_iter().filter(|item| has_sound(*item)).collect();
    if timeline.sounds().any(|track| track.duck.is_some()) {
        for item in voices {
            add_speech(app, caller, item, &mut material).await?;
        }
    }
    let captions = timeline.captions.as_ref().filter(|captions| captions.burn && has_picture);
    if captions.is_some_and(|captions| captions.source == CaptionSource::Transcripts) {
        add_transcripts(app, caller, timeline, &mut material).await?;
    }
    Ok(material)
}

/// Adds where somebody speaks in an item, as far as that is stored: of the voices of a dub it is known since they were
/// spoken, and the same as in the dub's mix.
async fn add_speech(app: &App, caller: &Caller, item: ItemId, material: &mut Material) -> Answer<()> {
    let pieces = store::dubs::spoken_in(&mut *app.conn().await?, item).await?;
    if let Some(pieces) = pieces {
        material.speech.insert(item, pieces.iter().map(Piece::heard).collect());
        return Ok(());
    }
    let conn = app.process.conn_of(caller.account_id).await?;
    let Some(document) = stored_read(app, conn, caller.account_id, item, Read::Speech).await? else {
        let missing = format!("No `speech` read of {item} is stored, so nothing goes down under its speech.");
        material.warnings.push(missing);
        return Ok(());
    };
    let (document, room, large) = document.whole(&app.answers, caller.account_id).await?;
    let is_long = document.len() > LONG_READ;
    let parse = move || {
        // Held until the document is parsed and dropped.
        let _large = large;
        let parsed = serde_json::from_slice::<Value>(&document);
        drop(document);
        parsed.map(|read| (speech_of(&read), room))
    };
    let parsed = apart_in_turn_if(app, caller.account_id, is_long, parse).await?;
    if let (Some(spans), room) = parsed.map_err(ApiError::internal)? {
        material.speech.insert(item, spans);
        material.room.push(room);
    }
    Ok(())
}

/// Adds the transcripts of the items whose voices are heard.
///
/// # Errors
/// As [`stored_material`].
pub(super) async fn add_transcripts(
    app: &App,
    caller: &Caller,
    timeline: &Timeline,
    material: &mut Material,
) -> Answer<()> {
    for item in timeline.voices() {
        if !material.sources.get(&item).is_some_and(|source| source.media.has_audio) {
            continue;
        }
        let conn = app.process.conn_of(caller.account_id).await?;
        if let Some((words, room)) = said(app, conn, caller.account_id, item).await? {
            material.transcripts.insert(item, words);
            material.room.push(room);
        } else {
            let missing = format!("No `transcript` of {item} is stored, so nothing of it is in the captions.");
            material.warnings.push(missing);
        }
    }
    Ok(())
}

/// Returns the refusal of a timeline that can't be rendered.
pub(super) fn refused(error: &NotRenderable) -> ApiError {
    let code = if let NotRenderable::Gone(_) = error { Code::ItemNotFound } else { Code::InvalidRequest };
    let refusal = ApiError::new(code, format!("It can't be rendered: {error}."));
    refusal.suggest("Change the timeline with `edit_timeline`, then render it again.")
}
