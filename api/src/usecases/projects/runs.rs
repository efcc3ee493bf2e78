//! The agent's runs on projects: how they begin, are taken up and go on (ARCHITECTURE.md, "Life of a project's run").
//!
//! `domain::agent` decides what the agent does, and `resources/projects/agent` does it. Here each step of its work is
//! stored together with the change of the project's status that follows from it, in one transaction. If the run was
//! claimed again since, nothing is stored.

use super::spent::{own_jobs, settle};
use super::telling::{self, Revision};
use super::{ProjectAnswer, cancelled, missing, reach, why_refused, within_quota};
use crate::app::App;
use crate::app::beside::run_beside;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::text::Time;
use crate::usecases::jobs::{cancel_jobs, stop_jobs};
use crate::usecases::once::{Begun, Made, Once};
use crate::usecases::round_robin::{RoundRobin, TurnPermit};
use domain::agent::{Assignment, Budget, PLANNER, Planner};
use domain::ids::{AccountId, ProjectId, ProjectRunId};
use domain::project::{OutputType, ProjectMode, ProjectStatus};
use runtime::chat::ChatClient;
use runtime::ending::AfterCommit;
use serde_json::Value;
use sqlx::PgConnection;
use std::sync::Arc;
use std::time::Duration;
use store::paces::{self, A_DAY_US, Paced};
use store::project_runs::{self, NewRun, NewStep, RunClaim, StepEnd, TakenRun};
use store::projects::{self, ProjectChange, ProjectRow};
use uuid::Uuid;

/// The most live runs of an account. No lock is taken to count them, so simultaneous calls may exceed it.
const MOST_LIVE: i64 = 100;
/// The most ended runs of a project that are kept beside the present one.
const KEPT: i64 = 10;
/// How long a claim of a run lasts after its last stored step.
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
    planner: &Planner,
) -> Answer<()> {
    if project_runs::live(conn, caller.account_id, MOST_LIVE).await? >= MOST_LIVE {
        let most = format!("{MOST_LIVE} projects of the account are being worked on, which is the most at once.");
        return Err(ApiError::new(Code::QuotaReached, format!("{most} Wait for some to end, or cancel them.")));
    }
    let memory = as_json(planner)?;
    let (id, by, traceparent) = (ProjectRunId::mint(), caller.identity(), caller.traceparent.as_deref());
    let new = NewRun { id, project, by, request_id: &caller.request_id, traceparent, said, memory: &memory };
    project_runs::begin(conn, &new).await?;
    Ok(project_runs::forget(conn, project, KEPT).await?)
}

/// A user's message to the agent that works on a project.
#[derive(Debug, Clone, Copy)]
pub struct MessageToAgent<'a> {
    /// The project.
    pub project: ProjectId,
    /// The message.
    pub text: &'a str,
    /// What the agent may spend from now on; none where that stays as it is.
    pub budget: Option<Budget>,
}

/// Sends a message to the agent that works on a project, which takes the work up again. `show` writes the answer.
///
/// # Errors
/// As `reach`; `illegal_transition` while the agent works, and where none does or will; `quota_reached`.
pub async fn say_to_project(
    app: &App,
    caller: &Caller,
    once: &Once,
    message: MessageToAgent<'_>,
    show: impl FnOnce(ProjectRow) -> Answer<ProjectAnswer<String>>,
) -> Answer<Made> {
    let mut say = match once.begin(app).await? {
        Begun::Now(say, _) => say,
        Begun::Before(before) => return Ok(Made::Before(before)),
    };
    let MessageToAgent { project: id, text, budget } = message;
    if !projects::lock(&mut say, id).await.map_err(ApiError::of_own_lock)? {
        return Err(missing(id));
    }
    let project = reach(&mut say, caller, id).await?;
    if project.status == ProjectStatus::Cancelled {
        return Err(cancelled());
    }
    if project.mode != ProjectMode::Autonomous.name() {
        let helps = "Report its statuses with POST /projects/{id}/status.";
        let message = format!("The project is `{}`: no agent of this service works on it. {helps}", project.mode);
        return Err(ApiError::new(Code::IllegalTransition, message));
    }
    if !matches!(project.status, ProjectStatus::Idle | ProjectStatus::Failed) {
        let (status, helps) = (project.status.name(), "Say it once the project is `idle` or `failed`.");
        let message = format!("The project is `{status}`: the agent works on it already. {helps}");
        return Err(ApiError::new(Code::IllegalTransition, message));
    }
    let planner = planner_of(app, &mut say, &project, text).await?;
    if project.planner.as_deref() != Some(planner.name()) {
        projects::set_planner(&mut say, id, planner.name()).await?;
    }
    if let Some(budget) = budget {
        let before = project.budget.as_ref().map(opened_budget).transpose()?.unwrap_or_default();
        let budget = serde_json::to_value(before.with(budget)).map_err(ApiError::internal)?;
        projects::set_budget(&mut say, id, &budget).await?;
    }
    let change = ProjectChange { agent_message: Some(None), ..ProjectChange::to(ProjectStatus::Running) };
    let Some(row) = projects::change(&mut say, id, caller.workspace.id, &change).await? else {
        return Err(why_refused(&mut say, caller, id, change.status).await?);
    };
    begin(&mut say, caller, id, Some(text), &planner).await?;
    let revision = Revision::of(&row);
    let ProjectAnswer { answer, webhook_body } = show(row)?;
    revision.tell(&mut say, caller, &webhook_body).await?;
    within_quota(app, &mut say, caller).await?;
    once.keep(app, &mut say, &answer).await?;
    let charged = telling::charge(app, caller, webhook_body.len());
    say.commit().await?;
    revision.wake(app);
    app.runs.tell_begun();
    charged.await;
    Ok(Made::Now(answer))
}

/// Returns the planner of the next run, which this message begins. It goes on from the memory of the latest run; for a
/// project without runs it knows only the brief and the message.
async fn planner_of(app: &App, conn: &mut PgConnection, project: &ProjectRow, said: &str) -> Answer<Planner> {
    let output = OutputType::from_name(&project.output_type).unwrap_or(OutputType::Assembled);
    let id = project.id.to_string();
    let (assignment, model) =
        (Assignment { project: &id, brief: &project.brief, output }, app.agent.as_ref().map(ChatClient::model));
    let mut latest = match project_runs::latest(conn, project.id).await? {
        Some(memory) => opened(memory)?,
        None => Planner::new(assignment, model),
    };
    settle(conn, project.workspace_id, &mut latest).await?;
    Ok(latest.again(assignment, said, model))
}

/// The outcome of a step.
#[derive(Debug)]
pub struct Advance<'a> {
    /// The planner, with its memory after the step.
    pub planner: &'a Planner,
    /// The step that has ended, and how.
    pub step: Option<(u32, StepEnd<'a>)>,
    /// The change of the project; none where its status stays.
    pub change: Option<ProjectChange>,
}

/// Stores the outcome of a step, with the change of status and its webhook. Returns whether it did: nothing is stored
/// if the claim was lost, or if the project can't be changed this way any more.
pub async fn advance(
    app: &App,
    caller: &Caller,
    claim: RunClaim,
    advance: Advance<'_>,
    show: impl FnOnce(ProjectRow) -> Answer<ProjectAnswer<()>>,
) -> Answer<bool> {
    let Advance { planner, step, change } = advance;
    let is_over = planner.over().is_some();
    // Before the transaction: it may take some milliseconds.
    let memory = as_json(planner)?;
    let mut go_on = app.process.begin_of(caller.account_id).await?;
    if !projects::lock(&mut go_on, claim.project).await? {
        return Ok(false);
    }
    let due_in = (!is_over).then_some(LEASE);
    if !project_runs::advance(&mut go_on, claim, &memory, due_in).await? {
        return Ok(false);
    }
    if let Some((number, end)) = step {
        project_runs::end_step(&mut go_on, claim.run, i32::try_from(number).unwrap_or(i32::MAX), end).await?;
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
    // No quota is checked: a run writes a bounded amount, and the quota was checked when it began.
    let ProjectAnswer { answer: (), webhook_body } = show(row)?;
    revision.tell(&mut go_on, caller, &webhook_body).await?;
    let charged = telling::charge(app, caller, webhook_body.len());
    go_on.commit().await?;
    revision.wake(app);
    charged.await;
    Ok(true)
}

/// Counts a question to the model. Returns how long the account has to wait before it may ask one, if it has to: then
/// none is counted.
pub async fn count_question(app: &App, account: AccountId) -> Answer<Option<Duration>> {
    let each_us = A_DAY_US / i64::from(app.process.settings.agent_asks_a_day.max(1));
    let mut conn = app.conn().await?;
    if let Some(wait) = paces::longest_wait(&mut conn, account, &[(Paced::AgentAsks, A_DAY_US - each_us)]).await? {
        return Ok(Some(Duration::from_secs(wait.seconds)));
    }
    paces::advance(&mut conn, account, Paced::AgentAsks, each_us).await?;
    Ok(None)
}

/// Claims a run of the account whose turn it is: the one that has been due longest. None when no account has a run.
pub async fn take_next(app: &App, turns: &Arc<RoundRobin>) -> sqlx::Result<Option<(TakenRun, TurnPermit)>> {
    let (after, full) = turns.last_and_full();
    let mut conn = app.conn().await?;
    let mut taken = project_runs::take(&mut conn, after, &full).await?;
    if taken.is_none() && !after.is_nil() {
        taken = project_runs::take(&mut conn, Uuid::nil(), &full).await?;
    }
    let permit = turns.serve(taken.as_ref().map(|taken| taken.by.account_id));
    Ok(taken.zip(permit))
}

/// Stores a step before its tool is called. Returns the tool and the arguments to call it with; none where the claim
/// was lost.
pub async fn begin_step(
    app: &App,
    claim: RunClaim,
    number: u32,
    tool: &str,
    arguments: &Value,
) -> Answer<Option<(String, Value)>> {
    let step = NewStep { number: i32::try_from(number).unwrap_or(i32::MAX), tool, arguments };
    Ok(project_runs::begin_step(&mut *app.conn().await?, claim, step).await?)
}

/// Ends the project's run, if it has one, and stops the jobs that it has started and waits for. Call it once the
/// project is locked, and run what it returns after the commit.
pub(super) async fn stop(
    app: &App,
    conn: &mut PgConnection,
    caller: &Caller,
    project: ProjectId,
) -> Answer<Option<AfterCommit>> {
    let Some(memory) = project_runs::stop(conn, project).await? else { return Ok(None) };
    // A memory that can't be read must not keep anybody from stopping the run.
    let own = opened(memory).map(|planner| own_jobs(&planner)).unwrap_or_default();
    let (_, after_commit) = stop_jobs(app, conn, caller, &own).await?;
    Ok(Some(after_commit))
}

/// Stops the jobs that a step started while its project was cancelled or deleted, which `stop` could not know of.
pub async fn stop_started(app: &App, caller: &Caller, project: ProjectId, planner: &Planner) -> Answer<()> {
    let own = own_jobs(planner);
    if own.is_empty() {
        return Ok(());
    }
    let row = projects::find(&mut *app.conn().await?, project).await?;
    if row.is_none_or(|row| row.status == ProjectStatus::Cancelled) {
        cancel_jobs(app, caller, &own).await?;
    }
    Ok(())
}

/// Makes the row of a project that no run works on say what its agent has spent as of now: of the jobs that a run left
/// when it was stopped, what they were charged, or what is still held for them.
pub async fn settle_spent(conn: &mut PgConnection, row: &mut ProjectRow) -> Answer<()> {
    let has_no_run = matches!(row.status, ProjectStatus::Cancelled | ProjectStatus::Idle | ProjectStatus::Failed);
    if !has_no_run || row.planner.is_none() {
        return Ok(());
    }
    let Some(memory) = project_runs::latest(conn, row.id).await? else { return Ok(()) };
    // The row says enough where the memory can't be read.
    let Ok(mut planner) = run_beside(|| opened(memory)) else { return Ok(()) };
    settle(conn, row.workspace_id, &mut planner).await?;
    (row.spent_minutes, row.spent_credits) = planner.spent();
    row.spent_steps = i32::try_from(planner.steps()).unwrap_or(i32::MAX);
    Ok(())
}

/// Hands a run back: whoever looks next may take it up at once.
pub async fn hand_back(app: &App, claim: RunClaim) -> Answer<()> {
    delay(app, claim, Duration::ZERO, false).await.map(drop)
}

/// Defers a run that waits for something: it is due again after `wait`. Its step is not counted as tried.
pub async fn pause(app: &App, claim: RunClaim, wait: Duration) -> Answer<()> {
    delay(app, claim, wait, false).await.map(drop)
}

/// Defers a run whose step failed: it is due again after `wait`. Its step is counted as tried once more.
pub async fn back_off(app: &App, claim: RunClaim, wait: Duration) -> Answer<()> {
    delay(app, claim, wait, true).await.map(drop)
}

/// Renews the claim of a run for as long as a claim lasts. Returns whether the claim still stood.
pub async fn renew(app: &App, claim: RunClaim) -> Answer<bool> {
    delay(app, claim, LEASE, false).await
}

async fn delay(app: &App, claim: RunClaim, wait: Duration, counted: bool) -> Answer<bool> {
    Ok(project_runs::delay(&mut *app.conn().await?, claim, wait, counted).await?)
}

/// Makes a run due at once, since the jobs that it waited for have ended.
pub async fn wake(app: &App, run: ProjectRunId, claim_no: i32) -> Answer<()> {
    Ok(project_runs::wake(&mut *app.conn().await?, run, claim_no).await?)
}

/// Parses a planner's stored memory.
pub fn opened(memory: Value) -> Answer<Planner> {
    serde_json::from_value(memory).map_err(|error| ApiError::internal(format!("a memory can't be read: {error}")))
}

/// Parses a stored budget.
pub fn opened_budget(budget: &Value) -> Answer<Budget> {
    serde_json::from_value(budget.clone()).map_err(ApiError::internal)
}

/// The planner that works on projects of this mode; none where no agent does.
pub fn planner(app: &App, mode: ProjectMode) -> Option<&str> {
    (mode == ProjectMode::Autonomous).then(|| app.agent.as_ref().map_or(PLANNER, |client| client.model().id))
}

fn as_json(planner: &Planner) -> Answer<Value> {
    serde_json::to_value(planner).map_err(ApiError::internal)
}

/// Gives this time to assets that have none.
fn date(assets: &mut Value, now: Time) {
    for asset in assets.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if asset.get("created_at").is_none_or(Value::is_null) {
            asset.insert("created_at".to_owned(), json_of(&now));
        }
    }
}
