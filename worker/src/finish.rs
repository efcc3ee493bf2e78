//! The finish use case: a batch of ended claims, their results, charges, events, deliveries and tickets in one
//! transaction.
//!
//! The webhooks that an end leads to are sent by this process at once, where it has room: their tickets are for others, or for
//! later. Ends that come while a batch commits go into the next one. A batch that fails is tried again one by one, so that an end
//! that Postgres refuses can't hold back the others.

use crate::batch::Batcher;
use crate::deliver::Deliverer;
use common::ending::{self, Product};
use common::process::Process;
use common::store::jobs::{self, End};

/// Ends in one transaction, at most.
const MOST: usize = 64;

/// The end of one claim, with what it made.
#[derive(Debug, Clone)]
pub struct Finish {
    /// What it came to.
    pub end: End,
    /// What to keep if it succeeds.
    pub made: Vec<Product>,
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
pub fn finisher(process: Process, deliverer: Deliverer) -> Batcher<Finish, Finished> {
    Batcher::new(MOST, move |batch: Vec<Finish>| {
        let (process, deliverer) = (process.clone(), deliverer.clone());
        async move { finish_all(&process, &deliverer, &batch).await }
    })
}

async fn finish_all(process: &Process, deliverer: &Deliverer, batch: &[Finish]) -> Vec<Finished> {
    match finish(process, deliverer, batch).await {
        Ok(finished) => finished,
        Err(error) if batch.len() == 1 => {
            tracing::warn!(job.id = %batch[0].end.job, error = %error, "A job's end was not written; trying again.");
            vec![Finished::Failed]
        }
        Err(_) => {
            let mut finished = Vec::with_capacity(batch.len());
            for one in batch.chunks(1) {
                finished.extend(Box::pin(finish_all(process, deliverer, one)).await);
            }
            finished
        }
    }
}

async fn finish(process: &Process, deliverer: &Deliverer, batch: &[Finish]) -> sqlx::Result<Vec<Finished>> {
    // Two claims of one job may end in one batch: only the newer one can still be ours.
    let stale = |end: &End| batch.iter().any(|one| one.end.job == end.job && one.end.claim_no > end.claim_no);
    let live: Vec<&Finish> = batch.iter().filter(|one| !stale(&one.end)).collect();
    let ends: Vec<End> = live.iter().map(|one| one.end.clone()).collect();
    let made: Vec<Product> = live.iter().flat_map(|one| one.made.clone()).collect();
    let mut tx = process.pool.begin().await?;
    let ended = jobs::end(&mut tx, &ends).await?;
    let mut aftermath = ending::conclude(&mut tx, &ended, &made).await?;
    tx.commit().await?;
    aftermath.hand_over(|delivery| deliverer.sends_at_once(delivery));
    // Not awaited: it may wait for an account's lock, and the next batch of ends must not.
    let process = process.clone();
    tokio::spawn(async move { aftermath.settle_down(&process.pool, &process.wakes).await });
    let ours = |end: &End| !stale(end) && ended.iter().any(|job| job.job == end.job);
    Ok(batch.iter().map(|one| if ours(&one.end) { Finished::Done } else { Finished::NotOurs }).collect())
}
