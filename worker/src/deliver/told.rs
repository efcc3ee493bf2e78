//! What the scheduler is told, and what must not end before that: a ticket, whose handler waits, or the process.

use super::scheduler::Event;
use store::deliveries::Claim;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// A ticket that a handler is working: dropping it ends the handler.
#[derive(Debug)]
pub struct HeldTicket(#[expect(dead_code, reason = "the handler sees that it is dropped")] pub oneshot::Sender<()>);

/// Says that something is under way which no ticket's handler waits for.
pub type Alive = Option<TaskTrackerToken>;

/// What must not end before something is done: a ticket, or the process.
#[derive(Debug)]
pub struct Held {
    _ticket: Option<HeldTicket>,
    _alive: Alive,
}

impl Held {
    /// The ticket, or the process where there is none.
    pub fn new(ticket: Option<HeldTicket>, tracker: &TaskTracker) -> Self {
        let alive = ticket.is_none().then(|| tracker.token());
        Self { _ticket: ticket, _alive: alive }
    }
}

/// An event on its way to the scheduler.
pub struct Told {
    pub event: Event<Claim, HeldTicket>,
    pub _alive: Alive,
}

/// What the scheduler waits to be told. Dropped without an answer, as where a flush panics, it says that nothing came
/// of it: or the endpoint would get no first attempts for as long as the process lives.
pub struct Awaited {
    events: Events,
    failed: Option<Box<(Event<Claim, HeldTicket>, Alive)>>,
}

impl Awaited {
    /// For what is told by an event: where nothing comes of it, by this one.
    pub fn new(events: Events, failed: Event<Claim, HeldTicket>, tracker: &TaskTracker) -> Self {
        Self { events, failed: Some(Box::new((failed, Some(tracker.token())))) }
    }

    /// Tells the scheduler this, in the place of the failure.
    pub fn answer(mut self, answer: impl FnOnce(Event<Claim, HeldTicket>) -> Event<Claim, HeldTicket>) {
        if let Some(failed) = self.failed.take() {
            let (failed, alive) = *failed;
            self.events.tell(answer(failed), alive);
        }
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if let Some(failed) = self.failed.take() {
            let (failed, alive) = *failed;
            self.events.tell(failed, alive);
        }
    }
}

/// Where events go.
#[derive(Clone)]
pub struct Events(mpsc::WeakUnboundedSender<Told>);

impl Events {
    pub fn new(events: &mpsc::UnboundedSender<Told>) -> Self {
        Self(events.downgrade())
    }

    /// Tells the scheduler. Where it is gone, so is everybody who would wait for it.
    pub fn tell(&self, event: Event<Claim, HeldTicket>, alive: Alive) {
        if let Some(events) = self.0.upgrade() {
            let _ = events.send(Told { event, _alive: alive });
        }
    }
}
