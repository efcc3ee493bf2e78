//! Edits of documents by operations, whatever their kind: all of them are done or none; and undoing them.
//!
//! The items that operations name by `ref` are looked up before the edit waits for its permit and begins its
//! transaction: a process does few edits at once, and others wait for them. An item may be renamed or deleted
//! meanwhile, as it may be a moment after the edit; what a kind of document must know of its items is read in the
//! transaction ([`Edited::done`]).

use crate::app::App;
use crate::app::beside::run_beside_if;
use crate::auth::Caller;
use crate::http::error::Answer;
use crate::usecases::documents::{self, BegunChange, Document, Kept, refused};
use crate::usecases::once::{Made, Once};
use crate::usecases::op_refs::{have_refs, resolve_refs};
use domain::document::{OpList, edited, few_enough};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// An edit of more operations is done beside the threads that answer calls.
const FEW: usize = 20;

/// A kind of document that operations change.
pub trait Edited: Document + Sync {
    /// Returns the document with these operations done; `own` is its id, if it has one already.
    ///
    /// # Errors
    /// `invalid_request` names the operation that can't be done; those of finding what it names.
    fn done(
        conn: &mut PgConnection,
        caller: &Caller,
        own: Option<Uuid>,
        body: &Self,
        list: OpList,
        ops: &[Value],
    ) -> impl Future<Output = Answer<Self>> + Send;
}

/// An edit of a document.
#[derive(Debug)]
pub struct Edit {
    /// The revision that the edit is based on.
    pub if_revision: Option<i32>,
    /// The document's new name.
    pub name: Option<String>,
    /// Its operations, in order; `ref` names an item.
    pub ops: Vec<Value>,
}

/// Refuses more operations than an edit may have. Call it before anything that they name is looked up.
///
/// # Errors
/// `invalid_request`.
pub fn refuse_many(list: OpList, ops: &[Value]) -> Answer<()> {
    few_enough(list, ops).map_err(|error| refused(&error))
}

/// Returns the document with these operations done, all of them or none.
///
/// # Errors
/// `invalid_request` names the operation that can't be done.
pub fn edited_by<D: Clone, O: DeserializeOwned>(
    body: &D,
    list: OpList,
    ops: &[Value],
    apply: impl FnMut(&mut D, O) -> Result<(), String>,
) -> Answer<D> {
    run_beside_if(ops.len() > FEW, || edited(body, list, ops, apply)).map_err(|error| refused(&error))
}

/// Changes a document: all of the edit or nothing. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change` and `DocumentChange::write`; `invalid_request` names the operation that can't be done.
pub async fn edit<D: Edited>(
    app: &App,
    caller: &Caller,
    once: &Once,
    id: Uuid,
    mut edit: Edit,
    show: impl FnOnce(Kept<D>) -> String,
) -> Answer<Made> {
    refuse_many(OpList::Ops, &edit.ops)?;
    let looked_up = look_up(app, caller, &mut edit.ops).await;
    let begun = documents::begin_change::<D>(app, caller, once, id, edit.if_revision).await?;
    let mut change = match begun {
        BegunChange::Now(change) => change,
        BegunChange::Before(before) => return Ok(Made::Before(before)),
    };
    // Told only now: a repeat has its first answer whatever became of the items, and a missing document is told first.
    looked_up?;
    if !edit.ops.is_empty() || edit.name.is_none() {
        change.body = D::done(&mut change.tx, caller, Some(id), &change.body, OpList::Ops, &edit.ops).await?;
    }
    if let Some(name) = edit.name {
        change.name = name;
    }
    change.write(app, caller, once, show).await
}

/// Puts ids in place of the refs by which these operations name items. Holds no connection afterwards.
async fn look_up(app: &App, caller: &Caller, ops: &mut [Value]) -> Answer<()> {
    if !have_refs(ops) {
        return Ok(());
    }
    let mut conn = app.process.conn_of(caller.account_id).await?;
    resolve_refs(&mut conn, caller.workspace.id, OpList::Ops, ops).await
}

/// Takes back a document's latest change. `show` writes the answer.
///
/// # Errors
/// As `documents::begin_change`; `nothing_to_undo`.
pub async fn undo<D: Document>(
    app: &App,
    caller: &Caller,
    once: &Once,
    id: Uuid,
    if_revision: Option<i32>,
    show: impl FnOnce(Kept<D>) -> String,
) -> Answer<Made> {
    match documents::begin_change::<D>(app, caller, once, id, if_revision).await? {
        BegunChange::Now(change) => change.undo(app, once, show).await,
        BegunChange::Before(before) => Ok(Made::Before(before)),
    }
}
