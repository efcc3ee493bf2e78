//! Searches under way: a few of an account, and a few of a process, so that those who search leave the database's
//! connections, and the cores, to the others.
//!
//! A place is the work's and not the request's: a client that hangs up ends neither a statement nor what is made of it.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::shares::{Share, Shares};
use domain::ids::AccountId;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Searches that a process works on at once: a fourth of its connections.
const MOST: usize = 4;
/// Those of one account.
const MOST_OF_ACCOUNT: usize = 2;
/// How long one waits for the account's others.
const TIMEOUT: Duration = Duration::from_secs(2);
/// When to ask again, in seconds.
const TRY_AGAIN_S: u64 = 1;

/// Who searches.
#[derive(Debug, Clone)]
pub struct Searches {
    room: Arc<Semaphore>,
    of_account: Shares<AccountId>,
    ended: Arc<Notify>,
}

/// One search's place, until this is dropped.
#[derive(Debug)]
pub struct SearchPermit {
    of_account: Option<Share<AccountId>>,
    room: Option<OwnedSemaphorePermit>,
    ended: Arc<Notify>,
}

impl Drop for SearchPermit {
    fn drop(&mut self) {
        drop((self.room.take(), self.of_account.take()));
        self.ended.notify_waiters();
    }
}

impl Searches {
    /// None yet.
    pub fn new() -> Self {
        Self { room: Arc::new(Semaphore::new(MOST)), of_account: Shares::default(), ended: Arc::default() }
    }

    /// A place for a search of this account, as soon as there is one.
    ///
    /// # Errors
    /// `rate_limited` where the account's others take too long.
    pub async fn place(&self, account: AccountId) -> Answer<SearchPermit> {
        let of_account = timeout(TIMEOUT, self.share(account)).await.map_err(|_| {
            let message = format!("The account has {MOST_OF_ACCOUNT} searches under way, which is the most at once.");
            let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
            refusal.suggest("Wait for the answers of those, then ask again.")
        })?;
        let mut place = SearchPermit { of_account: Some(of_account), room: None, ended: Arc::clone(&self.ended) };
        // It is never closed.
        place.room = Arc::clone(&self.room).acquire_owned().await.ok();
        Ok(place)
    }

    async fn share(&self, account: AccountId) -> Share<AccountId> {
        loop {
            let ended = self.ended.notified();
            if let Some(share) = self.of_account.take(account, MOST_OF_ACCOUNT) {
                return share;
            }
            ended.await;
        }
    }
}

impl Default for Searches {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn an_account_has_two_and_a_process_four_and_who_waits_is_next() {
        let searches = Searches::new();
        let accounts: Vec<AccountId> = (0..3).map(|_| AccountId::mint()).collect();
        let mut held = Vec::new();
        for account in &accounts[..2] {
            for _ in 0..2 {
                held.push(searches.place(*account).await.expect("a place"));
            }
        }
        let refused = searches.place(accounts[0]).await.expect_err("it has two");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::RateLimited, Some(TRY_AGAIN_S)));
        let mut third = Box::pin(searches.place(accounts[2]));
        assert!(third.as_mut().now_or_never().is_none(), "the process has four");
        let mut another = Box::pin(searches.place(accounts[0]));
        assert!(another.as_mut().now_or_never().is_none(), "its account has two");
        held.remove(0);
        drop(third.now_or_never().expect("at once").expect("a place"));
        another.now_or_never().expect("at once").expect("a place");
    }
}
