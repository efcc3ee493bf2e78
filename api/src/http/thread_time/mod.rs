//! The time that requests take of the threads that answer, by who sent them.
//!
//! Limits of bytes never named all that costs: whoever stayed just below one kept the threads busy within its rate. So
//! the time itself is measured, as processor time of each poll, and whoever is ahead of their part of it waits before
//! their next requests begin, while others send requests too. They wait before a connection is taken, and hold nothing
//! but their place.
//!
//! A taker may use a quarter of the cores, and all who are ahead of their parts together half of them: who is ahead
//! waits for what they have taken themselves, the longer the more takers are ahead, and never for what others have
//! taken. A request counts when it begins as much as the taker's requests usually do, and is set right when it ends, so
//! that many that begin at once are not all let in for what the first has taken. One that is dropped while it waits
//! counts nothing. For what a taker took while nobody else sent requests it waits some seconds at most, however long
//! that went on.

use crate::http::error::{Answer, ApiError, Code};
use moka::future::Cache;
use rustix::time::{ClockId, clock_gettime};
use std::collections::HashMap;
use std::future::poll_fn;
use std::hash::Hash;
use std::num::NonZero;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Takers that are remembered.
const MOST_REMEMBERED: u64 = 100_000;
/// How far a taker may be ahead of its part, so that a page's handful of requests begins at once.
const AHEAD: Duration = Duration::from_millis(100);
/// What a taker's first requests are reckoned with.
const FIRST_GUESS: Duration = Duration::from_millis(2);
/// How long a taker counts as one of the others after a request.
const RECENT: Duration = Duration::from_secs(1);
/// The longest wait. Whoever is further ahead is refused.
const LONGEST: Duration = Duration::from_secs(10);
/// How far a taker is ahead at most for what it took while nobody else sent requests. Without this, who worked alone
/// for an hour would be refused for as long once another comes.
const AHEAD_ALONE: Duration = Duration::from_secs(5);

/// Who has taken how much.
pub struct ThreadTime<K> {
    of_one: Cache<K, Arc<Mutex<OwnTime>>>,
    /// Who was ahead of their part when they sent a request last, and what they have used.
    ahead: Mutex<HashMap<K, Arc<Mutex<OwnTime>>>>,
    /// The two takers that sent a request last.
    last: Mutex<[Option<(K, Instant)>; 2]>,
    cores: u32,
}

/// What one taker has used.
#[derive(Debug)]
struct OwnTime {
    /// When it will have waited for all that it has used.
    until: Instant,
    /// What a request of it usually takes.
    usual: Duration,
}

/// What a request was reckoned with when it began. Where it is dropped before it is settled, as when a client hangs up
/// while it waits, the request has not begun and nothing of that is counted.
#[derive(Debug)]
pub struct ReckonedTime {
    own: Arc<Mutex<OwnTime>>,
    usual: Duration,
    cores: u32,
    /// What other tasks have taken for the request; none once it is settled.
    elsewhere: Mutex<Option<Duration>>,
}

impl<K: Hash + Eq + Copy + Send + Sync + 'static> Default for ThreadTime<K> {
    /// Nobody has taken any.
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self::of(u32::try_from(cores).unwrap_or(u32::MAX))
    }
}

impl<K: Hash + Eq + Copy + Send + Sync + 'static> ThreadTime<K> {
    fn of(cores: u32) -> Self {
        let of_one = Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build();
        Self { of_one, ahead: Mutex::default(), last: Mutex::default(), cores }
    }

    /// Waits until the taker's next request may begin.
    ///
    /// # Errors
    /// `rate_limited` where the taker is more than ten seconds ahead.
    pub async fn wait(&self, taker: K) -> Answer<ReckonedTime> {
        let own = self.own(taker).await;
        let (ahead, reckoned) = self.reckon(&own, taker, Instant::now());
        if ahead > LONGEST {
            drop(reckoned);
            let message = "Your requests take much more processor time than your part of it, and others need some.";
            return Err(ApiError::new(Code::RateLimited, message)
                .suggest("Send fewer at once, or ask for less in each.")
                .retry_after(ahead.as_secs() + 1));
        }
        let wait = self.wait_among(taker, &own, ahead, Instant::now());
        if !wait.is_zero() {
            metrics::histogram!("mws_thread_time_wait_seconds").record(wait.as_secs_f64());
            sleep(wait).await;
        }
        Ok(reckoned)
    }

    /// Lets a request begin at once, whatever the taker has taken.
    pub async fn pass(&self, taker: K) -> ReckonedTime {
        self.reckon(&self.own(taker).await, taker, Instant::now()).1
    }

    async fn own(&self, taker: K) -> Arc<Mutex<OwnTime>> {
        let first = async { Arc::new(Mutex::new(OwnTime { until: Instant::now(), usual: FIRST_GUESS })) };
        self.of_one.get_with(taker, first).await
    }

    /// Returns how long a taker waits that is so far ahead: while more than two are, as much longer as their part of
    /// the half that all of them have is less than a quarter.
    fn wait_among(&self, taker: K, own: &Arc<Mutex<OwnTime>>, ahead: Duration, now: Instant) -> Duration {
        let mut all = lock(&self.ahead);
        if ahead.is_zero() {
            all.remove(&taker);
            return ahead;
        }
        all.insert(taker, Arc::clone(own));
        all.retain(|_, own| lock(own).until.saturating_duration_since(now) > AHEAD);
        let takers = u32::try_from(all.len()).unwrap_or(u32::MAX);
        (ahead.saturating_mul(takers.max(2)) / 2).min(LONGEST)
    }

    /// Reckons with a request of this taker. Returns how far ahead of its part the taker is; not at all where nobody
    /// else sends requests.
    fn reckon(&self, own: &Arc<Mutex<OwnTime>>, taker: K, now: Instant) -> (Duration, ReckonedTime) {
        let has_others = self.note(taker, now);
        let mut used = lock(own);
        let usual = used.usual;
        if !has_others {
            used.until = used.until.min(now + AHEAD_ALONE);
        }
        let ahead = used.until.saturating_duration_since(now).saturating_sub(AHEAD);
        used.until = used.until.max(now) + own_wait(usual, self.cores);
        drop(used);
        let elsewhere = Mutex::new(Some(Duration::ZERO));
        let reckoned = ReckonedTime { own: Arc::clone(own), usual, cores: self.cores, elsewhere };
        (if has_others { ahead } else { Duration::ZERO }, reckoned)
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

impl ReckonedTime {
    /// Counts what the request has taken, here and elsewhere, in place of what it was reckoned with. A second call does
    /// nothing.
    pub fn settle(&self, taken: Duration) {
        let elsewhere = lock(&self.elsewhere).take();
        let Some(elsewhere) = elsewhere else { return };
        let taken = taken + elsewhere;
        self.count(self.usual, taken);
        let mut own = lock(&self.own);
        own.usual = (own.usual * 7 + taken) / 8;
    }

    /// Counts what another task has taken for the request, too.
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
        let mut own = lock(&self.own);
        own.until = moved(own.until, own_wait(first, self.cores), own_wait(second, self.cores));
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

/// The time that a taker's part is used up for by so much processor time.
fn own_wait(taken: Duration, cores: u32) -> Duration {
    taken * 4 / cores
}

/// The instant with the second duration in place of the first.
fn moved(until: Instant, first: Duration, second: Duration) -> Instant {
    let later = until + second;
    later.checked_sub(first).unwrap_or(later)
}

/// Takes work to its end, and tells how much processor time it took when it ends or is dropped.
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

/// Takes work of a request to its end in a task of its own, whose time counts as the request's.
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
