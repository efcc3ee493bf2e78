//! The claims of ingest: which uploads a process takes, how it keeps them, and which one is next after each.

use super::Ingest;
use domain::ids::{AccountId, UploadId};
use domain::job::{LEASE, RENEWAL};
use runtime::queue::{self, Subject, Taken, Ticket, Work};
use sqlx::PgConnection;
use std::slice;
use store::tickets;
use store::uploads::{self, Claim};
use tokio::time::{Instant, sleep, timeout};

impl Ingest {
    /// Transaction "claim uploads": picks the next tickets, at most `slots`, claims their uploads where possible, and
    /// spends the tickets, except those of locked rows. An upload that can't be claimed now waits for a moment and gets
    /// a new ticket.
    pub(super) async fn take(&self, slots: usize) -> sqlx::Result<Taken> {
        let mut claim = self.claims.begin().await?;
        let picked = self.picker.pick(&mut claim, slots).await?;
        if picked.tickets.is_empty() || self.process.shutdown.is_cancelled() {
            claim.rollback().await?;
            return Ok(Taken { work: Vec::new(), next: picked.next });
        }
        let subjects = picked.subjects.iter().filter_map(|subject| match subject {
            Subject::Upload(upload) => Some(*upload),
            _ => None,
        });
        let (claimed, passed_over) = self.claim_all(&mut claim, &subjects.collect::<Vec<_>>()).await?;
        let mut spent = picked.tickets;
        if !passed_over.is_empty() {
            let kept = uploads::keep_tickets(&mut claim, &passed_over).await?;
            spent.retain(|ticket| !kept.contains(ticket));
        }
        tickets::spend(&mut claim, &spent).await?;
        claim.commit().await?;
        if !spent.is_empty() {
            // One that was put off is due in two seconds.
            self.process.wakes.stir_everyone();
        }
        let work = claimed.into_iter().map(|claim| {
            let started = self.clone().start(claim);
            let work: Work = Box::new(|_| started);
            work
        });
        Ok(Taken { work: work.collect(), next: picked.next })
    }

    /// Claims these uploads where possible; one that can't be claimed now waits for a moment. Returns the claims, and
    /// the uploads whose rows are locked.
    async fn claim_all(
        &self,
        conn: &mut PgConnection,
        uploads: &[UploadId],
    ) -> sqlx::Result<(Vec<Claim>, Vec<UploadId>)> {
        uploads::lock_claims(conn, uploads).await?;
        let free = uploads::lock_free(conn, uploads).await?;
        let passed_over = uploads.iter().filter(|upload| !free.contains(upload)).copied().collect();
        let mut claimed = Vec::new();
        for upload in free {
            match uploads::claim(conn, upload, self.stage, self.an_account).await? {
                Some(claim) => claimed.push(claim),
                None => uploads::defer(conn, upload).await?,
            }
        }
        Ok((claimed, passed_over))
    }

    /// Gives a ticket to the account's next upload that was put off because others of the account were held. So an
    /// account that is alone makes no pause between its uploads, and where other accounts wait too, the queue says
    /// whose turn it is. The scheduler finds what this misses.
    pub(super) async fn call_next(&self, account: AccountId) {
        match self.push_next(account).await {
            Ok(Some(ticket)) => self.process.wakes.tickets(&[ticket]),
            Ok(None) => {}
            Err(error) => {
                tracing::info!(account.id = %account, error = %error, "An account's next upload got no ticket; the scheduler gives it one.");
            }
        }
    }

    /// Transaction "call the next". Returns the ticket that was pushed, if an upload waits for one.
    async fn push_next(&self, account: AccountId) -> sqlx::Result<Option<Ticket>> {
        let mut call_next = self.process.pool.begin().await?;
        let Some(upload) = uploads::make_due_next(&mut call_next, account, self.stage).await? else { return Ok(None) };
        let others = uploads::in_line(&mut call_next, account, self.stage).await?;
        let ticket = queue::upload_ticket(upload, self.stage, others);
        uploads::assign_tickets(&mut call_next, &[upload], slice::from_ref(&ticket.id)).await?;
        queue::push(&mut call_next, slice::from_ref(&ticket)).await?;
        call_next.commit().await?;
        Ok(Some(ticket))
    }

    /// Renews the lease; returns when it is lost, or before another process could claim.
    pub(super) async fn lost(&self, claim: &Claim) {
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
}
