//! Limits on downloads that are under way at once: one for each account's items, and one for all together.
//!
//! They are counted apart from other answers: a client that takes hours over a large file holds none of the room that
//! other answers need. A place is held until the last byte is handed over, or the client is gone or too slow
//! (`serve::pace`).

use crate::http::error::{Answer, ApiError, Code};
use crate::http::shares::{Share, Shares};
use domain::ids::AccountId;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Downloads of a process: each holds two pieces of 64 KiB and what waits in the connection.
const MOST: usize = 512;
/// When to ask again, in seconds.
const TRY_AGAIN_S: u64 = 5;

/// The places of a process.
#[derive(Debug)]
pub struct Downloads {
    all: Arc<Semaphore>,
    of_account: Shares<AccountId>,
    most_of_account: usize,
}

/// A download that is under way, until this is dropped.
#[derive(Debug)]
pub struct Download {
    _place: OwnedSemaphorePermit,
    _share: Share<AccountId>,
}

impl Downloads {
    /// The places of a process in which nobody downloads anything.
    pub fn new(most_of_account: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(MOST)), of_account: Shares::default(), most_of_account }
    }

    /// Takes a place for one more download of this account's items.
    ///
    /// # Errors
    /// `rate_limited` while the account has as many as it may, `unavailable` while the process has no place left.
    pub fn begin(&self, account: AccountId) -> Answer<Download> {
        let most = self.most_of_account;
        let share = self.of_account.take(account, most).ok_or_else(|| {
            let message = format!("{most} downloads of the account's media are under way, which is the most at once.");
            let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
            refusal.suggest("Let one of them end, then ask again.")
        })?;
        let place = Arc::clone(&self.all).try_acquire_owned().map_err(|_| {
            let message = "This process is sending as much media as it can. Try again.";
            ApiError::new(Code::Unavailable, message).retry_after(TRY_AGAIN_S)
        })?;
        Ok(Download { _place: place, _share: share })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_its_share_a_process_its_most_and_what_has_ended_is_free() {
        let downloads = Downloads::new(2);
        let code = |account| downloads.begin(account).err().map(|refusal| refusal.code());
        let one = AccountId::mint();
        let mut held: Vec<Download> = (0..2).map(|_| downloads.begin(one).expect("a place")).collect();
        assert_eq!(code(one), Some(Code::RateLimited));
        while held.len() < MOST {
            held.push(downloads.begin(AccountId::mint()).expect("a place"));
        }
        assert_eq!(code(AccountId::mint()), Some(Code::Unavailable));
        held.remove(0);
        assert_eq!(code(one), None);
    }
}
