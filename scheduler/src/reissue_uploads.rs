//! Gives due uploads without a ticket a new one: retries whose wait is over, and uploads whose worker died.
//!
//! It does for uploads what `reissue_jobs` does for jobs. Two schedulers may run it at once: rows are locked with `SKIP
//! LOCKED`, and the new ticket is stored in the same transaction, so a backlog never multiplies its tickets.

use domain::ids::UploadId;
use runtime::process::Process;
use runtime::queue::{self, Queue, Subject, Ticket};
use store::uploads::{self, Stage};

/// Uploads per transaction.
const BATCH: i64 = 200;

/// Use case "reissue uploads". Returns how many uploads got a ticket.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut reissue = process.pool.begin().await?;
    let due = uploads::lock_due(&mut reissue, BATCH).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let queue = |stage| if stage == Stage::Fetch { Queue::Fetch } else { Queue::Ingest };
    let tickets: Vec<Ticket> =
        due.iter().map(|(upload, stage)| Ticket::new(queue(*stage), Subject::Upload(*upload))).collect();
    let due: Vec<UploadId> = due.iter().map(|(upload, _)| *upload).collect();
    let ids: Vec<String> = tickets.iter().map(|ticket| ticket.id.clone()).collect();
    uploads::assign_tickets(&mut reissue, &due, &ids).await?;
    queue::push(&mut reissue, &tickets).await?;
    reissue.commit().await?;
    process.wakes.tickets(&tickets);
    Ok(due.len() as u64)
}
