//! The memory of jobs that wait for providers outside their slots, and which account has how much of it.
//!
//! An eighth of all is kept for small first jobs of accounts. Of the rest an account's first job may have whatever is
//! free. A further one may have what it needs if half of all is free beside it, or if the account's jobs then have an
//! eighth of all at most, which is the account's share. So large sources of one account leave room for those of others,
//! and those of several accounts leave room for a prompt. Jobs of an account that wait for memory get it in the order
//! in which they came.

use crate::own_turns::OwnTurns;
use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The share of an account is one in so many, and as much is kept for small first jobs.
const SHARES: usize = 8;
/// A job is small that takes one in so many of a share, or less.
const SMALL: usize = 4;

/// So many MiB of memory, which jobs share. Clones are of the same memory.
#[derive(Debug, Clone)]
pub(super) struct Memory(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    mib: usize,
    held: Mutex<HashMap<AccountId, usize>>,
    given_back: Notify,
    turns: OwnTurns,
}

/// A part of the memory, until this is dropped.
#[derive(Debug)]
pub(super) struct MemoryPermit {
    memory: Memory,
    account: AccountId,
    mib: usize,
}

/// Why nothing was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoMemory {
    /// The account has other jobs, which have what it may have or wait for it.
    HasItsShare,
    /// Others have it, or it is more than one job may have.
    IsTaken,
}

impl Memory {
    /// So many MiB, of which nothing is taken.
    pub fn new(mib: usize) -> Self {
        Self(Arc::new(Parts { mib, held: Mutex::default(), given_back: Notify::new(), turns: OwnTurns::default() }))
    }

    /// Takes so many MiB for a job of the account, unless others of its jobs wait for theirs.
    ///
    /// # Errors
    /// [`NoMemory`]; then nothing is taken.
    pub fn take(&self, account: AccountId, mib: usize) -> Result<MemoryPermit, NoMemory> {
        if mib > self.not_kept() {
            return Err(NoMemory::IsTaken);
        }
        let _turn = self.0.turns.of(account).try_acquire_owned().map_err(|_| NoMemory::HasItsShare)?;
        self.take_in_turn(account, mib)
    }

    /// Takes so many MiB for a job of the account, and waits for that while its other jobs have what it may have.
    ///
    /// # Errors
    /// [`NoMemory::IsTaken`]; then nothing is taken.
    pub async fn wait(&self, account: AccountId, mib: usize) -> Result<MemoryPermit, NoMemory> {
        let _turn = self.0.turns.of(account).acquire_owned().await;
        loop {
            // From here on it hears of what is given back.
            let given_back = self.0.given_back.notified();
            match self.take_in_turn(account, mib) {
                Err(NoMemory::HasItsShare) => given_back.await,
                taken => return taken,
            }
        }
    }

    fn take_in_turn(&self, account: AccountId, mib: usize) -> Result<MemoryPermit, NoMemory> {
        let (share, half) = (self.0.mib / SHARES, self.0.mib / 2);
        let mut held = self.held();
        let own = held.get(&account).copied().unwrap_or_default();
        let all = held.values().sum::<usize>() + mib;
        let is_small_first = own == 0 && mib <= share / SMALL;
        let fits = all <= if is_small_first { self.0.mib } else { self.not_kept() };
        let may_have_more = fits && (own + mib <= share || all <= half);
        if own > 0 && !may_have_more {
            return Err(NoMemory::HasItsShare);
        }
        if !fits {
            return Err(NoMemory::IsTaken);
        }
        held.insert(account, own + mib);
        drop(held);
        Ok(MemoryPermit { memory: self.clone(), account, mib })
    }

    /// Returns the MiB that are not kept for small first jobs.
    fn not_kept(&self) -> usize {
        self.0.mib - self.0.mib / SHARES
    }

    fn held(&self) -> MutexGuard<'_, HashMap<AccountId, usize>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        let mut held = self.memory.held();
        let left = held.get(&self.account).copied().unwrap_or_default().saturating_sub(self.mib);
        if left == 0 {
            held.remove(&self.account);
        } else {
            held.insert(self.account, left);
        }
        drop(held);
        self.memory.0.given_back.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::NoMemory::{HasItsShare, IsTaken};
    use super::*;
    use futures_util::poll;
    use std::pin::pin;

    #[test]
    fn whoever_holds_half_leaves_the_rest_to_others() {
        let (memory, busy) = (Memory::new(256), AccountId::mint());
        let mut held: Vec<_> = (0..2).map(|_| memory.take(busy, 52).expect("half stays free")).collect();
        assert_eq!(memory.take(busy, 52).err(), Some(HasItsShare));
        held.push(memory.take(busy, 24).expect("half stays free"));
        let (second, third) = (AccountId::mint(), AccountId::mint());
        held.push(memory.take(second, 52).expect("its first"));
        assert_eq!(memory.take(second, 2).err(), Some(HasItsShare), "its first is more than a share");
        held.push(memory.take(third, 16).expect("its first"));
        held.push(memory.take(third, 16).expect("a share"));
        assert_eq!(memory.take(third, 2).err(), Some(HasItsShare));
        assert_eq!(memory.take(AccountId::mint(), 52).err(), Some(IsTaken), "12 are free for it");
        held.push(memory.take(AccountId::mint(), 12).expect("its first"));
        drop(held);
        assert!(memory.held().is_empty(), "who holds nothing is forgotten");
        let _large = memory.take(busy, 200).expect("its first may have what is free");
        assert_eq!(memory.take(busy, 200).err(), Some(HasItsShare), "its second waits for that");
        assert_eq!(memory.take(busy, 257).err(), Some(IsTaken), "more than there is would wait for nothing");
    }

    #[test]
    fn an_eighth_is_kept_for_small_first_jobs() {
        let (memory, small) = (Memory::new(256), AccountId::mint());
        // The last is less than others have, and not small.
        let mut held: Vec<_> =
            [49, 49, 49, 49, 28].map(|mib| memory.take(AccountId::mint(), mib).expect("its first")).into();
        assert_eq!(memory.take(AccountId::mint(), 9).err(), Some(IsTaken));
        held.push(memory.take(small, 8).expect("its first, and small"));
        assert_eq!(memory.take(small, 4).err(), Some(HasItsShare), "a further one waits for its first");
        held.extend((0..3).map(|_| memory.take(AccountId::mint(), 8).expect("its first, and small")));
        assert_eq!(memory.take(AccountId::mint(), 1).err(), Some(IsTaken), "nothing is left");
        drop(held);
        assert_eq!(memory.take(small, 225).err(), Some(IsTaken), "nobody may have what is kept");
        assert!(memory.take(small, 224).is_ok());
    }

    #[tokio::test]
    async fn what_an_account_gives_back_is_had_by_its_jobs_in_their_order() {
        let (memory, busy) = (Memory::new(256), AccountId::mint());
        let mut held = vec![memory.take(busy, 100).expect("all is free")];
        let mut large = pin!(memory.wait(busy, 100));
        assert!(poll!(&mut large).is_pending());
        assert_eq!(memory.take(busy, 2).err(), Some(HasItsShare), "a small one would fit, and comes after");
        assert_eq!(memory.take(busy, 257).err(), Some(IsTaken), "what never fits waits behind nobody");
        let mut small = pin!(memory.wait(busy, 2));
        assert!(poll!(&mut small).is_pending());
        held.push(memory.take(AccountId::mint(), 100).expect("another account waits for nobody"));
        assert!(poll!(&mut large).is_pending() && poll!(&mut small).is_pending());
        drop(held.remove(0));
        let large = large.await.expect("it is the account's first now");
        assert!(poll!(&mut small).is_pending(), "half is taken, and the account has more than a share");
        drop(large);
        small.await.expect("what was given back");
    }
}
