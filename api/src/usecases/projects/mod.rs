//! Projects of the workspace that a call acts in: creating one, setting its webhook's URL, removing it. `status` has
//! the changes of status, `runs` the agent's work.

pub mod runs;
mod spent;
pub mod status;
mod telling;

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::once::{Begun, Made, Once};
use crate::usecases::quotas::{self, Asker};
use domain::agent::{Assignment, Planner};
use domain::ids::ProjectId;
use domain::project::{ProjectMode, ProjectStatus};
use runtime::chat::ChatClient;
use sqlx::PgConnection;
use store::project_webhooks;
use store::projects::{self, NewProject, ProjectRow};
use telling::Revision;

/// A project's answer and its webhook's body.
#[derive(Debug)]
pub struct ProjectAnswer<T> {
    /// The answer.
    pub answer: T,
    /// The body that its webhook sends.
    pub webhook_body: String,
}

/// Creates a project, with its webhook and the run of the agent, if one works on it, in one transaction. A large one
/// counts at its caller's rate afterwards.
pub async fn create_project(
    app: &App,
    caller: &Caller,
    once: &Once,
    new: &NewProject,
    show: impl FnOnce(ProjectRow) -> Answer<ProjectAnswer<String>>,
) -> Answer<Made> {
    let mut create = match once.begin(app).await? {
        Begun::Now(create, _) => create,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let row = projects::insert(&mut create, new).await?;
    if new.mode == ProjectMode::Autonomous {
        let id = new.id.to_string();
        let assignment = Assignment { project: &id, brief: &new.brief, output: new.output_type };
        let planner = Planner::new(assignment, app.agent.as_ref().map(ChatClient::model));
        runs::begin(&mut create, caller, new.id, None, &planner).await?;
    }
    let revision = Revision::of(&row);
    let ProjectAnswer { answer, webhook_body } = show(row)?;
    revision.tell(&mut create, caller, &webhook_body).await?;
    within_quota(app, &mut create, caller).await?;
    once.keep(app, &mut create, &answer).await?;
    let charged = telling::charge(app, caller, webhook_body.len());
    create.commit().await?;
    revision.wake(app);
    app.runs.tell_begun();
    charged.await;
    Ok(Made::Now(answer))
}

/// Sets the URL of a project's webhook, or none. It ends with the access of whoever sets it, as a public link does, and
/// so does what is queued for the URL before it.
pub async fn set_project_webhook(app: &App, caller: &Caller, id: ProjectId, url: Option<&str>) -> Answer<()> {
    let mut set = app.process.begin_of(caller.account_id).await?;
    if !projects::lock_in(&mut set, id, caller.workspace.id).await? {
        reach(&mut set, caller, id).await?;
        return Err(missing(id));
    }
    project_webhooks::delete_unheld(&mut set, id).await?;
    projects::set_webhook_url(&mut set, id, url, caller.user_id, caller.key_id).await?;
    set.commit().await?;
    Ok(())
}

/// Removes a project, with the log of its webhooks, and stops the jobs that its agent waits for.
pub async fn remove_project(app: &App, caller: &Caller, id: ProjectId) -> Answer<()> {
    let mut remove = app.process.begin_of(caller.account_id).await?;
    if !projects::lock_in(&mut remove, id, caller.workspace.id).await? {
        reach(&mut remove, caller, id).await?;
        return Err(missing(id));
    }
    let jobs_stopped = runs::stop(app, &mut remove, caller, id).await?;
    projects::remove(&mut remove, id).await?;
    remove.commit().await?;
    if let Some(after_commit) = jobs_stopped {
        after_commit.run(&app.process.pool, &app.process.wakes).await;
    }
    Ok(())
}

/// Returns the project, for a call that acts in its workspace.
///
/// # Errors
/// `workspace_forbidden` when it is in another workspace, `project_not_found` when there is none.
pub async fn reach(conn: &mut PgConnection, caller: &Caller, id: ProjectId) -> Answer<ProjectRow> {
    let row = projects::find(conn, id).await?.ok_or_else(|| missing(id))?;
    if row.workspace_id == caller.workspace.id {
        return Ok(row);
    }
    Err(ApiError::elsewhere("project"))
}

/// Why a change was not made.
async fn why_refused(conn: &mut PgConnection, caller: &Caller, id: ProjectId, next: ProjectStatus) -> Answer<ApiError> {
    let status = reach(conn, caller, id).await?.status;
    if status == ProjectStatus::Cancelled {
        return Ok(cancelled());
    }
    let legal: Vec<&str> = status.may_lead_to().into_iter().map(ProjectStatus::name).collect();
    let (name, leads, next) = (status.name(), legal.join(", "), next.name());
    let message = format!("The project is `{name}`, which can become {leads}, and not `{next}`.");
    Ok(ApiError::new(Code::IllegalTransition, message))
}

/// The refusal of whatever would go on with a cancelled project. As with all refusals of projects, which routes answer,
/// the message itself says what helps: a route shows no `suggested_action`.
fn cancelled() -> ApiError {
    let message = "The project is `cancelled`, which is final. Make a new project of its brief with POST /projects.";
    ApiError::new(Code::IllegalTransition, message)
}

/// Refuses a change that took the account past its quota of projects; its transaction is then rolled back.
async fn within_quota(app: &App, conn: &mut PgConnection, caller: &Caller) -> Answer<()> {
    let account = caller.workspace.account_id;
    let asker = Asker::of(caller, account);
    quotas::projects(&app.process.settings, quotas::lock(conn, account).await?, asker)
}

fn missing(id: ProjectId) -> ApiError {
    ApiError::new(Code::ProjectNotFound, format!("There is no project {id}."))
}
