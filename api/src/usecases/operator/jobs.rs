//! Jobs of any account: one is cancelled, or its work is done again for whoever paid. What an operator changes is one
//! transaction with its row of the audit log; with another input that is the transaction of the tool that is called.

use super::missing;
use crate::app::App;
use crate::auth::operator::OperatorCaller;
use crate::auth::{Caller, CallerWorkspace, CredentialKind, Role};
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::dispatch::{DispatchRequest, Dispatched, Prepared, dispatch_noted};
use domain::ids::{ItemId, JobId, RequestId};
use domain::job::JobStatus;
use domain::plan::{Answer as ReadAnswer, Reason};
use domain::read::Read;
use runtime::ending;
use serde_json::json;
use store::jobs::{Call, Origin, Owners, Rerun};
use store::{accounts, audit, jobs, members};

/// The tool that a call is recorded under when an operator runs a read again.
const RERUN_TOOL: &str = "operator_retry";

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

/// Runs the read of a job that failed or was cancelled again, at the expense of its payer. Returns the read and its
/// answer.
///
/// # Errors
/// `illegal_transition` if the job has not ended or has succeeded, `read_not_applicable` if it is not a read, and those
/// of [`refuse_rerun`].
pub async fn run_again(app: &App, operator: &OperatorCaller, first: JobId) -> Answer<(Read, ReadAnswer)> {
    let origin = jobs::origin(&mut *app.conn().await?, first).await?;
    let origin = origin.ok_or_else(|| missing(Code::JobNotFound, first))?;
    if !matches!(origin.status, JobStatus::Failed | JobStatus::Cancelled) {
        let message =
            format!("The job is {}; one that failed or was cancelled can be run again.", origin.status.name());
        return Err(ApiError::new(Code::IllegalTransition, message));
    }
    let (Some(read), Some(item)) = (origin.read, origin.item) else {
        return Err(ApiError::new(Code::ReadNotApplicable, "The job is no read: its own tool starts it again."));
    };
    refuse_rerun(app, &origin).await?;
    let request = rerun_request(first, origin, read, item, operator.request_id.clone());
    let note = |prepared: &Prepared| {
        let started = match prepared.only_answer() {
            Some(ReadAnswer::Queued { job, .. }) => Some(*job),
            Some(ReadAnswer::Ready | ReadAnswer::Startable { .. } | ReadAnswer::Not(_)) | None => None,
        };
        let after = json!({ "job_id": started, "read": read, "item_id": item });
        operator.changed("job.retry", first, None, Some(after))
    };
    match dispatch_noted(&app.process, &request, &note).await? {
        Dispatched::Answered(prepared) => {
            let answer = prepared.only_answer().cloned();
            Ok((read, answer.unwrap_or(ReadAnswer::Not(Reason::ItemNotFound))))
        }
        Dispatched::Replayed(_) | Dispatched::KeyReused | Dispatched::TooSoon(_) => {
            Err(ApiError::internal("a key where none was sent"))
        }
    }
}

/// Returns the call that runs a job's read again for whoever paid for it, in the workspace that it was in.
pub(super) fn rerun_request(
    first: JobId,
    origin: Origin,
    read: Read,
    item: ItemId,
    request_id: String,
) -> DispatchRequest {
    DispatchRequest {
        owners: Owners { payer: origin.payer, owner: origin.owner, workspace: origin.workspace },
        call: Call {
            id: RequestId::mint(),
            tool: RERUN_TOOL,
            request_id,
            context: origin.context,
            traceparent: None,
            rerun: Some(Box::new(Rerun { of: first, entry: None })),
        },
        refs: vec![item.to_string()],
        reads: vec![read],
        key: None,
    }
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
