//! Dubs: what an edit says is done in the edit's transaction (`documents`). They are made by jobs.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{self, BegunChange, Document, Kept, refused};
use crate::usecases::once::{Made, Once};
use domain::document::{DocumentKind, OpList, edited};
use domain::dub::{Dub, LONGEST};
use domain::ids::{DubId, ItemId};
use domain::timeline::Micros;
use serde_json::Value;
use sqlx::PgConnection;
use store::dubs::{self, DubOutput};
use store::items;

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
    /// The revision that it is for.
    pub if_revision: Option<i32>,
    /// What the dub is called from now on.
    pub name: Option<String>,
    /// What is done, one after the other.
    pub ops: Vec<Value>,
}

/// A dub and what was last spoken of it.
#[derive(Debug)]
pub struct KeptDub {
    /// The dub.
    pub kept: Kept<Dub>,
    /// What was last spoken.
    pub output: Option<DubOutput>,
}

/// The dub, for a call that acts in its workspace.
///
/// # Errors
/// As `documents::reach`.
pub async fn reach_dub(conn: &mut PgConnection, caller: &Caller, dub: DubId) -> Answer<KeptDub> {
    let kept = documents::reach::<Dub>(conn, caller, dub.uuid()).await?;
    Ok(KeptDub { kept, output: dubs::output(conn, dub).await? })
}

/// Changes a dub, all that is asked or nothing. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change` and `Change::write`; `invalid_request` names the operation that can't be done.
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
    let output = dubs::output(&mut change.tx, dub).await?;
    if !edit.ops.is_empty() || edit.name.is_none() {
        // Of an item that is deleted nothing is rendered any more; what is said of it may be changed all the same.
        let usable = items::usable(&mut change.tx, &[change.body.source], caller.workspace.id).await?;
        let duration = usable.first().and_then(|item| item.facts.duration).unwrap_or(LONGEST);
        let apply = |dub: &mut Dub, op| dub.apply(op, duration);
        change.body = edited(&change.body, OpList::Ops, &edit.ops, apply).map_err(|error| refused(&error))?;
    }
    if let Some(name) = edit.name {
        change.name = name;
    }
    change.write(app, caller, once, |kept| show(KeptDub { kept, output })).await
}

/// Goes back to what a dub was before its latest change. `show` writes the answer.
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
            let output = dubs::output(&mut change.tx, dub).await?;
            change.undo(app, once, |kept| show(KeptDub { kept, output })).await
        }
        BegunChange::Before(before) => Ok(Made::Before(before)),
    }
}

/// The item of a dub and how long it is, if it is there still.
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
