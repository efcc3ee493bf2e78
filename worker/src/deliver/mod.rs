//! Sending webhooks: a ticket names a delivery, which is claimed, sent and recorded, or put off where its endpoint stands still
//! (spec §6.1; design.md, "Lanes").
//!
//! Claims and records are batched, each in one statement; no lock and no connection is held while a receiver is waited
//! for. What has stood in line is looked at again before it is sent, so that a change of its endpoint or its secret
//! counts from the change on. A handler always ends quietly: whatever goes wrong here is made good by the scheduler, from
//! the rows alone. `places` says who is sent now, `attempt` makes one attempt. Project webhooks are not here.

mod attempt;
mod places;
pub mod request;

use crate::batch::Batcher;
use attempt::Sender;
use common::ids::{AccountId, DeliveryId, EndpointId};
use common::process::Process;
use common::queue::{Handler, Queue, Subject, Subscription, Work};
use common::seal::SealError;
use common::store::attempts::{self, Counted, EndedAttempt};
use common::store::deliveries::{self, Claim, Present, PutBack, PutOff};
use futures_util::FutureExt;
use places::{Admission, Lane, Left, Places};
use sqlx::PgPool;
use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The most claims, second looks, records, put-backs or put-offs in one statement.
const MOST_IN_A_BATCH: usize = 256;
/// How long a claimed delivery may stand in line before it is put back.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// What a lease has beyond the line and the attempt, for the claim and the record.
const LEASE_SLACK: Duration = Duration::from_secs(10);
/// How often a statement is tried before its deliveries are left to the scheduler.
const TRIES: u32 = 5;
/// Before the second try; each later pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Why the worker can't send webhooks.
#[derive(Debug, thiserror::Error)]
pub enum DeliverError {
    /// The keys that seal signing secrets are wrong.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// A setting that signs or seals is not set.
    #[error("{0} is not set")]
    Missing(&'static str),
}

/// A claim, and the moment it was asked for.
#[derive(Debug)]
struct Claimed {
    claim: Claim,
    since: Instant,
}

/// Sends webhooks for one process. Cheap to clone.
#[derive(Clone)]
pub struct Deliverer(Arc<Parts>);

struct Parts {
    process: Process,
    sender: Sender,
    claims: Batcher<DeliveryId, Option<Claimed>>,
    looks: Batcher<(DeliveryId, i32), Option<Present>>,
    records: Batcher<EndedAttempt, ()>,
    put_backs: Batcher<PutBack, ()>,
    put_offs: Batcher<PutOff, ()>,
    places: Mutex<Places<Claimed>>,
}

impl Deliverer {
    /// Reads the keys and starts the batches. Once a process.
    ///
    /// # Errors
    /// [`DeliverError`] when a setting is missing or wrong.
    pub fn new(process: &Process) -> Result<Self, DeliverError> {
        let sender = Sender::new(process)?;
        let lease = process.settings.webhook_timeout() + LONGEST_WAIT + LEASE_SLACK;
        let (first, slow) = slots(process.settings.worker_webhooks);
        Ok(Self(Arc::new(Parts {
            process: process.clone(),
            sender,
            claims: claims(process, i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)),
            looks: looks(process),
            records: records(process),
            put_backs: put_backs(process),
            put_offs: put_offs(process),
            places: Mutex::new(Places::new(first, slow, process.settings.webhook_timeout())),
        })))
    }

    /// The queues to work: first attempts to healthy endpoints have three quarters of the slots, the rest has one, so
    /// that endpoints which hang can't hold up those that don't.
    pub fn subscriptions(&self) -> Vec<Subscription> {
        let (first, slow) = slots(self.0.process.settings.worker_webhooks);
        let subscription = |queue, lane, concurrency| {
            let deliverer = self.clone();
            let handler: Handler = Arc::new(move |subject| {
                let deliverer = deliverer.clone();
                async move { deliverer.handle(lane, subject).await }.boxed()
            });
            Subscription { queues: vec![queue], concurrency, work: Work::Short, handler }
        };
        vec![subscription(Queue::WebhookFirst, Lane::First, first), subscription(Queue::WebhookSlow, Lane::Slow, slow)]
    }

    /// Works a ticket of the lane for first attempts, to its end. For tests, which have no queue.
    pub async fn deliver_first(&self, subject: Subject) {
        self.handle(Lane::First, subject).await;
    }

    /// Works a ticket of the slow lane, to its end. For tests, which have no queue.
    pub async fn deliver_slow(&self, subject: Subject) {
        self.handle(Lane::Slow, subject).await;
    }

    async fn handle(&self, lane: Lane, subject: Subject) {
        let Subject::Delivery { id, endpoint } = subject else { return };
        let put_off = self.places().puts_off(lane, endpoint, Instant::now());
        if let Some(after_ms) = put_off.filter(|_| !self.0.process.shutdown.is_cancelled()) {
            // A statement that failed is logged there, and the reissue finds the spent ticket.
            let _ = self.0.put_offs.call(PutOff { id, after_ms }).await;
            return;
        }
        // No answer: it was claimed before, is not due, or the claim failed and was logged.
        let Ok(Some(claimed)) = self.0.claims.call(id).await else { return };
        if self.0.process.shutdown.is_cancelled() || (lane == Lane::First && !claimed.claim.healthy) {
            // An endpoint that began to fail after its ticket was made must not take the healthy ones' slots. The
            // scheduler gives the delivery a ticket of the slow lane.
            return self.put_back(&claimed.claim, 0).await;
        }
        let (account, endpoint) = (claimed.claim.account_id, claimed.claim.endpoint_id);
        let admission = self.places().enter(lane, account, endpoint, Instant::now(), claimed);
        match admission {
            Admission::Go(claimed) => self.work(lane, account, endpoint, claimed).await,
            Admission::Waits => {}
            Admission::Over { delivery, after_ms } => self.put_back(&delivery.claim, after_ms).await,
        }
    }

    /// Sends the delivery, and then, as long as there is one, the account's next in line. The place is given back when
    /// the receiver has answered. The record of a success is not waited for until the end; that of a failure is, since it
    /// may disable the endpoint that the next in line is for.
    async fn work(&self, lane: Lane, account: AccountId, mut endpoint: EndpointId, mut claimed: Claimed) {
        let mut last_record = None;
        loop {
            let began = Instant::now();
            let ended = AssertUnwindSafe(self.0.sender.attempt(&claimed.claim, claimed.since)).catch_unwind().await;
            let left =
                self.places().leave(lane, account, endpoint, Some(began.elapsed()), Instant::now(), Claimed::is_stale);
            match ended {
                Ok(attempt::Ended::Sent(ended)) if ended.error.is_some() => {
                    // A statement that failed is logged there.
                    let _ = self.0.records.call(*ended).await;
                }
                Ok(attempt::Ended::Sent(ended)) => last_record = Some(self.0.records.submit(*ended)),
                Ok(attempt::Ended::NotSent { after_ms }) => self.put_back(&claimed.claim, after_ms).await,
                // The lease runs out, and the rescue logs the attempt as interrupted.
                Err(_) => tracing::error!(delivery.id = %claimed.claim.id, "An attempt panicked."),
            }
            match self.next(lane, account, left).await {
                Some((its_endpoint, delivery)) => (endpoint, claimed) = (its_endpoint, delivery),
                None => break,
            }
        }
        if let Some(record) = last_record {
            // Records are flushed in order: when the last is done, so are those before it. Failures are logged there.
            let _ = record.answer().await;
        }
    }

    /// The first of those in line that may still be sent, with what it is to be sent with now; its place is taken. Those
    /// before it are put back, for the next claim to end.
    async fn next(&self, lane: Lane, account: AccountId, mut left: Left<Claimed>) -> Option<(EndpointId, Claimed)> {
        loop {
            for delivery in left.stranded {
                self.put_back(&delivery.claim, 0).await;
            }
            let (endpoint, mut claimed) = left.next?;
            if self.0.process.shutdown.is_cancelled() {
                self.hand_back(lane, account, endpoint, claimed).await;
                return None;
            }
            // No answer: the claim is lost, the series has ended, or the statement failed and was logged.
            let present = self.0.looks.call((claimed.claim.id, claimed.claim.claim_no)).await.ok().flatten();
            if present.is_some_and(|present| claimed.claim.renew(present)) {
                return Some((endpoint, claimed));
            }
            left = self.places().leave(lane, account, endpoint, None, Instant::now(), Claimed::is_stale);
            self.put_back(&claimed.claim, 0).await;
        }
    }

    /// At the end of the process: gives up the place taken for this one, and puts it back with all who stand behind it.
    async fn hand_back(&self, lane: Lane, account: AccountId, endpoint: EndpointId, claimed: Claimed) {
        let left = self.places().leave(lane, account, endpoint, None, Instant::now(), |_| true);
        for delivery in left.stranded.into_iter().chain([claimed]) {
            self.put_back(&delivery.claim, 0).await;
        }
    }

    async fn put_back(&self, claim: &Claim, after_ms: i64) {
        let put_back = PutBack { id: claim.id, claim_no: claim.claim_no, after_ms };
        let _ = self.0.put_backs.call(put_back).await;
    }

    fn places(&self) -> MutexGuard<'_, Places<Claimed>> {
        // A panic inside leaves counts that are too high at worst; refusing everyone for ever would be worse.
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claimed {
    fn is_stale(&self) -> bool {
        self.since.elapsed() > LONGEST_WAIT
    }
}

/// The slots of the two lanes.
fn slots(all: usize) -> (usize, usize) {
    let slow = (all / 4).max(1);
    (all.saturating_sub(slow).max(1), slow)
}

fn claims(process: &Process, lease_ms: i64) -> Batcher<DeliveryId, Option<Claimed>> {
    let (pool, worker) = (process.pool.clone(), Arc::clone(&process.name));
    Batcher::new(MOST_IN_A_BATCH, move |ids: Vec<DeliveryId>| {
        let (pool, worker) = (pool.clone(), Arc::clone(&worker));
        async move {
            let since = Instant::now();
            let claims = tried("claimed", || async {
                deliveries::claim(&mut *pool.acquire().await?, &ids, &worker, lease_ms).await
            });
            let claims = claims.await.unwrap_or_default();
            // Two tickets of one delivery may meet in a batch: the first gets the claim, the other none.
            let mut by_id: HashMap<DeliveryId, Claim> = claims.into_iter().map(|claim| (claim.id, claim)).collect();
            ids.iter().map(|id| by_id.remove(id).map(|claim| Claimed { claim, since })).collect()
        }
    })
}

fn looks(process: &Process) -> Batcher<(DeliveryId, i32), Option<Present>> {
    let pool = process.pool.clone();
    Batcher::new(MOST_IN_A_BATCH, move |claims: Vec<(DeliveryId, i32)>| {
        let pool = pool.clone();
        async move {
            let look = || async { deliveries::look_again(&mut *pool.acquire().await?, &claims).await };
            let found = tried("looked at again", look).await.unwrap_or_default();
            let mut by_id: HashMap<DeliveryId, Present> = found.into_iter().map(|found| (found.id, found)).collect();
            claims.iter().map(|(id, _)| by_id.remove(id)).collect()
        }
    })
}

fn records(process: &Process) -> Batcher<EndedAttempt, ()> {
    let pool = process.pool.clone();
    Batcher::new(MOST_IN_A_BATCH, move |ended: Vec<EndedAttempt>| {
        let pool = pool.clone();
        async move {
            let counted = tried("recorded", || async { record(&pool, &ended).await }).await;
            counted.unwrap_or_default().iter().for_each(Counted::tell);
            vec![(); ended.len()]
        }
    })
}

async fn record(pool: &PgPool, ended: &[EndedAttempt]) -> sqlx::Result<Vec<Counted>> {
    attempts::record(&mut *pool.acquire().await?, ended).await
}

fn put_backs(process: &Process) -> Batcher<PutBack, ()> {
    let pool = process.pool.clone();
    Batcher::new(MOST_IN_A_BATCH, move |claims: Vec<PutBack>| {
        let pool = pool.clone();
        async move {
            let put_back = || async { deliveries::put_back(&mut *pool.acquire().await?, &claims).await };
            // Those that could not be put back are rescued when their leases end.
            let _ = tried("put back", put_back).await;
            vec![(); claims.len()]
        }
    })
}

fn put_offs(process: &Process) -> Batcher<PutOff, ()> {
    let pool = process.pool.clone();
    Batcher::new(MOST_IN_A_BATCH, move |late: Vec<PutOff>| {
        let pool = pool.clone();
        async move {
            let put_off = || async { deliveries::put_off(&mut *pool.acquire().await?, &late).await };
            let _ = tried("put off", put_off).await;
            vec![(); late.len()]
        }
    })
}

/// Tries a statement a few times, since the database may be away for a moment. The last failure is logged here.
async fn tried<T, F, Trying>(done: &'static str, statement: F) -> Option<T>
where
    F: Fn() -> Trying,
    Trying: Future<Output = sqlx::Result<T>>,
{
    let mut pause = FIRST_PAUSE;
    for _ in 1..TRIES {
        match statement().await {
            Ok(answer) => return Some(answer),
            Err(error) => tracing::debug!(error = %error, "Deliveries could not be {done}; trying again."),
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    let last = statement().await;
    last.inspect_err(|error| tracing::error!(error = %error, "Deliveries could not be {done}; they will be rescued."))
        .ok()
}
