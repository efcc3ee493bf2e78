//! Limits on downloads that are under way at once: one for each account's items, and one for all together.
//!
//! They are counted apart from other answers: a client that takes hours over a large file holds none of the room that
//! other answers need. A place is held until the last byte is handed over, or the client is gone or too slow
//! (`serve::pace`). Visitors of an account's public links have half of its places: one who takes all of theirs keeps
//! the account itself from nothing. Operators have places of their own, beside those of all accounts: they take none
//! from whose media they look at, and nobody keeps them from it.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::shares::{Share, Shares};
use domain::ids::AccountId;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Downloads of a process: each holds two pieces of 64 KiB and what waits in the connection.
const MOST: usize = 512;
/// Downloads of all operators.
const MOST_OF_OPERATORS: usize = 32;
/// When to ask again, in seconds.
const TRY_AGAIN_S: u64 = 5;

/// Who downloads an account's media.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Downloader {
    /// Whoever has a `media_url`, which the account's callers get.
    #[default]
    Caller,
    /// A visitor of one of its public links.
    Visitor,
    /// An operator in the console.
    Operator,
}

/// The places of a process.
#[derive(Debug)]
pub struct Downloads {
    all: Arc<Semaphore>,
    of_operators: Arc<Semaphore>,
    of_account: Shares<AccountId>,
    of_visitors: Shares<AccountId>,
    most_of_account: usize,
}

/// A download that is under way, until this is dropped.
#[derive(Debug)]
pub struct Download {
    _place: OwnedSemaphorePermit,
    _shares: [Option<Share<AccountId>>; 2],
}

impl Downloads {
    /// The places of a process in which nobody downloads anything.
    pub fn new(most_of_account: usize) -> Self {
        let (of_account, of_visitors) = (Shares::default(), Shares::default());
        let places = |most| Arc::new(Semaphore::new(most));
        Self { all: places(MOST), of_operators: places(MOST_OF_OPERATORS), of_account, of_visitors, most_of_account }
    }

    /// Takes a place for one more download of this account's items.
    ///
    /// # Errors
    /// `rate_limited` while the account, its links' visitors, or operators have as many as they may, `unavailable`
    /// while the process has no place left.
    pub fn begin(&self, account: AccountId, by: Downloader) -> Answer<Download> {
        let most = self.most_of_account;
        let visitors = match by {
            Downloader::Operator => return self.begin_of_operator(),
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
        Ok(Download { _place: place, _shares: [Some(share), visitors] })
    }

    fn begin_of_operator(&self) -> Answer<Download> {
        let place = Arc::clone(&self.of_operators).try_acquire_owned().map_err(|_| {
            let message =
                format!("{MOST_OF_OPERATORS} downloads of operators are under way, which is the most at once.");
            ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S)
        })?;
        Ok(Download { _place: place, _shares: [None, None] })
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

    #[test]
    fn operators_take_no_place_of_accounts_and_accounts_none_of_theirs() {
        let (downloads, one) = (Downloads::new(MOST), AccountId::mint());
        let begin = |by| downloads.begin(one, by);
        let all: Vec<Download> = (0..MOST).map(|_| begin(Downloader::Caller).expect("a place")).collect();
        let looks: Vec<Download> =
            (0..MOST_OF_OPERATORS).map(|_| begin(Downloader::Operator).expect("their own")).collect();
        assert_eq!(begin(Downloader::Operator).err().map(|refusal| refusal.code()), Some(Code::RateLimited));
        drop(all);
        let _all: Vec<Download> = (0..MOST).map(|_| begin(Downloader::Caller).expect("all of them")).collect();
        drop(looks);
        assert!(begin(Downloader::Operator).is_ok());
    }
}
