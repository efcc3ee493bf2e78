//! Cancelling a job of any account: its end, its event and the row of the audit log are one transaction. And who calls
//! when an operator has a job's work done again with another input: a tool's own transaction then has that row too.

use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::auth::{Caller, CallerWorkspace, CredentialKind, Role};
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::JobId;
use runtime::ending;
use serde_json::json;
use store::jobs::{Origin, Rerun};
use store::{accounts, audit, jobs, members};

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

/// Refuses to have the work of a job done again for who paid for it.
///
/// # Errors
/// `illegal_transition` before the job has ended, `account_suspended` while its payer or the owner of its workspace is
/// suspended, and `workspace_forbidden` where nobody of a guest's account may work any more.
pub async fn refuse_rerun(app: &App, origin: &Origin) -> Answer<()> {
    if !origin.status.is_final() {
        let message = "The job has not ended: wait for its end, or cancel it first.";
        return Err(ApiError::new(Code::IllegalTransition, message));
    }
    let mut conn = app.conn().await?;
    for account in [origin.payer, origin.owner] {
        let row = accounts::find(&mut conn, account).await?;
        if row.is_some_and(|row| row.suspended_at.is_some()) {
            let message =
                format!("The account {account} is suspended: nothing is started for it or in its workspaces.");
            return Err(ApiError::new(Code::AccountSuspended, message));
        }
    }
    if members::may_work(&mut conn, origin.workspace, origin.payer).await? {
        return Ok(());
    }
    let (payer, workspace) = (origin.payer, origin.workspace);
    let message =
        format!("{payer} may work in {workspace} no longer, or it was erased: nothing is started there for it.");
    Err(ApiError::new(Code::WorkspaceForbidden, message))
}

/// Returns the caller by whom an operator has the work of a job done again: who paid for it, in its workspace, as an
/// editor. What their calls start is written into the audit log by this entry, in the same transaction.
///
/// # Errors
/// Those of [`refuse_rerun`].
pub async fn on_behalf(
    app: &App,
    operator: &OperatorCaller,
    first: JobId,
    origin: &Origin,
    entry: audit::Entry,
) -> Answer<Caller> {
    refuse_rerun(app, origin).await?;
    Ok(Caller {
        account_id: origin.payer,
        workspace: CallerWorkspace { id: origin.workspace, account_id: origin.owner, role: Role::Editor },
        credential: CredentialKind::ApiKey,
        user_id: None,
        key_id: None,
        allowed_workspaces: None,
        request_id: operator.request_id.clone(),
        traceparent: None,
        address: None,
        rerun: Some(Box::new(Rerun { of: first, entry: Some(entry) })),
    })
}
