//! Permits for expensive work: a few for each account and for each process, so that it leaves database connections,
//! memory and cores to others. Waiting for one holds no connection. Permits besides an account's first are a fourth of
//! all, so that a few busy accounts leave some to those who have none.
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
    /// Each account's first.
    first: Shares<AccountId>,
    /// Each account's further ones, and how many of those all accounts may have.
    more: Shares<AccountId>,
    more_room: Arc<Semaphore>,
    ended: Arc<Notify>,
}

/// One permit, until this is dropped.
#[derive(Debug)]
pub struct Permit {
    own: Option<Own>,
    room: Option<OwnedSemaphorePermit>,
    ended: Arc<Notify>,
}

/// One of an account's own, and its part of the room for more than one, if it is not the first.
type Own = (Share<AccountId>, Option<OwnedSemaphorePermit>);

impl Drop for Permit {
    fn drop(&mut self) {
        drop((self.room.take(), self.own.take()));
        self.ended.notify_waiters();
    }
}

impl Permits {
    /// Searches: a fourth of a process's connections.
    pub fn of_searches() -> Self {
        Self::new("searches", 2, 4)
    }

    /// Looks through many rows: lists of items with a filter (up to 12,000 items), overviews (as many), and the audit
    /// log with a filter.
    pub fn of_item_searches() -> Self {
        Self::new("looks through many rows", 2, 8)
    }

    /// Pulls of posts: each holds two megabytes at most while it is fetched, and a slow site has its permit for long.
    pub fn of_pulls() -> Self {
        Self::new("pulls", 2, 32)
    }

    /// Resends of all that an endpoint missed, which look through its log.
    pub fn of_resends() -> Self {
        Self::new("series of resends", 1, 4)
    }

    /// Writes of documents, which wait for each other while they hold a connection.
    pub fn of_documents() -> Self {
        Self::new("changes of documents", 2, 8)
    }

    fn new(noun: &'static str, most_of_account: usize, most: usize) -> Self {
        let (room, more_room) = (Arc::new(Semaphore::new(most)), Arc::new(Semaphore::new(most / 4)));
        let (first, more) = (Shares::default(), Shares::default());
        Self { noun, most_of_account, room, first, more, more_room, ended: Arc::default() }
    }

    /// Waits for a permit for this account.
    ///
    /// # Errors
    /// `rate_limited` when the account's own permits are not free in time.
    pub async fn take(&self, account: AccountId) -> Answer<Permit> {
        let own = timeout(TIMEOUT, self.own(account)).await.map_err(|_| {
            let (has, noun) = (self.first.of(&account) + self.more.of(&account), self.noun);
            let message = format!("The account has {has} {noun} under way, which is the most at once now.");
            let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
            refusal.suggest("Wait for the answers of those, then ask again.")
        })?;
        let mut permit = Permit { own: Some(own), room: None, ended: Arc::clone(&self.ended) };
        // It is never closed.
        permit.room = Arc::clone(&self.room).acquire_owned().await.ok();
        Ok(permit)
    }

    async fn own(&self, account: AccountId) -> Own {
        loop {
            let ended = self.ended.notified();
            if let Some(own) = self.own_now(account) {
                return own;
            }
            ended.await;
        }
    }

    fn own_now(&self, account: AccountId) -> Option<Own> {
        if let Some(first) = self.first.take(account, 1) {
            return Some((first, None));
        }
        let room = Arc::clone(&self.more_room).try_acquire_owned().ok()?;
        Some((self.more.take(account, self.most_of_account - 1)?, Some(room)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn an_account_has_two_and_a_process_four_and_who_waits_is_next() {
        let searches = Permits::of_searches();
        let accounts: Vec<AccountId> = (0..4).map(|_| AccountId::mint()).collect();
        let mut held = Vec::new();
        for account in [accounts[0], accounts[0], accounts[1], accounts[2]] {
            held.push(searches.take(account).await.expect("a permit"));
        }
        let refused = searches.take(accounts[0]).await.expect_err("it has two");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::RateLimited, Some(TRY_AGAIN_S)));
        let mut fourth = Box::pin(searches.take(accounts[3]));
        assert!(fourth.as_mut().now_or_never().is_none(), "the process has four");
        let mut another = Box::pin(searches.take(accounts[0]));
        assert!(another.as_mut().now_or_never().is_none(), "its account has two");
        held.remove(0);
        drop(fourth.now_or_never().expect("at once").expect("a permit"));
        another.now_or_never().expect("at once").expect("a permit");
    }

    #[tokio::test]
    async fn an_account_sends_again_what_it_missed_by_one_call_at_a_time_beside_those_of_others() {
        let resends = Permits::of_resends();
        let (busy, other) = (AccountId::mint(), AccountId::mint());
        let held = resends.take(busy).await.expect("a permit");
        let mut second = Box::pin(resends.take(busy));
        assert!(second.as_mut().now_or_never().is_none(), "its account has one");
        let _theirs = resends.take(other).now_or_never().expect("at once").expect("a permit");
        drop(held);
        second.now_or_never().expect("at once").expect("a permit");
    }

    #[tokio::test]
    async fn accounts_that_take_all_they_may_leave_permits_to_who_has_none() {
        let documents = Permits::of_documents();
        let busy: Vec<AccountId> = (0..4).map(|_| AccountId::mint()).collect();
        let taken = |account: &AccountId| documents.take(*account).now_or_never().and_then(Result::ok);
        let mut held: Vec<Permit> = busy.iter().chain(&busy).filter_map(taken).collect();
        assert_eq!(held.len(), 6, "each has one, and two have another");
        let mut waiting = Box::pin(documents.take(busy[3]));
        assert!(waiting.as_mut().now_or_never().is_none());
        let _others = [AccountId::mint(), AccountId::mint()].map(|other| taken(&other).expect("at once"));
        drop(held.pop());
        waiting.now_or_never().expect("who waits for another is next").expect("a permit");
    }
}
