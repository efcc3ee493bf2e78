//! Documents that are written whole: those that have a name, and those of which a workspace has one.
//!
//! Saving creates or replaces the document under the account's lock, so that of two calls the second sees what the
//! first left. What it replaces is kept for undo, as for documents that are changed in steps; saving what stands
//! already changes nothing.

use crate::app::App;
use crate::app::beside::run_beside_if;
use crate::app::permits::Permit;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::document_edits;
use crate::usecases::documents::{
    Document, DocumentToCreate, Kept, as_json, conflict, insert, is_long, kept, missing, name_taken, opened, refused,
    shown, within_quota,
};
use crate::usecases::once::{Before, Begun, Made, Once};
use domain::document::checked_name;
use domain::ids::{NamedDocumentId, WorkspaceId};
use runtime::own_connections::OwnTransaction;
use sqlx::PgConnection;
use store::documents::{self, DocumentRow};

/// A document of which a workspace has one.
pub trait OnlyDocument: Document {
    /// The name that it is saved under.
    const NAME: &'static str;
}

/// A document that is being written.
#[derive(Debug)]
pub struct Saving<D> {
    /// The transaction that it is written in, to look things up in.
    pub tx: OwnTransaction,
    /// Its present content, if it exists.
    pub before: Option<D>,
    row: Option<DocumentRow>,
    name: String,
    _permit: Permit,
}

/// The beginning of a call that writes a document.
#[derive(Debug)]
pub enum BegunSaving<D> {
    /// It is written now.
    Now(Box<Saving<D>>),
    /// An earlier call with the same key wrote it.
    Before(Before),
}

/// Begins to write the document of this name. `if_revision` is its present revision; 0 means that there is none yet.
///
/// # Errors
/// `invalid_request` for what can't be a name; `name_taken` where it exists and `if_revision` is 0, `revision_conflict`
/// where it is at another revision.
pub async fn begin_save<D: Document>(
    app: &App,
    caller: &Caller,
    once: &Once,
    name: &str,
    if_revision: Option<i32>,
) -> Answer<BegunSaving<D>> {
    let permit = app.document_writes.take(caller.account_id).await?;
    let mut tx = match once.begin_among(app, permit.few()).await? {
        Begun::Now(tx, _) => tx,
        Begun::Before(before) => return Ok(BegunSaving::Before(before)),
    };
    let name = checked_name(name).map_err(|error| refused(&error))?.to_owned();
    documents::lock(&mut tx, caller.workspace.account_id).await.map_err(ApiError::of_own_lock)?;
    let row = found_to_change::<D>(&mut tx, caller, &name).await?;
    let stands = row.as_ref().map_or(0, |row| row.revision);
    if if_revision.is_some_and(|asked| asked != stands) {
        if if_revision == Some(0) && D::KIND.most() > 1 {
            return Err(name_taken::<D>(&name));
        }
        return Err(conflict::<D>(stands));
    }
    let before = |row: &DocumentRow| run_beside_if(is_long(row), || opened(row));
    let before = row.as_ref().map(before).transpose()?;
    Ok(BegunSaving::Now(Box::new(Saving { tx, before, row, name, _permit: permit })))
}

/// Returns the row of this name, locked against its deletion, if there is one.
async fn found_to_change<D: Document>(
    conn: &mut PgConnection,
    caller: &Caller,
    name: &str,
) -> Answer<Option<DocumentRow>> {
    match documents::find_named(conn, caller.workspace.id, D::KIND, name).await? {
        Some(row) => Ok(documents::find_to_change(conn, D::KIND, row.id).await.map_err(ApiError::of_own_lock)?),
        None => Ok(None),
    }
}

impl<D: Document> Saving<D> {
    /// Writes it, unless it is what stands already. `show` writes the answer.
    ///
    /// # Errors
    /// `invalid_request` for a document that is too large, `quota_reached`.
    pub async fn write(
        mut self,
        app: &App,
        caller: &Caller,
        once: &Once,
        body: &D,
        show: impl FnOnce(Kept<D>) -> String,
    ) -> Answer<Made> {
        let row = match self.row {
            None => {
                let new = DocumentToCreate { id: NamedDocumentId::mint().uuid(), name: &self.name, body };
                insert(&mut self.tx, caller, new).await?
            }
            Some(row) => replace(&mut self.tx, caller, row, body).await?,
        };
        let answer = shown(kept(&mut self.tx, row).await?, show);
        once.keep(app, &mut self.tx, &answer).await?;
        self.tx.commit().await?;
        Ok(Made::Now(answer))
    }
}

/// Writes the document anew and keeps what it was; returns it as it is if it would be the same.
async fn replace<D: Document>(
    conn: &mut PgConnection,
    caller: &Caller,
    row: DocumentRow,
    body: &D,
) -> Answer<DocumentRow> {
    let body = run_beside_if(is_long(&row), || as_json(body))?;
    if body.whole == row.body {
        return Ok(row);
    }
    let changed = documents::replace(conn, &row, &row.name, &body).await?;
    within_quota(conn, caller).await?;
    changed.ok_or_else(|| name_taken::<D>(&row.name))
}

/// Takes back the latest change of the document of this name. `show` writes the answer.
///
/// # Errors
/// As `document_edits::undo`; the kind's own refusal when there is none, but `nothing_to_undo` or `revision_conflict`
/// for what every workspace has, if nobody has changed it.
pub async fn undo_named<D: Document>(
    app: &App,
    caller: &Caller,
    once: &Once,
    name: &str,
    if_revision: Option<i32>,
    show: impl FnOnce(Kept<D>) -> String,
) -> Answer<Made> {
    let row = documents::find_named(&mut *app.conn().await?, caller.workspace.id, D::KIND, name.trim()).await?;
    let Some(row) = row else { return Err(never_saved::<D>(if_revision)) };
    document_edits::undo(app, caller, once, row.id, if_revision, show).await
}

/// As [`undo_named`], for the document of which the workspace has one.
///
/// # Errors
/// As [`undo_named`].
pub async fn undo_only<D: OnlyDocument>(
    app: &App,
    caller: &Caller,
    once: &Once,
    if_revision: Option<i32>,
    show: impl FnOnce(Kept<D>) -> String,
) -> Answer<Made> {
    undo_named(app, caller, once, D::NAME, if_revision, show).await
}

/// The refusal to undo what was never saved.
fn never_saved<D: Document>(if_revision: Option<i32>) -> ApiError {
    if D::KIND.most() > 1 {
        return missing::<D>();
    }
    if if_revision.is_some_and(|asked| asked != 0) {
        return conflict::<D>(0);
    }
    ApiError::new(Code::NothingToUndo, format!("Nobody has changed the {} yet.", D::KIND.noun()))
}

/// Returns the document of this name in the workspace, if there is one.
pub async fn find<D: Document>(conn: &mut PgConnection, workspace: WorkspaceId, name: &str) -> Answer<Option<Kept<D>>> {
    let Some(row) = documents::find_named(conn, workspace, D::KIND, name.trim()).await? else { return Ok(None) };
    kept(conn, row).await.map(Some)
}

/// Returns the document of this name in the workspace.
///
/// # Errors
/// The kind's own refusal when there is none.
pub async fn reach_named<D: Document>(conn: &mut PgConnection, workspace: WorkspaceId, name: &str) -> Answer<Kept<D>> {
    find(conn, workspace, name).await?.ok_or_else(missing::<D>)
}

/// Deletes the document of this name.
///
/// # Errors
/// As [`reach_named`].
pub async fn delete_named<D: Document>(app: &App, caller: &Caller, name: &str) -> Answer<()> {
    let permit = app.document_writes.take(caller.account_id).await?;
    let mut delete = app.process.begin_at(caller.account_id, caller.workspace.account_id, permit.few()).await?;
    let workspace = caller.workspace.id;
    let row = documents::find_named(&mut delete, workspace, D::KIND, name.trim()).await?.ok_or_else(missing::<D>)?;
    documents::delete(&mut delete, D::KIND, row.id, workspace).await.map_err(ApiError::of_own_lock)?;
    Ok(delete.commit().await?)
}
