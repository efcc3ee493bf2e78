//! Turns to look something up: a few at once for each thing, and a limit for all together.
//!
//! Anybody may ask without end for a link's target, for an upload whose URL they have, or with a credential over its
//! rate. The row is read each time, so that nothing is shown once it is gone. Without turns, 250 connections that did
//! nothing else took up the database's, and others' calls took forty times as long. A turn lasts for the lookup alone.

use crate::http::error::{Answer, ApiError, Code};
use moka::future::Cache;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Things whose turns are remembered.
const MOST_REMEMBERED: u64 = 100_000;
/// How long `turn_soon` waits for a turn.
const WAITED: Duration = Duration::from_secs(2);

/// The turns of a process.
pub struct Turns<K> {
    of_one: Cache<K, Arc<Semaphore>>,
    most_of_one: usize,
    all: Arc<Semaphore>,
}

/// A turn, which lasts until this is dropped.
pub struct WorkPermit(#[expect(dead_code, reason = "it ends when it is dropped")] [OwnedSemaphorePermit; 2]);

impl<K: Hash + Eq + Send + Sync + 'static> Turns<K> {
    /// At most so many turns at once for each key, and for all together.
    pub fn new(most_of_one: usize, most: usize) -> Self {
        let of_one = Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build();
        Self { of_one, most_of_one, all: Arc::new(Semaphore::new(most)) }
    }

    /// Waits for the next turn for this key, however long that takes.
    pub async fn turn(&self, key: K) -> WorkPermit {
        let own = self.of_one.get_with(key, async { Arc::new(Semaphore::new(self.most_of_one)) }).await;
        let own = own.acquire_owned().await;
        match (own, Arc::clone(&self.all).acquire_owned().await) {
            (Ok(own), Ok(of_all)) => WorkPermit([own, of_all]),
            _ => unreachable!("these semaphores are never closed"),
        }
    }

    /// Waits for the next turn, two seconds at most, for a request without a credential.
    ///
    /// # Errors
    /// `rate_limited` when it has not come by then.
    pub async fn turn_soon(&self, key: K) -> Answer<WorkPermit> {
        timeout(WAITED, self.turn(key)).await.map_err(|_| {
            ApiError::new(Code::RateLimited, "Too many requests ask for this at once. Try again.").retry_after(5)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn what_is_asked_for_without_end_leaves_turns_to_the_others() {
        let turns = Turns::new(2, 4);
        let held = [turns.turn("busy").await, turns.turn("busy").await];
        assert!(turns.turn("busy").now_or_never().is_none(), "its own turns are taken");
        let _theirs = turns.turn("other").await;
        drop(held);
        turns.turn("busy").await;
    }
}
