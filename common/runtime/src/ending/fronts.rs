//! When a process's batches read accounts' lines from their front: always while that is cheap, and of each account
//! once in some seconds while it is dear, as it is while an old transaction is open. Between, a line is read from where
//! the ended jobs stood.

use crate::sparing::Sparing;
use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// What of handing over is cheap, and what each end adds to that.
const CHEAP: Duration = Duration::from_millis(2);
const AN_END: Duration = Duration::from_micros(40);
/// How many times as long as it took beyond that no line is read from its front.
const REST: u32 = 7;
/// How long an account's line is not read from its front, at most.
const LONGEST_UNREAD: Duration = Duration::from_secs(5);
/// Accounts that are remembered, at most.
const MOST_REMEMBERED: usize = 10_000;

/// See the module.
#[derive(Debug, Default)]
pub struct Fronts(Mutex<FrontsRead>);

#[derive(Debug, Default)]
struct FrontsRead {
    sparing: Sparing,
    /// When each account's line was read from its front last.
    last: HashMap<AccountId, Instant>,
}

impl Fronts {
    /// Whether this account's line is to be read from its front now.
    pub(super) fn may_read(&self, account: AccountId, now: Instant) -> bool {
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = read.last.get(&account);
        let may = read.sparing.may(now) || last.is_none_or(|last| now.duration_since(*last) >= LONGEST_UNREAD);
        if may {
            if read.last.len() >= MOST_REMEMBERED {
                read.last.clear();
            }
            read.last.insert(account, now);
        }
        may
    }

    /// Notes that so many ends were handed over in this time, some with lines that were read from their front.
    pub(super) fn took(&self, ends: usize, began: Instant, now: Instant) {
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One account's line that is cheap says nothing of others' that are not.
        if read.sparing.may(began) {
            let cheap = CHEAP + AN_END * u32::try_from(ends).unwrap_or_default();
            read.sparing.took(now.duration_since(began), cheap, REST, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_it_is_dear_each_accounts_line_is_read_from_its_front_once_in_five_seconds() {
        let (fronts, now, cheap) = (Fronts::default(), Instant::now(), Duration::from_millis(1));
        let (one, other) = (AccountId::mint(), AccountId::mint());
        fronts.took(1, now, now + cheap);
        assert!(fronts.may_read(one, now) && fronts.may_read(one, now), "it is cheap");
        // It rests for a second.
        fronts.took(1, now, now + LONGEST_UNREAD);
        let dear = now + LONGEST_UNREAD - cheap;
        fronts.took(1, dear, dear + cheap);
        assert!(!fronts.may_read(one, dear));
        assert!(fronts.may_read(other, dear) && !fronts.may_read(other, dear), "it was not read before");
        assert!(fronts.may_read(one, now + LONGEST_UNREAD) && !fronts.may_read(one, now + LONGEST_UNREAD));
    }
}
