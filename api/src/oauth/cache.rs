//! The issuer's keys: fetched once, cached, and fetched again when that can help.
//!
//! A token with an unknown key is cheap to make, so however many come, they cause one fetch in 30 seconds at most.
//! While the issuer can't be reached, the cached keys are used; a caller is told to try again only where they don't
//! suffice.

use super::discovery::{Discovery, DiscoveryError};
use super::keys::Keys;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// How long keys are used before they are fetched again: a key that the issuer withdraws works that much longer.
const FRESH: Duration = Duration::from_mins(10);
/// How long keys are used while the issuer can't be reached.
const KEPT: Duration = Duration::from_hours(24);
/// The pause between two fetches that look for an unknown key.
const PAUSE: Duration = Duration::from_secs(30);
/// How long a caller whose key is cached waits for a fetch, so that a withdrawn key is not accepted only because nobody
/// called for a while.
const COURTESY: Duration = Duration::from_secs(1);
/// The pause after a fetch that failed.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Why there is no key for a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoKey {
    /// The issuer does not publish it.
    Unknown,
    /// The issuer can't be reached; with the seconds after which to try again.
    Away(u64),
}

/// The cached keys, and when they were fetched.
#[derive(Debug)]
pub struct KeyCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    discovery: Discovery,
    state: RwLock<State>,
    /// Held while a fetch is under way, so that there is only one.
    fetching: Arc<Mutex<()>>,
}

#[derive(Debug, Clone, Default)]
struct State {
    keys: Option<Arc<Keys>>,
    /// When `keys` were fetched.
    loaded: Option<Instant>,
    /// When the last fetch failed; none once one has succeeded.
    failed: Option<Instant>,
    /// When a fetch last began because a key was unknown.
    sought: Option<Instant>,
}

/// What to do for a token, by whether its key is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Use,
    Fetch,
    /// Fetch, and use the cached key if that takes long.
    Refresh,
    /// Fetch because a key is unknown.
    Seek,
    Give(NoKey),
}

impl State {
    fn step(&self, is_known: bool, now: Instant) -> Step {
        let since = |at: Option<Instant>| at.map(|at| now.saturating_duration_since(at));
        let waiting = since(self.failed).and_then(|ago| AFTER_FAILURE.checked_sub(ago)).filter(|wait| !wait.is_zero());
        let away = |wait: Duration| Step::Give(NoKey::Away(wait.as_secs() + 1));
        let Some(age) = since(self.loaded).filter(|age| *age < KEPT) else {
            return waiting.map_or(Step::Fetch, away);
        };
        if age >= FRESH && waiting.is_none() {
            return if is_known { Step::Refresh } else { Step::Fetch };
        }
        if is_known {
            return Step::Use;
        }
        if let Some(wait) = waiting {
            return away(wait);
        }
        match since(self.sought).and_then(|ago| PAUSE.checked_sub(ago)).filter(|wait| !wait.is_zero()) {
            None => Step::Seek,
            Some(wait) if self.failed.is_some() => away(wait),
            Some(_) => Step::Give(NoKey::Unknown),
        }
    }
}

impl KeyCache {
    /// A cache that is empty: nothing is fetched before it is needed.
    pub fn new(discovery: Discovery) -> Self {
        Self(Arc::new(Inner { discovery, state: RwLock::default(), fetching: Arc::default() }))
    }

    /// Returns the keys once `is_known` finds its key among them, fetching them when that can help.
    pub async fn with(&self, is_known: impl Fn(&Keys) -> bool) -> Result<Arc<Keys>, NoKey> {
        // Two rounds at most: a fetch, and a look at the keys that it brought.
        for _ in 0..2 {
            let state = self.0.state();
            let known = state.keys.clone().filter(|keys| is_known(keys));
            match (state.step(known.is_some(), Instant::now()), known) {
                (Step::Use, Some(keys)) => return Ok(keys),
                (Step::Give(why), _) => return Err(why),
                (Step::Refresh, Some(keys)) => {
                    if !self.refresh(state).await {
                        return Ok(keys);
                    }
                }
                (step, _) => self.fetch(state, step).await,
            }
        }
        let state = self.0.state();
        match state.keys.filter(|keys| is_known(keys)) {
            Some(keys) if state.loaded.is_some_and(|at| at.elapsed() < KEPT) => Ok(keys),
            _ if state.failed.is_some() => Err(NoKey::Away(AFTER_FAILURE.as_secs())),
            _ => Err(NoKey::Unknown),
        }
    }

    /// Fetches in a task of its own, which ends even if the client that caused it hangs up: else such a client could
    /// keep new keys from everybody.
    async fn fetch(&self, seen: State, step: Step) {
        let inner = Arc::clone(&self.0);
        let fetching = tokio::spawn(async move {
            let _one_at_a_time = inner.fetching.lock().await;
            inner.fetch(&seen, step).await;
        });
        // The task panics only when the process ends.
        let _ = fetching.await;
    }

    /// Starts a fetch unless one is under way, and waits a second. Returns whether it has ended.
    async fn refresh(&self, seen: State) -> bool {
        let Ok(one_at_a_time) = Arc::clone(&self.0.fetching).try_lock_owned() else { return false };
        let inner = Arc::clone(&self.0);
        let fetching = tokio::spawn(async move {
            inner.fetch(&seen, Step::Refresh).await;
            drop(one_at_a_time);
        });
        timeout(COURTESY, fetching).await.is_ok()
    }

    /// Makes the keys so old that they are asked for again.
    #[cfg(test)]
    pub fn grow_old(&self) {
        self.0.change(|state| state.loaded = state.loaded.and_then(|at| at.checked_sub(FRESH)));
    }
}

impl Inner {
    /// Fetches, unless another task has since `seen`: those who waited for that one use its keys. The caller holds
    /// `fetching`.
    async fn fetch(&self, seen: &State, step: Step) {
        let now = Instant::now();
        let before = self.state();
        if (before.loaded, before.failed) != (seen.loaded, seen.failed) {
            return;
        }
        if step == Step::Seek {
            self.change(|state| state.sought = Some(now));
        }
        match self.discovery.keys().await {
            Ok(keys) => {
                tracing::debug!(keys = keys.count(), "The OAuth issuer's keys were fetched.");
                self.change(|state| {
                    state.keys = Some(Arc::new(keys));
                    state.loaded = Some(Instant::now());
                    state.failed = None;
                });
            }
            Err(error) => self.away(&before, &error),
        }
    }

    fn away(&self, before: &State, error: &DiscoveryError) {
        // Logged once: while an issuer is away for an hour, it is asked often.
        if before.failed.is_none() {
            tracing::warn!(error = %error, "The OAuth issuer's keys can't be fetched; those at hand go on for a day.");
        }
        self.change(|state| state.failed = Some(Instant::now()));
    }

    fn state(&self) -> State {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn keys() -> Option<Arc<Keys>> {
        Keys::read(&serde_json::json!({ "keys": [] })).map(Arc::new)
    }

    #[test]
    fn keys_are_fetched_at_first_and_when_they_are_old_and_used_in_between() {
        let now = Instant::now();
        assert_eq!(State::default().step(false, now), Step::Fetch);
        let loaded = State { keys: keys(), loaded: Some(now), ..State::default() };
        assert_eq!(loaded.step(true, now + FRESH - SECOND), Step::Use);
        assert_eq!(loaded.step(true, now + FRESH), Step::Refresh);
        assert_eq!(loaded.step(false, now + FRESH), Step::Fetch);
    }

    #[test]
    fn a_flood_of_unknown_keys_leads_to_one_fetch_in_thirty_seconds() {
        let now = Instant::now();
        let mut state = State { keys: keys(), loaded: Some(now), ..State::default() };
        assert_eq!(state.step(false, now), Step::Seek);
        state.sought = Some(now);
        for second in 0..30 {
            assert_eq!(state.step(false, now + SECOND * second), Step::Give(NoKey::Unknown), "{second}");
            assert_eq!(state.step(true, now + SECOND * second), Step::Use, "{second}");
        }
        assert_eq!(state.step(false, now + PAUSE), Step::Seek);
    }

    #[test]
    fn while_the_issuer_is_away_known_keys_go_on_for_a_day_and_unknown_ones_are_told_to_wait() {
        let now = Instant::now();
        let away = |wait| Step::Give(NoKey::Away(wait));
        let failed = Some(now + FRESH);
        let state = State { keys: keys(), loaded: Some(now), failed, sought: failed };
        assert_eq!(state.step(true, now + FRESH + SECOND), Step::Use);
        assert_eq!(state.step(false, now + FRESH + SECOND), away(5));
        // The next one asks again, and so does one whose key is at hand but old.
        assert_eq!(state.step(true, now + FRESH + AFTER_FAILURE), Step::Refresh);
        let young = State { loaded: Some(now + FRESH), ..state };
        assert_eq!(young.step(false, now + FRESH + SECOND * 10), away(21));
        let old = State { failed: Some(now + KEPT), ..young };
        assert_eq!(old.step(true, now + FRESH + KEPT), Step::Fetch);
        let never = State { failed: Some(now), ..State::default() };
        assert_eq!(never.step(false, now + SECOND), away(5));
    }
}
