//! Stopping jobs. Their ends, events and deliveries are written in one transaction.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::Answer;
use crate::http::rate::pace;
use domain::ids::JobId;
use domain::job::Job;
use runtime::ending::{self, AfterCommit};
use sqlx::PgConnection;
use store::jobs::{self, EndedJob};

/// The outcome of a call that stops jobs.
#[derive(Debug)]
pub struct Cancelled {
    /// The jobs that were cancelled, or asked to stop by this call.
    pub stopped: Vec<EndedJob>,
    /// All of the named jobs that exist, as they are now.
    pub found: Vec<Job>,
}

/// Cancels those of these jobs that are queued in the caller's workspace, and asks running ones to stop.
pub async fn cancel_jobs(app: &App, caller: &Caller, asked: &[JobId]) -> Answer<Cancelled> {
    let process = &app.process;
    let mut cancel_jobs = process.begin_of(caller.account_id).await?;
    let (stopped, after_commit) = stop_jobs(app, &mut cancel_jobs, caller, asked).await?;
    let found = jobs::by_ids(&mut cancel_jobs, asked, Some(caller.workspace.id)).await?;
    cancel_jobs.commit().await?;
    after_commit.run(&process.pool, &process.wakes).await;
    Ok(Cancelled { stopped, found })
}

/// As [`cancel_jobs`], in the caller's transaction.
pub(super) async fn stop_jobs(
    app: &App,
    conn: &mut PgConnection,
    caller: &Caller,
    asked: &[JobId],
) -> Answer<(Vec<EndedJob>, AfterCommit)> {
    let settings = &app.process.settings;
    let stopped = jobs::cancel_unasked(conn, asked, caller.workspace.id, caller.account_id).await?;
    let (pace, told) = (pace(settings), &settings.event_kinds);
    let after_commit = ending::end_stopped_jobs(conn, &stopped, caller.account_id, pace, told).await?;
    Ok((stopped, after_commit))
}
