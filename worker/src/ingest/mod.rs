//! Ingest: turns an upload or an import into a ready item, or says why it can't (contract §4.6).
//!
//! There are two stages, each with a queue and slots of its own: imports are fetched, and received bytes are probed. So
//! bytes that were sent never wait for a network, and slow work of either stage goes on beside the slots (`aside`).
//! Tickets of both are dated back by what their accounts have in line, and a slot takes the next ticket after each
//! attempt, so that accounts take turns. A ticket names an upload; the claim in our own table, which spends the ticket,
//! decides whether there is anything to do. While an attempt runs its lease is renewed, and a claim that is lost ends
//! the attempt before another can begin. Every ending is one conditional update that names the claim, so a kill at any
//! moment costs a lease and nothing else. `claims` claims uploads, renews leases and calls an account's next upload;
//! `attempt` does the work; `failure` says what errors mean; `ends` writes ends; `room` reserves storage; `join` makes
//! parts one object.

mod aside;
mod attempt;
mod claims;
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
use domain::job::MAX_LOSSES;
use failure::Failure;
pub(crate) use failure::facts;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use runtime::process::Process;
use runtime::queue::{Claims, Picker, Queue};
use sqlx::PgPool;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use store::uploads::{Claim, Facts, Stage};
use tokio::time::{Instant, sleep};

/// Downloads of a process at once.
const FETCHES: usize = 16;
/// Probes of a process at once, however few cores it has.
const LEAST_PROBES: usize = 4;
/// Time at the end of the drain for handing back uploads that did not end in it.
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

/// Returns how many uploads a process probes at once; as many again may be measured beside the slots.
fn probes(process: &Process) -> usize {
    (2 * process.settings.read_slots()).max(LEAST_PROBES)
}

/// Returns the work beside the slots of this process, with none yet.
pub fn aside(process: &Process) -> Aside {
    Aside::new(probes(process))
}

/// Returns what a process that can decode claims: one set for each stage, over these connections.
pub fn claims(
    process: &Process,
    tools: &Arc<MediaTools>,
    aside: &Aside,
    unpaid: &Unpaid,
    connections: &PgPool,
) -> Vec<Claims> {
    [(Stage::Fetch, FETCHES), (Stage::Probe, probes(process))]
        .map(|(stage, slots)| {
            let queues = vec![Queue::from(stage)];
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
    /// The bytes are fetched, and can be probed.
    Fetched(Fetched),
    /// The item can be ready.
    Ready(Facts),
    /// The item can't be ready, or not now.
    Failed(Failure),
    /// The claim is gone: nothing may be written.
    Lost,
    /// The attempt was not begun, and waits this long: its account has used up a day's unpaid processor time.
    Deferred(Duration),
    /// The process stops.
    Stopping,
}

impl Ingest {
    /// Works a claimed upload. While the process ends, one that has not begun is handed back at once.
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

    /// Works an upload. When that has ended, the account's next one that had to wait gets its ticket.
    async fn work(&self, claim: Claim, slot: &Slot) -> sqlx::Result<()> {
        let began = Instant::now();
        let ended = if claim.losses >= MAX_LOSSES {
            Ended::Failed(Failure::worker_lost())
        } else if let Some(wait) = self.deferral(&claim).await {
            Ended::Deferred(wait)
        } else {
            self.run(&claim, slot).await
        };
        self.end(&claim, &ended, began.elapsed()).await?;
        if matches!(ended, Ended::Fetched(_) | Ended::Ready(_) | Ended::Failed(_)) {
            self.call_next(claim.account_id).await;
        }
        Ok(())
    }

    /// Returns how long probing an upload has to wait, if it has to. A download takes hardly any processor time.
    async fn deferral(&self, claim: &Claim) -> Option<Duration> {
        match self.stage {
            Stage::Fetch => None,
            Stage::Probe => self.unpaid.deferral(claim.account_id).await,
        }
    }

    /// Runs one attempt for as long as the claim is held and the process may work. An attempt that is dropped half-way
    /// leaves no child process and no object.
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
            () = self.until_drained() => Ended::Stopping,
        }
    }

    /// Returns shortly before a stopping process gives up on its handlers.
    async fn until_drained(&self) {
        self.process.shutdown.cancelled().await;
        sleep(Duration::from_secs(self.process.settings.drain_seconds).saturating_sub(HAND_BACK)).await;
    }
}
