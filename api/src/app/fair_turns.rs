//! Turns that go to whoever had one longest ago, and to whoever had none lately before those.
//!
//! Each key has one turn at a time. Where the turns went by the order of arrival, a few accounts that always ask again
//! would stand before whoever comes now and then.

use crate::http::error::{Answer, ApiError, Code};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

/// How long `turn_soon` waits for a turn: longer than what a page takes on a busy machine, since whoever is first in
/// line can't be let in before one of those that are under way has ended.
const WAITED: Duration = Duration::from_secs(6);
/// `Retry-After` of a refusal, in seconds.
const TRY_AGAIN_S: u64 = 5;
/// For how long it is known who had a turn.
const LATELY: Duration = Duration::from_mins(1);

/// The turns for one kind of work.
pub struct FairTurns<K: Hash + Eq + Copy>(Arc<Mutex<Line<K>>>);

/// Who has a turn, who had one, and who waits.
struct Line<K: Hash + Eq + Copy> {
    /// Turns that nobody has.
    free: usize,
    /// Who has a turn.
    under_way: HashSet<K>,
    /// When each that had a turn lately was given its last.
    given: HashMap<K, Instant>,
    /// Those that wait, in the order of arrival.
    waiting: Vec<(K, oneshot::Sender<FairPermit<K>>)>,
}

/// A turn, which lasts until this is dropped.
pub struct FairPermit<K: Hash + Eq + Copy> {
    key: K,
    line: Arc<Mutex<Line<K>>>,
}

impl<K: Hash + Eq + Copy> FairTurns<K> {
    /// At most so many turns at once.
    pub fn new(most: usize) -> Self {
        let (under_way, given) = (HashSet::new(), HashMap::new());
        Self(Arc::new(Mutex::new(Line { free: most, under_way, given, waiting: Vec::new() })))
    }

    /// Waits for the key's next turn, six seconds at most, for a request without a credential.
    ///
    /// # Errors
    /// `rate_limited` when it has not come by then because the key has one that still lasts, `unavailable` when others
    /// have them all.
    pub async fn turn_soon(&self, key: K) -> Answer<FairPermit<K>> {
        let (turn, given) = oneshot::channel();
        lock(&self.0).waiting.push((key, turn));
        give(&self.0);
        // Nobody who waits is forgotten: the channel ends with a turn.
        timeout(WAITED, given).await.ok().and_then(Result::ok).ok_or_else(|| self.in_vain(key))
    }

    /// Says who was in the way of a key that got no turn.
    fn in_vain(&self, key: K) -> ApiError {
        let refusal = if lock(&self.0).under_way.contains(&key) {
            ApiError::new(Code::RateLimited, "Too many requests ask for this at once. Try again.")
        } else {
            ApiError::new(Code::Unavailable, "Others ask for as much as this process can do at once. Try again.")
        };
        refusal.retry_after(TRY_AGAIN_S)
    }
}

impl<K: Hash + Eq + Copy> Line<K> {
    /// Returns the place in line of whoever is next; none where no turn is free or nobody may have one.
    fn next(&self) -> Option<usize> {
        // Those who wait are compared only where a turn is free.
        if self.free == 0 {
            return None;
        }
        let waiting = self.waiting.iter().enumerate().filter(|(_, (key, _))| !self.under_way.contains(key));
        // Of equals the one that came first.
        Some(waiting.min_by_key(|(_, (key, _))| self.given.get(key).copied())?.0)
    }
}

impl<K: Hash + Eq + Copy> Drop for FairPermit<K> {
    fn drop(&mut self) {
        let mut line = lock(&self.line);
        line.free += 1;
        line.under_way.remove(&self.key);
        drop(line);
        give(&self.line);
    }
}

/// Gives turns to those who are next, as long as some are free.
fn give<K: Hash + Eq + Copy>(of: &Arc<Mutex<Line<K>>>) {
    loop {
        let mut line = lock(of);
        line.waiting.retain(|(_, turn)| !turn.is_closed());
        line.given.retain(|_, at| at.elapsed() < LATELY);
        let Some(place) = line.next() else { return };
        let (key, turn) = line.waiting.remove(place);
        line.free -= 1;
        line.under_way.insert(key);
        line.given.insert(key, Instant::now());
        drop(line);
        // Whoever has left the line meanwhile gives it back at once: the line is open for that.
        drop(turn.send(FairPermit { key, line: Arc::clone(of) }));
    }
}

fn lock<K: Hash + Eq + Copy>(line: &Mutex<Line<K>>) -> MutexGuard<'_, Line<K>> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    /// Whether a turn that is asked for does not come at once.
    fn waits<T>(turn: &mut (impl Future<Output = T> + Unpin)) -> bool {
        turn.now_or_never().is_none()
    }

    #[tokio::test]
    async fn an_account_with_many_links_leaves_turns_to_the_links_of_others() {
        let turns = FairTurns::new(2);
        let first = turns.turn_soon("busy").await.expect("a turn");
        let mut second = Box::pin(turns.turn_soon("busy"));
        assert!(waits(&mut second), "another link of it waits");
        drop(turns.turn_soon("other").await.expect("a turn"));
        drop(first);
        drop(second.await.expect("its turn"));
        assert_eq!(lock(&turns.0).free, 2, "all are given back");
    }

    #[tokio::test]
    async fn who_had_none_lately_goes_first_and_then_who_had_one_longest_ago() {
        let turns = FairTurns::new(1);
        for key in ["b", "a"] {
            drop(turns.turn_soon(key).await.expect("a turn"));
        }
        let held = turns.turn_soon("c").await.expect("a turn");
        let mut a = Box::pin(turns.turn_soon("a"));
        let mut b = Box::pin(turns.turn_soon("b"));
        let mut new = Box::pin(turns.turn_soon("new"));
        assert!(waits(&mut a) && waits(&mut b) && waits(&mut new));
        drop(held);
        assert!(waits(&mut a) && waits(&mut b));
        drop(new.await.expect("who is new goes first"));
        assert!(waits(&mut a));
        drop(b.await.expect("who had one before the other"));
        drop(a.await.expect("the last"));
    }

    #[tokio::test]
    async fn who_leaves_the_line_keeps_nobody_waiting() {
        let turns = FairTurns::new(1);
        let held = turns.turn_soon("a").await.expect("a turn");
        let mut first = Box::pin(turns.turn_soon("b"));
        let mut second = Box::pin(turns.turn_soon("c"));
        let mut last = Box::pin(turns.turn_soon("d"));
        assert!(waits(&mut first) && waits(&mut second) && waits(&mut last));
        drop(second);
        drop(held);
        // It was given its turn, and leaves without it.
        drop(first);
        drop(last.await.expect("the turn that nobody took"));
    }

    #[tokio::test]
    async fn who_waits_in_vain_is_told_whose_turns_are_in_the_way() {
        let turns = FairTurns::new(1);
        let _held = turns.turn_soon("a").await.expect("a turn");
        let told = |key| (turns.in_vain(key).code(), turns.in_vain(key).retry_after_seconds());
        assert_eq!(told("a"), (Code::RateLimited, Some(TRY_AGAIN_S)), "its own");
        assert_eq!(told("b"), (Code::Unavailable, Some(TRY_AGAIN_S)), "another's");
    }
}
