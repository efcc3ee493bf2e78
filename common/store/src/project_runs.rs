//! Runs of the agent on projects, and their steps (contract §3.3).
//!
//! A run is due until it has ended. Whoever takes it up moves it on by a minute and gets the next claim number; each
//! write names that number, so that of two who hold one run the earlier writes nothing. A step is written before its
//! tool is called and ended after it, with what the agent remembers from then on. Accounts take turns.

use crate::credentials::LetIn;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, KeyId, ProjectId, ProjectRunId, ProjectStepId, UserId, WorkspaceId};
use serde_json::Value;
use sqlx::PgConnection;
use std::time::Duration;
use uuid::Uuid;

/// A run that begins.
#[derive(Debug)]
pub struct NewRun<'a> {
    /// Which.
    pub id: ProjectRunId,
    /// On what.
    pub project: ProjectId,
    /// Who asks: their account pays.
    pub by: LetIn,
    /// The request that asked.
    pub request_id: &'a str,
    /// The trace that it belongs to.
    pub traceparent: Option<&'a str>,
    /// What was said; none of the brief.
    pub said: Option<&'a str>,
    /// What the agent remembers.
    pub memory: &'a Value,
}

/// Begins a run, due at once. There must be none of the project that has not ended.
pub async fn begin(conn: &mut PgConnection, new: &NewRun<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO project_runs (id, project_id, payer_account_id, owner_account_id, workspace_id, key_id, user_id,
             request_id, traceparent, said, memory)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        new.id as ProjectRunId,
        new.project as ProjectId,
        new.by.account_id as AccountId,
        new.by.workspace_account_id as AccountId,
        new.by.workspace_id as WorkspaceId,
        new.by.key_id as Option<KeyId>,
        new.by.user_id as Option<UserId>,
        new.request_id,
        new.traceparent,
        new.said,
        new.memory,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// How many runs of an account have not ended, counted up to `most`.
pub async fn live(conn: &mut PgConnection, payer: AccountId, most: i64) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "live!" FROM (
               SELECT FROM project_runs WHERE payer_account_id = $1 AND due_at IS NOT NULL LIMIT $2) AS counted"#,
        payer as AccountId,
        most,
    )
    .fetch_one(conn)
    .await
}

/// What the agent remembers of the project's latest run.
pub async fn latest(conn: &mut PgConnection, project: ProjectId) -> sqlx::Result<Option<Value>> {
    sqlx::query_scalar!(
        "SELECT memory FROM project_runs WHERE project_id = $1 ORDER BY id DESC LIMIT 1",
        project as ProjectId,
    )
    .fetch_optional(conn)
    .await
}

/// Forgets the project's runs before its latest `kept` ones.
pub async fn forget(conn: &mut PgConnection, project: ProjectId, kept: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "DELETE FROM project_runs WHERE project_id = $1 AND due_at IS NULL AND id < (
             SELECT id FROM project_runs WHERE project_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)",
        project as ProjectId,
        kept,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// A claim of a run: of two the later one's stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunClaim {
    /// The run.
    pub run: ProjectRunId,
    /// Its project.
    pub project: ProjectId,
    /// The claim's number.
    pub number: i32,
}

/// A run that was taken up.
#[derive(Debug)]
pub struct TakenRun {
    /// The claim.
    pub claim: RunClaim,
    /// Who asked.
    pub by: LetIn,
    /// The request that asked.
    pub request_id: String,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
    /// What the agent remembers.
    pub memory: Value,
    /// How often the step at hand was put off.
    pub tries: i32,
    /// What the project's agent may take.
    pub budget: Option<Value>,
}

/// Takes up the run that has been due for longest of the next account behind this one that has some and is not passed
/// over, for a minute.
pub async fn take(conn: &mut PgConnection, after: Uuid, passed_over: &[AccountId]) -> sqlx::Result<Option<TakenRun>> {
    let row = sqlx::query!(
        r#"UPDATE project_runs SET due_at = mws_now() + interval '60 seconds', claim_no = claim_no + 1
           WHERE id = (
               SELECT id FROM project_runs WHERE payer_account_id > $1 AND due_at <= mws_now()
                   AND payer_account_id <> ALL ($2)
               ORDER BY payer_account_id, due_at LIMIT 1 FOR UPDATE SKIP LOCKED
           )
           RETURNING id AS "id: ProjectRunId", project_id AS "project: ProjectId", claim_no,
               payer_account_id AS "payer: AccountId", owner_account_id AS "owner: AccountId",
               workspace_id AS "workspace: WorkspaceId", key_id AS "key: KeyId", user_id AS "user: UserId", request_id,
               traceparent, memory, tries,
               (SELECT budget FROM projects WHERE projects.id = project_id) AS budget"#,
        after,
        passed_over as &[AccountId],
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| TakenRun {
        claim: RunClaim { run: row.id, project: row.project, number: row.claim_no },
        by: LetIn {
            account_id: row.payer,
            workspace_id: row.workspace,
            workspace_account_id: row.owner,
            key_id: row.key,
            user_id: row.user,
        },
        request_id: row.request_id,
        traceparent: row.traceparent,
        memory: row.memory,
        tries: row.tries,
        budget: row.budget,
    }))
}

/// Writes down the next step of a run, before its tool is called, and keeps the run for another minute. Answers what
/// the step is called with: what was written first, if it was before. None where the claim does not stand any more.
pub async fn begin_step(
    conn: &mut PgConnection,
    claim: RunClaim,
    (number, tool, arguments): (i32, &str, &Value),
) -> sqlx::Result<Option<(String, Value)>> {
    let row = sqlx::query!(
        r#"WITH mine AS (
               UPDATE project_runs SET due_at = mws_now() + interval '60 seconds'
               WHERE id = $1 AND claim_no = $2 AND due_at IS NOT NULL
               RETURNING id
           )
           INSERT INTO project_steps (id, run_id, number, tool, arguments)
           SELECT $3, mine.id, $4, $5, $6 FROM mine
           ON CONFLICT (run_id, number) DO UPDATE SET number = excluded.number
           RETURNING tool, arguments"#,
        claim.run as ProjectRunId,
        claim.number,
        ProjectStepId::mint() as ProjectStepId,
        number,
        tool,
        arguments,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (row.tool, row.arguments)))
}

/// How a step ended, and what is said of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEnd<'a> {
    /// It is done; the words are what a model said.
    Done(Option<&'a str>),
    /// It was refused, for this reason.
    Refused(&'a str),
}

/// Ends a step. Arguments that are long are not kept any longer.
pub async fn end_step(conn: &mut PgConnection, run: ProjectRunId, number: i32, end: StepEnd<'_>) -> sqlx::Result<()> {
    let (status, message) = match end {
        StepEnd::Done(message) => ("done", message),
        StepEnd::Refused(why) => ("refused", Some(why)),
    };
    sqlx::query!(
        r#"UPDATE project_steps
           SET status = $3, message = $4, ended_at = mws_now(),
               arguments = CASE WHEN pg_column_size(arguments) > 8192 THEN '{}' ELSE arguments END
           WHERE run_id = $1 AND number = $2"#,
        run as ProjectRunId,
        number,
        status,
        message,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Keeps what the agent remembers, and when the run is due again; never, where it has ended. Whether the claim stood.
pub async fn advance(
    conn: &mut PgConnection,
    claim: RunClaim,
    memory: &Value,
    due_in: Option<Duration>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE project_runs
         SET memory = $3, tries = 0, due_at = mws_now() + make_interval(secs => $4::double precision)
         WHERE id = $1 AND claim_no = $2 AND due_at IS NOT NULL",
        claim.run as ProjectRunId,
        claim.number,
        memory,
        due_in.map(|due_in| due_in.as_secs_f64()),
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Has a run wait for so long; `counted` where its step could not be done. Whether the claim stood.
pub async fn put_off(conn: &mut PgConnection, claim: RunClaim, wait: Duration, counted: bool) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE project_runs SET due_at = mws_now() + make_interval(secs => $3), tries = tries + $4
         WHERE id = $1 AND claim_no = $2 AND due_at IS NOT NULL",
        claim.run as ProjectRunId,
        claim.number,
        wait.as_secs_f64(),
        i32::from(counted),
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A run that waits may be taken up now.
pub async fn wake(conn: &mut PgConnection, run: ProjectRunId, claim_no: i32) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE project_runs SET due_at = mws_now() WHERE id = $1 AND claim_no = $2 AND due_at > mws_now()",
        run as ProjectRunId,
        claim_no,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Ends the project's run, if it has one that goes on: whoever holds it writes nothing any more. Returns what the agent
/// remembers. Call it once the project is locked.
pub async fn stop(conn: &mut PgConnection, project: ProjectId) -> sqlx::Result<Option<Value>> {
    sqlx::query_scalar!(
        "UPDATE project_runs SET due_at = NULL WHERE project_id = $1 AND due_at IS NOT NULL RETURNING memory",
        project as ProjectId,
    )
    .fetch_optional(conn)
    .await
}

/// A step as the log shows it.
#[derive(Debug)]
pub struct StepRow {
    /// Which.
    pub id: ProjectStepId,
    /// The run.
    pub run: ProjectRunId,
    /// What began the run; none of the brief.
    pub said: Option<String>,
    /// Its place in the run, from 1.
    pub number: i32,
    /// The tool.
    pub tool: String,
    /// What it was called with.
    pub arguments: Value,
    /// `begun`, `done` or `refused`.
    pub status: String,
    /// Why it was refused, or what a model said.
    pub message: Option<String>,
    /// When it was begun.
    pub began_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// Up to `limit` steps of a project's runs behind this one, the oldest first.
pub async fn steps(
    conn: &mut PgConnection,
    project: ProjectId,
    after: Option<ProjectStepId>,
    limit: i64,
) -> sqlx::Result<Vec<StepRow>> {
    sqlx::query_as!(
        StepRow,
        r#"SELECT s.id AS "id: ProjectStepId", s.run_id AS "run: ProjectRunId", r.said, s.number, s.tool, s.arguments,
               s.status, s.message, s.began_at, s.ended_at
           FROM project_runs r JOIN project_steps s ON s.run_id = r.id
           WHERE r.project_id = $1 AND ($2::uuid IS NULL OR s.id > $2)
           ORDER BY s.id LIMIT $3"#,
        project as ProjectId,
        after as Option<ProjectStepId>,
        limit,
    )
    .fetch_all(conn)
    .await
}
