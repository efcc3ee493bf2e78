//! Sending job webhooks: a delivery's life, from the job's end to its last attempt (contract §6.1).
//!
//! **The terms.** A *delivery* is a row: one event to one endpoint, with all its attempts; `due_at` says when the next
//! may be made. A *claim* makes it this process's until a *lease* ends; `claim_no` is its fence, and every later write
//! names it. A *ticket* is a row of apalis that says that there is work for an endpoint, and no more: it may be lost,
//! or come twice. An attempt takes a *slot*. The *first lane* has the first attempts to healthy endpoints, and three
//! quarters of the slots; the *slow lane* has all others, so that endpoints which hang can't hold up those that don't.
//! A process has an *endpoint queue* in memory for each endpoint, and in front of it a *backlog*: deliveries that wait
//! in the database, unclaimed. The *scheduler* (`scheduler`) decides, without IO. One *task* (`task`) owns it, tells it
//! events and carries out its actions. The *statements* (`statements`) are batched; the *sender* (`attempt`) signs and
//! sends.
//!
//! **The states, and what leads from one to the next:**
//!
//! ```text
//!  none           its job ends here, and a slot is reserved for it: Born ................ leased
//!  none           the same, and the end is rolled back .................................. none; the slot is free
//!  none           it begins in another way .............................................. waiting, or skipped at once
//!  waiting        it is due, and has no live ticket ..................................... waiting, with a ticket
//!  waiting        its endpoint is disabled · is gone, or a resend replaces it ........... skipped · cancelled
//!  waiting        its ticket arrives, or it began here and a slot is reserved for it; then:
//!                 - little is here for the endpoint: Claim .............................. leased
//!                 - the same, but it has ended, is not due, is another's, or locked ..... its ticket is finished
//!                 - some are queued, being claimed or behind here: DelayTickets ......... waiting, in the backlog
//!                 - the endpoint would get no slot: DelayTickets ........................ waiting; in the backlog
//!                                                                                         where it has a queue here
//!                 - it would wait long in the slow lane: Defer .......................... waiting, due later
//!                 - SIGTERM has come: Defer ............................................. waiting
//!  waiting        its endpoint has a backlog and a short queue: Prefetch ................ leased
//!  leased         there is room: Send, or Revalidate where the claim took long .......... in flight
//!  leased         there is no room ...................................................... queued
//!  leased         there is no room, nor in its queue, or nobody would pick it: HandBack ... waiting, due later
//!  leased         its endpoint fails by now, or SIGTERM has come: HandBack .............. waiting
//!  queued         a slot is given back, or a prefetch finds one free: Revalidate ........ in flight
//!  queued         the same a moment after its claim, in the first lane: Send ............ in flight
//!  queued         it is 10 s old, nobody is left to pick it, or SIGTERM comes: HandBack ... waiting
//!  in flight      its revalidation fails, or says unwanted or late; SIGTERM: HandBack ... waiting
//!  in flight      the same, but its series or its claim has ended ...................... as it is
//!  in flight      answered, and recorded ................................................ succeeded, failed, or
//!                                                                                         waiting for its retry
//!  in flight      its secret can't be opened: the attempt is spent, unsent .............. as after an answer
//!  in flight      nothing was sent, by a fault of this machine: HandBack ................ waiting, due later
//!  in flight      the same, and 32 claims before it made no attempt: counted ............ as after a failure
//!  all that have  the lease ends, since the process died: logged as interrupted ......... waiting, the same number
//!  a lease        the same for the fourth time in a row: counted ........................ as after a failure
//!  in flight      answered after that: neither logged nor counted ....................... as it is
//! ```
//!
//! *How it begins.* Where the process that ends its job in a batch has a slot for it, its endpoint is healthy, nothing
//! comes before it here, and fewer than four before it in the same transaction go to that endpoint, a delivery is
//! leased as it begins, and has no ticket (`own_firsts`). Otherwise it waits, with a ticket of the first lane or, where
//! its endpoint is not healthy or it is a resend, of the slow lane. Those beyond the account's rate are due later and
//! have no ticket yet. One whose endpoint is disabled is skipped, now as later; a ping is sent all the same.
//!
//! *How it waits.* What is deferred, handed back, interrupted or due for a retry has no ticket. A ticket may also be
//! lost with its worker, or finished for nothing. Once such a delivery is due, the scheduler process gives it a ticket:
//! of the first lane where no attempt was made and its endpoint is healthy, else of the slow lane. An attempt that was
//! handed back was not made, and the next one has its number. Where a slot was reserved for a delivery that is not
//! claimed after all, its ticket is left as it is and comes round by itself. A backlog is forgotten when a prefetch
//! finds no more, or nothing is queued or in flight to its endpoint: what waits nevertheless has its ticket, delayed or
//! not. A waiting delivery is skipped or cancelled by its claim here, or elsewhere before that.
//!
//! *How it ends.* An attempt whose series was cancelled meanwhile is logged, and the series stays cancelled. What has
//! ended can be sent again, as another delivery, until it is deleted (`prune_deliveries`). A lease is also left to end
//! while the process lives: when an attempt panics, when five tries to record it or to hand it back fail, when a claim
//! is committed and its answer is lost, when the scheduler starts anew, or when nobody knows whether the end of the job
//! that it tells of was committed.
//!
//! 1. *Prefetch* is one statement: it claims the next deliveries of an endpoint, oldest first, and consumes their
//!    tickets, delayed or not; so few tickets of a backlog are ever fetched. An endpoint has one under way at a time.
//! 2. Tickets are *delayed* only so that those of other endpoints come first. This one is delayed and, if the queue is
//!    long, so are the 2,000 behind it: for 10 s, then 20 s and 40 s each time they come round. When a process dies or
//!    stops, the deliveries whose tickets it had delayed wait for that long.
//! 3. *Room*: 16 in flight to an endpoint, 4 of them in the slow lane; for an account a quarter of the first lane's
//!    slots, less where many share them. Slow endpoints together leave half of those slots to the others, one whose
//!    account has half of its own gets 4, and one that has not answered yet gets 2 where slots are short. At most 8,192
//!    deliveries are queued or asked for in all, and for one account no more than it leaves free.
//! 4. Whoever gives a slot back *picks the next*, if the lane has a slot free: of the same account, the endpoint with
//!    room that has fewest in flight. The slow lane goes round by account (`scheduler::slow_lane`). What was queued is
//!    *revalidated*: a change of its endpoint or its secret counts from the change on, and enough of its lease is left
//!    for the attempt. In the first lane what was claimed less than 50 ms ago is sent as it was claimed, unless an
//!    attempt at its endpoint has failed here since: that may have disabled it. What is sent as it was claimed has the
//!    URL and the secrets that its claim read, or the transaction in which it began.
//! 5. A slot is given back when the answer is there, but after a failure when that is recorded, since it may have
//!    disabled the endpoint of the next delivery.
//! 6. A ticket's handler ends when its delivery is recorded, queued, delayed, deferred, handed back or not claimed.
//!    What is sent out of a queue does not count among the tickets at work, or a backlog would keep the slots that
//!    tickets are fetched for.
//! 7. At SIGTERM nothing more is claimed or sent, what is queued is handed back, what is in flight is recorded.
//!
//! **What always holds** is I1 to I10 in `scheduler/invariants.rs`. Three of them carry the others. For whatever is
//! queued there is an attempt in flight, at whose end it is picked (I3). At the end of an attempt the backlog that is
//! known is asked for (I5), and other deliveries come with their tickets. Every ticket is finished once, and every
//! claim is sent or handed back once (I9): no slot leaks, and one claim never sends twice.
//!
//! Nothing here holds a lock or a connection while it waits for a receiver. A handler always ends without an error: the
//! scheduler process repairs whatever goes wrong here, from the rows alone. A statement that fails is reported as one
//! that claimed nothing. A scheduler that breaks its rules starts anew, and leases and reissued tickets restore what it
//! knew; in a debug build its worker ends, so that a test sees it. The first attempt of a delivery that this process
//! has made itself enters as `Born`, already leased, or as `Reserved`, whose ticket is in the queue. Project webhooks
//! are sent by `notify_project`.

mod attempt;
mod messages;
mod own_firsts;
pub mod request;
mod retries;
mod scheduler;
mod statements;
mod task;

use attempt::Sender;
use futures_util::FutureExt;
use messages::{Events, HeldTicket, Message};
pub use own_firsts::OwnFirsts;
use runtime::process::Process;
use runtime::queue::{Handler, Queue, Subject, Subscription};
use runtime::seal::SealError;
use scheduler::{Event, LONGEST_WAIT, Lane, Limits};
use statements::{Statements, whole_ms};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use task::{FirstSlots, SchedulerTask};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How much longer than the queue and the attempt a lease lasts, for the claim and the record.
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
pub struct Deliverer(Arc<Inner>);

struct Inner {
    limits: Limits,
    /// How long a claim's lease lasts, in milliseconds.
    lease_ms: i64,
    events: Events,
    first_slots: Arc<FirstSlots>,
    /// The attempts and statements that are under way.
    tracker: TaskTracker,
    shutdown: CancellationToken,
    is_broken: Arc<AtomicBool>,
    /// The task ends when the last of these is dropped.
    _scheduler: mpsc::UnboundedSender<Message>,
}

impl Deliverer {
    /// Reads the keys and starts the scheduler. Called once in a process.
    ///
    /// # Errors
    /// [`DeliverError`] when a setting is missing or wrong.
    pub fn new(process: &Process) -> Result<Self, DeliverError> {
        let sender = Arc::new(Sender::new(process)?);
        let timeout = process.settings.webhook_timeout();
        let limits = Limits::new(process.settings.worker_webhooks, timeout);
        let (tell, messages) = mpsc::unbounded_channel();
        let (events, first_slots) = (Events::new(&tell), Arc::new(FirstSlots::new(limits.first_slots)));
        let lease = timeout + LONGEST_WAIT + LEASE_SLACK;
        let statements = Arc::new(Statements::start(process, lease, timeout + LEASE_SLACK / 2));
        let (tracker, shutdown) = (TaskTracker::new(), process.shutdown.clone());
        let parts = Inner {
            limits,
            lease_ms: whole_ms(lease),
            events: events.clone(),
            first_slots: Arc::clone(&first_slots),
            tracker: tracker.clone(),
            shutdown: shutdown.clone(),
            is_broken: Arc::default(),
            _scheduler: tell,
        };
        let (ends, is_broken) = (shutdown.clone(), Arc::clone(&parts.is_broken));
        let task = SchedulerTask { limits, events, sender, statements, tracker, first_slots, shutdown };
        tokio::spawn(watch(task.run(messages), ends, is_broken));
        Ok(Self(Arc::new(parts)))
    }

    /// Checks, at the end of the process, that deliveries could be sent all the time.
    ///
    /// # Errors
    /// [`DeliverError::Broken`] when the scheduler broke before.
    pub fn was_sound(&self) -> Result<(), DeliverError> {
        if self.0.is_broken.load(Ordering::Relaxed) { Err(DeliverError::Broken) } else { Ok(()) }
    }

    /// Returns the queues to work, one for each lane.
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

    /// Returns the first attempts that the next transaction takes on; none yet.
    pub fn own_firsts(&self) -> OwnFirsts {
        OwnFirsts::new(self.clone())
    }

    /// Returns how long the lease of such a delivery lasts, in milliseconds.
    pub fn lease_ms(&self) -> i64 {
        self.0.lease_ms
    }

    /// Takes on a first attempt that this process has just brought about, before its ticket comes round. Returns
    /// whether it does: not while the process ends or has its slots full. Deliveries that already wait for the endpoint
    /// come first.
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

    /// Waits, at the end of the process, for the attempts that no ticket waits for, up to `patience`.
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
/// and the next process finds all that it knew in the rows.
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
