//! How many event streams a process holds open: two hundred, and twenty of them for one account, so that none takes the
//! others' place (design.md, "What the service promises", 5).

use crate::error::{Answer, ApiError, Code};
use common::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Streams of a process.
const MOST: usize = 200;
/// Streams of an account in a process.
const MOST_OF_ACCOUNT: usize = 20;
/// When to try again, in seconds.
const TRY_AGAIN_S: u64 = 30;

/// The seats of a process. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub struct Seats(Arc<Mutex<HashMap<AccountId, usize>>>);

/// One that is taken, until it is dropped.
pub struct Seat {
    account: AccountId,
    seats: Seats,
}

impl Seats {
    /// All of them free.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one for this account.
    ///
    /// # Errors
    /// `rate_limited` when the account has its share, `unavailable` when none is left here.
    pub fn take(&self, account: AccountId) -> Answer<Seat> {
        let mut taken = self.lock();
        let of_account = taken.get(&account).copied().unwrap_or_default();
        if of_account >= MOST_OF_ACCOUNT {
            let message = format!("The account has {MOST_OF_ACCOUNT} event streams open here, which is the most.");
            return Err(ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S));
        }
        if taken.values().sum::<usize>() >= MOST {
            let message = "As many event streams are open here as may be.";
            return Err(ApiError::new(Code::Unavailable, message).retry_after(TRY_AGAIN_S));
        }
        taken.insert(account, of_account + 1);
        drop(taken);
        Ok(Seat { account, seats: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.lock();
        if let Some(of_account) = taken.get_mut(&self.account) {
            *of_account -= 1;
            if *of_account == 0 {
                taken.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_its_share_a_process_its_most_and_a_seat_that_is_left_is_free() {
        let seats = Seats::new();
        let code = |account| seats.take(account).err().map(|error| error.code());
        let one = AccountId::mint();
        let mut taken: Vec<Seat> = (0..MOST_OF_ACCOUNT).map(|_| seats.take(one).expect("a seat")).collect();
        assert_eq!(code(one), Some(Code::RateLimited));
        while taken.len() < MOST {
            taken.push(seats.take(AccountId::mint()).expect("a seat"));
        }
        assert_eq!(code(AccountId::mint()), Some(Code::Unavailable));
        taken.pop();
        assert_eq!(code(AccountId::mint()), None);
        drop(taken);
        assert!(seats.lock().is_empty());
    }
}
