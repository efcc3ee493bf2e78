//! Turns to look up what a link leads to: two at a time of one item, and a few of all.
//!
//! A link needs no credential, and whoever has one may follow it without end: its item's row is read each time, so that
//! a link shows nothing once the item is deleted or its account suspended. Without turns, 250 connections that did
//! nothing else had the database's connections, and others' calls took forty times as long. A turn is held for the
//! look alone, and not while bytes are sent (`downloads`).

use crate::http::error::{Answer, ApiError, Code};
use domain::ids::ItemId;
use moka::future::Cache;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Looks at once: of one item, and of all.
const MOST_OF_ITEM: usize = 2;
const MOST: usize = 4;
/// Items whose turns are remembered.
const MOST_REMEMBERED: u64 = 100_000;
/// How long a turn is waited for.
const WAITED: Duration = Duration::from_secs(2);

/// The turns of a process.
pub struct LinkTurns {
    of_item: Cache<ItemId, Arc<Semaphore>>,
    all: Arc<Semaphore>,
}

/// A turn, until this is dropped.
pub struct Turn(#[expect(dead_code, reason = "it ends when it is dropped")] [OwnedSemaphorePermit; 2]);

impl LinkTurns {
    /// The next turn to look at this item.
    ///
    /// # Errors
    /// `rate_limited` when it does not come in time: the item is asked for without end.
    pub async fn turn(&self, item: ItemId) -> Answer<Turn> {
        let own = self.of_item.get_with(item, async { Arc::new(Semaphore::new(MOST_OF_ITEM)) }).await;
        let turns = async {
            Ok::<_, tokio::sync::AcquireError>([
                own.acquire_owned().await?,
                Arc::clone(&self.all).acquire_owned().await?,
            ])
        };
        // They are never closed: what fails is the waiting.
        if let Ok(Ok(turns)) = timeout(WAITED, turns).await {
            return Ok(Turn(turns));
        }
        let refusal = ApiError::new(Code::RateLimited, "This link is followed more often than it is answered.");
        Err(refusal.retry_after(5))
    }
}

impl Default for LinkTurns {
    fn default() -> Self {
        let of_item = Cache::builder().max_capacity(MOST_REMEMBERED).time_to_idle(Duration::from_mins(1)).build();
        Self { of_item, all: Arc::new(Semaphore::new(MOST)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn one_item_that_is_asked_for_without_end_leaves_turns_to_the_others() {
        let turns = LinkTurns::default();
        let (busy, other) = (ItemId::mint(), ItemId::mint());
        let held = [turns.turn(busy).await.expect("a turn"), turns.turn(busy).await.expect("a turn")];
        assert!(turns.turn(busy).now_or_never().is_none(), "its own turns are taken");
        let _theirs = turns.turn(other).await.expect("another's turn");
        drop(held);
        turns.turn(busy).await.expect("a turn that has come free");
    }
}
