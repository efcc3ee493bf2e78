//! Dubs, which jobs make. Edits are done in the edit's transaction (`documents`); a dub that is deleted stops its jobs.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::pace;
use crate::usecases::document_edits::edited_by;
use crate::usecases::document_reads;
use crate::usecases::documents::{self, BegunChange, Document, Kept};
use crate::usecases::once::{Made, Once};
use domain::document::{DocumentKind, OpList};
use domain::dub::{Dub, LONGEST};
use domain::ids::{DubId, ItemId, TimelineId};
use domain::timeline::Micros;
use runtime::ending;
use serde_json::Value;
use sqlx::PgConnection;
use store::dubs::{self, DubOutput};
use store::{items, jobs};

impl Document for Dub {
    const KIND: DocumentKind = DocumentKind::Dub;
    const NOT_FOUND: Code = Code::DubNotFound;

    fn summary(&self) -> Value {
        Self::summary(self)
    }

    fn items(&self) -> Vec<ItemId> {
        Self::items(self)
    }
}

/// An edit of a dub.
#[derive(Debug)]
pub struct DubEdit {
    /// The revision that the edit is based on.
    pub if_revision: Option<i32>,
    /// The dub's new name.
    pub name: Option<String>,
    /// Its operations, in order.
    pub ops: Vec<Value>,
}

/// A dub, with what was last spoken of it.
#[derive(Debug)]
pub struct KeptDub {
    /// The dub.
    pub kept: Kept<Dub>,
    /// What the dub's last job made, if one has ended.
    pub output: Option<DubOutput>,
    /// The timeline whose film is dubbed, if one is and it still exists.
    pub original: Option<TimelineId>,
}

/// Returns what is shown beside a dub's own content: what was last spoken of it, and the timeline that it dubs.
async fn beside(conn: &mut PgConnection, dub: DubId, body: &Dub) -> sqlx::Result<Beside> {
    let output = dubs::output(&mut *conn, dub).await?;
    let original = match body.timeline {
        Some(timeline) => store::documents::summary(conn, DocumentKind::Timeline, timeline.uuid()).await?,
        None => None,
    };
    Ok(Beside { output, original: body.timeline.filter(|_| original.is_some()) })
}

/// What is shown beside a dub's own content.
struct Beside {
    output: Option<DubOutput>,
    original: Option<TimelineId>,
}

impl Beside {
    fn of(self, kept: Kept<Dub>) -> KeptDub {
        KeptDub { kept, output: self.output, original: self.original }
    }
}

/// Returns the dub, for a call that acts in its workspace.
///
/// # Errors
/// As `document_reads::reach`.
pub async fn reach_dub(app: &App, caller: &Caller, dub: DubId) -> Answer<KeptDub> {
    let kept = document_reads::reach::<Dub>(app, caller, dub.uuid()).await?;
    let beside = beside(&mut *app.conn().await?, dub, &kept.body).await?;
    Ok(beside.of(kept))
}

/// Changes a dub: all of the edit or nothing. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change` and `DocumentChange::write`; `invalid_request` names the operation that can't be done,
/// or the segment whose new text its voice has no sounds for.
pub async fn edit_dub(
    app: &App,
    caller: &Caller,
    once: &Once,
    dub: DubId,
    edit: DubEdit,
    show: impl FnOnce(KeptDub) -> String,
) -> Answer<Made> {
    let begun = documents::begin_change::<Dub>(app, caller, once, dub.uuid(), edit.if_revision).await?;
    let mut change = match begun {
        BegunChange::Now(change) => change,
        BegunChange::Before(before) => return Ok(Made::Before(before)),
    };
    let beside = beside(&mut change.tx, dub, &change.body).await?;
    if !edit.ops.is_empty() || edit.name.is_none() {
        // A dub of a deleted item can't be rendered, but its words may still be changed.
        let usable = items::usable(&mut change.tx, &[change.body.source], caller.workspace.id).await?;
        let duration = usable.first().and_then(|item| item.facts.duration).unwrap_or(LONGEST);
        let apply = |dub: &mut Dub, op| dub.apply(op, duration);
        let edited = edited_by(&change.body, OpList::Ops, &edit.ops, apply)?;
        refuse_unspeakable(&change.body, &edited)?;
        change.body = edited;
    }
    if let Some(name) = edit.name {
        change.name = name;
    }
    change.write(app, caller, once, |kept| show(beside.of(kept))).await
}

/// Refuses a new text that its voice has no sounds for, whichever order the edit gave it its voice in.
fn refuse_unspeakable(before: &Dub, edited: &Dub) -> Answer<()> {
    let Some(segment) = edited.unspeakable_since(before) else { return Ok(()) };
    let (id, voice, start) = (&segment.id, &segment.voice, segment.start.seconds());
    let message = format!("`translation` of `{id}`, at {start} s: the voice `{voice}` has no sounds for any of it.");
    let refusal = ApiError::new(Code::InvalidRequest, message);
    Err(refusal.suggest("Say words, name a voice of their language in the same edit, or leave the text empty."))
}

/// Takes back a dub's latest change. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change`; `nothing_to_undo`.
pub async fn undo_dub(
    app: &App,
    caller: &Caller,
    once: &Once,
    dub: DubId,
    if_revision: Option<i32>,
    show: impl FnOnce(KeptDub) -> String,
) -> Answer<Made> {
    match documents::begin_change::<Dub>(app, caller, once, dub.uuid(), if_revision).await? {
        BegunChange::Now(mut change) => {
            let beside = beside(&mut change.tx, dub, &change.body).await?;
            change.undo(app, once, |kept| show(beside.of(kept))).await
        }
        BegunChange::Before(before) => Ok(Made::Before(before)),
    }
}

/// Deletes a dub, with its revisions, and cancels the jobs that speak it: they cost nothing.
///
/// The dub is locked before its jobs, as `dispatch` locks it before it starts one: no job starts in between.
///
/// # Errors
/// As `document_reads::reach`.
pub async fn delete_dub(app: &App, caller: &Caller, dub: DubId) -> Answer<()> {
    let process = &app.process;
    let permit = app.document_writes.take(caller.account_id).await?;
    let mut delete_dub = process.begin_at(caller.account_id, caller.workspace.account_id, permit.few()).await?;
    let body: Dub = document_reads::content_to_change(&mut delete_dub, caller, dub.uuid()).await?;
    let stopped = jobs::cancel_for_dub(&mut delete_dub, dub, body.source, caller.account_id).await?;
    let (pace, told) = (pace(&process.settings), &process.settings.event_kinds);
    let after_commit = ending::end_stopped_jobs(&mut delete_dub, &stopped, caller.account_id, pace, told).await?;
    store::documents::delete(&mut delete_dub, Dub::KIND, dub.uuid(), caller.workspace.id).await?;
    delete_dub.commit().await?;
    after_commit.run(&process.pool, &process.wakes).await;
    Ok(())
}

/// Returns the duration of a dub's item, in microseconds, if the item still exists.
///
/// # Errors
/// `item_not_found`.
pub async fn source_of(conn: &mut PgConnection, caller: &Caller, dub: &Dub) -> Answer<Micros> {
    let usable = items::usable(conn, &[dub.source], caller.workspace.id).await?;
    usable
        .first()
        .and_then(|item| item.facts.duration)
        .ok_or_else(|| ApiError::new(Code::ItemNotFound, "The item that is dubbed is deleted."))
}
