//! The steps of runs, and the log that shows them. A step is written before its tool is called, and ended after it.

use super::RunClaim;
use chrono::{DateTime, Utc};
use domain::ids::{ProjectId, ProjectRunId, ProjectStepId};
use serde_json::Value;
use sqlx::PgConnection;

/// The next step of a run.
#[derive(Debug, Clone, Copy)]
pub struct NewStep<'a> {
    /// Its number in the run.
    pub number: i32,
    /// The tool that it calls.
    pub tool: &'a str,
    /// The arguments of the call.
    pub arguments: &'a Value,
}

/// Writes the next step of a run, before its tool is called, and keeps the run for another minute. Returns the tool and
/// the arguments of the step: those that were written first, if it was written before. None when the claim is lost or
/// the run has ended.
pub async fn begin_step(
    conn: &mut PgConnection,
    claim: RunClaim,
    step: NewStep<'_>,
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
        step.number,
        step.tool,
        step.arguments,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (row.tool, row.arguments)))
}

/// How a step ended, and a message about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEnd<'a> {
    /// It is done; the message is what a model said, if one did.
    Done(Option<&'a str>),
    /// It was refused, for this reason.
    Refused(&'a str),
}

/// Ends a step. Arguments of more than 8 KiB are not kept.
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

/// A step as the log shows it.
#[derive(Debug)]
pub struct StepRow {
    /// Its id.
    pub id: ProjectStepId,
    /// The run.
    pub run: ProjectRunId,
    /// What the user said to start the run; none when the brief started it.
    pub said: Option<String>,
    /// Its number in the run, from 1.
    pub number: i32,
    /// The tool.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// Its state: `begun`, `done` or `refused`.
    pub status: String,
    /// Why it was refused, or what a model said.
    pub message: Option<String>,
    /// When it was begun.
    pub began_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// Returns up to `limit` steps of a project's runs that follow `after`, the oldest first.
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
