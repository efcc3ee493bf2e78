//! Gives admitted, due jobs without a live ticket a new one: those that came due, and those whose ticket was spent by a
//! worker that died before it claimed.

use common::ending::{tickets_for, wakes_of};
use common::process::Process;
use common::queue;
use common::store::jobs;

/// Tickets issued in one transaction.
const SOME: i64 = 500;

/// Reissues once. Answers how many tickets it pushed.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut tx = process.pool.begin().await?;
    let ticketless = jobs::reissue(&mut tx, SOME).await?;
    let tickets = tickets_for(&mut tx, &ticketless).await?;
    queue::push(&mut tx, &tickets).await?;
    tx.commit().await?;
    process.wakes.send(wakes_of(&tickets));
    Ok(tickets.len() as u64)
}
