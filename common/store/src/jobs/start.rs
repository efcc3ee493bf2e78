//! Dispatch's inserts: the call, its jobs and their holds.

use crate::audit::Entry;
use chrono::NaiveDate;
use domain::ids::{AccountId, ItemId, JobId, RequestId, WorkspaceId};
use domain::plan::Start;
use sqlx::PgConnection;

/// The call that several jobs share.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its row's id.
    pub id: RequestId,
    /// The tool that was called.
    pub tool: &'static str,
    /// The request's id, as the client knows it.
    pub request_id: String,
    /// The sentence that the call gave as context, at most 600 characters; none without one.
    pub context: Option<String>,
    /// The trace that it belongs to; none when there is none.
    pub traceparent: Option<String>,
    /// Which job an operator runs again by it; none for a call of somebody's own.
    pub rerun: Option<Box<Rerun>>,
}

/// A job that an operator runs again.
#[derive(Debug, Clone)]
pub struct Rerun {
    /// The job.
    pub of: JobId,
    /// The row of the operators' audit log that is to be written with the jobs that start, and gets their ids as
    /// `job_ids` of `after`; none where whoever dispatches the call writes one.
    pub entry: Option<Entry>,
}

/// The account that pays for a call's jobs, the workspace that they act in, and the account that owns it.
#[derive(Debug, Clone, Copy)]
pub struct Owners {
    /// The credential's account, which pays.
    pub payer: AccountId,
    /// The workspace's account, which gets the events.
    pub owner: AccountId,
    /// The workspace that they act in.
    pub workspace: WorkspaceId,
}

/// Inserts a call, its jobs and the journal entries of their holds, in one statement. `tickets` has the order of
/// `starts`: the id of its ticket for each admitted job, none for the others.
pub async fn insert(
    conn: &mut PgConnection,
    call: &Call,
    owners: Owners,
    month: NaiveDate,
    starts: &[Start],
    tickets: &[Option<String>],
) -> sqlx::Result<()> {
    sqlx::query_file!(
        "src/jobs/insert.sql",
        call.id.uuid(),
        owners.payer.uuid(),
        owners.workspace.uuid(),
        call.tool,
        call.request_id,
        call.context,
        call.traceparent,
        owners.owner.uuid(),
        month,
        &starts.iter().map(|start| start.candidate.job.uuid()).collect::<Vec<_>>(),
        &starts.iter().map(|start| start.candidate.item.map(ItemId::uuid)).collect::<Vec<_>>()
            as &[Option<uuid::Uuid>],
        &starts.iter().map(|start| start.candidate.task.kind().name().to_owned()).collect::<Vec<_>>(),
        &starts.iter().map(|start| start.candidate.task.read().map(|read| read.name().to_owned())).collect::<Vec<_>>()
            as &[Option<String>],
        &starts.iter().map(|start| start.admitted).collect::<Vec<_>>(),
        &starts.iter().map(|start| start.held_month.hundredths()).collect::<Vec<_>>(),
        &starts.iter().map(|start| start.held_bought.hundredths()).collect::<Vec<_>>(),
        tickets as &[Option<String>],
        &starts.iter().map(|start| start.held_credits.hundredths()).collect::<Vec<_>>(),
        call.rerun.as_ref().map(|rerun| rerun.of.uuid())
    )
    .execute(conn)
    .await?;
    Ok(())
}
