//! Dispatch's inserts: the call, its jobs and their holds.

use chrono::NaiveDate;
use domain::ids::{AccountId, ItemId, RequestId, WorkspaceId};
use domain::plan::Start;
use sqlx::PgConnection;

/// What the jobs of one call share.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its row's id.
    pub id: RequestId,
    /// The tool that was called.
    pub tool: &'static str,
    /// The id the client knows the request by.
    pub request_id: String,
    /// The sentence given with it, at most 600 characters.
    pub context: Option<String>,
    /// The trace it belongs to.
    pub traceparent: Option<String>,
}

/// Who pays for a call's jobs, and in whose workspace they act.
#[derive(Debug, Clone, Copy)]
pub struct Owners {
    /// Pays: the credential's account.
    pub payer: AccountId,
    /// Gets the events: the workspace's account.
    pub owner: AccountId,
    /// Where they act.
    pub workspace: WorkspaceId,
}

/// Inserts a call, its jobs and the journal entries of their holds, in one statement. `tickets` are the ids of the
/// tickets of the admitted ones, in the order of `starts`, and empty for the others.
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
        &starts.iter().map(|start| start.held_credits.hundredths()).collect::<Vec<_>>()
    )
    .execute(conn)
    .await?;
    Ok(())
}
