//! Decides when a process's batches read accounts' lines from their front: always while that is cheap, and otherwise
//! once in some seconds per account. It is expensive while an old transaction is open. In between, a line is read from
//! the ended jobs' place in it.

use crate::sparing::Sparing;
use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Handing over places counts as cheap up to `CHEAP`, and `AN_END` more for each ended job.
const CHEAP: Duration = Duration::from_millis(2);
const AN_END: Duration = Duration::from_micros(40);
/// After an expensive read, lines are not read from their front for this many times the excess.
const REST: u32 = 7;
/// The longest time for which an account's line is not read from its front.
const LONGEST_UNREAD: Duration = Duration::from_secs(5);
/// Accounts that are remembered at most.
const MOST_REMEMBERED: usize = 10_000;

/// See the module.
#[derive(Debug, Default)]
pub struct Fronts(Mutex<FrontsRead>);

#[derive(Debug, Default)]
struct FrontsRead {
    sparing: Sparing,
    /// When each account's line was last read from its front.
    last: HashMap<AccountId, Instant>,
}

impl Fronts {
    /// Returns whether this account's line may be read from its front now, and remembers it if so.
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

    /// Records how long it took to hand over the places of `ends` ended jobs, some with lines read from their front.
    pub(super) fn took(&self, ends: usize, began: Instant, now: Instant) {
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A line that was read during a rest does not count: that it was cheap says nothing about other accounts'
        // lines.
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
