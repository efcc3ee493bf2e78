//! Erasing an item, a workspace or an account: words and bytes are deleted, the ledger stays. An interrupted erasure is
//! finished by asking again, since every step skips what is done.

use super::missing;
use super::suspension::end_jobs;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::{AccountId, ItemId, WorkspaceId};
use runtime::ending;
use runtime::wake::Wake;
use sqlx::{Acquire, PgConnection};
use store::erasure::{self, Erased};
use store::{audit, items, jobs, posts, workspaces};

/// Items, or projects, that one transaction erases.
const BATCH: i64 = 200;

/// How much this call erased.
#[derive(Debug, Clone, Copy, Default)]
pub struct ErasedNow {
    /// Workspaces.
    pub workspaces: u64,
    /// Items.
    pub items: u64,
    /// Projects.
    pub projects: u64,
}

/// Erases a suspended account, with its workspaces and all that is in them, and ends the jobs that it pays for as a
/// guest.
pub async fn erase_account(app: &App, operator: &OperatorCaller, id: AccountId) -> Answer<ErasedNow> {
    let owned = workspaces::owned_by(&mut *app.conn().await?, id).await?;
    erase_belongings(app, operator, id, &owned).await?;
    let mut done = ErasedNow { workspaces: owned.len() as u64, ..ErasedNow::default() };
    for workspace in owned {
        empty(app, workspace, &mut done).await?;
    }
    // What it pays for as a guest would wait for ever, and with it whoever asks there for the same read.
    end_jobs(app, id).await?;
    Ok(done)
}

/// Erases a workspace that is not its account's default, with all that is in it.
pub async fn erase_workspace(app: &App, operator: &OperatorCaller, id: WorkspaceId) -> Answer<ErasedNow> {
    let mut conn = app.conn().await?;
    let mut erase_workspace = conn.begin().await?;
    let row = workspaces::find(&mut erase_workspace, id).await?;
    let row = row.ok_or_else(|| missing(Code::WorkspaceNotFound, id))?;
    if row.is_default {
        let message =
            format!("{id} is its account's default workspace: make another one that first, or erase the account.");
        return Err(ApiError::new(Code::IllegalTransition, message));
    }
    erasure::erase_workspace(&mut erase_workspace, id).await?;
    erasure::forget_audited(&mut erase_workspace, &[id.to_string()]).await?;
    audit::record(&mut erase_workspace, &operator.entry("workspace.erase", id)).await?;
    erase_workspace.commit().await?;
    drop(conn);
    app.process.wakes.send([Wake::Access(row.account_id)]);
    let mut done = ErasedNow { workspaces: 1, ..ErasedNow::default() };
    empty(app, id, &mut done).await?;
    Ok(done)
}

/// Erases an item as its owner's deletion does, and its name too.
pub async fn erase_item(app: &App, operator: &OperatorCaller, id: ItemId) -> Answer<ErasedNow> {
    let mut conn = app.conn().await?;
    let workspace = items::workspace_of(&mut conn, id).await?;
    let workspace = workspace.ok_or_else(|| missing(Code::ItemNotFound, id))?;
    drop(conn);
    drop_items(app, workspace, &[id], Some(operator)).await?;
    Ok(ErasedNow { items: 1, ..ErasedNow::default() })
}

/// Erases everything of the account other than items and projects, in one transaction.
async fn erase_belongings(app: &App, operator: &OperatorCaller, id: AccountId, owned: &[WorkspaceId]) -> Answer<()> {
    let mut conn = app.conn().await?;
    let mut erase_account = conn.begin().await?;
    match erasure::erase_account(&mut erase_account, id).await? {
        Erased::Now => {}
        Erased::Before => return Ok(()),
        Erased::Missing => return Err(missing(Code::AccountNotFound, id)),
        Erased::NotSuspended => {
            let message = format!("{id} is not suspended. Suspend it first: nothing brings back what is erased.");
            return Err(ApiError::new(Code::IllegalTransition, message));
        }
    }
    let users = erasure::forget_users(&mut erase_account, id).await?;
    erasure::delete_belongings(&mut erase_account, id).await?;
    for workspace in owned {
        erasure::erase_workspace(&mut erase_account, *workspace).await?;
    }
    let texts = owned.iter().map(ToString::to_string).chain(users.iter().map(ToString::to_string));
    let targets: Vec<String> = std::iter::once(id.to_string()).chain(texts).collect();
    erasure::forget_audited(&mut erase_account, &targets).await?;
    audit::record(&mut erase_account, &operator.entry("account.erase", id)).await?;
    erase_account.commit().await?;
    app.process.wakes.send([Wake::Access(id)]);
    Ok(())
}

/// Deletes the items, projects and documents of a workspace, some in each transaction. Jobs that make a new item from
/// none end before that.
async fn empty(app: &App, workspace: WorkspaceId, done: &mut ErasedNow) -> Answer<()> {
    while end_makers(app, workspace).await? > 0 {}
    loop {
        let some = erasure::items_left(&mut *app.conn().await?, workspace, BATCH).await?;
        if some.is_empty() {
            break;
        }
        drop_items(app, workspace, &some, None).await?;
        done.items += some.len() as u64;
    }
    loop {
        let mut conn = app.conn().await?;
        let mut erase_projects = conn.begin().await?;
        let some = erasure::delete_projects(&mut erase_projects, workspace, BATCH).await?;
        erase_projects.commit().await?;
        done.projects += some;
        if some == 0 {
            break;
        }
    }
    while posts::delete_some(&mut *app.conn().await?, workspace, BATCH).await? > 0 {}
    while erasure::delete_documents(&mut *app.conn().await?, workspace, BATCH).await? > 0 {}
    Ok(())
}

/// Ends jobs of the workspace that are not about an item. Returns how many.
async fn end_makers(app: &App, workspace: WorkspaceId) -> Answer<usize> {
    let process = &app.process;
    let mut end_makers = process.begin().await?;
    let ended = jobs::cancel_without_item(&mut end_makers, workspace, BATCH).await?;
    let after_commit = ending::end_jobs(&mut end_makers, &ended, &[], &process.settings.event_kinds).await?;
    end_makers.commit().await?;
    after_commit.run(&process.pool, &process.wakes).await;
    Ok(ended.len())
}

/// Leaves tombstones without names, and ends the items' jobs. `operator` is named in the audit log.
async fn drop_items(
    app: &App,
    workspace: WorkspaceId,
    which: &[ItemId],
    operator: Option<&OperatorCaller>,
) -> Answer<()> {
    let process = &app.process;
    let mut drop_items = process.begin().await?;
    for item in which {
        items::tombstone(&mut drop_items, *item, workspace).await?;
    }
    // Before the jobs end, since their events show the items' names.
    erasure::forget_item_names(&mut drop_items, which).await?;
    let ended = jobs::cancel_for_items(&mut drop_items, which, None).await?;
    let after_commit = ending::end_jobs(&mut drop_items, &ended, &[], &process.settings.event_kinds).await?;
    if let Some(operator) = operator {
        note_items(&mut drop_items, operator, which).await?;
    }
    drop_items.commit().await?;
    after_commit.run(&process.pool, &process.wakes).await;
    Ok(())
}

async fn note_items(conn: &mut PgConnection, operator: &OperatorCaller, which: &[ItemId]) -> Answer<()> {
    for item in which {
        audit::record(conn, &operator.entry("item.erase", item)).await?;
    }
    Ok(())
}
