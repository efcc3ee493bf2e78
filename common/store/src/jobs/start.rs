//! Dispatch's inserts: the call, its jobs, their holds and their tickets.

use crate::audit::Entry;
use crate::tickets::{Columns, Ticket};
use chrono::NaiveDate;
use domain::ids::{AccountId, ItemId, JobId, RequestId, WorkspaceId};
use domain::plan::Start;
use domain::read::Read;
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

/// Inserts a call and its jobs, and with them their hold, its entries in the journal and their tickets, in one
/// statement. `tickets` has the order of `starts`: one for each admitted job, none for the others.
///
/// Returns whether the balance sufficed for the hold. Under the account's lock it always does, for what was decided by
/// the balance that [`crate::minutes::fold`] returned there; where it does not, the caller has to take all of it back.
pub async fn insert(
    conn: &mut PgConnection,
    call: &Call,
    owners: Owners,
    month: NaiveDate,
    starts: &[Start],
    tickets: &[Option<Ticket>],
) -> sqlx::Result<bool> {
    let ids: Vec<Option<&str>> = tickets.iter().map(|one| one.as_ref().map(|ticket| ticket.id.as_str())).collect();
    let pushed = Columns::of(tickets.iter().flatten())?;
    sqlx::query_file_scalar!(
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
        &column(starts, |start| start.candidate.job) as &[JobId],
        &column(starts, |start| start.candidate.item) as &[Option<ItemId>],
        &column(starts, |start| start.candidate.task.kind().name()) as &[&str],
        &column(starts, |start| start.candidate.task.read().map(Read::name)) as &[Option<&str>],
        &column(starts, |start| start.admitted),
        &column(starts, |start| start.held_month.hundredths()),
        &column(starts, |start| start.held_bought.hundredths()),
        &ids as &[Option<&str>],
        &column(starts, |start| start.held_credits.hundredths()),
        &pushed.ids as &[&str],
        &pushed.queues as &[&str],
        &pushed.subjects,
        &pushed.seconds,
        call.rerun.as_ref().map(|rerun| rerun.of.uuid())
    )
    .fetch_one(conn)
    .await
}

fn column<T>(starts: &[Start], part: impl Fn(&Start) -> T) -> Vec<T> {
    starts.iter().map(part).collect()
}
