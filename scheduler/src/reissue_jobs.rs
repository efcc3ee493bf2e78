//! Gives admitted, due jobs without a live ticket a new one: those whose ticket was lost, or could not be read.
//!
//! A ticket is spent in the transaction that claims its job, so none is missing normally. All due jobs are checked in
//! time: each run checks the oldest, since a lost one becomes the oldest, and others from a random place on.

use runtime::ending::tickets_of;
use runtime::process::Process;
use runtime::queue;
use store::jobs::{self, ScanStart};

/// Tickets that are issued in one transaction.
const BATCH: i64 = 500;
/// Due jobs that are checked in one run, of the oldest and of others.
const LOOKED_AT: i64 = 500;

/// Reissues once. Returns how many tickets it pushed.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut pushed = 0;
    for from in [ScanStart(0.0), ScanStart(rand::random())] {
        let mut tx = process.pool.begin().await?;
        let tickets = tickets_of(&jobs::reissue(&mut tx, from, LOOKED_AT, BATCH).await?);
        queue::push(&mut tx, &tickets).await?;
        tx.commit().await?;
        process.wakes.tickets(&tickets);
        pushed += tickets.len() as u64;
    }
    Ok(pushed)
}
