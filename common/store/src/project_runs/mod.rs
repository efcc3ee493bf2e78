//! Runs of the agent on projects, and their steps (contract §3.3).
//!
//! A run is due until it ends. Whoever takes it moves its due time on by a minute and gets the next claim number. Each
//! write names that number, so that if two hold a run, the earlier one writes nothing. A step is written before its
//! tool is called; after the call it is ended, and the agent's memory stored. Accounts take turns.

mod steps;

pub use steps::{NewStep, StepEnd, StepRow, begin_step, end_step, steps};

use crate::credentials::CallerIdentity;
use domain::ids::{AccountId, KeyId, ProjectId, ProjectRunId, UserId, WorkspaceId};
use serde_json::Value;
use sqlx::PgConnection;
use std::time::Duration;
use uuid::Uuid;

/// A run that begins.
#[derive(Debug)]
pub struct NewRun<'a> {
    /// Its id.
    pub id: ProjectRunId,
    /// The project that it works on.
    pub project: ProjectId,
    /// The caller who starts it: their account pays.
    pub by: CallerIdentity,
    /// The id of the request that starts it.
    pub request_id: &'a str,
    /// The trace that it belongs to.
    pub traceparent: Option<&'a str>,
    /// What the user said to start it; none when the brief starts it.
    pub said: Option<&'a str>,
    /// The agent's memory.
    pub memory: &'a Value,
}

/// Begins a run, due at once. It fails when the project has a run that has not ended.
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

/// Returns how many runs of an account have not ended, at most `most`.
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

/// Returns the agent's memory after the project's latest run; none when there was no run.
pub async fn latest(conn: &mut PgConnection, project: ProjectId) -> sqlx::Result<Option<Value>> {
    sqlx::query_scalar!(
        "SELECT memory FROM project_runs WHERE project_id = $1 ORDER BY id DESC LIMIT 1",
        project as ProjectId,
    )
    .fetch_optional(conn)
    .await
}

/// Deletes the project's ended runs before its latest `kept` ones, and of the others that ended the agent's memory: the
/// run that was begun after them goes on from a copy of it.
pub async fn forget(conn: &mut PgConnection, project: ProjectId, kept: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "DELETE FROM project_runs WHERE project_id = $1 AND due_at IS NULL AND id < (
             SELECT id FROM project_runs WHERE project_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)",
        project as ProjectId,
        kept,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE project_runs SET memory = '{}' WHERE project_id = $1 AND due_at IS NULL AND memory <> '{}'",
        project as ProjectId,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// A claim of a run; a later claim of the same run invalidates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunClaim {
    /// The run.
    pub run: ProjectRunId,
    /// Its project.
    pub project: ProjectId,
    /// The claim's number.
    pub number: i32,
}

/// A run that was claimed.
#[derive(Debug)]
pub struct TakenRun {
    /// The claim.
    pub claim: RunClaim,
    /// The caller who started it.
    pub by: CallerIdentity,
    /// The id of the request that started it.
    pub request_id: String,
    /// The trace that it belongs to.
    pub traceparent: Option<String>,
    /// The agent's memory.
    pub memory: Value,
    /// How often its current step failed and was deferred.
    pub tries: i32,
    /// The budget of the project's agent; none when it has none.
    pub budget: Option<Value>,
}

/// Claims a run for a minute: of the next account after `after` that has due runs and is not in `passed_over`, the run
/// that has been due longest. Returns none when there is no such run. It goes from account to account as
/// `reads_on_ready::take` does.
pub async fn take(conn: &mut PgConnection, after: Uuid, passed_over: &[AccountId]) -> sqlx::Result<Option<TakenRun>> {
    let row = sqlx::query!(
        r#"WITH RECURSIVE payer AS (
               SELECT (
                   SELECT payer_account_id FROM project_runs
                   WHERE payer_account_id > $1 AND due_at <= mws_now() ORDER BY payer_account_id LIMIT 1
               ) AS id
               UNION ALL
               SELECT (
                   SELECT payer_account_id FROM project_runs
                   WHERE payer_account_id > payer.id AND due_at <= mws_now() ORDER BY payer_account_id LIMIT 1
               )
               FROM payer WHERE payer.id IS NOT NULL
           )
           UPDATE project_runs SET due_at = mws_now() + interval '60 seconds', claim_no = claim_no + 1
           WHERE id = (
               SELECT longest.id FROM payer
               CROSS JOIN LATERAL (
                   SELECT due.id FROM project_runs AS due
                   WHERE due.payer_account_id = payer.id AND due.due_at <= mws_now()
                   ORDER BY due.due_at LIMIT 1 FOR UPDATE SKIP LOCKED
               ) AS longest
               WHERE payer.id <> ALL ($2) LIMIT 1
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
        by: CallerIdentity {
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

/// Stores the agent's memory, and when the run is due again; without `due_in` the run ends. Returns whether the claim
/// held.
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

/// Makes a run due after `wait`; `counted` when its step could not be done. Returns whether the claim held.
pub async fn delay(conn: &mut PgConnection, claim: RunClaim, wait: Duration, counted: bool) -> sqlx::Result<bool> {
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

/// Makes a run that waits due now, if its claim is still this one.
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

/// Ends the project's run, if one has not ended: its holder's writes have no effect any more. Returns the agent's
/// memory; none when there was no such run. Call it once the project is locked.
pub async fn stop(conn: &mut PgConnection, project: ProjectId) -> sqlx::Result<Option<Value>> {
    sqlx::query_scalar!(
        "UPDATE project_runs SET due_at = NULL WHERE project_id = $1 AND due_at IS NOT NULL RETURNING memory",
        project as ProjectId,
    )
    .fetch_optional(conn)
    .await
}
