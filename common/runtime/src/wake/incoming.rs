//! Passes incoming wakes on to those who wait for them.
//!
//! A wake only makes a look come sooner. One that comes while nobody waits is kept, several count as one, and names of
//! tickets beyond `MOST_KEPT` are dropped: the next look finds what they named.

use super::quiet::LastHeard;
use super::words::{NamedTicket, SENDER, Wake};
use crate::queue::Queue;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;

/// Named tickets that are kept at most until they are taken.
pub(super) const MOST_KEPT: usize = 4_000;

/// The wakes of some queues. One that comes while nobody waits is kept for the next to wait; several count as one.
#[derive(Debug, Clone)]
pub struct QueueWakes {
    woken: Arc<Notify>,
    last_heard: LastHeard,
}

impl QueueWakes {
    /// Completes at the next wake, or at once if one has come meanwhile.
    pub fn next(&self) -> BoxFuture<'static, ()> {
        let woken = Arc::clone(&self.woken);
        async move { woken.notified().await }.boxed()
    }

    /// Returns the pause before the queues are polled although no wake came: `usual`, or longer while the service is
    /// quiet.
    pub fn pause(&self, usual: Duration) -> Duration {
        self.last_heard.pause(usual, Instant::now())
    }

    /// Records that work was found, so that the service does not count as quiet.
    pub fn found_work(&self) {
        self.last_heard.note(Instant::now());
    }
}

/// The names of new tickets of some queues. At most `MOST_KEPT` are kept until they are taken; a look at the queues
/// finds the others.
#[derive(Debug, Clone, Default)]
pub struct NamedTickets(Arc<Mailbox>);

#[derive(Debug, Default)]
struct Mailbox {
    is_wanted: AtomicBool,
    tickets: Mutex<Vec<NamedTicket>>,
}

impl NamedTickets {
    /// Sets whether tickets that are named from now on are kept. At first they are not.
    pub fn want(&self, is_wanted: bool) {
        self.0.is_wanted.store(is_wanted, Ordering::Relaxed);
    }

    /// Returns the tickets that were named since the last call.
    pub fn take(&self) -> Vec<NamedTicket> {
        std::mem::take(&mut lock(&self.0.tickets))
    }
}

impl Mailbox {
    fn keep(&self, ticket: &NamedTicket) {
        if self.is_wanted.load(Ordering::Relaxed) {
            let mut tickets = lock(&self.tickets);
            if tickets.len() < MOST_KEPT {
                tickets.push(ticket.clone());
            }
        }
    }
}

/// All receivers, each for some queues.
type Listeners<T> = Mutex<Vec<Listener<T>>>;

/// A receiver for some queues, which is removed once it is dropped.
struct Listener<T> {
    names: Vec<&'static str>,
    target: Weak<T>,
}

/// Tells the receivers of a queue, or of all queues, and removes those that were dropped.
fn tell<T>(all: &mut Vec<Listener<T>>, queue: Option<&str>, tell: impl Fn(&T)) {
    all.retain(|one| {
        let Some(target) = one.target.upgrade() else { return false };
        if queue.is_none_or(|queue| one.names.contains(&queue)) {
            tell(&target);
        }
        true
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes on what arrives.
#[derive(Clone)]
pub(super) struct Incoming {
    others: broadcast::Sender<Wake>,
    waiting: Arc<Listeners<Notify>>,
    pickers: Arc<Listeners<Mailbox>>,
    pub(super) last_heard: LastHeard,
}

impl Incoming {
    pub(super) fn new() -> Self {
        Self {
            others: broadcast::channel(4096).0,
            waiting: Arc::default(),
            pickers: Arc::default(),
            last_heard: LastHeard::default(),
        }
    }

    /// Returns where the new tickets of these queues are named from now on.
    pub(super) fn tickets_of(&self, queues: &[Queue]) -> NamedTickets {
        let named = NamedTickets::default();
        self.pickers().push(Listener { names: names(queues), target: Arc::downgrade(&named.0) });
        named
    }

    /// Returns the wakes of these queues from now on.
    pub(super) fn of_queues(&self, queues: &[Queue]) -> QueueWakes {
        let woken = Arc::new(Notify::new());
        self.waiting().push(Listener { names: names(queues), target: Arc::downgrade(&woken) });
        QueueWakes { woken, last_heard: self.last_heard.clone() }
    }

    /// Returns all other wakes from now on.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.others.subscribe()
    }

    /// Returns how many wait for queues.
    #[cfg(test)]
    pub(super) fn who_wait(&self) -> usize {
        self.waiting().len()
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Listener<Notify>>> {
        lock(&self.waiting)
    }

    fn pickers(&self) -> MutexGuard<'_, Vec<Listener<Mailbox>>> {
        lock(&self.pickers)
    }

    pub(super) fn wake_queue(&self, name: &str) {
        tell(&mut self.waiting(), Some(name), Notify::notify_one);
    }

    pub(super) fn name_ticket(&self, queue: &str, ticket: &NamedTicket) {
        tell(&mut self.pickers(), Some(queue), |picker| picker.keep(ticket));
    }

    pub(super) fn hand_out(&self, wake: Wake) {
        match wake {
            Wake::Queue(name) => self.wake_queue(&name),
            Wake::Ticket { queue, ticket } => self.name_ticket(&queue, &ticket),
            other => {
                if other == Wake::Everything {
                    tell(&mut self.waiting(), None, Notify::notify_one);
                }
                // No one listens when no receiver is subscribed; that is not a fault.
                let _ = self.others.send(other);
            }
        }
    }

    /// Passes on the wakes in a payload. Those of queues and tickets that this process sent itself are skipped: its own
    /// queue workers know them already.
    pub(super) fn hand_out_all(&self, payload: &str, own: &str) {
        self.last_heard.note(Instant::now());
        let mut words = payload.split_whitespace().peekable();
        let sender = words.next_if(|word| word.starts_with(SENDER));
        for wake in words.map(Wake::from_word) {
            if sender != Some(own) || !matches!(wake, Wake::Queue(_) | Wake::Ticket { .. }) {
                self.hand_out(wake);
            }
        }
    }
}

fn names(queues: &[Queue]) -> Vec<&'static str> {
    queues.iter().map(|queue| queue.name()).collect()
}
