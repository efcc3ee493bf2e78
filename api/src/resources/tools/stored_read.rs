//! The one read that a tool needs: returned at no charge if it is stored, otherwise started as `prepare_media` would
//! start it: exactly that read, and no other (contract §4.4).
//!
//! Every tool that shows or uses a read calls [`need`]. There is no second way to start one: the same dispatch decides,
//! holds minutes, joins a live job and keeps the answer under the Idempotency-Key. What a tool makes of a stored read
//! is up to the tool.

use crate::app::App;
use crate::auth::{Caller, Role};
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate;
use crate::http::text::{MinuteCount, Text};
use crate::resources::library::{self, Document};
use crate::usecases::dispatch::{self, DispatchRequest, Dispatched, Prepared};
use crate::usecases::library::reach;
use crate::usecases::starting::{self, cloud_processing};
use domain::ids::ItemId;
use domain::plan::{Answer as ReadAnswer, Reason};
use domain::read::Read;
use poem_openapi::types::{ParseFromJSON, ToJSON};
use poem_openapi::{Enum, Object};
use serde_json::{Value, json};
use store::idempotency::Key;

/// The error codes of every tool that needs a read, besides those that any operation may return.
pub const REFUSALS: &[Code] = &[
    Code::InsufficientMinutes,
    Code::RoleForbidden,
    Code::WorkspaceForbidden,
    Code::ItemNotFound,
    Code::ItemNotReady,
    Code::ItemLeased,
    Code::IdempotencyInProgress,
    Code::IdempotencyKeyReused,
    Code::ReadNotApplicable,
    Code::EngineNotConfigured,
];

/// A read that a tool needs of one item.
#[derive(Debug)]
pub struct Need<'a> {
    /// The tool that was called.
    pub tool: &'static str,
    /// The item: its ref, its id, or the id of the job that made it.
    pub item_ref: &'a str,
    /// The read.
    pub read: Read,
    /// The tool's whole request in canonical form: a repeat under the same Idempotency-Key must be equal to it.
    pub request: Value,
    /// Whether to return what would be started instead of starting it.
    pub dry_run: bool,
}

/// The stored read, or the answer while there is none.
#[derive(Debug)]
pub enum Needed<T: ParseFromJSON + ToJSON = QueuedRead> {
    /// It is stored.
    Ready(ReadyRead),
    /// A job computes it, or this is the first answer to the same Idempotency-Key: answer with these bytes.
    Answered(Stored<ToolAnswer<T>>),
}

/// Writes a tool's own answer while its read is missing.
type Told<'a, T> = &'a (dyn Fn(QueuedRead) -> T + Sync);

/// A stored read.
#[derive(Debug)]
pub struct ReadyRead {
    /// The item.
    pub item: ItemId,
    /// The whole read as JSON text (docs/reads.md, "The stored result").
    pub document: Document,
}

/// The answer of a tool whose read is not stored yet.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct QueuedRead {
    /// The ref or id that the request named.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The item.
    pub item_id: Text,
    /// `queued`, or `startable` in a dry run.
    pub status: NeedStatus,
    /// The job that computes the read; follow it with `get_jobs`, then call the tool again.
    pub job_id: Option<Text>,
    /// Minutes held for that job, or that would be held.
    pub estimated_minutes: Option<MinuteCount>,
}

/// The state of what a tool needs or makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum NeedStatus {
    /// It is there, and returned at no charge.
    Ready,
    /// A job computes it.
    Queued,
    /// A job would compute it; only with `dry_run`.
    Startable,
}

/// Returns the stored read, or the answer that names the job which computes it.
///
/// # Errors
/// Those of [`REFUSALS`]; also `rate_limited` when the account is at its limit of live jobs, and `unavailable` while an
/// operator has paused the read.
pub async fn need(app: &App, caller: &Caller, key: IdempotencyKey, need: &Need<'_>) -> Answer<Needed> {
    need_told(app, caller, key, need, &|queued| queued).await
}

/// As [`need`], for a tool whose answer says more than which job computes the read: `told` writes it.
///
/// # Errors
/// As [`need`].
pub async fn need_told<T: ParseFromJSON + ToJSON>(
    app: &App,
    caller: &Caller,
    key: IdempotencyKey,
    need: &Need<'_>,
    told: Told<'_, T>,
) -> Answer<Needed<T>> {
    let may_start = caller.workspace.role >= Role::Editor;
    // A stored read needs no dispatch, and a caller who may not start jobs may still see it. With a key, dispatch comes
    // first: the key may already have an answer.
    if (key.0.is_none() || !may_start || need.dry_run)
        && let Some(ready) = look(app, caller, need).await?
    {
        return Ok(Needed::Ready(ready));
    }
    caller.require(Role::Editor)?;
    if need.dry_run {
        return estimate(app, caller, need, told).await;
    }
    start(app, caller, key, need, told).await
}

async fn look(app: &App, caller: &Caller, need: &Need<'_>) -> Answer<Option<ReadyRead>> {
    let mut conn = app.conn().await?;
    let item = reach(&mut conn, caller.workspace, need.item_ref).await?;
    drop(conn);
    if !item.reads.iter().any(|read| read == need.read.name()) {
        return Ok(None);
    }
    ready(app, caller, item.id, need.read).await
}

async fn ready(app: &App, caller: &Caller, item: ItemId, read: Read) -> Answer<Option<ReadyRead>> {
    let conn = app.process.conn_of(caller.account_id).await?;
    let document = library::stored_read(app, conn, caller.account_id, item, read).await?;
    Ok(document.map(|document| ReadyRead { item, document }))
}

/// Returns the answer of a dry run: what starting the read would hold.
async fn estimate<T: ParseFromJSON + ToJSON>(
    app: &App,
    caller: &Caller,
    need: &Need<'_>,
    told: Told<'_, T>,
) -> Answer<Needed<T>> {
    let prepared = dispatch::estimate(&app.process, &dispatch_request(caller, need, None)).await?;
    let not = |reason| Err(starting::not_started(reason, &prepared));
    match (queued(caller, need, &prepared, told), only(&prepared)) {
        (Some(answer), _) => Ok(Needed::Answered(answer)),
        (None, (_, Some(ReadAnswer::Not(reason)))) => not(*reason),
        // It was stored a moment ago: look again.
        (None, _) => match look(app, caller, need).await? {
            Some(ready) => Ok(Needed::Ready(ready)),
            None => not(Reason::ItemNotFound),
        },
    }
}

fn dispatch_request(caller: &Caller, need: &Need<'_>, key: Option<Key>) -> DispatchRequest {
    DispatchRequest {
        owners: starting::owners(caller),
        call: starting::call(caller, need.tool, None),
        refs: vec![need.item_ref.to_owned()],
        reads: vec![need.read],
        key,
    }
}

async fn start<T: ParseFromJSON + ToJSON>(
    app: &App,
    caller: &Caller,
    key: IdempotencyKey,
    need: &Need<'_>,
    told: Told<'_, T>,
) -> Answer<Needed<T>> {
    let canonical = json!([need.tool, caller.workspace.id, need.request]);
    let request = dispatch_request(caller, need, starting::keyed(app, caller, need.tool, key, &canonical));
    let queued = |prepared: &Prepared| queued(caller, need, prepared, told);
    let compose = |prepared: &Prepared| queued(prepared).map(|answer| answer.body().to_owned()).unwrap_or_default();
    let dispatched = dispatch::dispatch(&app.process, &request, &compose).await;
    match dispatched.map_err(|error| starting::refused(request.key.as_ref(), error))? {
        Dispatched::KeyReused => Err(starting::key_reused()),
        Dispatched::TooSoon(wait) => Err(rate::too_soon(wait)),
        Dispatched::Replayed(body) => {
            metrics::counter!("mws_idempotent_replays_total").increment(1);
            Ok(Needed::Answered(Stored::replayed(body)))
        }
        Dispatched::Answered(prepared) => {
            if let Some(answer) = queued(&prepared) {
                return Ok(Needed::Answered(answer));
            }
            ready_after_all(app, caller, need.read, &prepared).await
        }
    }
}

/// The read that no job computes, because it was stored a moment ago; or why it is not there.
async fn ready_after_all<T: ParseFromJSON + ToJSON>(
    app: &App,
    caller: &Caller,
    read: Read,
    prepared: &Prepared,
) -> Answer<Needed<T>> {
    match only(prepared) {
        // An item that is deleted in between is not found.
        (Some(item), Some(ReadAnswer::Ready)) => {
            let found = ready(app, caller, item, read).await?.map(Needed::Ready);
            found.ok_or_else(|| starting::not_started(Reason::ItemNotFound, prepared))
        }
        (_, Some(ReadAnswer::Not(reason))) => Err(starting::not_started(*reason, prepared)),
        _ => Err(ApiError::internal("a dispatch of one read gave no answer for it")),
    }
}

/// Returns the item and the answer for the one read of the one ref.
fn only(prepared: &Prepared) -> (Option<ItemId>, Option<&ReadAnswer>) {
    (prepared.items.first().and_then(|item| item.item), prepared.only_answer())
}

/// Returns the tool's answer when a job computes the read, or would.
fn queued<T: ParseFromJSON + ToJSON>(
    caller: &Caller,
    need: &Need<'_>,
    prepared: &Prepared,
    told: Told<'_, T>,
) -> Option<Stored<ToolAnswer<T>>> {
    let (Some(item), Some(answer)) = only(prepared) else { return None };
    let (status, job, estimate) = match answer {
        ReadAnswer::Queued { job, estimate, .. } => (NeedStatus::Queued, Some(*job), *estimate),
        ReadAnswer::Startable { estimate } => (NeedStatus::Startable, None, *estimate),
        ReadAnswer::Ready | ReadAnswer::Not(_) => return None,
    };
    let data = QueuedRead {
        item_ref: need.item_ref.into(),
        item_id: Text::of(item),
        status,
        job_id: job.map(Text::of),
        estimated_minutes: Some(estimate.into()),
    };
    Some(Stored::fresh(&ToolAnswer::new(&caller.request_id, told(data)).cloud(cloud_processing(prepared))))
}
