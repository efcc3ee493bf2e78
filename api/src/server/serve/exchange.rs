//! The answers of one connection: how many are under way, and how many there have been.
//!
//! An answer is under way from when its request is read until its body was handed over, which only the body knows.
//! Nothing here waits. `wire` asks what it may expect of the client, and is woken when the last answer ends: the
//! client's time to send something more begins then, and nothing else on the connection would tell. `connection_limits`
//! asks since when a connection rests, so that an unused one can be closed for another.

use crate::http::holding::Holding;
use futures_util::task::AtomicWaker;
use poem::Response;
use poem::http;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use tokio::time::Instant;

/// How many answers of a connection are under way, and how many there have been.
#[derive(Clone, Default)]
pub struct Exchange(Arc<Counts>);

#[derive(Default)]
struct Counts {
    under_way: AtomicUsize,
    begun: AtomicUsize,
    at_rest: AtomicWaker,
    /// Since when no request or answer is under way.
    rests_since: Mutex<Option<Instant>>,
}

impl Exchange {
    /// A connection without answers yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts an answer as under way, until this is dropped.
    pub fn answering(&self) -> Answering {
        self.0.begun.fetch_add(1, Ordering::AcqRel);
        self.0.under_way.fetch_add(1, Ordering::AcqRel);
        Answering(Arc::clone(&self.0))
    }

    /// Whether an answer is under way.
    pub fn is_answering(&self) -> bool {
        self.0.under_way.load(Ordering::Acquire) > 0
    }

    /// Whether an answer is under way. If so, the task is woken once the last one has ended.
    pub fn is_answering_until_woken(&self, waker: &Waker) -> bool {
        self.0.at_rest.register(waker);
        // Checked after the waker is registered, so that no end is missed between the two.
        self.is_answering()
    }

    /// Notes that the connection begins to rest, or no longer does.
    pub fn rests(&self, rests: bool) {
        *self.0.rests_since.lock().unwrap_or_else(PoisonError::into_inner) = rests.then(Instant::now);
    }

    /// Since when the connection rests; none while an answer is under way.
    pub fn rests_since(&self) -> Option<Instant> {
        let since = *self.0.rests_since.lock().unwrap_or_else(PoisonError::into_inner);
        since.filter(|_| !self.is_answering())
    }

    /// How many answers there have been, those under way included.
    pub fn begun(&self) -> usize {
        self.0.begun.load(Ordering::Acquire)
    }
}

/// An answer that is under way.
pub struct Answering(Arc<Counts>);

impl Drop for Answering {
    fn drop(&mut self) {
        if self.0.under_way.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.at_rest.wake();
        }
    }
}

/// Returns the response, whose body holds `answering` until it has been sent.
pub fn held(response: Response, answering: Answering) -> http::Response<Holding<Answering>> {
    http::Response::from(response).map(|body| Holding::new(body, Arc::new(answering)))
}
