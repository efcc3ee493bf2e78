//! A queue worker's backend that pauses before it is tried again, and leaves signs of life.
//!
//! apalis restarts a worker at once when it fails. When the database answers with an error at once, as a read-only or a
//! full one does, that made ten thousand tries and as many log lines a second. Here each try waits twice as long as the
//! last, and only the loss of the queue and its return are logged.

use crate::signs::Beat;
use apalis_core::backend::{Backend, BackendConfig, WireFormatBackend};
use apalis_core::worker::context::WorkerContext;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The pause before the second try; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause, which is also how late the queue's return may be noticed.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A worker that has run for this long since its last failure counts as well again.
const WELL_AFTER: Duration = Duration::from_secs(6);

/// The failures of a process's queue workers. Cheap to clone; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Tries(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// One for each worker, by its number.
    failures: Vec<Failures>,
    lost_since: Option<Instant>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Failures {
    in_a_row: u32,
    last: Option<Instant>,
}

impl Tries {
    /// Adds a worker. Returns its number.
    pub(super) fn join(&self) -> usize {
        let mut state = self.lock();
        state.failures.push(Failures::default());
        state.failures.len() - 1
    }

    /// Records that a worker failed, and will be restarted.
    fn failed(&self, worker: usize, why: &dyn std::fmt::Display, now: Instant) {
        let mut state = self.lock();
        if let Some(failures) = state.failures.get_mut(worker) {
            failures.in_a_row = failures.in_a_row.saturating_add(1);
            failures.last = Some(now);
        }
        metrics::counter!("mws_queue_restarts_total").increment(1);
        if state.lost_since.is_none() {
            state.lost_since = Some(now);
            drop(state);
            tracing::warn!(error = %why, "The queue can't be worked; it is tried again, with pauses, until it can.");
        }
    }

    /// Returns how long a worker waits before it starts. `jitter` is a random fraction in `0..1`.
    fn pause(&self, worker: usize, jitter: f64) -> Duration {
        let failures = self.lock().failures.get(worker).copied().unwrap_or_default();
        let Some(doublings) = failures.in_a_row.checked_sub(1) else { return Duration::ZERO };
        let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(doublings.min(16))).min(LONGEST_PAUSE);
        pause.mul_f64(0.5 + jitter / 2.0)
    }

    /// Records that a worker is running.
    fn goes_on(&self, worker: usize, now: Instant) {
        let mut state = self.lock();
        let Some(failures) = state.failures.get_mut(worker) else { return };
        if failures.last.is_none_or(|last| now.saturating_duration_since(last) < WELL_AFTER) {
            return;
        }
        *failures = Failures::default();
        if state.failures.iter().all(|failures| failures.last.is_none())
            && let Some(since) = state.lost_since.take()
        {
            drop(state);
            tracing::info!(seconds = (now - since).as_secs(), "The queue is worked again.");
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker's backend.
pub(super) struct Watched<B> {
    inner: B,
    pause: Option<BoxFuture<'static, ()>>,
    beat: Beat,
    tries: Tries,
    worker: usize,
}

impl<B> Watched<B> {
    pub(super) fn new(inner: B, beat: &Beat, tries: &Tries, worker: usize) -> Self {
        let pause = tries.pause(worker, rand::random());
        let pause = (!pause.is_zero()).then(|| sleep(pause).boxed());
        Self { inner, pause, beat: beat.clone(), tries: tries.clone(), worker }
    }
}

impl<B: Backend> Backend for Watched<B> {
    type Task = B::Task;
    type Error = B::Error;

    fn poll_ready(&mut self, cx: &mut Context<'_>, worker: &WorkerContext) -> Poll<Result<(), Self::Error>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        let ready = self.inner.poll_ready(cx, worker);
        match &ready {
            Poll::Ready(Ok(())) => {
                self.beat.touch(Instant::now());
                self.tries.goes_on(self.worker, Instant::now());
            }
            // apalis ends it with this error, and restarts the worker with another backend.
            Poll::Ready(Err(error)) => self.tries.failed(self.worker, error, Instant::now()),
            Poll::Pending => {}
        }
        ready
    }

    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Option<Result<Self::Task, Self::Error>>> {
        let next = self.inner.poll_next(cx, worker);
        if let Poll::Ready(Some(Err(error))) = &next {
            self.tries.failed(self.worker, error, Instant::now());
        }
        next
    }

    fn poll_close(&mut self, cx: &mut Context<'_>, worker: &WorkerContext) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_close(cx, worker)
    }
}

impl<B: BackendConfig> BackendConfig for Watched<B> {
    type Args = B::Args;
    type Id = B::Id;
    type Kind = B::Kind;
    type Config = B::Config;
    type Layer = B::Layer;

    fn config(&self) -> &Self::Config {
        self.inner.config()
    }

    fn middleware(&mut self, worker: &mut WorkerContext) -> Self::Layer {
        self.inner.middleware(worker)
    }
}

impl<B: WireFormatBackend> WireFormatBackend for Watched<B> {
    type Codec = B::Codec;
    type Compact = B::Compact;

    fn codec(&self) -> &Self::Codec {
        self.inner.codec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_try_waits_twice_as_long_until_the_worker_has_gone_on_for_a_while() {
        let (tries, now) = (Tries::default(), Instant::now());
        let (one, other) = (tries.join(), tries.join());
        assert_eq!(tries.pause(one, 0.9), Duration::ZERO);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            tries.failed(one, &"read-only", now);
            tries.goes_on(one, now + WELL_AFTER / 2);
            pauses.push(tries.pause(one, 1.0).as_millis());
        }
        assert_eq!(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        assert_eq!(tries.pause(one, 0.0).as_millis(), 2_500, "not all come back in the same moment");
        assert_eq!(tries.pause(other, 1.0), Duration::ZERO);
        tries.goes_on(one, now + WELL_AFTER);
        assert_eq!(tries.pause(one, 1.0), Duration::ZERO);
        assert!(tries.lock().lost_since.is_none());
    }
}
