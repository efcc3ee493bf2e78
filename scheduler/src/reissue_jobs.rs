//! Gives admitted, due jobs without a live ticket a new one: those whose ticket was lost, or could not be read.
//!
//! A ticket goes with the claim of its job, so that none is missing in the usual course of things. All that are due are
//! looked at by and by: the oldest in each run, since what is lost becomes the oldest, and others from a place of
//! chance.

use runtime::ending::tickets_of;
use runtime::process::Process;
use runtime::queue;
use store::jobs::{self, ScanStart};

/// Tickets issued in one transaction.
const SOME: i64 = 500;
/// How many due jobs are looked at in one run, of the oldest and of others.
const LOOKED_AT: i64 = 500;

/// Reissues once. Returns how many tickets it pushed.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let mut pushed = 0;
    for from in [ScanStart(0.0), ScanStart(rand::random())] {
        let mut tx = process.pool.begin().await?;
        let tickets = tickets_of(&jobs::reissue(&mut tx, from, LOOKED_AT, SOME).await?);
        queue::push(&mut tx, &tickets).await?;
        tx.commit().await?;
        process.wakes.tickets(&tickets);
        pushed += tickets.len() as u64;
    }
    Ok(pushed)
}
