//! Counts how many of something each holder has at once: connections of an address, requests of an account.
//!
//! It only counts. Its callers decide what is held, how many there may be and how a refusal is worded. Holders that
//! hold nothing are not remembered, so memory is bounded by what is held.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many each holder has. Cheap to clone; clones share it.
#[derive(Debug)]
pub struct Shares<K>(Arc<Mutex<HashMap<K, usize>>>);

impl<K> Clone for Shares<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K> Default for Shares<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// One or more that a holder has, until this is dropped.
#[derive(Debug)]
pub struct Share<K: Eq + Hash> {
    holder: K,
    many: usize,
    of: Shares<K>,
}

impl<K: Eq + Hash + Clone> Shares<K> {
    /// Takes one for this holder; none when it has `most` already.
    pub fn take(&self, holder: K, most: usize) -> Option<Share<K>> {
        self.take_many(holder, 1, most)
    }

    /// Returns how many this holder has.
    pub fn of(&self, holder: &K) -> usize {
        self.lock().get(holder).copied().unwrap_or_default()
    }

    /// Takes `many` for this holder; none when it would then have more than `most`.
    pub fn take_many(&self, holder: K, many: usize, most: usize) -> Option<Share<K>> {
        let mut held = self.lock();
        let count = held.entry(holder.clone()).or_default();
        if *count + many > most {
            if *count == 0 {
                held.remove(&holder);
            }
            return None;
        }
        *count += many;
        drop(held);
        Some(Share { holder, many, of: self.clone() })
    }
}

impl<K> Shares<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Share<K> {
    /// Gives back all but so many.
    pub fn keep(&mut self, many: usize) {
        let back = self.many.saturating_sub(many);
        self.many -= back;
        let mut held = self.of.lock();
        if let Some(count) = held.get_mut(&self.holder) {
            *count -= back;
            if *count == 0 {
                held.remove(&self.holder);
            }
        }
    }
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        self.keep(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_as_many_as_it_may_and_what_is_let_go_is_free_and_forgotten() {
        let shares = Shares::default();
        let held: Vec<_> = (0..2).map(|_| shares.take("a", 2).expect("a share")).collect();
        assert!(shares.take("a", 2).is_none());
        assert!(shares.take("b", 0).is_none());
        let other = shares.take("b", 2).expect("another's share");
        drop(held);
        assert!(shares.take("a", 1).is_some());
        drop(other);
        assert!(shares.lock().is_empty());
    }

    #[test]
    fn a_part_of_what_is_held_can_be_given_back() {
        let shares = Shares::default();
        let mut held = shares.take_many("a", 5, 5).expect("a share");
        held.keep(2);
        held.keep(4);
        assert_eq!(shares.of(&"a"), 2, "nobody gets more by giving back");
        drop(held);
        assert!(shares.lock().is_empty());
    }
}
