//! Projects of the workspace that a call acts in: creating one, setting where it tells of itself, removing it. `status`
//! has the changes of status, `runs` what the agent does to them.

pub mod runs;
pub mod status;
mod telling;

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::once::{Begun, Made, Once};
use crate::usecases::quotas::{self, Asker};
use domain::agent::{Memory, Wishes};
use domain::ids::ProjectId;
use domain::project::ProjectMode;
use sqlx::PgConnection;
use store::projects::{self, NewProject, ProjectRow};
use telling::Revision;

/// A project as it is answered, and the body that tells of it.
#[derive(Debug)]
pub struct Shown<T> {
    /// The answer.
    pub answer: T,
    /// What its webhook sends.
    pub told: String,
}

/// Creates a project, with its webhook and the agent's run where one is to work on it, in one transaction; its caller's
/// rate pays for a large one afterwards.
pub async fn create_project(
    app: &App,
    caller: &Caller,
    once: &Once,
    new: &NewProject,
    show: impl FnOnce(ProjectRow) -> Answer<Shown<String>>,
) -> Answer<Made> {
    let mut create = match once.begin(app).await? {
        Begun::Now(create, _) => create,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let row = projects::insert(&mut create, new).await?;
    if new.mode == ProjectMode::Autonomous {
        let memory = Memory::new(new.id.to_string(), Wishes::of(&new.brief), new.output_type);
        runs::begin(&mut create, caller, new.id, None, &memory).await?;
    }
    let revision = Revision::of(&row);
    let Shown { answer, told } = show(row)?;
    revision.tell(&mut create, caller, &told).await?;
    within_quota(app, &mut create, caller).await?;
    once.keep(app, &mut create, &answer).await?;
    create.commit().await?;
    revision.wake(app);
    app.runs.tell_begun();
    telling::charge(app, &mut *app.conn().await?, caller, told.len()).await;
    Ok(Made::Now(answer))
}

/// Sets where a project tells of itself, or that it does not.
pub async fn set_project_webhook(app: &App, caller: &Caller, id: ProjectId, url: Option<&str>) -> Answer<()> {
    let mut conn = app.conn().await?;
    if !projects::set_webhook_url(&mut conn, id, caller.workspace.id, url).await? {
        reach(&mut conn, caller, id).await?;
        return Err(missing(id));
    }
    Ok(())
}

/// Removes a project, with the log of its webhooks.
pub async fn remove_project(app: &App, caller: &Caller, id: ProjectId) -> Answer<()> {
    let mut remove = app.process.pool.begin().await?;
    if !projects::remove(&mut remove, id, caller.workspace.id).await? {
        reach(&mut remove, caller, id).await?;
        return Err(missing(id));
    }
    remove.commit().await?;
    Ok(())
}

/// The project, for a call that acts in its workspace.
///
/// # Errors
/// `workspace_forbidden` when it is in another one, `project_not_found` when there is none.
pub async fn reach(conn: &mut PgConnection, caller: &Caller, id: ProjectId) -> Answer<ProjectRow> {
    let row = projects::find(conn, id).await?.ok_or_else(|| missing(id))?;
    if row.workspace_id == caller.workspace.id {
        return Ok(row);
    }
    let refusal = ApiError::new(Code::WorkspaceForbidden, "The project is in another workspace.");
    Err(refusal.suggest("Name its workspace in x-workspace-id, if you can reach it."))
}

/// Refuses what took the account past what it may keep in projects; its transaction is rolled back with it.
async fn within_quota(app: &App, conn: &mut PgConnection, caller: &Caller) -> Answer<()> {
    let account = caller.workspace.account_id;
    let asker = Asker::of(caller, account);
    quotas::projects(&app.process.settings, quotas::locked(conn, account).await?, asker)
}

fn missing(id: ProjectId) -> ApiError {
    ApiError::new(Code::ProjectNotFound, format!("There is no project {id}."))
}
