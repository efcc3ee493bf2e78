//! The life of one claim: claimed in a batch, computed under a lease, ended in a batch.
//!
//! The handler never fails: whatever happens is an outcome in our tables, or, if this process dies, a lease that ends.

use crate::batch::Batcher;
use crate::finish::{Finish, Finished, finisher};
use crate::leases::{Lease, Leases, Stop};
use crate::readers::{JobCtx, KnownSpeech, ReadError, ReadOutcome, StoredRead};
use crate::runner::{Reading, Runner};
use common::domain::footage::Rows;
use common::domain::job::{Next, after_failure};
use common::domain::minutes::Minutes;
use common::domain::read::Read;
use common::ids::{ItemId, JobId};
use common::media;
use common::process::Process;
use common::store::items;
use common::store::jobs::{self, Claimed, ClaimedItem, End, Outcome};
use common::store::reads::{NewRead, ReadBody};
use futures_util::FutureExt;
use serde_json::json;
use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Claims in one statement, at most.
const MOST_CLAIMS: usize = 64;
/// Results up to this size stand in the row, larger ones in the media store.
const INLINE_BYTES: usize = 256 << 10;
/// Stored speech is read up to this size: far more than a day's.
const RESULT_BYTES: u64 = 16 << 20;
/// What every read's deadline has beside its media's duration.
const LEAST_TIME: Duration = Duration::from_mins(1);
/// Between attempts to write an end.
const PAUSE: Duration = Duration::from_secs(1);

/// What the handlers of one process share.
pub struct Worker {
    process: Process,
    runner: Runner,
    leases: Leases,
    claims: Batcher<JobId, Option<Claimed>>,
    finishes: Batcher<Finish, Finished>,
}

impl Worker {
    /// Starts the renewals and the batches.
    pub fn start(process: Process, runner: Runner, drain: Duration) -> Arc<Self> {
        let leases = Leases::start(&process, drain);
        let claims = claimer(process.clone());
        let finishes = finisher(process.clone());
        Arc::new(Self { process, runner, leases, claims, finishes })
    }

    /// How many jobs run here now.
    pub fn busy(&self) -> usize {
        self.leases.count()
    }

    /// Handles a ticket: claims the job it names, unless another has, and takes it to its end.
    pub async fn handle(&self, job: JobId) {
        if self.process.shutdown.is_cancelled() {
            // Unclaimed, the job keeps its place and gets a new ticket.
            return;
        }
        let claimed_at = Instant::now();
        // Without an answer the batch's statement failed and was logged; the job keeps its place and gets a new ticket.
        let Ok(Some(claimed)) = self.claims.call(job).await else { return };
        let lease = self.leases.keep(claimed.job, claimed.claim_no, claimed_at);
        let (outcome, reads, error) = self.attempt(&claimed, &lease).await;
        let Some(outcome) = outcome else {
            tracing::warn!(job.id = %job, "A job's lease was lost while it ran; its result is dropped.");
            return;
        };
        let item = claimed.item.as_ref().map(|item| item.id);
        let end = End { job, claim_no: claimed.claim_no, item, outcome, error };
        self.write(&Finish { end, reads }, &lease).await;
    }

    /// Runs the read. No outcome when the claim is no longer ours.
    async fn attempt(&self, claimed: &Claimed, lease: &Lease) -> (Option<Outcome>, Vec<NewRead>, Option<Why>) {
        let (Some(item), Some(read)) = (&claimed.item, claimed.read) else {
            // Its item was deleted: nothing to compute, and nothing to charge.
            return (Some(Outcome::Cancelled), Vec::new(), None);
        };
        let computed = self.compute(claimed, item, read, lease).await;
        match (computed, lease.stop()) {
            (_, Some(Stop::Lost)) => (None, Vec::new(), None),
            (Ok(outcome), _) => self.succeeded(claimed, item, &outcome).await,
            (Err(_), Some(Stop::Cancelled)) => (Some(Outcome::Cancelled), Vec::new(), None),
            (Err(_), Some(Stop::Draining)) => (Some(Outcome::HandedBack), Vec::new(), None),
            (Err(error), None) => failed(claimed, &error),
        }
    }

    async fn compute(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        read: Read,
        lease: &Lease,
    ) -> Result<ReadOutcome, ReadError> {
        let media_time = Duration::from_millis(u64::try_from(item.duration_ms).unwrap_or_default());
        let time = media_time.mul_f64(self.process.settings.read_timeout_factor.max(0.0)) + LEAST_TIME;
        let mut ctx = JobCtx::new(Instant::now() + time, lease.stopped.clone());
        ctx.progress = lease.progress.clone();
        ctx.files_prefix = media::read_files_prefix(item.id, read, claimed.job, claimed.claim_no);
        if matches!(read, Read::Transcript | Read::Speakers) && !claimed.owns_speech {
            ctx.speech = self.known_speech(item.id).await.map(Arc::new);
        }
        let reading = Reading { read, object_key: item.object_key.clone() };
        let computing = AssertUnwindSafe((self.runner.run)(reading, ctx.clone())).catch_unwind();
        match ctx.bounded(computing).await? {
            Ok(outcome) => outcome,
            Err(_) => Err(ReadError::Crashed),
        }
    }

    /// The end of a read that has a result: stored, and charged for the media actually decoded, never above the hold.
    async fn succeeded(
        &self,
        claimed: &Claimed,
        item: &ClaimedItem,
        outcome: &ReadOutcome,
    ) -> (Option<Outcome>, Vec<NewRead>, Option<Why>) {
        let also = outcome.also.iter().filter(|one| one.kind == Read::Speech && claimed.owns_speech);
        let mut reads = Vec::new();
        for stored in [&outcome.stored].into_iter().chain(also) {
            match self.new_read(claimed, item, stored).await {
                Ok(read) => reads.push(read),
                Err(error) => return failed(claimed, &error),
            }
        }
        for file in &outcome.files {
            if let Err(error) = self.process.media.put(&file.key, file.bytes.clone()).await {
                return failed(claimed, &ReadError::Io(std::io::Error::other(error)));
            }
        }
        let names: Vec<&str> = reads.iter().map(|one| one.read.name()).collect();
        // What is charged for is what is stored.
        let rate: Minutes = reads.iter().map(|one| self.process.settings.rates.of(one.read)).sum();
        let result = json!({ "stored_reads": names });
        (Some(Outcome::Succeeded { charge: rate.price(outcome.duration_ms), result }), reads, None)
    }

    /// The item's speech, when it is stored and can be had; otherwise the reader listens itself.
    async fn known_speech(&self, item: ItemId) -> Option<KnownSpeech> {
        let mut conn = self.process.pool.acquire().await.ok()?;
        let stored = items::stored_read(&mut conn, item, Read::Speech).await.ok()??;
        drop(conn);
        match (stored.result, stored.object_key) {
            (Some(result), _) => KnownSpeech::of(result.as_bytes()),
            (None, Some(key)) => KnownSpeech::of(&self.process.media.get(&key, RESULT_BYTES).await.ok()?),
            (None, None) => None,
        }
    }

    async fn new_read(&self, claimed: &Claimed, item: &ClaimedItem, stored: &StoredRead) -> Result<NewRead, ReadError> {
        let read = stored.kind;
        let rows = Rows::of(read, &stored.data);
        let stored = without_rows(stored);
        let internal = |error: serde_json::Error| ReadError::Internal(error.to_string());
        let bytes = serde_json::to_vec(&*stored).map_err(internal)?;
        let body = if bytes.len() <= INLINE_BYTES {
            ReadBody::Inline(serde_json::from_slice(&bytes).map_err(internal)?)
        } else {
            let key = media::read_key(item.id, read, claimed.job, claimed.claim_no);
            self.process.media.put(&key, bytes.into()).await.map_err(std::io::Error::other)?;
            ReadBody::Object(key)
        };
        let quality = serde_json::to_value(stored.quality).ok().and_then(|word| word.as_str().map(str::to_owned));
        let engine = (stored.engine.name.clone(), stored.engine.version.clone());
        Ok(NewRead { item: item.id, read, job: claimed.job, engine, quality, body, rows })
    }

    /// Writes an end, however often it takes while the claim is ours.
    async fn write(&self, finish: &Finish, lease: &Lease) {
        loop {
            match self.finishes.call(finish.clone()).await {
                Ok(Finished::Done) => return,
                Ok(Finished::NotOurs) => {
                    tracing::warn!(job.id = %finish.end.job, "A job's end came after another claim; it is dropped.");
                    return;
                }
                Ok(Finished::Failed) | Err(_) if lease.stop() == Some(Stop::Lost) => return,
                Ok(Finished::Failed) | Err(_) => sleep(PAUSE).await,
            }
        }
    }
}

/// Code, message and whether it is retryable.
type Why = (String, String, bool);

/// A read as its document is kept: the moments of a search index stand in rows alone, and are put in when it is read.
fn without_rows(stored: &StoredRead) -> Cow<'_, StoredRead> {
    let mut stored = Cow::Borrowed(stored);
    if stored.kind == Read::SearchIndex
        && let Some(data) = stored.to_mut().data.as_object_mut()
    {
        data.remove("moments");
    }
    stored
}

fn failed(claimed: &Claimed, error: &ReadError) -> (Option<Outcome>, Vec<NewRead>, Option<Why>) {
    let outcome = match after_failure(claimed.failures, error.retryable()) {
        Next::Again(delay) => Outcome::Retry(delay),
        Next::Fail => Outcome::Failed,
    };
    tracing::info!(job.id = %claimed.job, error.code = error.job_error_code(), error = %error, "An attempt failed.");
    let code = error.job_error_code();
    // What went wrong inside is for the log: it may name paths and hosts.
    let message = if code == "internal" { "The worker could not do its part.".to_owned() } else { error.to_string() };
    (Some(outcome), Vec::new(), Some((code.to_owned(), message, error.retryable())))
}

fn claimer(process: Process) -> Batcher<JobId, Option<Claimed>> {
    Batcher::new(MOST_CLAIMS, move |jobs: Vec<JobId>| {
        let process = process.clone();
        async move {
            let claimed = claim(&process, &jobs).await.unwrap_or_else(|error| {
                tracing::warn!(error = %error, "Jobs were not claimed; they get new tickets.");
                Vec::new()
            });
            // Two tickets of one job may meet in a batch: the claim is the first one's, and the other's ticket is spent.
            let mut claimed: HashMap<JobId, Claimed> = claimed.into_iter().map(|one| (one.job, one)).collect();
            jobs.iter().map(|job| claimed.remove(job)).collect()
        }
    })
}

async fn claim(process: &Process, jobs: &[JobId]) -> sqlx::Result<Vec<Claimed>> {
    let mut conn = process.pool.acquire().await?;
    jobs::claim(&mut conn, jobs, &process.name).await
}
