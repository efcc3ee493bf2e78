//! Gives projects' webhooks that are not sent yet a new ticket when they have none: those beyond a cap, and those whose
//! ticket was lost. A webhook that was marked as sent is never among them.

use domain::ids::ProjectWebhookId;
use runtime::process::Process;
use runtime::queue::{self, Queue, Subject, Ticket};
use store::project_webhooks;

/// Tickets per transaction.
const BATCH: i64 = 1_000;

/// Reissues once. Returns how many tickets it pushed.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut reissue = process.pool.begin().await?;
    let due = project_webhooks::lock_due(&mut reissue, BATCH).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let ticket = |webhook: &ProjectWebhookId| Ticket::new(Queue::Project, Subject::ProjectWebhook(*webhook));
    let tickets: Vec<Ticket> = due.iter().map(ticket).collect();
    let ids: Vec<String> = tickets.iter().map(|ticket| ticket.id.clone()).collect();
    project_webhooks::set_tickets(&mut reissue, &due, &ids).await?;
    queue::push(&mut reissue, &tickets).await?;
    reissue.commit().await?;
    process.wakes.queues([Queue::Project]);
    Ok(due.len() as u64)
}
