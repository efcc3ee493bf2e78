//! The agent's runs on projects: how they begin, are taken up and go on (ARCHITECTURE.md, "Life of a project's run").
//!
//! What the agent does is `domain::agent`'s, who does it `resources/projects/agent`'s. Here each step of its work is
//! kept together with the change of the project's status that it comes to, in one transaction that a later claim of
//! the run makes void.

use super::status::refused;
use super::telling::{self, Revision};
use super::{Shown, missing, reach, within_quota};
use crate::app::App;
use crate::auth::{Caller, Role};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Time;
use crate::usecases::once::{Begun, Made, Once};
use domain::agent::{Budget, Memory, PLANNER, Phase, Wishes};
use domain::ids::{ProjectId, ProjectRunId};
use domain::project::{OutputType, ProjectMode, ProjectStatus};
use poem_openapi::types::ToJSON;
use serde_json::Value;
use sqlx::PgConnection;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::credentials::still_let_in;
use store::project_runs::{self, NewRun, RunClaim, TakenRun};
use store::projects::{self, Change, ProjectRow};
use store::users;
use uuid::Uuid;

/// Runs of an account that have not ended. Those who begin some don't wait for each other: calls at once may pass it.
const MOST_LIVE: i64 = 100;
/// Runs of a project that are kept before the one that goes on.
const KEPT: i64 = 10;
/// How long whoever has taken a run up has it, unless a step is written down.
const LEASE: Duration = Duration::from_mins(1);

/// Begins a run, in the transaction that makes its project `running`.
///
/// # Errors
/// `quota_reached`.
pub(super) async fn begin(
    conn: &mut PgConnection,
    caller: &Caller,
    project: ProjectId,
    said: Option<&str>,
    memory: &Memory,
) -> Answer<()> {
    if project_runs::live(conn, caller.account_id, MOST_LIVE).await? >= MOST_LIVE {
        let message = format!("{MOST_LIVE} projects of the account are being worked on, which is the most at once.");
        return Err(ApiError::new(Code::QuotaReached, message).suggest("Wait for some to end, or cancel them."));
    }
    let memory = as_json(memory)?;
    let (id, by, traceparent) = (ProjectRunId::mint(), caller.let_in(), caller.traceparent.as_deref());
    let new = NewRun { id, project, by, request_id: &caller.request_id, traceparent, said, memory: &memory };
    project_runs::begin(conn, &new).await?;
    Ok(project_runs::forget(conn, project, KEPT).await?)
}

/// Says something to the agent that works on a project: it takes the work up again. `show` writes the answer.
///
/// # Errors
/// As `reach`; `illegal_transition` while it works, and where no agent does; `quota_reached`.
pub async fn say_to_project(
    app: &App,
    caller: &Caller,
    once: &Once,
    (id, text, budget): (ProjectId, &str, Option<Budget>),
    show: impl FnOnce(ProjectRow) -> Answer<Shown<String>>,
) -> Answer<Made> {
    let mut say = match once.begin(app).await? {
        Begun::Now(say, _) => say,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    if !projects::lock(&mut say, id).await? {
        return Err(missing(id));
    }
    let project = reach(&mut say, caller, id).await?;
    if project.mode != ProjectMode::Autonomous.name() {
        let message = format!("The project is `{}`: no agent of this service works on it.", project.mode);
        let refusal = ApiError::new(Code::IllegalTransition, message);
        return Err(refusal.suggest("Report its statuses with POST /projects/{id}/status."));
    }
    if !matches!(project.status, ProjectStatus::Idle | ProjectStatus::Failed) {
        let message = format!("The project is `{}`: the agent works on it already.", project.status.name());
        let refusal = ApiError::new(Code::IllegalTransition, message);
        return Err(refusal.suggest("Say it once the project is `idle` or `failed`."));
    }
    let memory = remembered(&mut say, &project).await?.again(text);
    if let Some(budget) = budget {
        let before = project.budget.as_ref().map(opened_budget).transpose()?.unwrap_or_default();
        let budget = serde_json::to_value(before.with(budget)).map_err(ApiError::internal)?;
        projects::set_budget(&mut say, id, &budget).await?;
    }
    let change = Change { agent_message: Some(None), ..Change::to(ProjectStatus::Running) };
    let Some(row) = projects::change(&mut say, id, caller.workspace.id, &change).await? else {
        return Err(refused(&mut say, caller, id, change.status).await?);
    };
    begin(&mut say, caller, id, Some(text), &memory).await?;
    let revision = Revision::of(&row);
    let Shown { answer, told } = show(row)?;
    revision.tell(&mut say, caller, &told).await?;
    within_quota(app, &mut say, caller).await?;
    once.keep(app, &mut say, &answer).await?;
    say.commit().await?;
    revision.wake(app);
    app.runs.tell_begun();
    telling::charge(app, &mut *app.conn().await?, caller, told.len()).await;
    Ok(Made::Now(answer))
}

/// What the agent remembers of a project; of one that it never worked on what the brief says.
async fn remembered(conn: &mut PgConnection, project: &ProjectRow) -> Answer<Memory> {
    if let Some(memory) = project_runs::latest(conn, project.id).await? {
        return opened(memory);
    }
    let output = OutputType::from_name(&project.output_type).unwrap_or(OutputType::Assembled);
    Ok(Memory::new(project.id.to_string(), Wishes::of(&project.brief), output))
}

/// Whose turn it is in this process: that of the account behind the one that was served last.
#[derive(Debug, Default)]
pub struct Round(Mutex<Uuid>);

impl Round {
    /// The run that has been due for longest of whose turn it is; none when nobody's is.
    pub async fn next(&self, app: &App) -> sqlx::Result<Option<TakenRun>> {
        let after = *self.last();
        let mut conn = app.conn().await?;
        let mut taken = project_runs::take(&mut conn, after).await?;
        if taken.is_none() && !after.is_nil() {
            taken = project_runs::take(&mut conn, Uuid::nil()).await?;
        }
        *self.last() = taken.as_ref().map_or(Uuid::nil(), |taken| taken.by.account_id.uuid());
        Ok(taken)
    }

    fn last(&self) -> MutexGuard<'_, Uuid> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether whoever asked for the run may act still.
pub async fn may_act(app: &App, run: &TakenRun) -> Answer<bool> {
    let mut conn = app.conn().await?;
    if !still_let_in(&mut conn, &run.by).await? {
        return Ok(false);
    }
    let Some(user) = run.by.user_id else { return Ok(true) };
    let role = users::role(&mut conn, user, run.by.workspace_id).await?;
    Ok(role.is_some_and(|role| role >= Role::Editor))
}

/// What a step came to.
#[derive(Debug)]
pub struct Advance<'a> {
    /// What the agent remembers from now on.
    pub memory: &'a Memory,
    /// The step that has ended, with why it was refused.
    pub step: Option<(u32, Option<&'a str>)>,
    /// What becomes of the project; none where its status stays.
    pub change: Option<Change>,
}

/// Keeps what a step came to, with the change of status and its webhook. Whether the claim still stood: if not, or
/// where the project can't be changed so any more, nothing is kept.
pub async fn advance(
    app: &App,
    caller: &Caller,
    claim: RunClaim,
    advance: Advance<'_>,
    show: impl FnOnce(ProjectRow) -> Answer<Shown<()>>,
) -> Answer<bool> {
    let Advance { memory, step, change } = advance;
    let is_over = matches!(memory.phase, Phase::Over(_));
    let mut go_on = app.process.pool.begin().await?;
    if !projects::lock(&mut go_on, claim.project).await? {
        return Ok(false);
    }
    let due_in = (!is_over).then_some(LEASE);
    if !project_runs::advance(&mut go_on, claim, &as_json(memory)?, due_in).await? {
        return Ok(false);
    }
    if let Some((number, refusal)) = step {
        project_runs::end_step(&mut go_on, claim.run, i32::try_from(number).unwrap_or(i32::MAX), refusal).await?;
    }
    let Some(mut change) = change else {
        go_on.commit().await?;
        return Ok(true);
    };
    if let Some(assets) = &mut change.assets {
        date(assets, Time(projects::now(&mut go_on).await?));
    }
    let Some(row) = projects::change(&mut go_on, claim.project, caller.workspace.id, &change).await? else {
        go_on.rollback().await?;
        project_runs::stop(&mut *app.conn().await?, claim.project).await?;
        return Ok(false);
    };
    let revision = Revision::of(&row);
    // No quota: what a run writes is bounded, and it was asked for when the run began.
    let Shown { answer: (), told } = show(row)?;
    revision.tell(&mut go_on, caller, &told).await?;
    go_on.commit().await?;
    revision.wake(app);
    telling::charge(app, &mut *app.conn().await?, caller, told.len()).await;
    Ok(true)
}

/// Writes down a step before its tool is called, and answers what it is called with; none where the claim does not
/// stand any more.
pub async fn begin_step(
    app: &App,
    claim: RunClaim,
    (number, tool, arguments): (u32, &str, &Value),
) -> Answer<Option<(String, Value)>> {
    let number = i32::try_from(number).unwrap_or(i32::MAX);
    Ok(project_runs::begin_step(&mut *app.conn().await?, claim, (number, tool, arguments)).await?)
}

/// Has a run wait; `counted` where its step could not be done.
pub async fn put_off(app: &App, claim: RunClaim, wait: Duration, counted: bool) -> Answer<()> {
    Ok(project_runs::put_off(&mut *app.conn().await?, claim, wait, counted).await?)
}

/// A run whose jobs have ended may be taken up now.
pub async fn wake(app: &App, (run, claim_no): (ProjectRunId, i32)) -> Answer<()> {
    Ok(project_runs::wake(&mut *app.conn().await?, run, claim_no).await?)
}

/// What is kept of the agent's memory, read back.
pub fn opened(memory: Value) -> Answer<Memory> {
    serde_json::from_value(memory).map_err(|error| ApiError::internal(format!("a memory can't be read: {error}")))
}

/// What is kept of a budget, read back.
pub fn opened_budget(budget: &Value) -> Answer<Budget> {
    serde_json::from_value(budget.clone()).map_err(ApiError::internal)
}

/// Which agent works on a project of this mode.
pub fn planner(mode: ProjectMode) -> Option<&'static str> {
    (mode == ProjectMode::Autonomous).then_some(PLANNER)
}

fn as_json(memory: &Memory) -> Answer<Value> {
    serde_json::to_value(memory).map_err(ApiError::internal)
}

/// Gives assets without a time this one.
fn date(assets: &mut Value, now: Time) {
    for asset in assets.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if asset.get("created_at").is_none_or(Value::is_null) {
            asset.insert("created_at".to_owned(), now.to_json().unwrap_or_default());
        }
    }
}
