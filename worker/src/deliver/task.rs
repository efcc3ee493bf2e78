//! The task of a process that owns the scheduler: it tells it events and carries out its actions.
//!
//! An attempt is a task of its own, and every statement goes through a batch; their answers come back as events. What
//! is under way holds a ticket, which its handler waits for, or else a token, so that the end of all of it can be
//! awaited.

use super::attempt::{Sender, error_type};
use super::messages::{Alive, Awaited, Events, Held, HeldTicket, Message};
use super::scheduler::{Action, Cursor, DeliveryScheduler, Departure, Event, Limits, Slot};
use super::statements::{BacklogCall, Statements};
use domain::ids::EndpointId;
use futures_util::FutureExt;
use runtime::telemetry::traces;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::attempts::EndedAttempt;
use store::deliveries::{Claim, Deferred, Delay, HandedBackClaim};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::field::Empty;
use tracing::{Instrument, Span};

/// The slots for first attempts, for callers outside the task.
#[derive(Debug)]
pub struct FirstSlots {
    all: usize,
    taken: AtomicUsize,
    reserved: AtomicUsize,
    /// Endpoints for which others waited when the scheduler last heard of them.
    busy: Mutex<HashSet<EndpointId>>,
}

impl FirstSlots {
    pub fn new(all: usize) -> Self {
        Self { all, taken: AtomicUsize::new(0), reserved: AtomicUsize::new(0), busy: Mutex::default() }
    }

    /// Whether others come before a new first attempt at this endpoint, as far as is known here.
    pub fn is_busy(&self, endpoint: EndpointId) -> bool {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).contains(&endpoint)
    }

    /// Gives back so many slots that were reserved.
    pub fn release(&self, many: usize) {
        self.reserved.fetch_sub(many, Ordering::Relaxed);
    }

    fn note(&self, endpoint: EndpointId, is_busy: bool) {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if is_busy {
            busy.insert(endpoint);
        } else {
            busy.remove(&endpoint);
        }
    }

    /// Reserves a slot, if one is free, for a first attempt that the scheduler is told of at once.
    pub fn try_reserve(&self) -> bool {
        let is_free = |reserved: usize| self.taken.load(Ordering::Relaxed) + reserved < self.all;
        let one_more = |reserved| is_free(reserved).then_some(reserved + 1);
        self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }
}

/// The parts that the task works with.
pub struct SchedulerTask {
    pub limits: Limits,
    pub events: Events,
    pub sender: Arc<Sender>,
    pub statements: Arc<Statements>,
    pub tracker: TaskTracker,
    pub first_slots: Arc<FirstSlots>,
    pub shutdown: CancellationToken,
}

impl SchedulerTask {
    /// Runs until nobody is left who could send it an event.
    pub async fn run(self, mut messages: mpsc::UnboundedReceiver<Message>) {
        let mut scheduler = DeliveryScheduler::new(self.limits);
        let mut is_ending = false;
        loop {
            let next = tokio::select! {
                biased;
                () = self.shutdown.cancelled(), if !is_ending => None,
                next = messages.recv() => match next {
                    Some(next) => Some(next),
                    None => return,
                },
            };
            if !is_ending && self.shutdown.is_cancelled() {
                is_ending = true;
                self.on(&mut scheduler, Event::ShutDown);
            }
            if let Some(Message { event, _alive }) = next {
                let is_reserved = matches!(event, Event::Reserved { .. } | Event::Born { .. });
                let endpoint = event.endpoint();
                self.on(&mut scheduler, event);
                self.first_slots.taken.store(scheduler.first_slots_taken(), Ordering::Relaxed);
                if is_reserved {
                    self.first_slots.release(1);
                }
                if let Some(endpoint) = endpoint {
                    self.first_slots.note(endpoint, scheduler.is_busy(endpoint, Instant::now()));
                }
            }
        }
    }

    fn on(&self, scheduler: &mut DeliveryScheduler<Claim, HeldTicket>, event: Event<Claim, HeldTicket>) {
        let now = Instant::now();
        let decided = catch_unwind(AssertUnwindSafe(|| scheduler.on(event, now)));
        match decided {
            Ok(actions) => actions.into_iter().for_each(|action| self.perform(action)),
            // A test is to see it.
            Err(broken) if cfg!(debug_assertions) => resume_unwind(broken),
            Err(_) => {
                // Leases and reissued tickets restore what it knew.
                tracing::error!("The scheduler of deliveries broke one of its rules; it begins anew.");
                *scheduler = DeliveryScheduler::new(self.limits);
                if self.shutdown.is_cancelled() {
                    scheduler.on(Event::ShutDown, now);
                }
            }
        }
    }

    fn hold(&self, ticket: Option<HeldTicket>) -> Held {
        Held::new(ticket, &self.tracker)
    }

    fn awaited(&self, failed: Event<Claim, HeldTicket>) -> Awaited {
        Awaited::new(self.events.clone(), failed, &self.tracker)
    }

    fn perform(&self, action: Action<Claim, HeldTicket>) {
        let statements = &self.statements;
        match action {
            Action::Claim { lane, id, endpoint, ticket } => {
                statements.claims.submit((id, self.awaited(Event::NotClaimed { lane, endpoint, ticket })));
            }
            Action::Send(departure) => self.spawn(departure, Attempt::send),
            Action::Revalidate(departure) => self.spawn(departure, Attempt::revalidate_and_send),
            Action::Prefetch(prefetch) => {
                // Whether more waits is not known then.
                let (endpoint, cursor) = (prefetch.endpoint, Cursor { more: true, after: None });
                let awaited = self.awaited(Event::Prefetched { endpoint, leased: Vec::new(), cursor });
                statements.backlogs.submit(BacklogCall::Prefetch(prefetch, awaited));
            }
            Action::HandBack { delivery, after_ms, ticket } => {
                statements.hand_backs.submit((handed_back(&delivery, after_ms), self.hold(ticket)));
            }
            Action::Defer { id, after_ms, ticket } => {
                statements.deferrals.submit((Deferred { id, after_ms }, self.hold(Some(ticket))));
            }
            Action::DelayTickets { id, behind, by, ticket } => {
                statements.backlogs.submit(BacklogCall::Delay(Delay { id, behind, by }, self.hold(Some(ticket))));
            }
            Action::FinishTicket(ticket) => drop(ticket),
        }
    }

    fn spawn<Sending>(&self, mut departure: Departure<Claim, HeldTicket>, send: impl FnOnce(Attempt) -> Sending)
    where
        Sending: Future<Output = ()> + Send + 'static,
    {
        let claim = &departure.leased.delivery;
        let span = tracing::error_span!(
            "delivery", delivery.id = %claim.id, endpoint.id = %claim.endpoint_id, attempt = claim.attempt
        );
        let traced = traced(claim);
        let attempt = Attempt {
            held: self.hold(departure.ticket.take()),
            departure,
            traced: traced.clone(),
            tracker: self.tracker.clone(),
            events: self.events.clone(),
            sender: Arc::clone(&self.sender),
            statements: Arc::clone(&self.statements),
            shutdown: self.shutdown.clone(),
        };
        tokio::spawn(send(attempt).instrument(span).instrument(traced));
    }
}

/// Returns the span of an attempt, as traces export it: it goes on from the call whose end the webhook reports.
fn traced(claim: &Claim) -> Span {
    let span = runtime::span!(
        "delivery",
        otel.kind = "consumer",
        otel.name = "deliver webhook",
        otel.status_code = Empty,
        delivery.id = %claim.id,
        event.id = claim.event_id.as_str(),
        event.type = claim.event_type.name(),
        endpoint.id = %claim.endpoint_id,
        account.id = %claim.account_id,
        mws.attempt = claim.attempt,
        error.type = Empty,
    );
    traces::go_on(&span, claim.traceparent.as_deref());
    span
}

const fn handed_back(claim: &Claim, after_ms: i64) -> HandedBackClaim {
    HandedBackClaim { id: claim.id, claim_no: claim.claim_no, after_ms }
}

/// An attempt that has its slot.
struct Attempt {
    departure: Departure<Claim, HeldTicket>,
    held: Held,
    traced: Span,
    tracker: TaskTracker,
    events: Events,
    sender: Arc<Sender>,
    statements: Arc<Statements>,
    shutdown: CancellationToken,
}

impl Attempt {
    /// Sends a queued delivery with its current endpoint and secret. One that must not be sent any more is handed back,
    /// for the next claim to end.
    async fn revalidate_and_send(mut self) {
        if !self.shutdown.is_cancelled() {
            let claim = &mut self.departure.leased.delivery;
            // No answer: the claim is lost, the series has ended, or the statement failed and was logged.
            let target = self.statements.revalidations.call((claim.id, claim.claim_no)).await.ok().flatten();
            if target.is_some_and(|target| claim.renew(target)) {
                return self.send().await;
            }
        }
        self.hand_back(0, None);
    }

    /// Sends it. The slot is given back when the receiver has answered; after a failure when that is recorded, since it
    /// may disable the endpoint that the next in the queue is for.
    async fn send(self) {
        let began = Instant::now();
        let leased = &self.departure.leased;
        let ended = AssertUnwindSafe(self.sender.attempt(&leased.delivery, leased.since)).catch_unwind().await;
        let took = Some(began.elapsed());
        // The scheduler must hear of it before the ticket is done.
        let alive = Some(self.tracker.token());
        match ended {
            Ok(Ok(ended)) => self.record(ended, took, alive).await,
            Ok(Err(not_made)) => self.hand_back(not_made.after_ms, took),
            Err(_) => {
                // The lease runs out, and the rescue logs the attempt as interrupted.
                tracing::error!(delivery.id = %leased.id, "An attempt panicked.");
                give_back(&self.events, self.departure.slot, took, true, alive);
            }
        }
    }

    async fn record(self, ended: EndedAttempt, took: Option<Duration>, alive: Alive) {
        let has_failed = ended.error.is_some();
        if let Some(error) = ended.error {
            self.traced.record("error.type", error_type(error, ended.response_status.map(i32::from)));
            self.traced.record("otel.status_code", "ERROR");
        }
        let recorded = self.statements.records.submit((ended, self.held));
        if has_failed {
            // A statement that failed is logged there.
            let _ = recorded.answer().await;
        }
        give_back(&self.events, self.departure.slot, took, has_failed, alive);
    }

    fn hand_back(self, after_ms: i64, took: Option<Duration>) {
        let alive = Some(self.tracker.token());
        self.statements.hand_backs.submit((handed_back(&self.departure.leased.delivery, after_ms), self.held));
        give_back(&self.events, self.departure.slot, took, false, alive);
    }
}

fn give_back(events: &Events, slot: Slot, took: Option<Duration>, has_failed: bool, alive: Alive) {
    events.tell(Event::AttemptEnded { slot, took, has_failed }, alive);
}
