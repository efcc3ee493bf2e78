//! Cancelling a job of any account: its end, its event and the row of the audit log are one transaction.

use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::JobId;
use runtime::ending;
use serde_json::json;
use store::{audit, jobs};

/// Cancels a job that is queued, and asks one that runs to stop.
///
/// # Errors
/// `illegal_transition` if it has ended.
pub async fn cancel_job(app: &App, operator: &OperatorCaller, id: JobId) -> Answer<()> {
    let process = &app.process;
    let mut cancel_job = process.begin().await?;
    let origin = jobs::origin(&mut cancel_job, id).await?.ok_or_else(|| missing(Code::JobNotFound, id))?;
    let stopped = jobs::cancel(&mut cancel_job, &[id], origin.workspace).await?;
    let Some(job) = stopped.first() else {
        let message = format!("The job is {}: it has ended, and stays as it is.", origin.status.name());
        return Err(ApiError::new(Code::IllegalTransition, message));
    };
    let (was, is) = (json!({ "status": origin.status.name() }), json!({ "status": job.status.name() }));
    let entry = operator.changed("job.cancel", id, Some(was), Some(is));
    let after_commit = ending::end_jobs(&mut cancel_job, &stopped, &[], &process.settings.event_kinds).await?;
    audit::record(&mut cancel_job, &entry).await?;
    cancel_job.commit().await?;
    after_commit.run(&process.pool, &process.wakes).await;
    Ok(())
}
