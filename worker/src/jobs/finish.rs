//! The finish use case: a batch of ended claims, their results, charges, events, deliveries and tickets in one
//! transaction.
//!
//! This process sends the webhooks of an end at once, where it has room: their deliveries begin claimed by it. Those
//! for which it has none have tickets, for others or for later. Ends that come while a batch commits go into the next
//! one. The ends of a batch that fails are tried again one by one, side by side, so that an end that Postgres refuses
//! can't hold back the others; `ends` says how often. An end that takes long, or that may wait for people who edit a
//! document, is in no batch.

use crate::batch::Batcher;
use crate::deliver::Deliverer;
use crate::jobs::held_connection::HeldConnection;
use domain::job::JobStatus;
use futures_util::FutureExt;
use runtime::ending::{self, AfterCommit, Fronts, Product};
use runtime::process::Process;
use sqlx::{Acquire, PgConnection};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use store::events::OwnAttempts;
use store::jobs::{self, End};
use store::{PoolSize, is_refused_for_good};
use tokio::time::Instant;

/// Ends in one transaction, at most.
const MOST: usize = 128;
/// Rows beyond which an end is written alone: they are some two hundred milliseconds of the database's work.
const LONG: usize = 500;

/// The end of one claim, with what it made.
#[derive(Debug, Clone)]
pub struct Finish {
    /// How the claim ended.
    pub end: End,
    /// The products to keep if the job succeeded.
    pub made: Vec<Product>,
}

impl Finish {
    /// Whether it may take long: it has more than `LONG` rows (a day of talk has thousands of passages, which take
    /// seconds to write), or changes what people may hold.
    pub fn is_long(&self) -> bool {
        self.made.iter().any(Product::may_wait) || self.made.iter().map(Product::rows).sum::<usize>() > LONG
    }
}

/// What came of writing an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// It is committed.
    Done,
    /// The claim was no longer this process's; nothing was written.
    NotOurs,
    /// It could not be written now, and is tried again, alone.
    Failed,
    /// The database refuses this end, or this program fails at it.
    Refused,
}

/// Writes the ends of a process's claims.
pub struct Finisher {
    process: Process,
    deliverer: Deliverer,
    fronts: Fronts,
}

impl Finisher {
    /// Returns a finisher for this process, which sends first attempts with `deliverer`.
    pub fn new(process: Process, deliverer: Deliverer) -> Self {
        Self { process, deliverer, fronts: Fronts::default() }
    }

    /// Returns a batcher of ends. It has a connection of its own, which plans their statements once.
    pub fn batches(self: Arc<Self>) -> Batcher<Finish, Finished> {
        let kept =
            Arc::new(HeldConnection::new(store::generic_plan_pool_for_transactions(&self.process.pool, PoolSize(1))));
        Batcher::new(MOST, move |batch: Vec<Finish>| {
            let (this, kept) = (Arc::clone(&self), Arc::clone(&kept));
            async move {
                let finishing = async {
                    let mut conn = kept.lend().await?;
                    let finished = this.finish(&mut conn, &batch).await?;
                    kept.keep(conn);
                    Ok(finished)
                };
                match finishing.await {
                    Ok(finished) => finished,
                    Err(error) if batch.len() == 1 => vec![not_written(&batch[0], &error)],
                    Err(error) => {
                        let ends = batch.len();
                        tracing::warn!(error = %error, ends, "Ends of jobs were not written; each is tried alone.");
                        vec![Finished::Failed; batch.len()]
                    }
                }
            }
        })
    }

    /// Writes one end in a transaction of its own, which holds up no batch.
    pub async fn alone(&self, one: &Finish) -> Finished {
        let writing = async { if one.is_long() { self.finish_long(one).await } else { self.finish_one(one).await } };
        match AssertUnwindSafe(writing).catch_unwind().await {
            Ok(Ok(finished)) => finished,
            Ok(Err(error)) => not_written(one, &error),
            Err(_) => Finished::Refused,
        }
    }

    async fn finish_one(&self, one: &Finish) -> sqlx::Result<Finished> {
        let conn = &mut *self.process.pool.acquire().await?;
        let finished = self.finish(conn, std::slice::from_ref(one)).await?;
        Ok(finished.first().copied().unwrap_or(Finished::Failed))
    }

    /// Writes an end that may take seconds: what takes them is done before the job's row is locked, so that the renewal
    /// of leases, which is one for all jobs, never waits for it. If the job did not succeed after all, that is rolled
    /// back.
    async fn finish_long(&self, one: &Finish) -> sqlx::Result<Finished> {
        let mut tx = self.process.pool.begin().await?;
        ending::prepare(&mut tx, &one.made).await?;
        let ended = jobs::end(&mut tx, std::slice::from_ref(&one.end)).await?;
        let Some(job) = ended.first() else { return Ok(Finished::NotOurs) };
        let without_rows: Vec<Product> = one.made.iter().cloned().map(Product::without_rows).collect();
        if job.status != JobStatus::Succeeded {
            tx.rollback().await?;
            return self.finish_one(&Finish { end: one.end.clone(), made: without_rows }).await;
        }
        let told = &self.process.settings.event_kinds;
        let after_commit = ending::end_jobs(&mut tx, &ended, &without_rows, told).await?;
        tx.commit().await?;
        self.after(after_commit);
        Ok(Finished::Done)
    }

    async fn finish(&self, conn: &mut PgConnection, batch: &[Finish]) -> sqlx::Result<Vec<Finished>> {
        // Two claims of one job may end in one batch: only the newer one can still be valid.
        let stale = |end: &End| batch.iter().any(|one| one.end.job == end.job && one.end.claim_no > end.claim_no);
        let live: Vec<&Finish> = batch.iter().filter(|one| !stale(&one.end)).collect();
        let ends: Vec<End> = live.iter().map(|one| one.end.clone()).collect();
        let made: Vec<Product> = live.iter().flat_map(|one| one.made.clone()).collect();
        let told = &self.process.settings.event_kinds;
        let (since, mut firsts) = (Instant::now(), self.deliverer.own_firsts());
        let mut tx = conn.begin().await?;
        let ended = jobs::end(&mut tx, &ends).await?;
        let takes = &mut |endpoint| firsts.take(endpoint);
        let own = OwnAttempts { worker: &self.process.name, lease_ms: self.deliverer.lease_ms(), takes };
        let mut after_commit = ending::end_batch(&mut tx, &ended, &made, told, &self.fronts, own).await?;
        tx.commit().await?;
        firsts.send(after_commit.take_claimed(), since);
        self.after(after_commit);
        let ours = |end: &End| !stale(end) && ended.iter().any(|job| job.job == end.job);
        Ok(batch.iter().map(|one| if ours(&one.end) { Finished::Done } else { Finished::NotOurs }).collect())
    }

    /// Does what follows the commit of an end.
    fn after(&self, mut after_commit: AfterCommit) {
        after_commit.offer_first_attempts(|delivery| self.deliverer.try_send_now(delivery));
        // Not awaited: it may wait for an account's lock, and the next batch of ends must not.
        let process = self.process.clone();
        tokio::spawn(async move { after_commit.run(&process.pool, &process.wakes).await });
    }
}

fn not_written(one: &Finish, error: &sqlx::Error) -> Finished {
    let refused = is_refused_for_good(error);
    tracing::warn!(job.id = %one.end.job, error = %error, refused, "A job's end was not written; trying again.");
    if refused { Finished::Refused } else { Finished::Failed }
}
