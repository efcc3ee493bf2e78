//! The finish use case: a batch of ended claims, their results, charges, events, deliveries and tickets in one
//! transaction.
//!
//! Ends that come while a batch commits go into the next one. A batch that fails is tried again one by one, so that an end
//! that Postgres refuses can't hold back the others.

use crate::batch::Batcher;
use common::ending;
use common::process::Process;
use common::store::jobs::{self, End};
use common::store::reads::NewRead;

/// Ends in one transaction, at most.
const MOST: usize = 64;

/// The end of one claim, with what it made.
#[derive(Debug, Clone)]
pub struct Finish {
    /// What it came to.
    pub end: End,
    /// Results to store if it succeeds.
    pub reads: Vec<NewRead>,
}

/// What became of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// It is committed.
    Done,
    /// The claim was no longer ours; nothing was written.
    NotOurs,
    /// It could not be written now.
    Failed,
}

/// Gathers ends into batches.
pub fn finisher(process: Process) -> Batcher<Finish, Finished> {
    Batcher::new(MOST, move |batch: Vec<Finish>| {
        let process = process.clone();
        async move { finish_all(&process, &batch).await }
    })
}

async fn finish_all(process: &Process, batch: &[Finish]) -> Vec<Finished> {
    match finish(process, batch).await {
        Ok(finished) => finished,
        Err(error) if batch.len() == 1 => {
            tracing::warn!(job.id = %batch[0].end.job, error = %error, "A job's end was not written; trying again.");
            vec![Finished::Failed]
        }
        Err(_) => {
            let mut finished = Vec::with_capacity(batch.len());
            for one in batch.chunks(1) {
                finished.extend(Box::pin(finish_all(process, one)).await);
            }
            finished
        }
    }
}

async fn finish(process: &Process, batch: &[Finish]) -> sqlx::Result<Vec<Finished>> {
    let ends: Vec<End> = batch.iter().map(|one| one.end.clone()).collect();
    let reads: Vec<NewRead> = batch.iter().flat_map(|one| one.reads.clone()).collect();
    let mut tx = process.pool.begin().await?;
    let ended = jobs::end(&mut tx, &ends).await?;
    let aftermath = ending::conclude(&mut tx, &ended, &reads).await?;
    tx.commit().await?;
    // Not awaited: it may wait for an account's lock, and the next batch of ends must not.
    let process = process.clone();
    tokio::spawn(async move { aftermath.settle_down(&process.pool, &process.wakes).await });
    let ours = |end: &End| ended.iter().any(|job| job.job == end.job);
    Ok(ends.iter().map(|end| if ours(end) { Finished::Done } else { Finished::NotOurs }).collect())
}
