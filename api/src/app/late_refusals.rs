//! When refusals of requests over their account's rate are sent.
//!
//! Such a refusal takes a good part of the work of a small call, and the rate counts what is let in alone. So a client
//! with many connections had the threads busy with nothing but refusals. Now each account has fifty of them at once,
//! and fifty a second after that: a client that is over its rate for a moment is told so without delay, and one that
//! never stops waits, with each of its connections, and asks no more often than that. What is refused by an address's
//! rate waits in the same way, for its network. A refusal that waits holds nothing but its connection.

use crate::http::answers::Taker;
use crate::http::scope::Scope;
use moka::future::Cache;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// Takers that are remembered.
const MOST_REMEMBERED: u64 = 100_000;
/// The time between two refusals that come one after another without end.
const INTERVAL: Duration = Duration::from_millis(20);
/// How far ahead of now the last one may be at that rate and is sent at once all the same.
const AHEAD: Duration = Duration::from_secs(1);
/// The longest wait. With more connections than have their turns by then, the others are answered all the same.
const LONGEST: Duration = Duration::from_secs(10);

/// When each taker's last refusal would be sent if they came at that rate (GCRA).
pub struct LateRefusals(Cache<Taker, Arc<Mutex<Instant>>>);

impl LateRefusals {
    /// Nothing has been refused yet.
    pub fn new() -> Self {
        Self(Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build())
    }

    /// Waits until the answer to this request may be sent, if it was refused for its rate, or until the process stops.
    pub async fn wait(&self, scope: &Scope, shutdown: &CancellationToken) {
        if !scope.is_over_rate() {
            return;
        }
        let wait = self.count(Taker::of(scope), Instant::now()).await;
        if !wait.is_zero() {
            let _ = timeout(wait, shutdown.cancelled()).await;
        }
    }

    /// Counts a refusal. Returns how long it has to wait.
    async fn count(&self, taker: Taker, now: Instant) -> Duration {
        let due = self.0.get_with(taker, async { Arc::new(Mutex::new(now)) }).await;
        let mut due = due.lock().unwrap_or_else(PoisonError::into_inner);
        *due = ((*due).max(now) + INTERVAL).min(now + AHEAD + LONGEST);
        due.saturating_duration_since(now + AHEAD)
    }
}

impl Default for LateRefusals {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::rate::Standing;
    use domain::ids::AccountId;
    use futures_util::FutureExt;

    /// A request of this account, which the account's rate let in or not.
    fn request(account: AccountId, passed: bool) -> Scope {
        let scope = Scope(Arc::default());
        let wait = (!passed).then_some(INTERVAL);
        scope.standing.set(Standing { limit: 60, remaining: 0, reset: 0, wait }).expect("a new scope");
        scope.account.set(account).expect("a new scope");
        scope
    }

    #[tokio::test]
    async fn fifty_are_sent_at_once_and_those_after_them_one_by_one_until_ten_seconds() {
        let (late, now) = (LateRefusals::new(), Instant::now());
        let (one, other) = (AccountId::mint().into(), AccountId::mint().into());
        for _ in 0..50 {
            assert_eq!(late.count(one, now).await, Duration::ZERO);
        }
        assert_eq!(late.count(one, now).await, INTERVAL);
        assert_eq!(late.count(one, now).await, INTERVAL * 2);
        assert_eq!(late.count(other, now).await, Duration::ZERO, "another account's are not among them");
        assert_eq!(late.count(one, now + INTERVAL).await, INTERVAL * 2, "one was sent meanwhile");
        for _ in 0..1_000 {
            assert!(late.count(one, now).await <= LONGEST);
        }
        assert_eq!(late.count(one, now + LONGEST).await, INTERVAL, "no more is remembered than is waited for");
        assert_eq!(late.count(one, now + LONGEST + AHEAD).await, Duration::ZERO);
    }

    #[tokio::test]
    async fn what_was_let_in_or_goes_first_waits_for_nothing_and_nothing_waits_once_the_process_stops() {
        let (late, running, account) = (LateRefusals::new(), CancellationToken::new(), AccountId::mint());
        let (refused, let_in, first) = (request(account, false), request(account, true), request(account, false));
        first.first.set(()).expect("a new scope");
        for _ in 0..600 {
            late.count(account.into(), Instant::now()).await;
        }
        assert!(late.wait(&refused, &running).now_or_never().is_none(), "it waits");
        assert!(late.wait(&let_in, &running).now_or_never().is_some());
        assert!(late.wait(&first, &running).now_or_never().is_some());
        running.cancel();
        assert!(late.wait(&refused, &running).now_or_never().is_some());
    }
}
