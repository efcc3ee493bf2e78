//! Documents of the workspace that a call acts in: creating, reaching, changing, undoing and deleting one, whatever its
//! kind (`domain::document`).
//!
//! A [`DocumentChange`] lasts from its beginning to its write: its maker looks up in the same transaction what the
//! change depends on. A change that is dropped changes nothing. Writes of an account wait for their permits before they
//! take a connection, since under its lock they wait for one another. All of a document is read by `document_reads`.

use crate::app::App;
use crate::app::beside::{run_beside, run_beside_if};
use crate::app::permits::Permit;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::gone;
use crate::usecases::once::{Before, Begun, Made, Once};
use crate::usecases::variants::refuse_circle;
use chrono::{DateTime, Utc};
use domain::document::{DocumentError, DocumentKind, LONG_BYTES, MOST_ACCOUNT_BYTES, MOST_BYTES, checked_name};
use domain::ids::{ItemId, TimelineId, WorkspaceId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use std::collections::{HashMap, HashSet};
use store::documents::{self, Body, DocumentRow, ListedRow, NewDocument};
use uuid::Uuid;

/// The content of a kind of document.
pub trait Document: Serialize + DeserializeOwned {
    /// The kind that it is stored as.
    const KIND: DocumentKind;
    /// The code of the refusal that there is no such document.
    const NOT_FOUND: Code;

    /// What lists show of it: some hundred bytes of JSON.
    fn summary(&self) -> Value;

    /// Every item that the document names.
    fn items(&self) -> Vec<ItemId>;

    /// The field of the timeline of which it is a variant, if its kind has one.
    fn variant_of(&mut self) -> Option<&mut Option<TimelineId>> {
        None
    }
}

/// A stored document.
#[derive(Debug, Clone)]
pub struct Kept<D> {
    /// Its id, without its kind's prefix.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// Its content.
    pub body: D,
    /// The refs of the items that it names and that still exist.
    pub refs: HashMap<ItemId, String>,
    /// Its revision: how often it was written.
    pub revision: i32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// Whether it takes long to write an answer that shows all of it.
    pub is_long: bool,
}

/// A document to create.
#[derive(Debug)]
pub struct DocumentToCreate<'a, D> {
    /// Its id, without its kind's prefix.
    pub id: Uuid,
    /// Its name.
    pub name: &'a str,
    /// Its content.
    pub body: &'a D,
}

/// A change that has begun.
#[derive(Debug)]
pub struct DocumentChange<D> {
    /// The change's transaction, to look things up in.
    pub tx: runtime::own_connections::OwnTransaction,
    /// The name that it will have.
    pub name: String,
    /// The content that it will have.
    pub body: D,
    row: DocumentRow,
    _permit: Permit,
}

/// The beginning of a call that changes a document.
#[derive(Debug)]
pub enum BegunChange<D> {
    /// The change begins now.
    Now(Box<DocumentChange<D>>),
    /// An earlier call with the same key made it.
    Before(Before),
}

/// Creates a document. `show` writes the answer.
///
/// # Errors
/// `invalid_request` for a name or a size that a document can't have, `quota_reached`, `name_taken`.
pub async fn create<D: Document>(
    app: &App,
    caller: &Caller,
    once: &Once,
    new: DocumentToCreate<'_, D>,
    show: impl FnOnce(Kept<D>) -> String,
) -> Answer<Made> {
    let permit = app.document_writes.take(caller.account_id).await?;
    let mut create = match once.begin_among(app, permit.few()).await? {
        Begun::Now(create, _) => create,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    documents::lock(&mut create, caller.workspace.account_id).await.map_err(ApiError::of_own_lock)?;
    let row = insert(&mut create, caller, new).await?;
    let answer = shown(kept(&mut create, row).await?, show);
    once.keep(app, &mut create, &answer).await?;
    create.commit().await?;
    Ok(Made::Now(answer))
}

/// Stores a new document within the bounds of its kind and of its account, under whose lock this is called.
///
/// # Errors
/// As [`create`].
pub(super) async fn insert<D: Document>(
    conn: &mut PgConnection,
    caller: &Caller,
    new: DocumentToCreate<'_, D>,
) -> Answer<DocumentRow> {
    let DocumentToCreate { id, name, body } = new;
    let name = checked_name(name).map_err(|error| refused(&error))?;
    let body = run_beside(|| as_json(body))?;
    let (workspace, account) = (caller.workspace.id, caller.workspace.account_id);
    let most = D::KIND.most();
    if documents::count(conn, workspace, D::KIND, most).await? >= most {
        let noun = D::KIND.noun();
        let refusal =
            ApiError::new(Code::QuotaReached, format!("The workspace has {most} {noun}s, which is the most."));
        return Err(refusal.suggest(format!("Delete a {noun} that is no longer needed.")));
    }
    let new = NewDocument { id, workspace, account, kind: D::KIND, name, body: &body };
    let row = documents::create(conn, &new).await?.ok_or_else(|| name_taken::<D>(name))?;
    within_quota(conn, caller).await?;
    Ok(row)
}

/// Returns documents of the workspace, newest first, from the one after `before`.
pub async fn page<D: Document>(
    conn: &mut PgConnection,
    caller: &Caller,
    before: Option<Uuid>,
    limit: i64,
) -> Answer<Vec<ListedRow>> {
    Ok(documents::page(conn, caller.workspace.id, D::KIND, before, limit).await?)
}

/// Begins a change of the document, which must be at revision `if_revision` where that is given.
///
/// # Errors
/// As `document_reads::reach`; `revision_conflict` where the document is at another revision.
pub async fn begin_change<D: Document>(
    app: &App,
    caller: &Caller,
    once: &Once,
    id: Uuid,
    if_revision: Option<i32>,
) -> Answer<BegunChange<D>> {
    let permit = app.document_writes.take(caller.account_id).await?;
    let mut tx = match once.begin_among(app, permit.few()).await? {
        Begun::Now(tx, _) => tx,
        Begun::Before(before) => return Ok(BegunChange::Before(before)),
    };
    documents::lock(&mut tx, caller.workspace.account_id).await.map_err(ApiError::of_own_lock)?;
    let row = documents::find_to_change(&mut tx, D::KIND, id).await.map_err(ApiError::of_own_lock)?;
    let row = within_reach::<D>(caller, row)?;
    if if_revision.is_some_and(|asked| asked != row.revision) {
        return Err(conflict::<D>(row.revision));
    }
    let body = run_beside_if(is_long(&row), || opened(&row))?;
    let name = row.name.clone();
    Ok(BegunChange::Now(Box::new(DocumentChange { tx, name, body, row, _permit: permit })))
}

impl<D: Document> DocumentChange<D> {
    /// Writes the document with this name and content. `show` writes the answer.
    ///
    /// # Errors
    /// `invalid_request` for a document that is too large, `quota_reached`, `name_taken`.
    pub async fn write(
        mut self,
        app: &App,
        caller: &Caller,
        once: &Once,
        show: impl FnOnce(Kept<D>) -> String,
    ) -> Answer<Made> {
        let name = checked_name(&self.name).map_err(|error| refused(&error))?;
        let body = run_beside_if(is_long(&self.row), || as_json(&self.body))?;
        let row = documents::replace(&mut self.tx, &self.row, name, &body).await?;
        let row = row.ok_or_else(|| name_taken::<D>(name))?;
        within_quota(&mut self.tx, caller).await?;
        let kept = kept(&mut self.tx, row).await?;
        self.end(app, once, kept, show).await
    }

    /// Takes back the document's latest change. `show` writes the answer.
    ///
    /// # Errors
    /// `nothing_to_undo`; `invalid_request` for a timeline that would come from itself.
    pub async fn undo(mut self, app: &App, once: &Once, show: impl FnOnce(Kept<D>) -> String) -> Answer<Made> {
        let Some(row) = documents::step_back(&mut self.tx, &self.row).await? else {
            let (noun, stands) = (D::KIND.noun(), self.row.revision);
            let message = format!("Nothing is kept of the {noun} from before revision {stands}.");
            return Err(ApiError::new(Code::NothingToUndo, message));
        };
        let workspace = row.workspace_id;
        let mut kept: Kept<D> = kept(&mut self.tx, row).await?;
        if let Some(of) = kept.body.variant_of().and_then(|field| *field) {
            let originals = documents::originals(&mut self.tx, workspace).await?;
            refuse_circle(&originals, kept.id, of, "`variant_of`", &mut HashSet::new())?;
        }
        self.end(app, once, kept, show).await
    }

    async fn end(
        mut self,
        app: &App,
        once: &Once,
        kept: Kept<D>,
        show: impl FnOnce(Kept<D>) -> String,
    ) -> Answer<Made> {
        let answer = shown(kept, show);
        once.keep(app, &mut self.tx, &answer).await?;
        self.tx.commit().await?;
        Ok(Made::Now(answer))
    }
}

/// Deletes a document, with its revisions.
///
/// # Errors
/// As `document_reads::reach`.
pub async fn delete<D: Document>(app: &App, caller: &Caller, id: Uuid) -> Answer<()> {
    let permit = app.document_writes.take(caller.account_id).await?;
    let mut delete = app.process.begin_at(caller.account_id, caller.workspace.account_id, permit.few()).await?;
    let deleted = documents::delete(&mut delete, D::KIND, id, caller.workspace.id).await;
    if deleted.map_err(ApiError::of_own_lock)? {
        return Ok(delete.commit().await?);
    }
    let row = documents::summary(&mut delete, D::KIND, id).await?.ok_or_else(missing::<D>)?;
    acts_in::<D>(caller, row.workspace_id)?;
    Err(missing::<D>())
}

/// The refusal of something that can't be a document.
pub fn refused(error: &DocumentError) -> ApiError {
    ApiError::new(Code::InvalidRequest, format!("{error}."))
}

fn within_reach<D: Document>(caller: &Caller, row: Option<DocumentRow>) -> Answer<DocumentRow> {
    let row = row.ok_or_else(missing::<D>)?;
    acts_in::<D>(caller, row.workspace_id)?;
    Ok(row)
}

/// Refuses a document of this workspace to a call that acts in another.
pub(super) fn acts_in<D: Document>(caller: &Caller, workspace: WorkspaceId) -> Answer<()> {
    if workspace == caller.workspace.id { Ok(()) } else { Err(elsewhere::<D>()) }
}

/// The refusal of a document that is in another workspace.
pub(super) fn elsewhere<D: Document>() -> ApiError {
    ApiError::elsewhere(D::KIND.noun())
}

pub(super) async fn kept<D: Document>(conn: &mut PgConnection, row: DocumentRow) -> Answer<Kept<D>> {
    let is_long = is_long(&row);
    let mut body: D = run_beside_if(is_long, || opened(&row))?;
    let refs = gone::look_up(conn, &body.items(), body.variant_of()).await?;
    let DocumentRow { id, name, revision, created_at, updated_at, .. } = row;
    Ok(Kept { id, name, body, refs, revision, created_at, updated_at, is_long })
}

/// Writes the answer that shows a document which was just written.
pub(super) fn shown<D>(kept: Kept<D>, show: impl FnOnce(Kept<D>) -> String) -> String {
    run_beside_if(kept.is_long, || show(kept))
}

/// Whether a document takes long to parse and to write.
pub(super) const fn is_long(row: &DocumentRow) -> bool {
    row.body.len() > LONG_BYTES
}

/// Parses the content of a document. Long ones are parsed beside the threads that answer calls ([`is_long`]).
pub(super) fn opened<D: Document>(row: &DocumentRow) -> Answer<D> {
    serde_json::from_str(&row.body)
        .map_err(|error| ApiError::internal(format!("the {} {} can't be read: {error}", D::KIND.name(), row.id)))
}

/// Returns the content as JSON, its fields in their order by name: what is equal has one text.
pub(super) fn as_json<D: Document>(body: &D) -> Answer<Body> {
    let whole = serde_json::to_value(body).map_err(ApiError::internal)?.to_string();
    if whole.len() > MOST_BYTES {
        return Err(refused(&DocumentError::TooLarge(D::KIND.noun())));
    }
    Ok(Body { whole, summary: body.summary() })
}

/// Refuses a change that took the account past its bytes of documents; its transaction is then rolled back.
pub(super) async fn within_quota(conn: &mut PgConnection, caller: &Caller) -> Answer<()> {
    if documents::kept_bytes(conn, caller.workspace.account_id).await? <= MOST_ACCOUNT_BYTES {
        return Ok(());
    }
    let message = if caller.workspace.account_id == caller.account_id {
        format!("The account's documents may have {MOST_ACCOUNT_BYTES} bytes with their revisions; this does not fit.")
    } else {
        "The workspace's account keeps as much in documents as it may.".to_owned()
    };
    Err(ApiError::new(Code::QuotaReached, message).suggest("Delete documents that are no longer needed."))
}

pub(super) fn missing<D: Document>() -> ApiError {
    ApiError::new(D::NOT_FOUND, format!("There is no such {}.", D::KIND.noun()))
}

/// The refusal of a change that is for another revision than the one that stands, which is 0 where there is none.
pub(super) fn conflict<D: Document>(stands: i32) -> ApiError {
    let message = match D::KIND {
        _ if stands == 0 => "It is not there yet.".to_owned(),
        DocumentKind::Settings => format!("The settings are at revision {stands} now."),
        kind => format!("The {} is at revision {stands} now.", kind.noun()),
    };
    let refusal = ApiError::new(Code::RevisionConflict, message).revision(stands);
    refusal.suggest(format!("Read it again, and send the change with `if_revision` {stands}."))
}

pub(super) fn name_taken<D: Document>(name: &str) -> ApiError {
    let noun = D::KIND.noun();
    ApiError::new(Code::NameTaken, format!("Another {noun} of the workspace is called `{name}`."))
}
