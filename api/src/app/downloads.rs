//! Limits on downloads that are under way at once: one for each account's items, and one for all together.
//!
//! They are counted apart from other answers: a client that takes hours over a large file holds none of the room that
//! other answers need. A place is held until the last byte is handed over, or the client is gone or too slow
//! (`serve::pace`). Visitors of an account's public links have half of its places: one who takes all of theirs keeps
//! the account itself from nothing.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::shares::{Share, Shares};
use domain::ids::AccountId;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Downloads of a process: each holds two pieces of 64 KiB and what waits in the connection.
const MOST: usize = 512;
/// When to ask again, in seconds.
const TRY_AGAIN_S: u64 = 5;

/// Who downloads an account's media.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Downloader {
    /// Whoever has a `media_url`, which the account's callers get.
    #[default]
    Caller,
    /// A visitor of one of its public links, or an operator in the console.
    Visitor,
}

/// The places of a process.
#[derive(Debug)]
pub struct Downloads {
    all: Arc<Semaphore>,
    of_account: Shares<AccountId>,
    of_visitors: Shares<AccountId>,
    most_of_account: usize,
}

/// A download that is under way, until this is dropped.
#[derive(Debug)]
pub struct Download {
    _place: OwnedSemaphorePermit,
    _share: Share<AccountId>,
    _visitors: Option<Share<AccountId>>,
}

impl Downloads {
    /// The places of a process in which nobody downloads anything.
    pub fn new(most_of_account: usize) -> Self {
        let (of_account, of_visitors) = (Shares::default(), Shares::default());
        Self { all: Arc::new(Semaphore::new(MOST)), of_account, of_visitors, most_of_account }
    }

    /// Takes a place for one more download of this account's items.
    ///
    /// # Errors
    /// `rate_limited` while the account, or its links' visitors, have as many as they may, `unavailable` while the
    /// process has no place left.
    pub fn begin(&self, account: AccountId, by: Downloader) -> Answer<Download> {
        let most = self.most_of_account;
        let visitors = match by {
            Downloader::Caller => None,
            Downloader::Visitor => Some(self.of_visitors.take(account, (most / 2).max(1)).ok_or_else(|| {
                let message = "As many people as can be at once are watching or saving this. Try again in a moment.";
                ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S)
            })?),
        };
        let share = self.of_account.take(account, most).ok_or_else(|| {
            let message = format!("{most} downloads of the account's media are under way, which is the most at once.");
            let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
            refusal.suggest("Let one of them end, then ask again.")
        })?;
        let place = Arc::clone(&self.all).try_acquire_owned().map_err(|_| {
            let message = "This process is sending as much media as it can. Try again.";
            ApiError::new(Code::Unavailable, message).retry_after(TRY_AGAIN_S)
        })?;
        Ok(Download { _place: place, _share: share, _visitors: visitors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_its_share_a_process_its_most_and_what_has_ended_is_free() {
        let downloads = Downloads::new(2);
        let begin = |account| downloads.begin(account, Downloader::Caller);
        let code = |account| begin(account).err().map(|refusal| refusal.code());
        let one = AccountId::mint();
        let mut held: Vec<Download> = (0..2).map(|_| begin(one).expect("a place")).collect();
        assert_eq!(code(one), Some(Code::RateLimited));
        while held.len() < MOST {
            held.push(begin(AccountId::mint()).expect("a place"));
        }
        assert_eq!(code(AccountId::mint()), Some(Code::Unavailable));
        held.remove(0);
        assert_eq!(code(one), None);
    }

    #[test]
    fn visitors_have_half_of_an_accounts_places_and_the_account_may_have_all() {
        let (downloads, one) = (Downloads::new(4), AccountId::mint());
        let begin = |by| downloads.begin(one, by);
        let mut held: Vec<Download> = (0..2).map(|_| begin(Downloader::Visitor).expect("a place")).collect();
        assert_eq!(begin(Downloader::Visitor).err().map(|refusal| refusal.code()), Some(Code::RateLimited));
        held.extend((0..2).map(|_| begin(Downloader::Caller).expect("the account's half")));
        assert!(begin(Downloader::Caller).is_err(), "four in all");
        held.clear();
        let _all: Vec<Download> = (0..4).map(|_| begin(Downloader::Caller).expect("a place")).collect();
        assert!(begin(Downloader::Visitor).is_err());
    }
}
