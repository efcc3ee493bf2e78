//! Places of jobs that may wait outside their slots. An account has a share of them, and some are kept for accounts
//! that have none, so that the jobs of a few accounts don't take them all.

use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The places, and which are taken. Clones are of the same places.
#[derive(Debug, Clone)]
pub(super) struct Places(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    all: usize,
    an_accounts: usize,
    kept: usize,
    taken: Mutex<HashMap<AccountId, usize>>,
}

/// A place, until this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Places,
    account: AccountId,
}

impl Places {
    /// So many of a process, and of one account at most, all of them free. Of these `kept` are for accounts that have
    /// none.
    pub fn new(all: usize, an_accounts: usize, kept: usize) -> Self {
        Self(Arc::new(Parts { all, an_accounts, kept, taken: Mutex::default() }))
    }

    /// Takes a place for a job of the account, if one is left for it.
    pub fn take(&self, account: AccountId) -> Option<Place> {
        let mut taken = self.taken();
        let own = taken.get(&account).copied().unwrap_or_default();
        let most = if own == 0 { self.0.all } else { self.0.all - self.0.kept };
        if own >= self.0.an_accounts || taken.values().sum::<usize>() >= most {
            return None;
        }
        taken.insert(account, own + 1);
        drop(taken);
        Some(Place { places: self.clone(), account })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<AccountId, usize>> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        let left = taken.get(&self.account).copied().unwrap_or_default().saturating_sub(1);
        if left == 0 {
            taken.remove(&self.account);
        } else {
            taken.insert(self.account, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_its_share_of_the_places_and_leaves_the_others() {
        let (places, [busy, other]) = (Places::new(6, 3, 2), [(); 2].map(|()| AccountId::mint()));
        let mut held: Vec<_> = std::iter::from_fn(|| places.take(busy)).collect();
        assert_eq!(held.len(), 3);
        held.push(places.take(other).expect("others have theirs"));
        assert!(places.take(other).is_none(), "what is left is for accounts that have none");
        drop(held.remove(0));
        held.push(places.take(busy).expect("it has one less"));
        held.extend((0..2).map(|_| places.take(AccountId::mint()).expect("one is kept for it")));
        assert!(places.take(AccountId::mint()).is_none());
        drop(held);
        assert!(places.taken().is_empty(), "who has none is forgotten");
    }
}
