//! Items of the library: finding the one that a text names, for a call that acts in a workspace; waiting until it is
//! ready and its reads are started; renaming it; deleting it with its upload and its jobs.

use crate::app::App;
use crate::auth::{Caller, CallerWorkspace};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::rate::pace;
use chrono::TimeDelta;
use domain::ids::{ItemId, WorkspaceId};
use domain::item::ItemStatus;
use domain::timeline::Sources;
use runtime::ending;
use runtime::wake::{Wake, woken};
use sqlx::PgConnection;
use std::time::Duration;
use store::items::{self, Changed, ItemChange, ItemForReads, ItemRow, Resolved, Tombstone};
use store::jobs;

use tokio::time::{Instant, timeout_at};

/// How often a long poll looks again, should a wake-up be lost.
pub const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// A long poll waits for the reads that start with an item, so that its answer names their jobs, but not for those that
/// were deferred: whoever starts reads claims them for half a minute, and if that process dies they are due after it.
const READS_TAKEN: TimeDelta = TimeDelta::seconds(31);

/// Returns the facts of those of these items that a document of the workspace may name.
///
/// # Errors
/// The database's.
pub async fn sources(conn: &mut PgConnection, caller: &Caller, named: &[ItemId]) -> Answer<Sources> {
    let usable = items::usable(conn, named, caller.workspace.id).await?;
    Ok(usable.into_iter().map(|item| (item.id, item.facts)).collect())
}

/// Returns the item that this text names, for a call that acts in this workspace.
///
/// # Errors
/// `workspace_forbidden` when it is in another workspace, `item_not_found` when there is none.
pub async fn reach(conn: &mut PgConnection, workspace: CallerWorkspace, name: &str) -> Answer<ItemRow> {
    let item = resolve(conn, workspace, name).await?;
    items::find(conn, item.id).await?.ok_or_else(|| unknown(name))
}

/// Returns the same item once it is ready or failed and its reads are started, or as it is after `wait`. Holds no
/// connection meanwhile.
///
/// # Errors
/// As [`reach`].
pub async fn reach_settled(app: &App, workspace: CallerWorkspace, name: &str, wait: Duration) -> Answer<ItemRow> {
    let deadline = Instant::now() + wait;
    // Subscribed before the first look, so that no end is missed between the two.
    let mut wakes = app.process.wakes.subscribe();
    loop {
        let item = reach(&mut *app.conn().await?, workspace, name).await?;
        let now = Instant::now();
        let soon = item.now + READS_TAKEN;
        let starts_reads = item.status == ItemStatus::Ready && item.reads_due_at.is_some_and(|due| due < soon);
        let is_settled = item.status != ItemStatus::Processing && !starts_reads;
        if is_settled || now >= deadline || app.process.shutdown.is_cancelled() {
            return Ok(item);
        }
        let settled = woken(&mut wakes, |wake| matches!(wake, Wake::ItemSettled(settled) if *settled == item.id));
        // The next look follows whether it was woken or not.
        let _ = timeout_at(deadline.min(now + LOOK_AGAIN), settled).await;
    }
}

/// As [`reach`], with what work on the item needs to know.
///
/// # Errors
/// As [`reach`].
pub async fn resolve(conn: &mut PgConnection, workspace: CallerWorkspace, name: &str) -> Answer<Box<ItemForReads>> {
    let found = items::resolve(conn, &[name.to_owned()], workspace.id).await?.pop();
    reached(found.unwrap_or(Resolved::Unknown), name)
}

/// As [`resolve`], for each of these texts, in their order, by one statement.
///
/// # Errors
/// The database's. Whatever can't be reached is refused in its own place.
pub async fn resolve_each(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    names: &[String],
) -> Answer<Vec<Answer<Box<ItemForReads>>>> {
    let found = items::resolve(conn, names, workspace).await?;
    Ok(found.into_iter().zip(names).map(|(found, name)| reached(found, name)).collect())
}

fn reached(found: Resolved, name: &str) -> Answer<Box<ItemForReads>> {
    match found {
        Resolved::Here(item) => Ok(item),
        Resolved::Elsewhere => Err(ApiError::elsewhere("item")),
        Resolved::Unknown => Err(unknown(name)),
    }
}

/// Changes an item's name, ref or other fields. Returns the changed item.
///
/// # Errors
/// As [`reach`]; `ref_taken`.
pub async fn update_item(app: &App, caller: &Caller, name: &str, change: &ItemChange) -> Answer<ItemRow> {
    let mut conn = app.conn().await?;
    let item = resolve(&mut conn, caller.workspace, name).await?.id;
    match items::change(&mut conn, item, caller.workspace.id, change).await? {
        Changed::Yes => items::find(&mut conn, item).await?.ok_or_else(|| unknown(name)),
        Changed::NotThere => Err(unknown(name)),
        Changed::RefTaken => {
            let taken = change.item_ref.as_deref().unwrap_or_default();
            Err(ApiError::new(Code::RefTaken, format!("Another item of the workspace has the ref `{taken}`.")))
        }
    }
}

/// Deletes an item: leaves a tombstone, and ends its upload and its jobs, in one transaction.
pub async fn delete_item(app: &App, caller: &Caller, name: &str) -> Answer<ItemId> {
    let mut delete_item = app.process.begin_of(caller.account_id).await?;
    let item = reach(&mut delete_item, caller.workspace, name).await?.id;
    if items::tombstone(&mut delete_item, item, caller.workspace.id).await? == Tombstone::NotThere {
        return Err(unknown(name));
    }
    let ended = jobs::cancel_for_items(&mut delete_item, &[item], Some(caller.account_id)).await?;
    let (pace, told) = (pace(&app.process.settings), &app.process.settings.event_kinds);
    let after_commit = ending::end_stopped_jobs(&mut delete_item, &ended, caller.account_id, pace, told).await?;
    delete_item.commit().await?;
    after_commit.run(&app.process.pool, &app.process.wakes).await;
    // Its bytes are deleted by a duty.
    app.process.wakes.send([Wake::Duties]);
    Ok(item)
}

/// The refusal that no item has this id or ref.
pub fn unknown(name: &str) -> ApiError {
    let shown: String = name.chars().take(64).collect();
    ApiError::new(Code::ItemNotFound, format!("No item is named `{shown}`.")).suggest("`list_items` lists them.")
}
