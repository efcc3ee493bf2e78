//! A project's changes of status. One transaction writes the change, its webhook and the webhook's ticket; a
//! cancellation has no webhook. A caller's change ends the agent's run.

use super::telling::{self, Revision};
use super::{ProjectAnswer, runs, why_refused, within_quota};
use crate::app::App;
use crate::auth::{Caller, CallerWorkspace};
use crate::http::error::{Answer, ApiError, Code};
use chrono::{DateTime, Utc};
use domain::ids::ProjectId;
use domain::project::ProjectStatus;
use serde_json::Value;
use sqlx::PgConnection;
use store::items::{self, Resolved};
use store::project_runs;
use store::projects::{self, ProjectChange, ProjectRow};

/// The most bytes that a project's assets and timeline may have together, as JSON.
const MOST_BYTES: usize = 256 << 10;

/// A change of a project's assets.
pub struct Assets<W> {
    /// The names, each once, which must be ids or refs of items of the workspace.
    pub refs: Vec<String>,
    /// Makes the value of all assets that is stored, given the present time; none where they stay as they are.
    pub write: Option<W>,
}

/// Changes a project's status and fields, and queues its webhook. `assets` takes the place of those in `change`; `show`
/// makes the answer and the webhook's body of the changed row.
///
/// # Errors
/// A refusal if an asset is no item of the workspace, the project is not there or may not change so, the whole is too
/// large, or the account is at its quota; then nothing is changed.
pub async fn change_project_status<T>(
    app: &App,
    caller: &Caller,
    id: ProjectId,
    change: ProjectChange,
    assets: Assets<impl FnOnce(DateTime<Utc>) -> Option<Value>>,
    show: impl FnOnce(ProjectRow) -> Answer<ProjectAnswer<T>>,
) -> Answer<T> {
    let mut changed = app.process.begin_of(caller.account_id).await?;
    refuse_unknown_items(&mut changed, caller.workspace, &assets.refs).await?;
    let assets = match assets.write {
        Some(write) => write(projects::now(&mut changed).await?),
        None => None,
    };
    let change = ProjectChange { assets, ..change };
    let Some(row) = projects::change(&mut changed, id, caller.workspace.id, &change).await? else {
        return Err(why_refused(&mut changed, caller, id, change.status).await?);
    };
    project_runs::stop(&mut changed, id).await?;
    // The limit is for the whole project: earlier calls may have brought parts of it.
    refuse_too_large(&row.assets, row.timeline.as_ref())?;
    let revision = Revision::of(&row);
    let ProjectAnswer { answer, webhook_body } = show(row)?;
    revision.tell(&mut changed, caller, &webhook_body).await?;
    within_quota(app, &mut changed, caller).await?;
    let paid = telling::charge(app, caller, webhook_body.len());
    changed.commit().await?;
    revision.wake(app);
    paid.await;
    Ok(answer)
}

/// Cancels a project for good, with the jobs that its agent waits for. No webhook is sent (contract §6.2.2).
///
/// # Errors
/// A refusal if the project is not there or is cancelled already.
pub async fn cancel_project(app: &App, caller: &Caller, id: ProjectId) -> Answer<ProjectRow> {
    let change = ProjectChange::to(ProjectStatus::Cancelled);
    let mut cancel = app.process.begin_of(caller.account_id).await?;
    let Some(mut row) = projects::change(&mut cancel, id, caller.workspace.id, &change).await? else {
        return Err(why_refused(&mut cancel, caller, id, change.status).await?);
    };
    let jobs_stopped = runs::stop(app, &mut cancel, caller, id).await?;
    runs::settle_spent(&mut cancel, &mut row).await?;
    cancel.commit().await?;
    if let Some(after_commit) = jobs_stopped {
        after_commit.run(&app.process.pool, &app.process.wakes).await;
    }
    Ok(row)
}

/// Refuses a name that is no id and no ref of an item of the workspace.
async fn refuse_unknown_items(conn: &mut PgConnection, workspace: CallerWorkspace, refs: &[String]) -> Answer<()> {
    if refs.is_empty() {
        return Ok(());
    }
    let found = items::resolve(conn, refs, workspace.id).await?;
    for (name, found) in refs.iter().zip(found) {
        if !matches!(found, Resolved::Here(_)) {
            let shown: String = name.chars().take(64).collect();
            let message = format!("`assets`: `{shown}` has no `url`, and no item of the workspace is called so.");
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
    }
    Ok(())
}

/// Refuses assets and a timeline whose JSON has more bytes than a project may have.
fn refuse_too_large(assets: &Value, timeline: Option<&Value>) -> Answer<()> {
    let bytes: usize = std::iter::once(assets).chain(timeline).map(|value| value.to_string().len()).sum();
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let most = format!("`assets` and `timeline` have {bytes} bytes as JSON; together they may have {MOST_BYTES}.");
    let message = format!("{most} Leave out what is not needed, and refer to large things by their URL.");
    Err(ApiError::new(Code::RequestTooLarge, message))
}
