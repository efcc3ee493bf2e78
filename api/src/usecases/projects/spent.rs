//! What the jobs that a project's agent started were charged, where its run was stopped before it heard that.

use crate::http::error::Answer;
use domain::agent::Planner;
use domain::credits::Credits;
use domain::ids::{JobId, WorkspaceId};
use domain::job::Job;
use domain::minutes::Minutes;
use sqlx::PgConnection;
use store::jobs;

/// Returns the jobs that a planner started and waits for.
pub(super) fn own_jobs(planner: &Planner) -> Vec<JobId> {
    planner.own_jobs().into_iter().filter_map(|job| job.parse().ok()).collect()
}

/// Tells a planner what those of its own jobs that have ended were charged.
pub(super) async fn settle(conn: &mut PgConnection, workspace: WorkspaceId, planner: &mut Planner) -> Answer<()> {
    let own = own_jobs(planner);
    if own.is_empty() {
        return Ok(());
    }
    let found = jobs::by_ids(conn, &own, Some(workspace)).await?;
    planner.settle(&|id| found.iter().find(|job| job.id.to_string() == id).and_then(charged));
    Ok(())
}

/// Returns what a job was charged; none until it has ended.
fn charged(job: &Job) -> Option<(Minutes, Credits)> {
    Some((job.cloud_minutes?, job.credits.unwrap_or(Credits::ZERO)))
}
