//! The api's task that takes bulk operations of failed reads forward. A run is a dispatch, for whoever paid before; the
//! operation's place moves in the dispatch's own transaction, so that whatever is killed, what was started is counted,
//! and nothing is started twice.

use super::jobs::{refuse_rerun, rerun_request};
use crate::app::App;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::dispatch::{BulkStep, DispatchError, Dispatched, Prepared, dispatch_step};
use domain::bulk::{BulkKind, STORED, UNDER_WAY};
use domain::ids::{AccountId, BulkOperationId, ItemId};
use domain::plan::Answer as ReadAnswer;
use domain::read::Read;
use runtime::wake::{Wake, woken};
use serde_json::json;
use std::collections::HashSet;
use std::time::Duration;
use store::audit::{self, Entry};
use store::bulk_operations::{self, BulkOperation};
use store::jobs::{self, Origin};
use tokio::time::{sleep, timeout};

/// Reads of one operation that one turn starts.
const A_TURN: usize = 50;
/// Failed reads that one turn looks at, whether they match or not.
const LOOKED_AT_A_TURN: i64 = 5_000;
/// Milliseconds from one turn at an operation to the next, however many processes take turns.
const NEXT_TURN_MS: i64 = 900;
/// The least time between two looks.
const BREATH: Duration = Duration::from_secs(1);
/// The interval at which operations are looked for when no wake-up tells of one.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// The time for one read to be started. Where its own calls hold all turns of the account that pays, a start would wait
/// longer, and is cut off.
const LONGEST_START: Duration = Duration::from_secs(5);
/// Why a read is skipped whose account is held up by its own changes.
const TOO_BUSY: Code = Code::RateLimited;

/// Takes operations forward until the process is told to end.
pub async fn run_failed_reads_again(app: App) {
    let mut wakes = app.process.wakes.subscribe();
    let shutdown = app.process.shutdown.clone();
    while !shutdown.is_cancelled() {
        let goes_on = take_turns(&app).await.unwrap_or_else(|refusal| {
            tracing::debug!(error = %refusal, "It was not seen which bulk operations run reads again.");
            false
        });
        let _ = shutdown.run_until_cancelled(sleep(BREATH)).await;
        if !goes_on {
            let told = woken(&mut wakes, |wake| matches!(wake, Wake::Duties));
            // Woken or not, the next look tells.
            let _ = shutdown.run_until_cancelled(timeout(LOOK_AGAIN, told)).await;
        }
    }
}

/// Takes a turn at each operation that runs. Returns whether any does.
async fn take_turns(app: &App) -> Answer<bool> {
    let due = bulk_operations::due(&mut *app.conn().await?, BulkKind::RerunReads).await?;
    for id in &due {
        // One that fails keeps no other from being taken forward.
        if let Err(refusal) = turn(app, *id).await {
            tracing::warn!(operation.id = %id, error = %refusal, "A bulk operation goes on later.");
        }
    }
    Ok(!due.is_empty())
}

/// Takes a turn at an operation, the oldest failed reads first, and ends it where there are no more.
async fn turn(app: &App, id: BulkOperationId) -> Answer<()> {
    let mut conn = app.conn().await?;
    if bulk_operations::take_turn(&mut conn, id, NEXT_TURN_MS).await?.is_none() {
        return Ok(());
    }
    let Some(operation) = bulk_operations::by_id(&mut conn, id).await? else { return Ok(()) };
    let (mut place, mut busy) = (operation.after_job, HashSet::new());
    let next = jobs::next_reruns(&mut conn, &operation.failed_reads(), place, LOOKED_AT_A_TURN).await?;
    drop(conn);
    for job in next.found.iter().take(A_TURN) {
        let step = BulkStep { operation: id, from: place, to: *job };
        if app.process.shutdown.is_cancelled() || !run_one(app, &operation, &step, &mut busy).await? {
            return Ok(());
        }
        place = Some(*job);
    }
    if next.found.len() > A_TURN {
        return Ok(());
    }
    if let Some(last) = next.last.filter(|last| place != Some(*last))
        && !jobs::advance_reruns(&mut *app.conn().await?, id, place, last, false, None).await?
    {
        return Ok(());
    }
    if next.seen < LOOKED_AT_A_TURN { end(app, id).await } else { Ok(()) }
}

/// Runs one failed read again, or counts it as skipped. Returns false where the operation is at another place or does
/// not run any more. An account whose read could not start in time is added to `busy`: its other reads of the turn are
/// skipped without waiting for it again.
async fn run_one(app: &App, operation: &BulkOperation, step: &BulkStep, busy: &mut HashSet<AccountId>) -> Answer<bool> {
    let origin = jobs::origin(&mut *app.conn().await?, step.to).await?;
    let skipped = match origin {
        Some(Origin { payer, .. }) if busy.contains(&payer) => TOO_BUSY.name(),
        Some(Origin { read: Some(read), item: Some(item), payer, .. }) => {
            let origin = origin.ok_or_else(|| ApiError::internal("a job that was found"))?;
            match refuse_rerun(app, &origin).await {
                Ok(()) => match start(app, operation, origin, read, item, step).await? {
                    Started::Yes => return Ok(true),
                    Started::NotOurs => return Ok(false),
                    Started::Skipped(reason) => {
                        if reason == TOO_BUSY.name() {
                            busy.insert(payer);
                        }
                        reason
                    }
                },
                Err(refusal) if refusal.code().status().is_client_error() => refusal.code().name(),
                Err(fault) => return Err(fault),
            }
        }
        // The job or its item was deleted meanwhile.
        Some(_) | None => "item_not_found",
    };
    let mut conn = app.conn().await?;
    Ok(jobs::advance_reruns(&mut conn, operation.id, step.from, step.to, false, Some(skipped)).await?)
}

/// What became of one failed read.
enum Started {
    /// It runs again, and is counted.
    Yes,
    /// Another process has moved the operation, or it was stopped: nothing was started.
    NotOurs,
    /// It was not started, for this reason.
    Skipped(&'static str),
}

async fn start(
    app: &App,
    operation: &BulkOperation,
    origin: Origin,
    read: Read,
    item: ItemId,
    step: &BulkStep,
) -> Answer<Started> {
    let request = rerun_request(step.to, origin, read, item, operation.request_id.clone());
    // One that is cut off is rolled back; where its commit had begun, the operation may be at another place, and the
    // read is then not counted as skipped.
    let Ok(dispatched) = timeout(LONGEST_START, dispatch_step(&app.process, &request, step)).await else {
        return Ok(Started::Skipped(TOO_BUSY.name()));
    };
    match dispatched {
        Ok(Dispatched::Answered(prepared)) => Ok(started(&prepared)),
        Ok(Dispatched::Replayed(_) | Dispatched::KeyReused | Dispatched::TooSoon(_)) => {
            Err(ApiError::internal("a key where none was sent"))
        }
        Err(DispatchError::Contended) => Ok(Started::NotOurs),
        // These are of this account alone, and the reads of others don't wait until they are over.
        Err(
            refusal @ (DispatchError::Busy(_)
            | DispatchError::OutOfTurns
            | DispatchError::NoAccount
            | DispatchError::Unaccounted),
        ) => Ok(Started::Skipped(ApiError::from(refusal).code().name())),
        Err(fault) => Err(fault.into()),
    }
}

fn started(prepared: &Prepared) -> Started {
    match prepared.only_answer() {
        Some(ReadAnswer::Queued { already: false, .. }) => Started::Yes,
        Some(ReadAnswer::Queued { .. } | ReadAnswer::Startable { .. }) => Started::Skipped(UNDER_WAY),
        Some(ReadAnswer::Ready) => Started::Skipped(STORED),
        Some(ReadAnswer::Not(reason)) => Started::Skipped(reason.shown().code),
        None => Started::Skipped("item_not_found"),
    }
}

/// Ends an operation that has no failed reads before it any more, with its row of the audit log.
async fn end(app: &App, id: BulkOperationId) -> Answer<()> {
    let mut finish = app.process.begin().await?;
    if !jobs::finish_reruns(&mut finish, id).await? {
        return Ok(());
    }
    if let Some(ended) = bulk_operations::by_id(&mut finish, id).await? {
        let counts =
            json!({ "total": ended.total, "done": ended.done, "skipped": ended.skipped, "skipped_for": ended.skips });
        let entry = Entry {
            operator: ended.operator,
            address: ended.address,
            action: "bulk.finish",
            target: id.to_string(),
            before: None,
            after: Some(counts),
            request_id: ended.request_id,
        };
        audit::record(&mut finish, &entry).await?;
    }
    finish.commit().await?;
    Ok(())
}
