//! Gives admitted, due jobs without a live ticket a new one: those that came due, and those that could not be claimed
//! when their ticket was spent.

use common::ending::{tickets_of, wakes_of};
use common::process::Process;
use common::queue;
use common::store::jobs;

/// Tickets issued in one transaction.
const SOME: i64 = 500;

/// Reissues once. Answers how many tickets it pushed.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut tx = process.pool.begin().await?;
    let tickets = tickets_of(&jobs::reissue(&mut tx, SOME).await?);
    queue::push(&mut tx, &tickets).await?;
    tx.commit().await?;
    process.wakes.send(wakes_of(&tickets));
    Ok(tickets.len() as u64)
}
