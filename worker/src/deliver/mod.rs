//! Sending job webhooks: how a delivery lives, from the job's end to its last attempt (contract §6.1).
//!
//! **The people in the play.** A *delivery* is a row: one event to one endpoint, with all its attempts; `due_at` says
//! when the next may be made. A *claim* makes it this process's until a *lease* ends; `claim_no` is its fence, and
//! every later write names it. A *ticket* is a row of apalis that says that there is work for an endpoint, and no
//! more: it may be lost, or come twice. An attempt takes a *slot*. The *first lane* has the first attempts to healthy
//! endpoints, and three quarters of the slots; the *slow lane* has all others, so that endpoints which hang can't
//! hold up those that don't. Of each endpoint a process has an *endpoint queue* in memory, and in front of it a
//! *backlog*: what waits in the database, unclaimed. The *scheduler* (`scheduler`) decides, without IO. One *task*
//! (`task`) owns it, tells it events and does what it answers. The *statements* (`statements`) are batched; the
//! *sender* (`attempt`) signs and sends.
//!
//! **The states, and what leads from one to the next:**
//!
//! ```text
//!  waiting        its ticket arrives; little is here for the endpoint: Claim ........ leased
//!  waiting        the same, and it is no longer wanted, or another's ............... its ticket is finished
//!  waiting        its ticket arrives; some are queued or being claimed here, or the
//!                 endpoint would get no slot: DelayTickets ......................... waiting, in the backlog
//!  waiting        the endpoint's queue is short: Prefetch ........................... leased
//!  waiting        its ticket arrives in the slow lane; it would wait long: Defer .... waiting, due later
//!  leased         there is room: Send, or Revalidate where the claim took long ...... in flight
//!  leased         there is none ..................................................... queued
//!  leased         there is none, and no place in the queue: ReleaseClaim ............ waiting, due a moment later
//!  queued         a slot of its account is given back, or any of the slow lane: Revalidate in flight
//!  queued         the same, a moment after its claim: Send ............................ in flight
//!  leased         its endpoint fails by now: ReleaseClaim .......................... waiting, in the slow lane
//!  leased, queued no longer wanted, 10 s old, nobody to pick it, SIGTERM: ReleaseClaim waiting, in the slow lane later
//!  in flight      answered, and recorded ............................ succeeded, failed, waiting for its retry
//!  in flight      nothing left this machine, for a fault of ours: ReleaseClaim ...... waiting, due later
//!  in flight      its secret can't be opened: the attempt is spent, unsent .......... as after an answer
//!  all but waiting the process dies; the lease ends; logged as interrupted .......... waiting, the same number; the
//!                                                                                     fourth time, as after a failure
//! ```
//!
//! A delivery is born waiting with a ticket; without one and due later, where many are born at once; or skipped, where
//! its endpoint is disabled. One that waits for a retry gets its ticket from the scheduler process when it is due, in
//! the slow lane. Here, at its claim, and elsewhere one that waits becomes skipped (its endpoint is disabled; a ping is
//! sent all the same) or cancelled (its endpoint is gone, or a resend takes its place). An attempt whose series was
//! cancelled meanwhile is logged, and the series stays cancelled. The lease also ends without the process: when an
//! attempt panics, or five tries to record it fail. At SIGTERM a ticket that arrives is deferred.
//!
//! 1. *Prefetch* is one statement: it claims what an endpoint is to get next, oldest first, and consumes those
//!    tickets, delayed or not. So few tickets of a backlog are ever fetched. One is under way at a time for an
//!    endpoint.
//! 2. Tickets are *delayed* so that those of other endpoints come first, and for no other reason: with this one,
//!    where the queue is long, the 2,000 behind it; for 10 s, and twice as long each time they come round, at most
//!    40 s. What a process leaves behind that dies or stops waits for that.
//! 3. *Room*: 16 in flight to an endpoint, 4 of them in the slow lane; for an account a quarter of the first lane's
//!    slots, less where many share them. Slow endpoints together leave half of those slots to the others, and one that
//!    has not answered yet gets two where slots are short. Of all endpoints together 8,192 are queued or asked for, of
//!    one account no more than it leaves free.
//! 4. Whoever gives a slot back *picks the next*, if the lane has a slot free: of the same account, the endpoint with
//!    room that has fewest in flight. The slow lane goes round by account (`scheduler::slow_lane`). What was queued is
//!    *revalidated*: a change of its endpoint or its secret counts from the change on, and enough of its lease is left
//!    for the attempt. In the first lane what was claimed less than 50 ms ago is sent as it was claimed, unless an
//!    attempt at its endpoint has failed here since: that may have disabled it.
//! 5. A slot is given back when the answer is there, but after a failure when that is recorded, since it may have
//!    disabled the endpoint that the next is for.
//! 6. A ticket's handler ends when its delivery is recorded, queued, delayed or deferred. What is sent out of a queue
//!    runs beside tickets, or a backlog would keep the slots that tickets are fetched for.
//! 7. At SIGTERM nothing more is claimed or sent, what is queued is released, what is in flight is recorded.
//!
//! **What always holds** is I1 to I10 in `scheduler/invariants.rs`. Three carry the rest. What is queued has one in
//! flight whose end picks it (I3), and what is known to wait behind a queue is asked for by it (I5); what is not known
//! comes with its ticket. Every ticket is finished once, and every claim is sent or released once (I9): no slot
//! leaks, and by one claim nothing is sent twice.
//!
//! No lock and no connection is held while a receiver is waited for. A handler always ends quietly: whatever goes wrong
//! here is made good by the scheduler process, from the rows alone. A statement that breaks is told of as one that
//! claimed nothing. A scheduler that breaks its rules begins anew, and leases and reissued tickets make good what it
//! knew; in a debug build its worker ends, so that a test sees it. A first attempt that this process has brought about
//! itself enters as `Reserved`, without a ticket. Project webhooks are not here.

mod attempt;
pub mod request;
mod retries;
mod scheduler;
mod statements;
mod task;
mod told;

use attempt::Sender;
use futures_util::FutureExt;
use runtime::process::Process;
use runtime::queue::{Handler, Queue, Subject, Subscription};
use runtime::seal::SealError;
use scheduler::{Event, LONGEST_WAIT, Lane, Limits};
use statements::Statements;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use task::{FirstSlots, Task};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use told::{Events, HeldTicket, Told};

/// What a lease has beyond the queue and the attempt, for the claim and the record.
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
    /// The task that owns the scheduler has ended.
    #[error("the scheduler of deliveries broke")]
    Broken,
}

/// Sends webhooks for one process. Cheap to clone.
#[derive(Clone)]
pub struct Deliverer(Arc<Parts>);

struct Parts {
    limits: Limits,
    events: Events,
    first_slots: Arc<FirstSlots>,
    /// What is under way.
    tracker: TaskTracker,
    shutdown: CancellationToken,
    is_broken: Arc<AtomicBool>,
    /// The task ends with the last of these.
    _scheduler: mpsc::UnboundedSender<Told>,
}

impl Deliverer {
    /// Reads the keys and starts the scheduler. Once a process.
    ///
    /// # Errors
    /// [`DeliverError`] when a setting is missing or wrong.
    pub fn new(process: &Process) -> Result<Self, DeliverError> {
        let sender = Arc::new(Sender::new(process)?);
        let timeout = process.settings.webhook_timeout();
        let limits = Limits::new(process.settings.worker_webhooks, timeout);
        let (tell, told) = mpsc::unbounded_channel();
        let (events, first_slots) = (Events::new(&tell), Arc::new(FirstSlots::new(limits.first_slots)));
        let lease = timeout + LONGEST_WAIT + LEASE_SLACK;
        let statements = Arc::new(Statements::start(process, lease, timeout + LEASE_SLACK / 2));
        let (tracker, shutdown) = (TaskTracker::new(), process.shutdown.clone());
        let parts = Parts {
            limits,
            events: events.clone(),
            first_slots: Arc::clone(&first_slots),
            tracker: tracker.clone(),
            shutdown: shutdown.clone(),
            is_broken: Arc::default(),
            _scheduler: tell,
        };
        let (ends, is_broken) = (shutdown.clone(), Arc::clone(&parts.is_broken));
        let task = Task { limits, events, sender, statements, tracker, first_slots, shutdown };
        tokio::spawn(watch(task.run(told), ends, is_broken));
        Ok(Self(Arc::new(parts)))
    }

    /// Whether deliveries could be sent all the time, at the end of the process.
    ///
    /// # Errors
    /// [`DeliverError::Broken`] when the scheduler ended before.
    pub fn was_sound(&self) -> Result<(), DeliverError> {
        if self.0.is_broken.load(Ordering::Relaxed) { Err(DeliverError::Broken) } else { Ok(()) }
    }

    /// The queues to work, one a lane.
    pub fn subscriptions(&self) -> Vec<Subscription> {
        let limits = self.0.limits;
        let subscription = |queue, lane| {
            let deliverer = self.clone();
            let handler: Handler = Arc::new(move |subject| {
                let deliverer = deliverer.clone();
                async move { deliverer.handle(lane, subject).await }.boxed()
            });
            Subscription { queues: vec![queue], concurrency: limits.tickets_at_once(lane), handler }
        };
        vec![subscription(Queue::WebhookFirst, Lane::First), subscription(Queue::WebhookSlow, Lane::Slow)]
    }

    /// Takes on a first attempt that this process has just brought about, without waiting for its ticket to come
    /// round. Returns whether it does: not while the process ends or has its slots full. Where others wait for the
    /// endpoint already it comes after them.
    pub fn try_send_now(&self, subject: Subject) -> bool {
        let Subject::Delivery { id, endpoint } = subject else { return false };
        if self.0.shutdown.is_cancelled() || !self.0.first_slots.try_reserve() {
            return false;
        }
        self.0.events.tell(Event::Reserved { id, endpoint }, Some(self.0.tracker.token()));
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
        self.0.tracker.close();
        if tokio::time::timeout(patience, self.0.tracker.wait()).await.is_err() {
            tracing::warn!("Attempts were cut off; they will be rescued.");
        }
    }

    async fn handle(&self, lane: Lane, subject: Subject) {
        let Subject::Delivery { id, endpoint } = subject else { return };
        let (ticket, finished) = oneshot::channel();
        let ticket = HeldTicket(ticket);
        self.0.events.tell(Event::TicketArrived { lane, id, endpoint, ticket }, None);
        // Whoever is done with a ticket drops it.
        let _ = finished.await;
    }
}

/// Runs the scheduler. Without it tickets would be spent and nothing sent: where it breaks the process is told to end,
/// and the one that is started in its place finds in the rows all that it knew.
async fn watch(scheduler: impl Future<Output = ()>, shutdown: CancellationToken, is_broken: Arc<AtomicBool>) {
    if AssertUnwindSafe(scheduler).catch_unwind().await.is_err() {
        is_broken.store(true, Ordering::Relaxed);
        tracing::error!("The scheduler of deliveries broke; this worker ends.");
        shutdown.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_worker_ends_when_its_scheduler_breaks_and_not_when_it_is_done() {
        for breaks in [false, true] {
            let (shutdown, is_broken) = (CancellationToken::new(), Arc::new(AtomicBool::new(false)));
            let scheduler = async move { assert!(!breaks, "broken") };
            tokio::spawn(watch(scheduler, shutdown.clone(), Arc::clone(&is_broken))).await.expect("it is watched");
            assert_eq!((shutdown.is_cancelled(), is_broken.load(Ordering::Relaxed)), (breaks, breaks));
        }
    }
}
