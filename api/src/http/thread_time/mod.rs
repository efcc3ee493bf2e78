//! Shares the processor time of the threads that answer requests among those who send them.
//!
//! Limits of bytes do not bound this time: requests just below every limit kept the threads busy, although the account
//! sent no more of them than it may. So the processor time of each poll of a request is measured, and counted to its
//! *taker*: whoever sent it. A taker may use a quarter of the cores. While others send requests too, a taker that has
//! used more than that waits before its next request begins, until its use is down to a quarter again. A request waits
//! before it takes a connection, and holds nothing but its place among the account's requests.
//!
//! The takers that wait may together use half of the cores: while more than two of them wait, only a part of each
//! pause counts as waited. A taker's requests begin one after another, and each waits for what this taker has used,
//! never for what others have. While a request is under way, the usual time of its taker's requests is counted for it;
//! when it has ended, the time that it took. What a thread apart does for a request is counted when that ends. For all
//! that a taker used while nobody else sent requests, it waits five seconds at most.

use crate::http::error::{Answer, ApiError, Code};
use moka::future::Cache;
use rustix::time::{ClockId, clock_gettime};
use std::future::poll_fn;
use std::hash::Hash;
use std::num::NonZero;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Takers that are remembered.
const MOST_REMEMBERED: u64 = 100_000;
/// How long a wait is forgiven, so that the handful of requests which a page sends begins at once.
const AHEAD: Duration = Duration::from_millis(100);
/// The processor time that is counted for a taker's first requests while they are under way.
const FIRST_GUESS: Duration = Duration::from_millis(2);
/// How long after a request its taker still counts as somebody else who sends requests.
const RECENT: Duration = Duration::from_secs(1);
/// The longest wait; whoever would wait longer is refused.
const LONGEST: Duration = Duration::from_secs(10);
/// The longest pause before a request that waits looks again: its wait becomes shorter when another of its taker's
/// requests ends and has taken less than was counted for it.
const LOOK: Duration = Duration::from_millis(10);
/// The longest wait for what a taker used while nobody else sent requests. Without this limit, a taker that had worked
/// alone for an hour would be refused for an hour once another taker came.
const AHEAD_ALONE: Duration = Duration::from_secs(5);

/// Who has taken how much.
pub struct ThreadTime<K> {
    of_one: Cache<K, Arc<Own>>,
    /// How many takers wait.
    waiting: AtomicU32,
    /// The two takers that sent a request last.
    last: Mutex<[Option<(K, Instant)>; 2]>,
    cores: u32,
}

/// One taker.
#[derive(Debug)]
struct Own {
    time: Mutex<OwnTime>,
    /// Held by its first request that waits. The others stand behind that one, in their order.
    gate: tokio::sync::Mutex<()>,
}

/// What one taker has used.
#[derive(Debug)]
struct OwnTime {
    /// When it will have waited for all that it has used.
    until: Instant,
    /// What a request of it usually takes.
    usual: Duration,
}

/// The time that is counted for a request while it is under way: an estimate. [`Self::settle`] replaces it by the time
/// that the request took. If this is dropped before, as when a client hangs up, the estimate is taken back, and only
/// the time that other tasks took for the request is counted.
#[derive(Debug)]
pub struct ReckonedTime {
    own: Arc<Own>,
    usual: Duration,
    cores: u32,
    /// The time that other tasks took for the request; none once it is settled.
    elsewhere: Mutex<Option<Duration>>,
}

impl<K: Hash + Eq + Copy + Send + Sync + 'static> Default for ThreadTime<K> {
    /// Nobody has used any time yet.
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self::of(u32::try_from(cores).unwrap_or(u32::MAX))
    }
}

impl<K: Hash + Eq + Copy + Send + Sync + 'static> ThreadTime<K> {
    fn of(cores: u32) -> Self {
        let of_one = Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build();
        Self { of_one, waiting: AtomicU32::new(0), last: Mutex::default(), cores }
    }

    /// Waits until the taker's next request may begin.
    ///
    /// # Errors
    /// `rate_limited` where that has not come within ten seconds.
    pub async fn wait(&self, taker: K) -> Answer<ReckonedTime> {
        let own = self.own(taker).await;
        let began = Instant::now();
        if !self.note(taker, began) {
            let mut time = lock(&own.time);
            time.until = time.until.min(began + AHEAD_ALONE);
            drop(time);
            return Ok(own.begin(self.cores));
        }
        if own.ahead(began).is_zero() {
            return Ok(own.begin(self.cores));
        }
        let waited = timeout(LONGEST, self.wait_at(&own)).await;
        metrics::histogram!("mws_thread_time_wait_seconds").record(began.elapsed().as_secs_f64());
        waited.map_err(|_| {
            let message = "Your requests take much more processor time than your part of it, and others need some.";
            ApiError::new(Code::RateLimited, message)
                .suggest("Send fewer at once, or ask for less in each.")
                .retry_after(own.ahead(Instant::now()).as_secs() + 1)
        })
    }

    /// Lets a request begin at once, whatever its taker has used.
    pub async fn pass(&self, taker: K) -> ReckonedTime {
        self.own(taker).await.begin(self.cores)
    }

    /// Counts for this taker what other threads do for its requests, each beside the request's own time.
    pub async fn elsewhere(&self, taker: K) -> TimeElsewhere {
        TimeElsewhere { own: self.own(taker).await, cores: self.cores }
    }

    async fn own(&self, taker: K) -> Arc<Own> {
        self.of_one.get_with(taker, async { Arc::new(Own::new(Instant::now())) }).await
    }

    /// Waits behind the taker's other requests, and then for what the taker has used.
    async fn wait_at(&self, own: &Arc<Own>) -> ReckonedTime {
        let _gate = own.gate.lock().await;
        let _one_more = Waiting::among(&self.waiting);
        loop {
            let ahead = own.ahead(Instant::now());
            if ahead.is_zero() {
                return own.begin(self.cores);
            }
            let pause = ahead.min(LOOK);
            sleep(pause).await;
            own.wait_longer(pause, self.waiting.load(Ordering::Relaxed));
        }
    }

    /// Notes who sends a request. Returns whether somebody else sent one a moment ago.
    fn note(&self, taker: K, now: Instant) -> bool {
        let mut last = lock(&self.last);
        if last[0].is_none_or(|(latest, _)| latest != taker) {
            last[1] = last[0];
        }
        last[0] = Some((taker, now));
        last[1].is_some_and(|(_, at)| now.saturating_duration_since(at) < RECENT)
    }
}

/// A taker among those that wait, until this is dropped.
struct Waiting<'a>(&'a AtomicU32);

impl<'a> Waiting<'a> {
    fn among(all: &'a AtomicU32) -> Self {
        all.fetch_add(1, Ordering::Relaxed);
        Self(all)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Own {
    fn new(now: Instant) -> Self {
        Self { time: Mutex::new(OwnTime { until: now, usual: FIRST_GUESS }), gate: tokio::sync::Mutex::new(()) }
    }

    /// How long the taker's next request has to wait.
    fn ahead(&self, now: Instant) -> Duration {
        lock(&self.time).until.saturating_duration_since(now).saturating_sub(AHEAD)
    }

    /// Counts the estimate of a request that begins now.
    fn begin(self: &Arc<Self>, cores: u32) -> ReckonedTime {
        let mut time = lock(&self.time);
        let usual = time.usual;
        time.until = time.until.max(Instant::now()) + own_wait(usual, cores);
        drop(time);
        ReckonedTime { own: Arc::clone(self), usual, cores, elsewhere: Mutex::new(Some(Duration::ZERO)) }
    }

    /// Counts the second duration in place of the first.
    fn count(&self, first: Duration, second: Duration, cores: u32) {
        let mut time = lock(&self.time);
        time.until = moved(time.until, own_wait(first, cores), own_wait(second, cores));
    }

    /// Adds to the wait the part of a pause that does not count: while n takers wait, two n-ths of each pause count.
    fn wait_longer(&self, pause: Duration, takers: u32) {
        let takers = takers.max(2);
        lock(&self.time).until += pause * (takers - 2) / takers;
    }
}

impl ReckonedTime {
    /// Replaces the estimate by the time that the request took, `taken` and that of other tasks. A second call does
    /// nothing.
    pub fn settle(&self, taken: Duration) {
        let elsewhere = lock(&self.elsewhere).take();
        let Some(elsewhere) = elsewhere else { return };
        let taken = taken + elsewhere;
        self.count(self.usual, taken);
        let mut time = lock(&self.own.time);
        time.usual = (time.usual * 7 + taken) / 8;
    }

    /// Adds the time that another task took for the request.
    fn add(&self, taken: Duration) {
        let mut elsewhere = lock(&self.elsewhere);
        match &mut *elsewhere {
            Some(before) => *before += taken,
            // The request ended before the task.
            None => self.count(Duration::ZERO, taken),
        }
    }

    /// Counts the second duration in place of the first.
    fn count(&self, first: Duration, second: Duration) {
        self.own.count(first, second, self.cores);
    }
}

/// Counts for one taker what other threads do for it.
#[derive(Debug)]
pub struct TimeElsewhere {
    own: Arc<Own>,
    cores: u32,
}

impl TimeElsewhere {
    /// Does work in this thread. The processor time that it takes is the taker's, also if the work panics.
    pub fn run<T>(self, work: impl FnOnce() -> T) -> T {
        let _counted = Begun { before: thread_time(), time: self };
        work()
    }
}

/// Work of a thread that has begun. What it has taken is counted when this is dropped.
struct Begun {
    before: Duration,
    time: TimeElsewhere,
}

impl Drop for Begun {
    fn drop(&mut self) {
        let taken = thread_time().saturating_sub(self.before);
        self.time.own.count(Duration::ZERO, taken, self.time.cores);
    }
}

impl Drop for ReckonedTime {
    fn drop(&mut self) {
        let elsewhere = lock(&self.elsewhere).take();
        if let Some(elsewhere) = elsewhere {
            self.count(self.usual, elsewhere);
        }
    }
}

/// How long a taker has to wait for so much processor time: as long as a quarter of the cores takes to give it.
fn own_wait(taken: Duration, cores: u32) -> Duration {
    taken * 4 / cores
}

/// The instant that is later by the second duration and earlier by the first.
fn moved(until: Instant, first: Duration, second: Duration) -> Instant {
    let later = until + second;
    later.checked_sub(first).unwrap_or(later)
}

/// Runs work to its end, and calls `tell` with the processor time that it took, also if it is dropped before its end.
pub async fn timed<F: Future>(work: F, tell: impl FnOnce(Duration) + Send) -> F::Output {
    let mut work = pin!(work);
    let mut taken = TakenTime { time: Duration::ZERO, tell: Some(tell) };
    poll_fn(|context| {
        let before = thread_time();
        let polled = work.as_mut().poll(context);
        taken.time += thread_time().saturating_sub(before);
        polled
    })
    .await
}

/// Runs work of a request to its end in the calling task, whose processor time is added to the request's.
pub async fn timed_elsewhere<F: Future>(reckoned: Option<&ReckonedTime>, work: F) -> F::Output {
    let count = |taken| {
        if let Some(reckoned) = reckoned {
            reckoned.add(taken);
        }
    };
    timed(work, count).await
}

struct TakenTime<T: FnOnce(Duration)> {
    time: Duration,
    tell: Option<T>,
}

impl<T: FnOnce(Duration)> Drop for TakenTime<T> {
    fn drop(&mut self) {
        if let Some(tell) = self.tell.take() {
            tell(self.time);
        }
    }
}

/// The processor time of this thread.
fn thread_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
