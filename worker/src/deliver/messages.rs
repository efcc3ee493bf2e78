//! Events for the scheduler, each with what must not end before it arrives: its ticket, whose handler waits, or else
//! the process.

use super::scheduler::Event;
use store::deliveries::Claim;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// A ticket that a handler is working: dropping it ends the handler.
#[derive(Debug)]
pub struct HeldTicket(#[expect(dead_code, reason = "the handler sees that it is dropped")] pub oneshot::Sender<()>);

/// Keeps the process from ending while something is under way that no ticket's handler waits for.
pub type Alive = Option<TaskTrackerToken>;

/// Keeps a ticket, or else the process, from ending while this exists.
#[derive(Debug)]
pub struct Held {
    _ticket: Option<HeldTicket>,
    _alive: Alive,
}

impl Held {
    /// Holds the ticket; without one, the process whose tasks `tracker` tracks.
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

/// An answer that the scheduler waits for. Dropped without an answer, as when a flush panics, it sends the failure.
/// Otherwise the endpoint would get no first attempts for as long as the process lives.
pub struct Awaited {
    events: Events,
    failed: Option<Box<(Event<Claim, HeldTicket>, Alive)>>,
}

impl Awaited {
    /// An answer of which the scheduler is told `failed` unless another event is given.
    pub fn new(events: Events, failed: Event<Claim, HeldTicket>, tracker: &TaskTracker) -> Self {
        Self { events, failed: Some(Box::new((failed, Some(tracker.token())))) }
    }

    /// Tells the scheduler the event that `answer` makes of the failure.
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

/// The channel to the scheduler. It does not keep the scheduler running.
#[derive(Clone)]
pub struct Events(mpsc::WeakUnboundedSender<Message>);

impl Events {
    /// A channel to the scheduler that receives what `events` sends.
    pub fn new(events: &mpsc::UnboundedSender<Message>) -> Self {
        Self(events.downgrade())
    }

    /// Tells the scheduler of an event. If the scheduler has ended, nobody waits for what it would do.
    pub fn tell(&self, event: Event<Claim, HeldTicket>, alive: Alive) {
        if let Some(events) = self.0.upgrade() {
            let _ = events.send(Message { event, _alive: alive });
        }
    }
}
