//! Limits the open event streams of a process to a thousand, and to twenty for one account, so that no account takes
//! the others' places. When all are taken, an account without any gets a place of the account that has most: that
//! stream is ended, and resumes where it was when its client connects again and there is room.

use crate::http::error::{Answer, ApiError, Code};
use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// The most streams in a process.
const MOST: usize = 1_000;
/// The most streams of one account in a process.
const MOST_OF_ACCOUNT: usize = 20;
/// Retry-After, in seconds.
const TRY_AGAIN_S: u64 = 30;

/// The limits of a process. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub struct StreamLimits(Arc<Mutex<Taken>>);

/// The permits of each account, each with the token that revokes it.
#[derive(Default)]
struct Taken {
    next: u64,
    of_account: HashMap<AccountId, Vec<(u64, CancellationToken)>>,
}

/// A permit for one stream, until it is dropped.
pub struct StreamPermit {
    account: AccountId,
    number: u64,
    limits: StreamLimits,
    /// Cancelled when another account gets this permit.
    pub lost: CancellationToken,
}

impl StreamLimits {
    /// Starts with all permits free.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a permit for this account.
    ///
    /// # Errors
    /// `rate_limited` when the account is at its limit, `unavailable` when the process is.
    pub fn take(&self, account: AccountId) -> Answer<StreamPermit> {
        let mut taken = self.lock();
        let own = taken.of_account.get(&account).map_or(0, Vec::len);
        if own >= MOST_OF_ACCOUNT {
            let message = format!("The account has {MOST_OF_ACCOUNT} event streams open here, which is the most.");
            return Err(ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S));
        }
        let all: usize = taken.of_account.values().map(Vec::len).sum();
        if all >= MOST && !(own == 0 && taken.free_one()) {
            let message = "As many event streams are open here as may be.";
            return Err(ApiError::new(Code::Unavailable, message).retry_after(TRY_AGAIN_S));
        }
        let (number, lost) = (taken.next, CancellationToken::new());
        taken.next += 1;
        taken.of_account.entry(account).or_default().push((number, lost.clone()));
        drop(taken);
        metrics::gauge!("mws_event_streams").increment(1.0);
        Ok(StreamPermit { account, number, limits: self.clone(), lost })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Takes the newest permit away from the account that has most. Returns false when no account has more than one.
    fn free_one(&mut self) -> bool {
        let most = self.of_account.values_mut().max_by_key(|limits| limits.len()).filter(|limits| limits.len() > 1);
        let freed = most.and_then(Vec::pop);
        if let Some((_, lost)) = &freed {
            lost.cancel();
        }
        freed.is_some()
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        metrics::gauge!("mws_event_streams").decrement(1.0);
        let mut taken = self.limits.lock();
        if let Some(limits) = taken.of_account.get_mut(&self.account) {
            limits.retain(|(number, _)| *number != self.number);
            if limits.is_empty() {
                taken.of_account.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(limits: &StreamLimits, account: AccountId) -> Option<Code> {
        limits.take(account).err().map(|error| error.code())
    }

    #[test]
    fn an_account_has_its_share_a_process_its_most_and_a_seat_that_is_left_is_free() {
        let limits = StreamLimits::new();
        let one = AccountId::mint();
        let mut taken: Vec<StreamPermit> = (0..MOST_OF_ACCOUNT).map(|_| limits.take(one).expect("a permit")).collect();
        assert_eq!(code(&limits, one), Some(Code::RateLimited));
        taken.truncate(1);
        while taken.len() < MOST {
            taken.push(limits.take(AccountId::mint()).expect("a permit"));
        }
        assert_eq!(code(&limits, AccountId::mint()), Some(Code::Unavailable), "nobody has two");
        taken.pop();
        assert_eq!(code(&limits, AccountId::mint()), None);
        drop(taken);
        assert!(limits.lock().of_account.is_empty());
    }

    #[test]
    fn accounts_that_have_them_all_give_one_to_each_that_has_none() {
        let limits = StreamLimits::new();
        let greedy: Vec<AccountId> = (0..MOST / MOST_OF_ACCOUNT).map(|_| AccountId::mint()).collect();
        let many = greedy.iter().flat_map(|account| std::iter::repeat_n(*account, MOST_OF_ACCOUNT));
        let taken: Vec<StreamPermit> = many.map(|account| limits.take(account).expect("a permit")).collect();
        assert_eq!(taken.len(), MOST);
        let others: Vec<StreamPermit> =
            (0..MOST - greedy.len()).map(|_| limits.take(AccountId::mint()).expect("a permit")).collect();
        let lost = |account: &AccountId| {
            taken.iter().filter(|permit| permit.account == *account && permit.lost.is_cancelled()).count()
        };
        assert!(greedy.iter().all(|account| lost(account) == MOST_OF_ACCOUNT - 1), "each keeps one");
        assert_eq!(code(&limits, AccountId::mint()), Some(Code::Unavailable));
        assert_eq!(code(&limits, greedy[0]), Some(Code::Unavailable), "who has one takes none away");
        // A stream whose permit is another's leaves later, and frees nothing by it.
        drop(taken);
        assert_eq!(limits.lock().of_account.values().map(Vec::len).sum::<usize>(), others.len());
        drop(others);
        assert!(limits.lock().of_account.is_empty());
    }
}
