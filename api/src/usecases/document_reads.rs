//! Reading a document: all of it, or no more than lists show.
//!
//! Half a megabyte takes tenths of a second to parse, and again to write as an answer. A long document is parsed in the
//! turn of the account that asks, beside the threads that answer calls, and no connection is held meanwhile; so is the
//! answer written that shows it (`resources::tools::written`).

use crate::app::App;
use crate::app::beside::{in_turn_if, run_beside_if};
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{Document, Kept, acts_in, is_long, missing, opened};
use crate::usecases::gone;
use serde_json::Value;
use sqlx::PgConnection;
use store::documents::{self, DocumentRow, SummaryRow};
use uuid::Uuid;

/// Returns the document, for a call that acts in its workspace.
///
/// # Errors
/// `workspace_forbidden` when it is in another workspace, the kind's own refusal when there is none.
pub async fn reach<D: Document>(app: &App, caller: &Caller, id: Uuid) -> Answer<Kept<D>> {
    let row = find::<D>(&mut *app.conn().await?, caller, id).await?;
    read(app, caller, row).await
}

/// Returns the document as it was at this revision: the present one, or one that is kept for undo.
///
/// # Errors
/// As [`reach`]; `revision_conflict` when the revision is not kept any more, or is still to come.
pub async fn reach_revision<D: Document>(app: &App, caller: &Caller, id: Uuid, revision: i32) -> Answer<Kept<D>> {
    let mut conn = app.conn().await?;
    let mut row = find::<D>(&mut conn, caller, id).await?;
    if row.revision != revision {
        let (noun, stands) = (D::KIND.noun(), row.revision);
        row = documents::find_earlier(&mut conn, D::KIND, id, revision).await?.ok_or_else(|| {
            let why = match revision {
                ..1 => "does not exist",
                _ if revision > stands => "does not exist yet",
                _ => "is not kept any more: it was undone or undone to, or later changes took its place",
            };
            let message = format!("Revision {revision} of the {noun} {why}. The {noun} is at revision {stands} now.");
            let next = format!("Read the {noun} as it is now, and call again for revision {stands}.");
            ApiError::new(Code::RevisionConflict, message).revision(stands).suggest(next)
        })?;
    }
    drop(conn);
    read(app, caller, row).await
}

async fn read<D: Document>(app: &App, caller: &Caller, row: DocumentRow) -> Answer<Kept<D>> {
    let is_long = is_long(&row);
    let mut body: D = in_turn_if(app, caller.account_id, is_long, || opened(&row)).await?;
    let refs = gone::look_up(&mut *app.conn().await?, &body.items(), body.variant_of()).await?;
    let DocumentRow { id, name, revision, created_at, updated_at, .. } = row;
    Ok(Kept { id, name, body, refs, revision, created_at, updated_at, is_long })
}

/// Returns its content alone, to those who hold a connection.
///
/// # Errors
/// As [`reach`].
pub async fn content<D: Document>(conn: &mut PgConnection, caller: &Caller, id: Uuid) -> Answer<D> {
    let row = find::<D>(conn, caller, id).await?;
    run_beside_if(is_long(&row), || opened(&row))
}

/// Returns its content, and locks the document until the caller's transaction ends.
///
/// # Errors
/// As [`reach`].
pub(super) async fn content_to_change<D: Document>(conn: &mut PgConnection, caller: &Caller, id: Uuid) -> Answer<D> {
    let row = documents::find_to_change(conn, D::KIND, id).await.map_err(ApiError::of_own_lock)?;
    let row = row.ok_or_else(missing::<D>)?;
    acts_in::<D>(caller, row.workspace_id)?;
    run_beside_if(is_long(&row), || opened(&row))
}

/// Returns what lists show of it.
///
/// # Errors
/// As [`reach`].
pub async fn summary<D: Document>(conn: &mut PgConnection, caller: &Caller, id: Uuid) -> Answer<Value> {
    summarized::<D>(caller, documents::summary(conn, D::KIND, id).await?)
}

/// Returns the same, and keeps the document from being deleted until the caller's transaction ends.
///
/// # Errors
/// As [`reach`].
pub(super) async fn summary_to_comment_on<D: Document>(
    conn: &mut PgConnection,
    caller: &Caller,
    id: Uuid,
) -> Answer<Value> {
    let row = documents::summary_to_comment_on(conn, D::KIND, id).await.map_err(ApiError::of_own_lock)?;
    summarized::<D>(caller, row)
}

fn summarized<D: Document>(caller: &Caller, row: Option<SummaryRow>) -> Answer<Value> {
    let row = row.ok_or_else(missing::<D>)?;
    acts_in::<D>(caller, row.workspace_id)?;
    Ok(row.summary)
}

async fn find<D: Document>(conn: &mut PgConnection, caller: &Caller, id: Uuid) -> Answer<DocumentRow> {
    let row = documents::find(conn, D::KIND, id).await?.ok_or_else(missing::<D>)?;
    acts_in::<D>(caller, row.workspace_id)?;
    Ok(row)
}
