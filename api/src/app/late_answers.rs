//! When refusals of requests over their account's rate, and answers to requests that no rate counts, are sent.
//!
//! Such a refusal takes a good part of the work of a small call, and the rate counts what is let in alone. So a client
//! with many connections had the threads busy with nothing but refusals. Now each account has fifty of them at once,
//! and fifty a second after that: a client that is over its rate for a moment is told so without delay, and one that
//! never stops waits, with each of its connections, and asks no more often than that. What is refused by an address's
//! rate waits in the same way, for its network. What is refused before any rate has counted it (no or a wrong
//! credential, no such route, a link that has ended) waits for its network too, in a longer line: many people may share
//! an address. What is served without a rate, as probes and public links are, waits in a third line of its network, a
//! thousand at once and a thousand a second: a connection on which requests were sent ahead would answer dozens in its
//! turn, and others wait for that. An answer that waits holds nothing but its connection, or its place among those of a
//! trusted proxy.

use crate::http::address::{NOWHERE, network};
use crate::http::answers::Taker;
use crate::http::scope::Scope;
use moka::future::Cache;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// Lines that are remembered.
const MOST_REMEMBERED: u64 = 100_000;
/// The longest wait. With more connections than have their turns by then, the others are answered all the same.
const LONGEST: Duration = Duration::from_secs(10);

/// An answer to a request, for when it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// It was refused.
    Refused,
    /// It was served, or a probe.
    Served,
    /// It was a call inside a message of MCP, which has been counted itself.
    Inside,
}

/// Answers that wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Line {
    /// Those over a rate.
    OverRate(Taker),
    /// A network's refusals that no rate has counted.
    Uncounted(IpAddr),
    /// What a network is served that no rate has counted.
    Served(IpAddr),
}

impl Line {
    /// The line of the answer to this request; none for one that is sent at once.
    fn of(scope: &Scope, answered: Answered) -> Option<Self> {
        if scope.is_over_rate() {
            return Some(Self::OverRate(Taker::of(scope)));
        }
        if scope.standing.get().is_some() {
            return None;
        }
        // The account may be that of a link, which knows nothing of its visitors.
        let network = network(scope.address.unwrap_or(NOWHERE));
        match answered {
            Answered::Refused => Some(Self::Uncounted(network)),
            Answered::Served => Some(Self::Served(network)),
            Answered::Inside => None,
        }
    }

    /// The time between two answers that come one after another without end.
    const fn interval(self) -> Duration {
        match self {
            Self::OverRate(_) => Duration::from_millis(20),
            Self::Uncounted(_) => Duration::from_millis(10),
            Self::Served(_) => Duration::from_millis(1),
        }
    }

    /// How far ahead of now the last one may be at that rate and is sent at once all the same.
    const fn ahead(self) -> Duration {
        match self {
            Self::OverRate(_) | Self::Served(_) => Duration::from_secs(1),
            Self::Uncounted(_) => Duration::from_millis(2_500),
        }
    }
}

/// When each line's last answer would be sent if they came at that rate (GCRA).
pub struct LateAnswers(Cache<Line, Arc<Mutex<Instant>>>);

impl LateAnswers {
    /// Nothing has been answered yet.
    pub fn new() -> Self {
        Self(Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build())
    }

    /// Waits until the answer to this request may be sent, if it was refused for its rate or no rate has counted it; or
    /// until the process stops.
    pub async fn wait(&self, scope: &Scope, answered: Answered, shutdown: &CancellationToken) {
        let Some(line) = Line::of(scope, answered) else { return };
        let wait = self.count(line, Instant::now()).await;
        if !wait.is_zero() {
            let _ = timeout(wait, shutdown.cancelled()).await;
        }
    }

    /// Counts an answer. Returns how long it has to wait.
    async fn count(&self, line: Line, now: Instant) -> Duration {
        let due = self.0.get_with(line, async { Arc::new(Mutex::new(now)) }).await;
        let mut due = due.lock().unwrap_or_else(PoisonError::into_inner);
        *due = ((*due).max(now) + line.interval()).min(now + line.ahead() + LONGEST);
        due.saturating_duration_since(now + line.ahead())
    }
}

impl Default for LateAnswers {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::rate::Standing;
    use crate::http::scope::ScopeState;
    use domain::ids::AccountId;
    use futures_util::FutureExt;

    /// A request of this account, which the account's rate let in or not.
    fn request(account: AccountId, passed: bool) -> Scope {
        let scope = Scope(Arc::default());
        let wait = (!passed).then_some(Duration::from_millis(20));
        scope.standing.set(Standing { limit: 60, remaining: 0, reset: 0, wait }).expect("a new scope");
        scope.account.set(account).expect("a new scope");
        scope
    }

    /// A request from this address that no rate has counted.
    fn stranger(address: &str) -> Scope {
        Scope(Arc::new(ScopeState { address: address.parse().ok(), ..ScopeState::default() }))
    }

    /// Counts so many, of which `at_once` are sent without a wait, and returns how late the next one is.
    async fn sent(late: &LateAnswers, line: Line, at_once: u32, now: Instant) -> Duration {
        for _ in 0..at_once {
            assert_eq!(late.count(line, now).await, Duration::ZERO);
        }
        late.count(line, now).await
    }

    #[tokio::test]
    async fn some_are_sent_at_once_and_those_after_them_one_by_one_until_ten_seconds() {
        let (late, now) = (LateAnswers::new(), Instant::now());
        let [account, other] = [AccountId::mint(), AccountId::mint()].map(|account| Line::OverRate(account.into()));
        let networks = [1_u8, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        let [network, neighbour] = networks.map(Line::Uncounted);
        let [served, visitor] = networks.map(Line::Served);
        for (line, other, at_once, interval) in [
            (account, other, 50, Duration::from_millis(20)),
            (network, neighbour, 250, Duration::from_millis(10)),
            (served, visitor, 1_000, Duration::from_millis(1)),
        ] {
            assert_eq!(sent(&late, line, at_once, now).await, interval);
            assert_eq!(late.count(line, now).await, interval * 2);
            assert_eq!(late.count(other, now).await, Duration::ZERO, "another's are not among them");
            assert_eq!(late.count(line, now + interval).await, interval * 2, "one was sent meanwhile");
            for _ in 0..15_000 {
                assert!(late.count(line, now).await <= LONGEST);
            }
            assert_eq!(late.count(line, now + LONGEST).await, interval, "no more is remembered than is waited for");
            assert_eq!(late.count(line, now + LONGEST + line.ahead()).await, Duration::ZERO);
        }
    }

    #[tokio::test]
    async fn what_was_let_in_or_goes_first_waits_for_nothing_and_nothing_waits_once_the_process_stops() {
        let (late, running, account) = (LateAnswers::new(), CancellationToken::new(), AccountId::mint());
        let (refused, let_in, first) = (request(account, false), request(account, true), request(account, false));
        first.first.set(()).expect("a new scope");
        for _ in 0..600 {
            late.count(Line::OverRate(account.into()), Instant::now()).await;
        }
        assert!(late.wait(&refused, Answered::Refused, &running).now_or_never().is_none(), "it waits");
        assert!(late.wait(&let_in, Answered::Refused, &running).now_or_never().is_some());
        assert!(late.wait(&first, Answered::Refused, &running).now_or_never().is_some());
        running.cancel();
        assert!(late.wait(&refused, Answered::Refused, &running).now_or_never().is_some());
    }

    #[test]
    fn what_no_rate_has_counted_waits_for_its_network_whoevers_link_it_followed() {
        let (here, account) = (stranger("2001:db8::1"), AccountId::mint());
        let line = Line::of(&here, Answered::Refused);
        assert_eq!(line, Line::of(&stranger("2001:db8::2"), Answered::Refused), "a network");
        assert_eq!(line, "2001:db8::".parse().ok().map(Line::Uncounted));
        assert_eq!(Line::of(&here, Answered::Served), "2001:db8::".parse().ok().map(Line::Served));
        assert_eq!(Line::of(&here, Answered::Inside), None, "the message was counted");
        here.account.set(account).expect("a new scope");
        assert_eq!(Line::of(&here, Answered::Refused), line, "the account's link was followed");
        for answered in [Answered::Refused, Answered::Served] {
            assert_eq!(Line::of(&request(account, true), answered), None, "the account's rate has counted it");
            assert_eq!(Line::of(&request(account, false), answered), Some(Line::OverRate(account.into())));
        }
    }
}
