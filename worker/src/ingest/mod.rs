//! Ingest: turns an upload or an import into a ready item, or says why it can't (interface.md, "POST /uploads").
//!
//! A ticket names an upload; the claim in our own table decides whether there is anything to do. While an attempt runs its
//! lease is renewed, and a claim that is lost ends the attempt before another can begin one. Every ending is one
//! conditional update that names the claim, so a kill at any moment costs a lease and nothing else. What an attempt does
//! is in `attempt`, what its errors mean in `failure`.

mod attempt;
mod failure;

use crate::readers::MediaTools;
use attempt::Attempt;
#[cfg(test)]
pub(crate) use attempt::length_ms;
use common::domain::job::{LEASE, MAX_LOSSES, Next, RENEWAL, after_failure};
use common::ids::UploadId;
use common::media::media_prefix;
use common::own_fault;
use common::process::Process;
use common::queue::{self, Queue, Subject, Subscription, Ticket, Work};
use common::store::uploads::{self, Claim, Facts, Finished};
use failure::Failure;
pub(crate) use failure::facts;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

/// Uploads a process is at, most of them waiting for a network.
const SLOTS: usize = 16;
/// Downloads of one account in the whole fleet, so that slow servers of one can't take every slot.
const AN_ACCOUNT: i64 = 8;
/// What is left of the drain for handing back what did not end in it.
const HAND_BACK: Duration = Duration::from_secs(3);

/// The worker of the ingest queue.
#[derive(Clone)]
struct Ingest {
    process: Process,
    tools: Arc<MediaTools>,
    /// One decoder a core, however many uploads there are.
    probes: Arc<Semaphore>,
}

/// The subscription of a process that can decode.
pub fn subscription(process: &Process, tools: &Arc<MediaTools>) -> Subscription {
    let probes = Arc::new(Semaphore::new(process.settings.read_slots()));
    let ingest = Ingest { process: process.clone(), tools: Arc::clone(tools), probes };
    let handler = Arc::new(move |subject| {
        let ingest = ingest.clone();
        async move { ingest.handle(subject).await }.boxed()
    });
    Subscription { queues: vec![Queue::Ingest], concurrency: SLOTS, work: Work::Long, handler }
}

/// How an attempt ended.
enum Ended {
    /// The item can be ready.
    Ready(Facts),
    /// It can't, or not now.
    Failed(Failure),
    /// The claim is gone: nothing may be written.
    Lost,
    /// The process stops.
    Stopping,
}

impl Ingest {
    async fn handle(&self, subject: Subject) {
        let Subject::Upload(upload) = subject else { return };
        if let Err(error) = self.work(upload).await {
            tracing::warn!(
                upload.id = %upload, error = %error,
                "An upload's state could not be written; it is tried again when its lease has run out."
            );
        }
    }

    async fn work(&self, upload: UploadId) -> sqlx::Result<()> {
        let mut conn = self.process.pool.acquire().await?;
        let Some(claim) = uploads::claim(&mut conn, upload, AN_ACCOUNT).await? else {
            return uploads::postpone(&mut conn, upload).await;
        };
        drop(conn);
        if claim.losses >= MAX_LOSSES {
            return self.end(&claim, Ended::Failed(Failure::worker_lost())).await;
        }
        let ended = self.run(&claim).await;
        self.end(&claim, ended).await
    }

    /// Runs one attempt for as long as the claim is held and the process may work. What is dropped half-way leaves no
    /// child process and no object.
    async fn run(&self, claim: &Claim) -> Ended {
        let attempt = Attempt { process: &self.process, tools: &self.tools, probes: &self.probes, claim };
        tokio::select! {
            biased;
            () = self.lost(claim) => Ended::Lost,
            ended = AssertUnwindSafe(attempt.run()).catch_unwind() => match ended {
                Ok(Ok(facts)) => Ended::Ready(facts),
                Ok(Err(failure)) => Ended::Failed(failure),
                Err(_) => Ended::Failed(Failure::panicked()),
            },
            () = self.drained() => Ended::Stopping,
        }
    }

    /// Renews the lease; ends when it is lost, or may be by the time another could claim.
    async fn lost(&self, claim: &Claim) {
        let mut held_since = Instant::now();
        loop {
            sleep(RENEWAL).await;
            let asked = Instant::now();
            match timeout(RENEWAL / 2, self.renew(claim)).await {
                Ok(Ok(true)) => held_since = asked,
                // The database is away: go on for as long as nobody else can have claimed.
                Ok(Err(_)) | Err(_) if held_since.elapsed() + RENEWAL + RENEWAL / 2 < LEASE => {}
                Ok(Ok(false) | Err(_)) | Err(_) => return,
            }
        }
    }

    async fn renew(&self, claim: &Claim) -> sqlx::Result<bool> {
        let mut conn = self.process.pool.acquire().await?;
        uploads::renew(&mut conn, claim).await
    }

    /// Ends shortly before a stopping process gives up on its handlers.
    async fn drained(&self) {
        self.process.shutdown.cancelled().await;
        sleep(Duration::from_secs(self.process.settings.drain_seconds).saturating_sub(HAND_BACK)).await;
    }

    async fn end(&self, claim: &Claim, ended: Ended) -> sqlx::Result<()> {
        match ended {
            Ended::Ready(facts) => self.finish(claim, &facts).await,
            Ended::Failed(failure) => self.fail(claim, failure).await,
            Ended::Stopping => self.hand_back(claim).await,
            Ended::Lost => {
                tracing::info!(upload.id = %claim.id, claim_no = claim.claim_no, "An upload was given up: its claim is gone.");
                Ok(())
            }
        }
    }

    async fn finish(&self, claim: &Claim, facts: &Facts) -> sqlx::Result<()> {
        let mut conn = self.process.pool.acquire().await?;
        let kept = uploads::finish(&mut conn, claim, facts).await?;
        drop(conn);
        let Some(kept) = kept else {
            self.drop_picture(facts).await;
            return Ok(());
        };
        tracing::info!(upload.id = %claim.id, item.id = %claim.item_id, "An item is ready.");
        if let Err(error) = self.process.media.delete_others(&media_prefix(claim.item_id), &kept).await {
            tracing::warn!(item.id = %claim.item_id, error = %error, "Bytes that were sent in vain stay until the item goes.");
        }
        Ok(())
    }

    /// Drops the picture of an attempt whose claim was lost: nobody knows of it.
    async fn drop_picture(&self, facts: &Facts) {
        let Some(key) = &facts.thumbnail_key else { return };
        if let Err(error) = self.process.media.delete(key).await {
            tracing::warn!(error = %error, "A picture that was made in vain stays until its item goes.");
        }
    }

    async fn fail(&self, claim: &Claim, failure: Failure) -> sqlx::Result<()> {
        let Failure { code, message, retryable, ours } = failure;
        // What was claimed and did not fail was handed back or lost.
        if ours && let Some(wait) = own_fault::wait(claim.claim_no - 1 - i32::from(claim.failures)) {
            return self.put_back(claim, wait, &message).await;
        }
        let mut conn = self.process.pool.acquire().await?;
        if let Next::Again(wait) = after_failure(claim.failures, retryable) {
            let seconds = i32::try_from(wait.as_secs()).unwrap_or(i32::MAX);
            uploads::retry(&mut conn, claim, seconds, code, &message).await?;
            tracing::info!(upload.id = %claim.id, error.code = code, wait_seconds = seconds, "An upload is tried again: {message}.");
            return Ok(());
        }
        if uploads::fail(&mut conn, claim, code, &message).await? == Finished::Lost {
            return Ok(());
        }
        drop(conn);
        tracing::info!(upload.id = %claim.id, item.id = %claim.item_id, error.code = code, "An item failed: {message}.");
        if let Err(error) = self.process.media.delete_all(&media_prefix(claim.item_id)).await {
            tracing::warn!(item.id = %claim.item_id, error = %error, "A failed item's bytes stay until the item goes.");
        }
        Ok(())
    }

    /// The upload waits, uncounted: it was this machine that lacked something. The scheduler gives it its next ticket.
    async fn put_back(&self, claim: &Claim, wait: Duration, why: &str) -> sqlx::Result<()> {
        let seconds = i32::try_from(wait.as_secs()).unwrap_or(i32::MAX);
        let mut conn = self.process.pool.acquire().await?;
        uploads::put_back(&mut conn, claim, seconds).await?;
        tracing::warn!(upload.id = %claim.id, wait_seconds = seconds, "An upload is put back, uncounted: {why}.");
        Ok(())
    }

    /// Transaction "hand back": the upload waits again, uncounted, with a new ticket.
    async fn hand_back(&self, claim: &Claim) -> sqlx::Result<()> {
        let ticket = Ticket::new(Queue::Ingest, Subject::Upload(claim.id));
        let mut tx = self.process.pool.begin().await?;
        if uploads::hand_back(&mut tx, claim, &ticket.id).await? == Finished::Lost {
            return Ok(());
        }
        queue::push(&mut tx, &[ticket]).await?;
        tx.commit().await?;
        self.process.wakes.queues([Queue::Ingest]);
        Ok(())
    }
}
