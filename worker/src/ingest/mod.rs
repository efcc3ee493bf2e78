//! Ingest: turns an upload or an import into a ready item, or says why it can't (contract §4.6).
//!
//! There are two stages, each with a queue and slots of its own: imports are fetched, and what is here is probed. So
//! bytes that were sent never wait for a network, and what takes long at either goes on beside the slots (`aside`). A
//! ticket names an upload; the claim in our own table, which spends the ticket, decides whether there is anything to
//! do. While an attempt runs its lease is renewed, and a claim that is lost ends the attempt before another can begin
//! one. Every ending is one conditional update that names the claim, so a kill at any moment costs a lease and nothing
//! else. What an attempt does is in `attempt`, what its errors mean in `failure`, how its end is written in `ends`,
//! what it reserves in `room`, and how parts become one object in `join`.

mod aside;
mod attempt;
mod ends;
mod failure;
mod join;
mod room;

use crate::readers::MediaTools;
use crate::unpaid::Unpaid;
pub use aside::Aside;
use aside::Slot;
#[cfg(test)]
pub(crate) use attempt::length_ms;
use attempt::{Attempt, Fetched};
use domain::ids::{AccountId, UploadId};
use domain::job::{LEASE, MAX_LOSSES, RENEWAL};
use failure::Failure;
pub(crate) use failure::facts;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use runtime::process::Process;
use runtime::queue::{Claims, Picker, Queue, Subject, Taken, Work};
use sqlx::{PgConnection, PgPool};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use store::tickets;
use store::uploads::{self, Claim, Facts, Stage};
use tokio::time::{Instant, sleep, timeout};

/// Downloads of a process at once.
const FETCHES: usize = 16;
/// Probes of a process at once, however few cores it has.
const LEAST_PROBES: usize = 4;
/// How long a slot goes on with the uploads of one account before it takes another ticket.
const ONE_ACCOUNT: Duration = Duration::from_secs(10);
/// What is left of the drain for handing back what did not end in it.
const HAND_BACK: Duration = Duration::from_secs(3);

/// The worker of one stage.
#[derive(Clone)]
struct Ingest {
    process: Process,
    tools: Arc<MediaTools>,
    stage: Stage,
    /// Uploads of one account at this stage in the whole fleet, at most: a quarter of a process's slots, and at least
    /// two, so that one whose worker was killed does not hold up the account's others.
    an_account: i64,
    aside: Aside,
    unpaid: Unpaid,
    /// The connections that claim.
    claims: PgPool,
    picker: Arc<Picker>,
}

/// Uploads that a process probes at once; as many more may be counted beside them.
fn probes(process: &Process) -> usize {
    (2 * process.settings.read_slots()).max(LEAST_PROBES)
}

const fn queue_of(stage: Stage) -> Queue {
    match stage {
        Stage::Fetch => Queue::Fetch,
        Stage::Probe => Queue::Ingest,
    }
}

/// What goes on beside the slots of this process.
pub fn aside(process: &Process) -> Aside {
    Aside::new(probes(process))
}

/// What a process that can decode claims: one set a stage, over these connections.
pub fn claims(
    process: &Process,
    tools: &Arc<MediaTools>,
    aside: &Aside,
    unpaid: &Unpaid,
    connections: &PgPool,
) -> Vec<Claims> {
    [(Stage::Fetch, FETCHES), (Stage::Probe, probes(process))]
        .map(|(stage, slots)| {
            let queues = vec![queue_of(stage)];
            let ingest = Ingest {
                process: process.clone(),
                tools: Arc::clone(tools),
                stage,
                an_account: i64::try_from(slots / 4).unwrap_or(i64::MAX).max(2),
                aside: aside.clone(),
                unpaid: unpaid.clone(),
                claims: connections.clone(),
                picker: Arc::new(Picker::new(queues.clone(), process.wakes.tickets_of(&queues))),
            };
            let take = Arc::new(move |slots| {
                let ingest = ingest.clone();
                async move { ingest.take(slots).await }.boxed()
            });
            Claims { queues, slots, away: 0, take }
        })
        .into()
}

/// How an attempt ended.
enum Ended {
    /// The bytes are here, and can be probed.
    Fetched(Fetched),
    /// The item can be ready.
    Ready(Facts),
    /// It can't, or not now.
    Failed(Failure),
    /// The claim is gone: nothing may be written.
    Lost,
    /// It was not begun, and waits for so long: its account has used up a day's unpaid processor time.
    PutOff(Duration),
    /// The process stops.
    Stopping,
}

impl Ingest {
    /// Transaction "claim uploads": picks the next tickets, at most so many, claims those of their uploads that can be
    /// had, and spends the tickets but of those whose rows somebody has locked. What can't be had waits for a moment,
    /// and gets a new one.
    async fn take(&self, slots: usize) -> sqlx::Result<Taken> {
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
        let work = claimed.into_iter().map(|claim| {
            let started = self.clone().start(claim);
            let work: Work = Box::new(|_| started);
            work
        });
        Ok(Taken { work: work.collect(), next: picked.next })
    }

    /// Claims those of these uploads that can be had. One that can't now waits for a moment. Returns beside them those
    /// whose rows are locked.
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
                None => uploads::postpone(conn, upload).await?,
            }
        }
        Ok((claimed, passed_over))
    }

    /// How a claimed upload is worked. While the process ends, one that has not begun is handed back at once.
    fn start(self, claim: Claim) -> BoxFuture<'static, ()> {
        async move {
            let (upload, account, ingest) = (claim.id, claim.account_id, self.clone());
            let work = |slot| async move {
                let worked = if ingest.process.shutdown.is_cancelled() {
                    ingest.hand_back(&claim).await
                } else {
                    ingest.work(claim, &slot).await
                };
                if let Err(error) = worked {
                    tracing::warn!(
                        upload.id = %upload, error = %error,
                        "An upload's state could not be written; it is tried again when its lease has run out."
                    );
                }
            };
            self.aside.run(account, work).await;
        }
        .boxed()
    }

    /// Works an upload, and then for a while others of its account that were made to wait for it.
    async fn work(&self, claim: Claim, slot: &Slot) -> sqlx::Result<()> {
        let until = Instant::now() + ONE_ACCOUNT;
        let mut next = Some(claim);
        while let Some(claim) = next {
            let began = Instant::now();
            let ended = if claim.losses >= MAX_LOSSES {
                Ended::Failed(Failure::worker_lost())
            } else if let Some(wait) = self.put_off(&claim).await {
                Ended::PutOff(wait)
            } else {
                self.run(&claim, slot).await
            };
            self.end(&claim, &ended, began.elapsed()).await?;
            let goes_on = Instant::now() < until && !slot.is_left() && !self.process.shutdown.is_cancelled();
            next = if goes_on { self.claim_next(claim.account_id).await? } else { None };
        }
        Ok(())
    }

    /// How long a look at an upload has to wait, if it has to: a download takes no processor time to speak of.
    async fn put_off(&self, claim: &Claim) -> Option<Duration> {
        match self.stage {
            Stage::Fetch => None,
            Stage::Probe => self.unpaid.wait(claim.account_id).await,
        }
    }

    /// Transaction "claim an upload": the account's next one, without its ticket.
    async fn claim_next(&self, account: AccountId) -> sqlx::Result<Option<Claim>> {
        let Some(upload) = self.next(account).await? else { return Ok(None) };
        let mut claim = self.process.pool.begin().await?;
        let (claimed, _) = self.claim_all(&mut claim, &[upload]).await?;
        claim.commit().await?;
        Ok(claimed.into_iter().next())
    }

    async fn next(&self, account: AccountId) -> sqlx::Result<Option<UploadId>> {
        let mut conn = self.process.pool.acquire().await?;
        uploads::make_due_next(&mut conn, account, self.stage).await
    }

    /// Runs one attempt for as long as the claim is held and the process may work. What is dropped half-way leaves no
    /// child process and no object.
    async fn run(&self, claim: &Claim, slot: &Slot) -> Ended {
        let Self { process, tools, unpaid, .. } = self;
        let attempt = Attempt { process, tools, claim, slot, unpaid };
        let attempted = async {
            match self.stage {
                Stage::Fetch => attempt.fetch().boxed().await.map(Ended::Fetched),
                Stage::Probe => attempt.probe().boxed().await.map(Ended::Ready),
            }
        };
        tokio::select! {
            biased;
            () = self.lost(claim) => Ended::Lost,
            ended = AssertUnwindSafe(attempted).catch_unwind() => match ended {
                Ok(Ok(ended)) => ended,
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
}
