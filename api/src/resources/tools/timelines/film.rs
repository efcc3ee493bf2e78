//! The plan of a timeline's film (`domain::film`), with its price and what the film lacks. `render_timeline` renders
//! it, and `dub` dubs what is rendered.

use super::material::{Material, refused, stored_material};
use crate::app::App;
use crate::app::beside::{apart, apart_in_turn};
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::Kept;
use domain::decoding::Decoding;
use domain::film::{Film, FilmOutput};
use domain::timeline::{Timeline, caption, film_of};

/// A film that a timeline can be rendered as.
pub(in crate::resources::tools) struct PlannedFilm {
    /// The timeline.
    pub(in crate::resources::tools) kept: Kept<Timeline>,
    /// The plan of its film.
    pub(in crate::resources::tools) film: Film,
    /// The milliseconds that its price is for.
    pub(in crate::resources::tools) worth_ms: i64,
    /// What the film lacks of the timeline, in whole sentences.
    pub(in crate::resources::tools) warnings: Vec<String>,
}

/// Plans the timeline's film by what is stored about its items.
///
/// # Errors
/// `invalid_request` and `item_not_found` for a timeline that can't be rendered; `engine_not_configured` when no worker
/// draws its letters; those of `stored_material`.
pub(in crate::resources::tools) async fn planned_film(
    app: &App,
    caller: &Caller,
    kept: Kept<Timeline>,
    asked: FilmOutput,
) -> Answer<PlannedFilm> {
    let Material { sources, speech, transcripts, room, mut warnings } =
        stored_material(app, caller, &kept.body, asked.format.has_picture()).await?;
    // On another thread: planning a day of speech under thousands of cuts takes a while, and so does breaking its texts
    // into lines. A long timeline, or a short one of an item that speaks for a day, is planned in its account's turn.
    // What is said keeps its room until then.
    let is_long = kept.is_long || !transcripts.is_empty() || !speech.is_empty();
    let plan = move || {
        let burnt = kept.body.captions.as_ref().is_some_and(|captions| captions.burn && asked.format.has_picture());
        let cues = if burnt { kept.body.cues(&transcripts).iter().map(caption).collect() } else { Vec::new() };
        let film = film_of(&kept.body, &sources, &speech, &cues, asked);
        let known = |item| sources.get(&item).map(|source| source.material()).unwrap_or_default();
        let planned = film.map(|film| {
            let worth_ms = Decoding::of(&film, known).worth_ms(&film);
            let lacks = kept.body.lacks(&film);
            (film, worth_ms, lacks)
        });
        drop((speech, transcripts, room));
        (kept, planned)
    };
    let account = caller.account_id;
    let planned = if is_long { apart_in_turn(app, account, plan).await } else { apart(app, account, plan).await };
    let (kept, planned) = planned?;
    let (film, worth_ms, lacks) = planned.map_err(|error| refused(&error))?;
    if film.has_text() && !store::renders::draws_text(&mut *app.conn().await?).await? {
        let message = "No worker of this deployment can draw letters, and the timeline has some.";
        let refusal = ApiError::new(Code::EngineNotConfigured, message);
        return Err(refusal.suggest("Remove the text overlays and `captions.burn`, or render sound alone."));
    }
    warnings.extend(lacks);
    Ok(PlannedFilm { kept, film, worth_ms, warnings })
}
