//! Reads that were asked for with an upload or an import: stored with it, and started once its item is ready.
//!
//! They start as if their caller had called `prepare_media` at that moment: with the minutes and places that their
//! account has then, and only if the caller may still call it.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError};
use crate::usecases::dispatch::{DispatchRequest, Dispatched, Prepared, dispatch};
use crate::usecases::round_robin::{RoundRobin, TurnPermit};
use crate::usecases::workspaces::may_still_edit;
use domain::ids::{ItemId, RequestId};
use domain::read::Read;
use runtime::wake::Wake;
use serde_json::Value;
use sqlx::PgConnection;
use std::sync::Arc;
use std::time::Duration;
use store::jobs::{Call, Owners};
use store::reads_on_ready::{self, DueReads, NewReads};
use uuid::Uuid;

/// How jobs name the call of an upload.
pub const UPLOAD: &str = "POST /uploads";
/// How jobs name the call of an import.
pub const IMPORT: &str = "import_media";
/// The longest time that they are deferred before they are looked at again: their account may be forgiven meanwhile.
const LOOK_AGAIN: Duration = Duration::from_mins(10);

/// Stores the reads that a caller wants of an item that is made here.
pub async fn add(
    conn: &mut PgConnection,
    caller: &Caller,
    item: ItemId,
    tool: &'static str,
    reads: &[Read],
) -> sqlx::Result<()> {
    if reads.is_empty() {
        return Ok(());
    }
    let (by, traceparent) = (caller.identity(), caller.traceparent.as_deref());
    let new = NewReads { item, reads, by, tool, request_id: &caller.request_id, traceparent };
    reads_on_ready::add(conn, &new).await
}

/// How the outcome of these reads is stored with the item.
pub trait OutcomeFormat {
    /// The outcome of the dispatch.
    fn prepared(prepared: &Prepared, reads: &[Read]) -> Value;

    /// The outcome when the caller may no longer start any.
    fn may_not(reads: &[Read]) -> Value;
}

/// Claims the reads of the account whose turn it is: those of the item that has been ready longest. None when no
/// account has any.
pub async fn take_next(app: &App, turns: &Arc<RoundRobin>) -> sqlx::Result<Option<(DueReads, TurnPermit)>> {
    let (after, full) = turns.last_and_full();
    let mut conn = app.conn().await?;
    let mut due = reads_on_ready::take(&mut conn, after, &full).await?;
    if due.is_none() && !after.is_nil() {
        due = reads_on_ready::take(&mut conn, Uuid::nil(), &full).await?;
    }
    let permit = turns.serve(due.as_ref().map(|due| due.by.account_id));
    Ok(due.zip(permit))
}

/// Starts these reads. Those that can't be started now are due again soon, after others. The permit is one of the
/// account's, and is held meanwhile.
pub async fn start_due<S: OutcomeFormat>(app: App, due: DueReads, permit: TurnPermit) {
    let item = due.item;
    if let Err(refusal) = start::<S>(&app, due).await {
        tracing::warn!(item.id = %item, error = %refusal, "Reads of an item that is ready start later.");
    }
    drop(permit);
}

async fn start<S: OutcomeFormat>(app: &App, due: DueReads) -> Answer<()> {
    let (item, payer) = (due.item, due.by.account_id);
    let answer = if may_still_edit(app, &due.by).await? {
        let request = request(due);
        let compose = |prepared: &Prepared| S::prepared(prepared, &request.reads).to_string();
        match dispatch(&app.process, &request, &compose).await? {
            Dispatched::Answered(prepared) => S::prepared(&prepared, &request.reads),
            Dispatched::TooSoon(wait) => {
                let wait = Duration::from_secs(wait.seconds).min(LOOK_AGAIN);
                return Ok(reads_on_ready::defer(&mut *app.conn().await?, item, payer, wait).await?);
            }
            Dispatched::Replayed(_) | Dispatched::KeyReused => {
                return Err(ApiError::internal("a key where none was sent"));
            }
        }
    } else {
        S::may_not(&due.reads)
    };
    reads_on_ready::keep_answer(&mut *app.conn().await?, item, &answer).await?;
    app.process.wakes.send([Wake::ItemSettled(item)]);
    Ok(())
}

fn request(due: DueReads) -> DispatchRequest {
    let DueReads { item, reads, by, tool, request_id, traceparent } = due;
    let tool = if tool == IMPORT { IMPORT } else { UPLOAD };
    DispatchRequest {
        owners: Owners { payer: by.account_id, owner: by.workspace_account_id, workspace: by.workspace_id },
        call: Call { id: RequestId::mint(), tool, request_id, context: None, traceparent, rerun: None },
        refs: vec![item.to_string()],
        reads,
        key: None,
    }
}
