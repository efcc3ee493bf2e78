//! Permits for expensive work: a few for each account, and a few turns for all accounts of a process (a [`Line`]), so
//! that it leaves database connections, memory and cores to others.
//!
//! A permit is the account's own part, and holds nothing that others need. Work that has one waits for a turn of its
//! account first, and only then for one of the few turns for all (`runtime::own_turns`). So however long an account's
//! other calls keep it waiting, it keeps nobody else waiting.
//!
//! A permit belongs to the work, not to the request, and a turn to its connection: a client that hangs up ends neither
//! statement nor computation.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::shares::{Share, Shares};
use domain::ids::AccountId;
use runtime::own_turns::Line;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
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
    own: Shares<AccountId>,
    few: Line,
    ended: Arc<Notify>,
}

/// One permit of an account, until this is dropped.
#[derive(Debug)]
pub struct Permit {
    own: Option<Share<AccountId>>,
    few: Line,
    ended: Arc<Notify>,
}

impl Permit {
    /// The few turns of all accounts for this kind of work. It waits for one of them once it has a turn of its account.
    pub const fn few(&self) -> &Line {
        &self.few
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        drop(self.own.take());
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

    /// Pulls of posts: each holds two megabytes at most while it is fetched, and a slow site keeps its turn for long.
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
        Self { noun, most_of_account, own: Shares::default(), few: Line::of_few(most), ended: Arc::default() }
    }

    /// Returns how many permits the account has.
    pub fn under_way(&self, account: AccountId) -> usize {
        self.own.of(&account)
    }

    /// Waits for a permit for this account.
    ///
    /// # Errors
    /// `rate_limited` when the account's own permits are not free in time.
    pub async fn take(&self, account: AccountId) -> Answer<Permit> {
        let own = timeout(TIMEOUT, self.own(account)).await.map_err(|_| {
            let (has, noun) = (self.under_way(account), self.noun);
            let message = format!("The account has {has} {noun} under way, which is the most at once.");
            let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
            refusal.suggest("Wait for the answers of those, then ask again.")
        })?;
        Ok(Permit { own: Some(own), few: self.few.clone(), ended: Arc::clone(&self.ended) })
    }

    async fn own(&self, account: AccountId) -> Share<AccountId> {
        loop {
            let ended = self.ended.notified();
            if let Some(own) = self.own.take(account, self.most_of_account) {
                return own;
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
    async fn an_account_has_two_and_who_waits_for_one_keeps_no_other_account_waiting() {
        let searches = Permits::of_searches();
        let (busy, other) = (AccountId::mint(), AccountId::mint());
        let mut held = vec![searches.take(busy).await.expect("a permit"), searches.take(busy).await.expect("another")];
        let refused = searches.take(busy).await.expect_err("it has two");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::RateLimited, Some(TRY_AGAIN_S)));
        let (mut next, mut given_up) = (Box::pin(searches.take(busy)), Box::pin(searches.take(busy)));
        assert!(next.as_mut().now_or_never().is_none() && given_up.as_mut().now_or_never().is_none());
        let _theirs = searches.take(other).now_or_never().expect("at once").expect("a permit");
        drop((held.pop(), given_up));
        let next = next.now_or_never().expect("at once").expect("a permit");
        assert_eq!(searches.under_way(busy), 2);
        drop((held, next));
        assert_eq!(searches.under_way(busy), 0);
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
}
