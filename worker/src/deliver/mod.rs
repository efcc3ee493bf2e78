//! Sending webhooks: a ticket names a delivery, which is claimed, sent and recorded, or set behind those that its endpoint has
//! already (spec §6.1; design.md, "Lanes").
//!
//! Claims and records are batched, each in one statement; no lock and no connection is held while a receiver is waited
//! for. What has stood in line is looked at again before it is sent, so that a change of its endpoint or its secret
//! counts from the change on. A handler always ends quietly: whatever goes wrong here is made good by the scheduler, from
//! the rows alone. `places` says who is sent now, `attempt` makes one attempt. Project webhooks are not here.

mod attempt;
mod batches;
mod places;
pub mod request;

use crate::batch::Submitted;
use attempt::Sender;
use batches::{Backlog, Batches, Claimed};
use common::ids::{AccountId, DeliveryId, EndpointId};
use common::process::Process;
use common::queue::{Handler, Queue, Subject, Subscription, Work};
use common::seal::SealError;
use common::store::deliveries::{Claim, PutBack, PutOff};
use futures_util::FutureExt;
use places::{Admission, Lane, Left, Places, Refill, Ticketed};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// How long a claimed delivery may stand in line before it is put back.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// What a lease has beyond the line and the attempt, for the claim and the record.
const LEASE_SLACK: Duration = Duration::from_secs(10);

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

/// Sends webhooks for one process. Cheap to clone.
#[derive(Clone)]
pub struct Deliverer(Arc<Parts>);

struct Parts {
    process: Process,
    sender: Sender,
    batches: Batches,
    places: Mutex<Places<Claimed>>,
    /// What runs beside the handlers of tickets.
    tasks: TaskTracker,
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
            batches: Batches::start(process, lease),
            places: Mutex::new(Places::new(first, slow, process.settings.webhook_timeout())),
            tasks: TaskTracker::new(),
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

    /// Sends a first attempt that this process has just brought about, without waiting for its ticket to come round. Answers
    /// whether it does: not while the process ends or has its slots full, nor where others wait for the endpoint already.
    pub fn sends_at_once(&self, subject: Subject) -> bool {
        let Subject::Delivery { id, endpoint } = subject else { return false };
        if self.0.process.shutdown.is_cancelled() || !self.places().is_free(endpoint, Instant::now()) {
            return false;
        }
        let deliverer = self.clone();
        self.0.tasks.spawn(async move { deliverer.claim_and_work(Lane::First, id, endpoint).await });
        true
    }

    /// Works a ticket of the lane for first attempts, to its end. For tests, which have no queue.
    pub async fn deliver_first(&self, subject: Subject) {
        self.handle(Lane::First, subject).await;
    }

    /// Works a ticket of the slow lane, to its end. For tests, which have no queue.
    pub async fn deliver_slow(&self, subject: Subject) {
        self.handle(Lane::Slow, subject).await;
    }

    /// At the end of the process, when no ticket is worked any more: lets the attempts that run beside them end.
    pub async fn end(&self, patience: Duration) {
        self.0.tasks.close();
        if tokio::time::timeout(patience, self.0.tasks.wait()).await.is_err() {
            tracing::warn!("Attempts were cut off; they will be rescued.");
        }
    }

    async fn handle(&self, lane: Lane, subject: Subject) {
        let Subject::Delivery { id, endpoint } = subject else { return };
        let ticketed = self.places().ticketed(lane, endpoint, Instant::now());
        match ticketed {
            Ticketed::Claim => self.claim_and_work(lane, id, endpoint).await,
            Ticketed::Join(account) => self.join(account, endpoint, id).await,
            // A statement that failed is logged there, and the reissue finds the spent ticket.
            Ticketed::Later => drop(self.0.batches.backlogs.call(Backlog::SetBehind(endpoint, id)).await),
            Ticketed::Behind(account) => {
                drop(self.0.batches.backlogs.call(Backlog::SetBehind(endpoint, id)).await);
                self.join(account, endpoint, id).await;
            }
            Ticketed::Off { after_ms } => drop(self.0.batches.put_offs.call(PutOff { id, after_ms }).await),
        }
    }

    /// Claims a delivery for itself, and sends it, or has it wait in its line.
    async fn claim_and_work(&self, lane: Lane, id: DeliveryId, endpoint: EndpointId) {
        // No answer: it was claimed before, is not due, or the claim failed and was logged.
        let claimed = self.0.batches.claims.call(id).await;
        self.places().claimed(lane, endpoint);
        let Ok(Some(claimed)) = claimed else { return };
        if self.0.process.shutdown.is_cancelled() || (lane == Lane::First && !claimed.claim.healthy) {
            // An endpoint that began to fail after its ticket was made must not take the healthy ones' slots. The
            // scheduler gives the delivery a ticket of the slow lane.
            return self.put_back(&claimed.claim, 0).await;
        }
        let (account, endpoint) = (claimed.claim.account_id, claimed.claim.endpoint_id);
        let admission = self.places().enter(lane, account, endpoint, Instant::now(), claimed);
        match admission {
            Admission::Go(claimed) => self.work_ticket(lane, account, endpoint, claimed).await,
            Admission::Waits => {}
            Admission::Over { delivery, after_ms } => self.put_back(&delivery.claim, after_ms).await,
        }
    }

    /// Leaves a delivery to whoever fetches for its endpoint's line; here, if nobody else does and the line is short. A slot is
    /// held meanwhile, so that no more tickets are fetched than can be looked after. What nobody has claimed then keeps its
    /// ticket, for later.
    async fn join(&self, account: AccountId, endpoint: EndpointId, id: DeliveryId) {
        let refill = self.places().set_behind(account, endpoint, id, Instant::now());
        if let Some(refill) = refill {
            self.refill(refill).await;
        }
        drop(self.0.batches.backlogs.call(Backlog::Await(id)).await);
    }

    /// Fetches for a line what stands behind it, until nobody else would have to ask for more.
    async fn refill(&self, mut refill: Refill) {
        loop {
            if self.0.process.shutdown.is_cancelled() {
                // What is behind has tickets.
                return;
            }
            let fetched = self.0.batches.backlogs.call(Backlog::Fetch(refill)).await.unwrap_or_default();
            // An endpoint that has begun to fail meanwhile is for the slow lane.
            let (claimed, failing): (Vec<_>, Vec<_>) = fetched.claimed.into_iter().partition(|one| one.claim.healthy);
            let filled = self.places().refilled(&refill, claimed, fetched.rest, Instant::now(), is_stale);
            for next in filled.go {
                let (deliverer, account) = (self.clone(), refill.account);
                let left = Left { next: Some(next), stranded: Vec::new(), refills: Vec::new() };
                self.0.tasks.spawn(async move { deliverer.work_on(account, left).await });
            }
            self.put_back_all(filled.stranded.into_iter().chain(failing)).await;
            match filled.again {
                Some(again) => refill = again,
                None => return,
            }
        }
    }

    /// Sends what has stood in line, under a place that is taken already, and what follows.
    async fn work_on(&self, account: AccountId, left: Left<Claimed>) {
        if let Some((endpoint, claimed)) = self.next(Lane::First, account, left).await {
            self.work(Lane::First, account, endpoint, claimed).await;
        }
    }

    /// Sends a delivery under its ticket's slot. What follows in a line of first attempts goes on without one, or a backlog would
    /// keep slots for as long as it lasts, and no ticket of others would be fetched; the accounts' shares bound it then.
    async fn work_ticket(&self, lane: Lane, account: AccountId, endpoint: EndpointId, claimed: Claimed) {
        let (left, record) = self.send(lane, account, endpoint, claimed).await;
        if lane == Lane::First && left.next.is_some() {
            let deliverer = self.clone();
            self.0.tasks.spawn(async move { deliverer.work_on(account, left).await });
        } else if let Some((endpoint, claimed)) = self.next(lane, account, left).await {
            self.work(lane, account, endpoint, claimed).await;
        }
        if let Some(record) = record {
            // A failure is logged there.
            let _ = record.answer().await;
        }
    }

    /// Sends the delivery, and then, as long as there is one, the account's next in line. The record of a success is not
    /// waited for until the end.
    async fn work(&self, lane: Lane, account: AccountId, mut endpoint: EndpointId, mut claimed: Claimed) {
        let mut last_record = None;
        loop {
            let (left, record) = self.send(lane, account, endpoint, claimed).await;
            last_record = record.or(last_record);
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

    /// Makes an attempt. The place is given back when the receiver has answered. The record of a failure is waited for, since
    /// it may disable the endpoint that the next in line is for.
    async fn send(
        &self,
        lane: Lane,
        account: AccountId,
        endpoint: EndpointId,
        claimed: Claimed,
    ) -> (Left<Claimed>, Option<Submitted<()>>) {
        let began = Instant::now();
        let ended = AssertUnwindSafe(self.0.sender.attempt(&claimed.claim, claimed.since)).catch_unwind().await;
        let left = self.leave(lane, account, endpoint, Some(began.elapsed()));
        match ended {
            Ok(Err(put_off)) => self.put_back(&claimed.claim, put_off.after_ms).await,
            Ok(Ok(ended)) if ended.error.is_some() => {
                // A statement that failed is logged there.
                let _ = self.0.batches.records.call(ended).await;
            }
            Ok(Ok(ended)) => return (left, Some(self.0.batches.records.submit(ended))),
            // The lease runs out, and the rescue logs the attempt as interrupted.
            Err(_) => tracing::error!(delivery.id = %claimed.claim.id, "An attempt panicked."),
        }
        (left, None)
    }

    /// Gives a place back, and has the lines filled that have grown short.
    fn leave(&self, lane: Lane, account: AccountId, endpoint: EndpointId, took: Option<Duration>) -> Left<Claimed> {
        let mut left = self.places().leave(lane, account, endpoint, took, Instant::now(), is_stale);
        for refill in left.refills.drain(..) {
            let deliverer = self.clone();
            self.0.tasks.spawn(async move { deliverer.refill(refill).await });
        }
        left
    }

    /// The first of those in line that may still be sent, with what it is to be sent with now; its place is taken. Those
    /// before it are put back, for the next claim to end.
    async fn next(&self, lane: Lane, account: AccountId, mut left: Left<Claimed>) -> Option<(EndpointId, Claimed)> {
        loop {
            self.put_back_all(left.stranded).await;
            let (endpoint, mut claimed) = left.next?;
            if self.0.process.shutdown.is_cancelled() {
                self.hand_back(lane, account, endpoint, claimed).await;
                return None;
            }
            // No answer: the claim is lost, the series has ended, or the statement failed and was logged.
            let present = self.0.batches.looks.call((claimed.claim.id, claimed.claim.claim_no)).await.ok().flatten();
            if present.is_some_and(|present| claimed.claim.renew(present)) {
                return Some((endpoint, claimed));
            }
            left = self.leave(lane, account, endpoint, None);
            self.put_back(&claimed.claim, 0).await;
        }
    }

    /// At the end of the process: gives up the place taken for this one, and puts it back with all who stand behind it.
    async fn hand_back(&self, lane: Lane, account: AccountId, endpoint: EndpointId, claimed: Claimed) {
        let left = self.places().leave(lane, account, endpoint, None, Instant::now(), |_| true);
        self.put_back_all(left.stranded.into_iter().chain([claimed])).await;
    }

    async fn put_back_all(&self, deliveries: impl IntoIterator<Item = Claimed>) {
        let put_back = |one: Claimed| PutBack { id: one.claim.id, claim_no: one.claim.claim_no, after_ms: 0 };
        let asked = deliveries.into_iter().map(|one| self.0.batches.put_backs.submit(put_back(one)));
        if let Some(last) = asked.last() {
            // They are flushed in order: when the last is done, so are those before it.
            let _ = last.answer().await;
        }
    }

    async fn put_back(&self, claim: &Claim, after_ms: i64) {
        let put_back = PutBack { id: claim.id, claim_no: claim.claim_no, after_ms };
        let _ = self.0.batches.put_backs.call(put_back).await;
    }

    fn places(&self) -> MutexGuard<'_, Places<Claimed>> {
        // A panic inside leaves counts that are too high at worst; refusing everyone for ever would be worse.
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_stale(claimed: &Claimed) -> bool {
    claimed.since.elapsed() > LONGEST_WAIT
}

/// The slots of the two lanes.
fn slots(all: usize) -> (usize, usize) {
    let slow = (all / 4).max(1);
    (all.saturating_sub(slow).max(1), slow)
}
