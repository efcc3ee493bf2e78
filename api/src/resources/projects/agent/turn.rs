//! A turn of a run: its steps, until it waits or has ended.
//!
//! A step is stored with its arguments, its tool is called with an Idempotency-Key made of the run and the step, and
//! its result is stored together with the agent's memory. If another process takes the run meanwhile, it finds the
//! stored step, sends the same call with the same key, and gets the first call's answer.
//!
//! Each step parses the answer of a tool, which may have four megabytes, and walks it and the conversation, which has
//! up to 256 KiB, several times: so all of it is done beside the threads that answer calls, and parsing and walks in
//! its account's turn. A parsed answer takes some twenty times its bytes: none is there outside of a turn.

use super::super::shape::Project;
use crate::app::App;
use crate::app::beside::{in_turn, polled_beside};
use crate::auth::Caller;
use crate::http::error::{Answer, Code};
use crate::resources::tools::calling::{SentAnswer, send_as};
use crate::usecases::projects::ProjectAnswer;
use crate::usecases::projects::runs::{
    Advance, advance, back_off, begin_step, hand_back, opened, opened_budget, pause, stop_started,
};
use crate::usecases::round_robin::TurnPermit;
use crate::usecases::workspaces::may_still_edit;
use bytes::Bytes;
use domain::agent::{Budget, End, Move, Pause, Planner, Refused};
use domain::ids::{ItemId, JobId, TimelineId};
use domain::project::ProjectStatus;
use serde_json::{Value, json};
use std::time::Duration;
use store::project_runs::{RunClaim, StepEnd, TakenRun};
use store::projects::{AgentWork, ProjectChange, ProjectRow};
use tokio::time::timeout;

/// The time in which a tool must answer, shorter than the run's lease.
const CALL_LIMIT: Duration = Duration::from_secs(40);
/// The most bytes of a tool's answer. What changes something answers with a document at most: one of 512 KiB that is a
/// timeline of 2,000 scenes has some 3 MiB with its links and defaults, so no such answer is lost.
const MOST_ANSWER: usize = 4 << 20;
/// The longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_mins(2);
/// The interval at which jobs are looked at, in case no wake-up tells of their end.
const LOOK_AT_JOBS: Duration = Duration::from_secs(5);
/// The characters of a refusal that are kept.
const MOST_TOLD: usize = 1_000;

/// The result of calling a step's tool.
pub(super) enum Came {
    /// The tool answered, with this JSON.
    Answered(Bytes),
    /// It was looked up where nobody speaks; none when no transcript is stored.
    Heard(Option<Vec<Pause>>),
    /// It refused for good.
    Refused(Refused),
    /// It can't be done now: try again after this time.
    Later(Duration),
}

/// Continues a run. The permit is one of the account's, and is held meanwhile.
pub(super) async fn take_turn(app: App, run: TakenRun, permit: TurnPermit) {
    let claim = run.claim;
    if let Err(error) = polled_beside(AgentTurn::take(&app, run)).await {
        tracing::warn!(run.id = %claim.run, project.id = %claim.project, error = %error,
            "A project's run goes on later.");
    }
    drop(permit);
}

/// A step that has ended.
pub(super) struct Step<'a> {
    /// Its number in the run.
    pub(super) number: u32,
    /// The way it ended.
    pub(super) end: StepEnd<'a>,
}

/// One turn.
pub(super) struct AgentTurn<'a> {
    pub(super) app: &'a App,
    pub(super) caller: Caller,
    pub(super) claim: RunClaim,
    pub(super) budget: Budget,
    pub(super) tries: i32,
    pub(super) planner: Planner,
}

impl<'a> AgentTurn<'a> {
    async fn take(app: &'a App, run: TakenRun) -> Answer<()> {
        let TakenRun { claim, memory, tries, budget, by, request_id, traceparent } = run;
        let budget = budget.as_ref().map(opened_budget).transpose()?.unwrap_or_default();
        let caller = Caller::of(by, request_id, traceparent);
        let planner = in_turn(&app.turns.agents, caller.account_id, || opened(memory)).await?;
        Self { app, caller, claim, budget, tries, planner }.steps().await
    }

    /// Does steps until the run waits or has ended. Each asks anew whether its caller may act: a turn may last long.
    async fn steps(&mut self) -> Answer<()> {
        while !self.app.process.shutdown.is_cancelled() {
            if !may_still_edit(self.app, &self.caller.identity()).await? {
                return self.stop(gone(), None).await.map(drop);
            }
            let goes_on = match self.planner.next(self.budget) {
                Move::Stop(end) => return self.stop(end, None).await.map(drop),
                Move::Wait { jobs } => self.wait(jobs).await?,
                Move::Call { tool, arguments } => self.step(&tool, &arguments).await?,
                Move::Ask => self.ask().await?,
            };
            if !goes_on {
                return Ok(());
            }
        }
        // Another process can continue at once.
        hand_back(self.app, self.claim).await
    }

    /// Does a step. Returns whether the turn continues.
    async fn step(&mut self, tool: &str, arguments: &Value) -> Answer<bool> {
        let number = self.planner.number() + 1;
        let Some((tool, arguments)) = begin_step(self.app, self.claim, number, tool, arguments).await? else {
            return Ok(false);
        };
        let before = self.planner.status();
        let came = match self.planner.listening() {
            Some(listening) => self.listen(listening).await,
            None => self.call(number, &tool, &arguments).await,
        };
        if let Came::Later(wait) = came {
            back_off(self.app, self.claim, wait).await?;
            return Ok(false);
        }
        self.tries = 0;
        self.planner.count_step(number);
        let (app, account) = (self.app, self.caller.account_id);
        let refused = in_turn(&app.turns.agents, account, || hear(&mut self.planner, came, self.budget)).await;
        let end = refused.as_deref().map_or(StepEnd::Done(None), StepEnd::Refused);
        self.keep(Some(Step { number, end }), before).await
    }

    /// Calls the step's tool, with the step's Idempotency-Key.
    async fn call(&self, number: u32, tool: &str, arguments: &Value) -> Came {
        let key = format!("{}/{number}", self.claim.run);
        let sent = send_as(self.app, &self.caller, tool, arguments, Some(&key), MOST_ANSWER);
        let SentAnswer { status, body, retry_after, .. } = match self.in_time(sent).await {
            Ok(Ok(sent)) => sent,
            Ok(Err(error)) => return self.not_now(&error.to_string(), None),
            Err(late) => return late,
        };
        let Some(body) = body else { return Came::Refused(too_long()) };
        if status == 200 {
            return Came::Answered(body);
        }
        // Refusals are short.
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let error = &body["error"];
        let message = error["message"].as_str().unwrap_or("It failed.");
        if error["retryable"] == true {
            return self.not_now(message, retry_after);
        }
        let next = error["suggested_action"].as_str().unwrap_or_default();
        let code = error["code"].as_str().unwrap_or("internal").to_owned();
        Came::Refused(Refused { code, message: format!("{message} {next}").trim().to_owned() })
    }

    /// Returns what is done by a step, if it is done within the time of a call, or when to try again.
    pub(super) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, Came> {
        timeout(CALL_LIMIT, work).await.map_err(|_| self.not_now("It took too long.", None))
    }

    /// Returns when to try again; a refusal once the step was tried often enough.
    pub(super) fn not_now(&self, why: &str, retry_after: Option<Duration>) -> Came {
        if self.tries >= self.planner.most_tries() {
            return Came::Refused(Refused { code: "unavailable".to_owned(), message: why.to_owned() });
        }
        tracing::info!(run.id = %self.claim.run, why, "A step of a project's run is tried again later.");
        Came::Later(self.later(retry_after))
    }

    /// Returns the time until the next try: the one that the tool asked for, or a longer one each time.
    pub(super) fn later(&self, retry_after: Option<Duration>) -> Duration {
        let longer = Duration::from_secs(2 << self.tries.clamp(0, 6));
        retry_after.unwrap_or(longer).min(LONGEST_WAIT)
    }

    /// Looks whether the jobs have ended. Returns whether the turn continues.
    async fn wait(&mut self, jobs: Vec<String>) -> Answer<bool> {
        // Registered before the look, so that an end in between wakes the run.
        let ids = jobs.iter().filter_map(|job| job.parse::<JobId>().ok()).collect();
        self.app.runs.wait(self.claim.run, self.claim.number, ids);
        let arguments = json!({ "job_ids": jobs });
        let asked = send_as(self.app, &self.caller, "get_jobs", &arguments, None, MOST_ANSWER);
        let sent = timeout(CALL_LIMIT, asked).await;
        let before = self.planner.status();
        let (app, account) = (self.app, self.caller.account_id);
        if let Ok(Ok(SentAnswer { status: 200, body: Some(body), .. })) = sent
            && in_turn(&app.turns.agents, account, || hear_jobs(&mut self.planner, &body)).await
        {
            self.app.runs.forget(self.claim.run);
            return self.keep(None, before).await;
        }
        pause(self.app, self.claim, LOOK_AT_JOBS).await?;
        Ok(false)
    }

    /// Stores the result of a step. Returns whether the turn continues.
    pub(super) async fn keep(&mut self, step: Option<Step<'_>>, before: ProjectStatus) -> Answer<bool> {
        if let Some(end) = self.planner.over().cloned() {
            self.stop(end, step).await?;
            return Ok(false);
        }
        let status = self.planner.status();
        let change = (status != before).then(|| self.change(status, None));
        self.write(step, change).await
    }

    /// Ends the run. Returns whether this claim still had the run.
    async fn stop(&mut self, end: End, step: Option<Step<'_>>) -> Answer<bool> {
        let mut change = self.change(end.status, Some(end.message.clone()));
        let (outputs, model) = (self.planner.outputs(), self.planner.name());
        if !outputs.is_empty() {
            let assets = outputs
                .iter()
                .map(|(item, ms)| json!({ "ref": item, "type": "render", "model": model, "duration": seconds(*ms) }));
            change.assets = Some(assets.collect());
            change.assembled_url = Some(None);
            change.assembled_url_expires_at = Some(None);
        }
        self.planner.end(end);
        self.write(step, Some(change)).await
    }

    /// Returns a change of the project to this status, with what was made so far.
    fn change(&self, status: ProjectStatus, message: Option<String>) -> ProjectChange {
        let first = |texts: &[String]| texts.first().and_then(|id| id.parse::<TimelineId>().ok());
        let item = self.planner.outputs().first().and_then(|(item, _)| item.parse::<ItemId>().ok());
        let (minutes, credits) = self.planner.spent();
        let made = AgentWork {
            timeline: first(self.planner.timelines()),
            item,
            minutes,
            credits,
            steps: i32::try_from(self.planner.steps()).unwrap_or(i32::MAX),
        };
        let timeline = match &self.planner {
            // A timeline that another planner put together is not this planner's: it is removed.
            Planner::Chat(_) => Some(None),
            Planner::Keywords(memory) => memory.shown().map(Some),
        };
        ProjectChange { agent_message: message.map(Some), timeline, made: Some(made), ..ProjectChange::to(status) }
    }

    async fn write(&self, step: Option<Step<'_>>, change: Option<ProjectChange>) -> Answer<bool> {
        let show = |row: ProjectRow| {
            let project = Project::new(row, self.app)?;
            Ok(ProjectAnswer { answer: (), webhook_body: project.webhook_body() })
        };
        let step = step.map(|step| (step.number, step.end));
        let kept = Advance { planner: &self.planner, step, change };
        let is_kept = advance(self.app, &self.caller, self.claim, kept, show).await?;
        if !is_kept {
            stop_started(self.app, &self.caller, self.claim.project, &self.planner).await?;
        }
        Ok(is_kept)
    }
}

/// Has the planner take in what came of a step, in its account's turn. Returns why it was refused, if it was.
fn hear(planner: &mut Planner, came: Came, budget: Budget) -> Option<String> {
    let refused = match came {
        Came::Later(_) => return None,
        Came::Heard(pauses) => {
            planner.hear_pauses(pauses, budget);
            return None;
        }
        Came::Answered(answer) => match serde_json::from_slice::<Value>(&answer) {
            Ok(answer) => {
                planner.hear_answer(&answer, budget);
                return None;
            }
            Err(error) => {
                Refused { code: Code::Internal.name().to_owned(), message: format!("It is no JSON: {error}.") }
            }
        },
        Came::Refused(refused) => refused,
    };
    planner.hear_refusal(&refused);
    Some(format!("{}: {}", refused.code, refused.message).chars().take(MOST_TOLD).collect())
}

/// Has the planner take in the state of the awaited jobs, in its account's turn. Returns whether all have ended.
fn hear_jobs(planner: &mut Planner, answer: &[u8]) -> bool {
    serde_json::from_slice::<Value>(answer).is_ok_and(|jobs| planner.hear_jobs(&jobs))
}

/// The refusal of an answer that is longer than an agent takes.
fn too_long() -> Refused {
    let message = format!(
        "The answer has more than the {} MiB that are taken. Ask for less at once: a smaller `limit`, or, in place of \
         a long transcript, search_footage for the words.",
        MOST_ANSWER >> 20
    );
    Refused { code: Code::FileTooLarge.name().to_owned(), message }
}

fn gone() -> End {
    let message = "Whoever asked for it may not act in this workspace any more. Say \"go on\" with POST \
         /projects/{id}/messages, and it goes on for you.";
    End { status: ProjectStatus::Failed, message: message.to_owned() }
}

#[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 ms")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}
