//! Gives due uploads without a ticket a new one: retries whose wait is over, and uploads whose worker died.
//!
//! It does for uploads what `reissue_jobs` does for jobs. Two schedulers may run it at once: rows are locked with `SKIP
//! LOCKED`, and the new ticket is stored in the same transaction, so a backlog never multiplies its tickets. Each
//! ticket is dated back by how many uploads its account has in line before it, so that accounts take turns.

use domain::ids::UploadId;
use runtime::process::Process;
use runtime::queue::{self, Ticket};
use sqlx::PgConnection;
use std::collections::HashMap;
use store::uploads::{self, DueUpload};

/// Uploads per transaction.
const BATCH: i64 = 200;

/// Use case "reissue uploads". Returns how many uploads got a ticket.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut reissue = process.pool.begin().await?;
    let due = uploads::lock_due(&mut reissue, BATCH).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let tickets = in_turns(&mut reissue, &due).await?;
    let due: Vec<UploadId> = due.iter().map(|upload| upload.id).collect();
    let ids: Vec<String> = tickets.iter().map(|ticket| ticket.id.clone()).collect();
    uploads::assign_tickets(&mut reissue, &due, &ids).await?;
    queue::push(&mut reissue, &tickets).await?;
    reissue.commit().await?;
    process.wakes.tickets(&tickets);
    Ok(due.len() as u64)
}

/// Returns a ticket for each of these uploads, in their order.
async fn in_turns(conn: &mut PgConnection, due: &[DueUpload]) -> sqlx::Result<Vec<Ticket>> {
    let mut lines: Vec<_> = due.iter().map(|upload| (upload.account, upload.stage)).collect();
    lines.sort_unstable();
    lines.dedup();
    let in_line = uploads::all_in_line(conn, &lines).await?;
    let mut in_line: HashMap<_, _> = lines.into_iter().zip(in_line).collect();
    let ticket = |upload: &DueUpload| {
        let others = in_line.entry((upload.account, upload.stage)).or_default();
        let ticket = queue::upload_ticket(upload.id, upload.stage, *others);
        *others += 1;
        ticket
    };
    Ok(due.iter().map(ticket).collect())
}
