//! The agent's runs on projects: how they begin, are taken up and go on (ARCHITECTURE.md, "Life of a project's run").
//!
//! `domain::agent` decides what the agent does, `resources/projects/agent` does it. Here each step of its work is
//! stored together with the change of the project's status that follows, in one transaction, which fails if the run was
//! claimed again since.

use super::telling::{self, Revision};
use super::{Shown, missing, reach, refused, within_quota};
use crate::app::App;
use crate::auth::{Caller, Role};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Time;
use crate::usecases::jobs::{cancel_jobs, stop_jobs};
use crate::usecases::once::{Begun, Made, Once};
use domain::agent::{Budget, PLANNER, Planner, Task};
use domain::ids::{AccountId, JobId, ProjectId, ProjectRunId};
use domain::project::{OutputType, ProjectMode, ProjectStatus};
use poem_openapi::types::ToJSON;
use runtime::chat::ChatClient;
use runtime::ending::AfterCommit;
use serde_json::Value;
use sqlx::PgConnection;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::credentials::still_let_in;
use store::project_runs::{self, NewRun, RunClaim, StepEnd, TakenRun};
use store::projects::{self, Change, ProjectRow};
use store::users;
use uuid::Uuid;

/// Live runs of an account. Their beginners don't wait for one another: simultaneous calls may exceed it.
const MOST_LIVE: i64 = 100;
/// Ended runs of a project that are kept beside the present one.
const KEPT: i64 = 10;
/// How long a claim of a run lasts after its last stored step.
pub const LEASE: Duration = Duration::from_mins(1);

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
        let message = format!("{MOST_LIVE} projects of the account are being worked on, which is the most at once.");
        return Err(ApiError::new(Code::QuotaReached, message).suggest("Wait for some to end, or cancel them."));
    }
    let memory = as_json(planner)?;
    let (id, by, traceparent) = (ProjectRunId::mint(), caller.let_in(), caller.traceparent.as_deref());
    let new = NewRun { id, project, by, request_id: &caller.request_id, traceparent, said, memory: &memory };
    project_runs::begin(conn, &new).await?;
    Ok(project_runs::forget(conn, project, KEPT).await?)
}

/// Sends a message to the agent that works on a project, which takes the work up again. `show` writes the answer.
///
/// # Errors
/// As `reach`; `illegal_transition` while the agent works, and where none does; `quota_reached`.
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
    let planner = planner_of(app, &mut say, &project, text).await?;
    if project.planner.as_deref() != Some(planner.name()) {
        projects::set_planner(&mut say, id, planner.name()).await?;
    }
    if let Some(budget) = budget {
        let before = project.budget.as_ref().map(opened_budget).transpose()?.unwrap_or_default();
        let budget = serde_json::to_value(before.with(budget)).map_err(ApiError::internal)?;
        projects::set_budget(&mut say, id, &budget).await?;
    }
    let change = Change { agent_message: Some(None), ..Change::to(ProjectStatus::Running) };
    let Some(row) = projects::change(&mut say, id, caller.workspace.id, &change).await? else {
        return Err(refused(&mut say, caller, id, change.status).await?);
    };
    begin(&mut say, caller, id, Some(text), &planner).await?;
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

/// The planner of the next run, after this message. For a project that was never worked on it knows only the brief.
async fn planner_of(app: &App, conn: &mut PgConnection, project: &ProjectRow, said: &str) -> Answer<Planner> {
    let output = OutputType::from_name(&project.output_type).unwrap_or(OutputType::Assembled);
    let id = project.id.to_string();
    let (task, model) =
        (Task { project: &id, brief: &project.brief, output }, app.agent.as_ref().map(ChatClient::model));
    let latest = match project_runs::latest(conn, project.id).await? {
        Some(memory) => opened(memory)?,
        None => Planner::new(task, model),
    };
    Ok(latest.again(task, said, model))
}

/// Accounts take turns in this process: the next turn is that of the account behind the last one, unless it has as many
/// under way as it may.
#[derive(Debug)]
pub struct Round {
    /// Turns that one account may have under way.
    most: usize,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    /// The account that was served last.
    last: Uuid,
    /// How many turns each account has under way.
    under_way: HashMap<AccountId, usize>,
}

/// A turn of an account, which lasts until this is dropped.
#[derive(Debug)]
pub struct Place {
    round: Arc<Round>,
    account: AccountId,
}

impl Round {
    /// Turns of which one account may have `most` under way.
    pub fn of(most: usize) -> Arc<Self> {
        Arc::new(Self { most, places: Mutex::default() })
    }

    /// Claims the run that has been due longest of the account whose turn it is; none when no account has one.
    pub async fn next(self: &Arc<Self>, app: &App) -> sqlx::Result<Option<(TakenRun, Place)>> {
        let (after, full) = self.look();
        let mut conn = app.conn().await?;
        let mut taken = project_runs::take(&mut conn, after, &full).await?;
        if taken.is_none() && !after.is_nil() {
            taken = project_runs::take(&mut conn, Uuid::nil(), &full).await?;
        }
        let mut places = self.places();
        places.last = taken.as_ref().map_or(Uuid::nil(), |taken| taken.by.account_id.uuid());
        Ok(taken.map(|taken| {
            let account = taken.by.account_id;
            *places.under_way.entry(account).or_default() += 1;
            (taken, Place { round: Arc::clone(self), account })
        }))
    }

    /// Returns the account that was served last, and those that have as many turns as they may.
    fn look(&self) -> (Uuid, Vec<AccountId>) {
        let places = self.places();
        let full = places.under_way.iter().filter(|(_, turns)| **turns >= self.most);
        (places.last, full.map(|(account, _)| *account).collect())
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.round.places();
        if let Entry::Occupied(mut turns) = places.under_way.entry(self.account) {
            *turns.get_mut() -= 1;
            if *turns.get() == 0 {
                turns.remove();
            }
        }
    }
}

/// Whether the caller who asked for the run may still act.
pub async fn may_act(app: &App, run: &TakenRun) -> Answer<bool> {
    let mut conn = app.conn().await?;
    if !still_let_in(&mut conn, &run.by).await? {
        return Ok(false);
    }
    let Some(user) = run.by.user_id else { return Ok(true) };
    let role = users::role(&mut conn, user, run.by.workspace_id).await?;
    Ok(role.is_some_and(|role| role >= Role::Editor))
}

/// The outcome of a step.
#[derive(Debug)]
pub struct Advance<'a> {
    /// The planner, with its memory after the step.
    pub planner: &'a Planner,
    /// The step that has ended, and how.
    pub step: Option<(u32, StepEnd<'a>)>,
    /// The change of the project; none where its status stays.
    pub change: Option<Change>,
}

/// Stores the outcome of a step, with the change of status and its webhook. Returns whether it did: nothing is stored
/// if the claim was lost, or if the project can't be changed this way any more.
pub async fn advance(
    app: &App,
    caller: &Caller,
    claim: RunClaim,
    advance: Advance<'_>,
    show: impl FnOnce(ProjectRow) -> Answer<Shown<()>>,
) -> Answer<bool> {
    let Advance { planner, step, change } = advance;
    let is_over = planner.over().is_some();
    let mut go_on = app.process.begin().await?;
    if !projects::lock(&mut go_on, claim.project).await? {
        return Ok(false);
    }
    let due_in = (!is_over).then_some(LEASE);
    if !project_runs::advance(&mut go_on, claim, &as_json(planner)?, due_in).await? {
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
    let Shown { answer: (), told } = show(row)?;
    revision.tell(&mut go_on, caller, &told).await?;
    go_on.commit().await?;
    revision.wake(app);
    telling::charge(app, &mut *app.conn().await?, caller, told.len()).await;
    Ok(true)
}

/// Stores a step before its tool is called. Returns the tool and the arguments to call it with; none where the claim
/// was lost.
pub async fn begin_step(
    app: &App,
    claim: RunClaim,
    (number, tool, arguments): (u32, &str, &Value),
) -> Answer<Option<(String, Value)>> {
    let number = i32::try_from(number).unwrap_or(i32::MAX);
    Ok(project_runs::begin_step(&mut *app.conn().await?, claim, (number, tool, arguments)).await?)
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

fn own_jobs(planner: &Planner) -> Vec<JobId> {
    planner.own_jobs().into_iter().filter_map(|job| job.parse().ok()).collect()
}

/// Puts a run off for `wait`; `counted` where its step failed. Returns whether the claim still stood.
pub async fn put_off(app: &App, claim: RunClaim, wait: Duration, counted: bool) -> Answer<bool> {
    Ok(project_runs::put_off(&mut *app.conn().await?, claim, wait, counted).await?)
}

/// Makes a run due whose jobs have ended.
pub async fn wake(app: &App, (run, claim_no): (ProjectRunId, i32)) -> Answer<()> {
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
            asset.insert("created_at".to_owned(), now.to_json().unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_that_has_as_many_turns_as_it_may_is_passed_over_until_one_ends() {
        let (round, busy, other) = (Round::of(2), AccountId::mint(), AccountId::mint());
        let place = |account| {
            *round.places().under_way.entry(account).or_default() += 1;
            Place { round: Arc::clone(&round), account }
        };
        let (first, others) = (place(busy), place(other));
        assert_eq!(round.look().1, []);
        let second = place(busy);
        assert_eq!(round.look().1, [busy]);
        drop(first);
        assert_eq!(round.look().1, []);
        drop((second, others));
        assert!(round.places().under_way.is_empty(), "nothing is kept of who has none");
    }
}
