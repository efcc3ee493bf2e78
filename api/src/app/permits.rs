//! Permits for expensive work: a few for each account and for each process, so that it leaves database connections,
//! memory and cores to others. Waiting for one holds no connection.
//!
//! A permit belongs to the work, not to the request: a client that hangs up ends neither statement nor computation.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::shares::{Share, Shares};
use domain::ids::AccountId;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long a call waits for a permit while its account has as many as it may.
const TIMEOUT: Duration = Duration::from_secs(2);
/// `Retry-After` of a refusal, in seconds.
const TRY_AGAIN_S: u64 = 1;

/// The permits for one kind of work.
#[derive(Debug, Clone)]
pub struct Permits {
    /// The plural noun of the work, for refusals.
    noun: &'static str,
    most_of_account: usize,
    room: Arc<Semaphore>,
    of_account: Shares<AccountId>,
    ended: Arc<Notify>,
}

/// One permit, until this is dropped.
#[derive(Debug)]
pub struct Permit {
    of_account: Option<Share<AccountId>>,
    room: Option<OwnedSemaphorePermit>,
    ended: Arc<Notify>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        drop((self.room.take(), self.of_account.take()));
        self.ended.notify_waiters();
    }
}

impl Permits {
    /// Searches: a fourth of a process's connections.
    pub fn of_searches() -> Self {
        Self::new("searches", 2, 4)
    }

    /// Pulls of posts: each holds two megabytes at most while it is fetched, and a slow site has its permit for long.
    pub fn of_pulls() -> Self {
        Self::new("pulls", 2, 32)
    }

    /// Writes of documents, which wait for each other while they hold a connection.
    pub fn of_documents() -> Self {
        Self::new("changes of documents", 2, 8)
    }

    fn new(noun: &'static str, most_of_account: usize, most: usize) -> Self {
        let room = Arc::new(Semaphore::new(most));
        Self { noun, most_of_account, room, of_account: Shares::default(), ended: Arc::default() }
    }

    /// Waits for a permit for this account.
    ///
    /// # Errors
    /// `rate_limited` when the account's own permits are not free in time.
    pub async fn take(&self, account: AccountId) -> Answer<Permit> {
        let of_account = timeout(TIMEOUT, self.share(account)).await.map_err(|_| {
            let (most, noun) = (self.most_of_account, self.noun);
            let message = format!("The account has {most} {noun} under way, which is the most at once.");
            let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
            refusal.suggest("Wait for the answers of those, then ask again.")
        })?;
        let mut permit = Permit { of_account: Some(of_account), room: None, ended: Arc::clone(&self.ended) };
        // It is never closed.
        permit.room = Arc::clone(&self.room).acquire_owned().await.ok();
        Ok(permit)
    }

    async fn share(&self, account: AccountId) -> Share<AccountId> {
        loop {
            let ended = self.ended.notified();
            if let Some(share) = self.of_account.take(account, self.most_of_account) {
                return share;
            }
            ended.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn an_account_has_two_and_a_process_four_and_who_waits_is_next() {
        let searches = Permits::of_searches();
        let accounts: Vec<AccountId> = (0..3).map(|_| AccountId::mint()).collect();
        let mut held = Vec::new();
        for account in &accounts[..2] {
            for _ in 0..2 {
                held.push(searches.take(*account).await.expect("a permit"));
            }
        }
        let refused = searches.take(accounts[0]).await.expect_err("it has two");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::RateLimited, Some(TRY_AGAIN_S)));
        let mut third = Box::pin(searches.take(accounts[2]));
        assert!(third.as_mut().now_or_never().is_none(), "the process has four");
        let mut another = Box::pin(searches.take(accounts[0]));
        assert!(another.as_mut().now_or_never().is_none(), "its account has two");
        held.remove(0);
        drop(third.now_or_never().expect("at once").expect("a permit"));
        another.now_or_never().expect("at once").expect("a permit");
    }
}
