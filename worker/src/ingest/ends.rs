//! Writes an attempt's end: once, by whoever holds the claim, and again while the database does not answer.
//!
//! An end that was sent and not answered may have been committed, so what the attempt stored is deleted only where no
//! row can name it.

use super::attempt::Fetched;
use super::failure::Failure;
use super::{Ended, Ingest};
use domain::job::{Next, after_failure};
use runtime::media::media_prefix;
use runtime::own_fault;
use runtime::queue;
use runtime::wake::Wake;
use std::time::Duration;
use store::is_refused_for_good;
use store::uploads::{self, Claim, Counts, Facts, Finished, Stage};
use tokio::time::{Instant, sleep};

/// A download that fails after this time is not tried again, whatever the failure.
const LONG_FETCH: Duration = Duration::from_mins(10);
/// How long writing an end is tried, within what is left of the lease, so that the account's other uploads don't have
/// to wait for it to run out.
const WRITTEN_FOR: Duration = Duration::from_secs(15);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_secs(1);

/// Whether writing the end was tried before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    /// Not tried yet: where the claim is gone, no row names what the attempt has stored.
    Never,
    /// Tried without an answer, so that it may be committed: then the claim has ended, and a row names what was stored.
    Unseen,
}

impl Ingest {
    /// Writes how an attempt ended, and again while the database does not answer.
    pub(super) async fn end(&self, claim: &Claim, ended: &Ended, took: Duration) -> sqlx::Result<()> {
        let until = Instant::now() + WRITTEN_FOR;
        let mut tried = Tried::Never;
        loop {
            match self.write_end(claim, ended, took, tried).await {
                Err(error) if !is_refused_for_good(&error) && Instant::now() + PAUSE < until => {
                    tracing::info!(upload.id = %claim.id, error = %error, "An upload's state was not written; trying again.");
                    tried = Tried::Unseen;
                    sleep(PAUSE).await;
                }
                written => return written,
            }
        }
    }

    async fn write_end(&self, claim: &Claim, ended: &Ended, took: Duration, tried: Tried) -> sqlx::Result<()> {
        match ended {
            Ended::Fetched(fetched) => self.hand_on(claim, fetched, tried).await,
            Ended::Ready(facts) => self.finish(claim, facts, tried).await,
            Ended::Failed(failure) => self.fail(claim, failure, took).await,
            Ended::Deferred(wait) => self.defer(claim, *wait).await,
            Ended::Stopping => self.hand_back(claim).await,
            Ended::Lost => {
                tracing::info!(upload.id = %claim.id, claim_no = claim.claim_no, "An upload was given up: its claim is gone.");
                Ok(())
            }
        }
    }

    /// Transaction "fetched": the bytes are the upload's, which goes on to be probed.
    async fn hand_on(&self, claim: &Claim, fetched: &Fetched, tried: Tried) -> sqlx::Result<()> {
        let Fetched { key, bytes, sha256, announced } = fetched;
        let mut hand_on = self.process.pool.begin().await?;
        let others = uploads::in_line(&mut hand_on, claim.account_id, Stage::Probe).await?;
        let ticket = queue::upload_ticket(claim.id, Stage::Probe, others);
        let announced = announced.as_deref();
        if uploads::record_fetched(&mut hand_on, claim, key, *bytes, sha256, announced, &ticket.id).await? {
            let pushed = [ticket];
            queue::push(&mut hand_on, &pushed).await?;
            hand_on.commit().await?;
            self.process.wakes.tickets(&pushed);
            return Ok(());
        }
        drop(hand_on);
        if tried == Tried::Unseen {
            return Ok(());
        }
        // The claim is lost, so no row names this object.
        if let Err(error) = self.process.media.delete(key).await {
            tracing::warn!(item.id = %claim.item_id, error = %error, "Bytes that were fetched in vain stay until the item goes.");
        }
        Ok(())
    }

    async fn finish(&self, claim: &Claim, facts: &Facts, tried: Tried) -> sqlx::Result<()> {
        let mut conn = self.process.pool.acquire().await?;
        let kept = uploads::finish(&mut conn, claim, facts).await?;
        drop(conn);
        let Some(kept) = kept else {
            if tried == Tried::Never {
                self.drop_picture(facts).await;
            }
            return Ok(());
        };
        self.process.wakes.send([Wake::ItemSettled(claim.item_id)]);
        tracing::info!(upload.id = %claim.id, item.id = %claim.item_id, "An item is ready.");
        if let Err(error) = self.process.media.delete_others(&media_prefix(claim.item_id), &kept).await {
            tracing::warn!(item.id = %claim.item_id, error = %error, "Bytes that were sent in vain stay until the item goes.");
        }
        Ok(())
    }

    /// Deletes the picture of an attempt whose claim was lost: no row names it.
    async fn drop_picture(&self, facts: &Facts) {
        let Some(key) = &facts.thumbnail_key else { return };
        if let Err(error) = self.process.media.delete(key).await {
            tracing::warn!(error = %error, "A picture that was made in vain stays until its item goes.");
        }
    }

    async fn fail(&self, claim: &Claim, failure: &Failure, took: Duration) -> sqlx::Result<()> {
        let &Failure { code, ref message, retryable, is_ours } = failure;
        let mut conn = self.process.pool.acquire().await?;
        // Claims that did not fail were handed back or lost.
        if is_ours && let Some(wait) = own_fault::wait(claim.claim_no - 1 - i32::from(claim.failures)) {
            let seconds = i32::try_from(wait.as_secs()).unwrap_or(i32::MAX);
            uploads::retry(&mut conn, claim, Counts::No, seconds, code, message).await?;
            self.process.wakes.send([Wake::Duties]);
            tracing::warn!(upload.id = %claim.id, wait_seconds = seconds, "An upload has to wait, uncounted: {message}.");
            return Ok(());
        }
        let retryable = retryable && (self.stage == Stage::Probe || took < LONG_FETCH);
        if let Next::Again(wait) = after_failure(claim.failures, retryable) {
            let seconds = i32::try_from(wait.as_secs()).unwrap_or(i32::MAX);
            uploads::retry(&mut conn, claim, Counts::Yes, seconds, code, message).await?;
            self.process.wakes.send([Wake::Duties]);
            tracing::info!(upload.id = %claim.id, error.code = code, wait_seconds = seconds, "An upload is tried again: {message}.");
            return Ok(());
        }
        if uploads::fail(&mut conn, claim, code, message).await? == Finished::Lost {
            return Ok(());
        }
        drop(conn);
        self.process.wakes.send([Wake::ItemSettled(claim.item_id)]);
        tracing::info!(upload.id = %claim.id, item.id = %claim.item_id, error.code = code, "An item failed: {message}.");
        if let Err(error) = self.process.media.delete_all(&media_prefix(claim.item_id)).await {
            tracing::warn!(item.id = %claim.item_id, error = %error, "A failed item's bytes stay until the item goes.");
        }
        Ok(())
    }

    async fn defer(&self, claim: &Claim, wait: Duration) -> sqlx::Result<()> {
        let seconds = i32::try_from(wait.as_secs()).unwrap_or(i32::MAX);
        let why = "the account has used up a day's processor time that nobody paid for";
        let mut conn = self.process.pool.acquire().await?;
        uploads::retry(&mut conn, claim, Counts::No, seconds, "rate_limited", why).await?;
        self.process.wakes.send([Wake::Duties]);
        tracing::info!(upload.id = %claim.id, wait_seconds = seconds, "An upload is put off: {why}.");
        Ok(())
    }

    /// Transaction "hand back": the upload waits again, uncounted, with a new ticket.
    pub(super) async fn hand_back(&self, claim: &Claim) -> sqlx::Result<()> {
        let mut tx = self.process.pool.begin().await?;
        // This upload is held here, so it is one of those that are counted.
        let others = uploads::in_line(&mut tx, claim.account_id, self.stage).await? - 1;
        let ticket = queue::upload_ticket(claim.id, self.stage, others);
        if uploads::hand_back(&mut tx, claim, &ticket.id).await? == Finished::Lost {
            return Ok(());
        }
        let pushed = [ticket];
        queue::push(&mut tx, &pushed).await?;
        tx.commit().await?;
        self.process.wakes.tickets(&pushed);
        Ok(())
    }
}
