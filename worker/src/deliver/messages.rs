//! Events for the scheduler, and what must not end before they arrive: a ticket, whose handler waits, or the process.

use super::scheduler::Event;
use store::deliveries::Claim;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// A ticket that a handler is working: dropping it ends the handler.
#[derive(Debug)]
pub struct HeldTicket(#[expect(dead_code, reason = "the handler sees that it is dropped")] pub oneshot::Sender<()>);

/// A token of something under way that no ticket's handler waits for.
pub type Alive = Option<TaskTrackerToken>;

/// Keeps a ticket, or the process, from ending before something is done.
#[derive(Debug)]
pub struct Held {
    _ticket: Option<HeldTicket>,
    _alive: Alive,
}

impl Held {
    /// Holds the ticket, or the process where there is none.
    pub fn new(ticket: Option<HeldTicket>, tracker: &TaskTracker) -> Self {
        let alive = ticket.is_none().then(|| tracker.token());
        Self { _ticket: ticket, _alive: alive }
    }
}

/// An event on its way to the scheduler.
pub struct Message {
    pub event: Event<Claim, HeldTicket>,
    pub _alive: Alive,
}

/// An answer that the scheduler waits for. Dropped without one, as where a flush panics, it reports the failure:
/// otherwise the endpoint would get no first attempts for as long as the process lives.
pub struct Awaited {
    events: Events,
    failed: Option<Box<(Event<Claim, HeldTicket>, Alive)>>,
}

impl Awaited {
    /// An answer that is the event `failed` unless another is given.
    pub fn new(events: Events, failed: Event<Claim, HeldTicket>, tracker: &TaskTracker) -> Self {
        Self { events, failed: Some(Box::new((failed, Some(tracker.token())))) }
    }

    /// Tells the scheduler this event instead of the failure.
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

/// The channel to the scheduler.
#[derive(Clone)]
pub struct Events(mpsc::WeakUnboundedSender<Message>);

impl Events {
    pub fn new(events: &mpsc::UnboundedSender<Message>) -> Self {
        Self(events.downgrade())
    }

    /// Tells the scheduler. Where it is gone, so is everybody who would wait for it.
    pub fn tell(&self, event: Event<Claim, HeldTicket>, alive: Alive) {
        if let Some(events) = self.0.upgrade() {
            let _ = events.send(Message { event, _alive: alive });
        }
    }
}
