//! Turns to look something up: few at a time about one thing, and some in all.
//!
//! What a link leads to, an upload whose URL somebody has, a credential that is over its rate: each may be asked for
//! without end, and its row is read each time, so that nothing is shown once it is gone. Without turns, 250 connections
//! that did nothing else had the database's connections, and others' calls took forty times as long. A turn is held for
//! the look alone.

use crate::http::error::{Answer, ApiError, Code};
use moka::future::Cache;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Things whose turns are remembered.
const MOST_REMEMBERED: u64 = 100_000;
/// How long a turn is waited for.
const WAITED: Duration = Duration::from_secs(2);

/// The turns of a process.
pub struct Turns<K> {
    of_one: Cache<K, Arc<Semaphore>>,
    most_of_one: usize,
    all: Arc<Semaphore>,
}

/// A turn, until this is dropped.
pub struct Turn(#[expect(dead_code, reason = "it ends when it is dropped")] [OwnedSemaphorePermit; 2]);

impl<K: Hash + Eq + Send + Sync + 'static> Turns<K> {
    /// So many at once about one thing, and in all.
    pub fn new(most_of_one: usize, most: usize) -> Self {
        let of_one = Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build();
        Self { of_one, most_of_one, all: Arc::new(Semaphore::new(most)) }
    }

    /// The next turn to look at this, however long it takes to come.
    pub async fn turn(&self, key: K) -> Turn {
        let own = self.of_one.get_with(key, async { Arc::new(Semaphore::new(self.most_of_one)) }).await;
        let own = own.acquire_owned().await;
        match (own, Arc::clone(&self.all).acquire_owned().await) {
            (Ok(own), Ok(of_all)) => Turn([own, of_all]),
            _ => unreachable!("these semaphores are never closed"),
        }
    }

    /// The next turn for a request without a credential, which waits two seconds for it.
    ///
    /// # Errors
    /// `rate_limited` when it has not come by then.
    pub async fn turn_soon(&self, key: K) -> Answer<Turn> {
        timeout(WAITED, self.turn(key)).await.map_err(|_| {
            ApiError::new(Code::RateLimited, "This is asked for more often than it is answered.").retry_after(5)
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
