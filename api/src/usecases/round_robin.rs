//! Whose work is taken up next by a task of this process: accounts take turns, and one has a few at once at the most.
//! Work may wait long for calls of its own account, and then keeps no other account's waiting.

use domain::ids::AccountId;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use uuid::Uuid;

/// Accounts take turns in this process: the next turn is that of the account behind the last one, unless it has as many
/// under way as it may.
#[derive(Debug)]
pub struct RoundRobin {
    /// Turns that one account may have under way.
    most: usize,
    /// Once so many are under way, further ones are for accounts without any.
    shared: usize,
    turns: Mutex<Turns>,
}

#[derive(Debug, Default)]
struct Turns {
    /// The account that was served last.
    last: Uuid,
    /// How many turns each account has under way.
    under_way: HashMap<AccountId, usize>,
}

/// A turn of an account, which lasts until this is dropped.
#[derive(Debug)]
pub struct TurnPermit {
    round_robin: Arc<RoundRobin>,
    account: AccountId,
}

impl RoundRobin {
    /// Returns turns of which an account may have `most` under way, or only one once `shared` are under way in all.
    pub fn of(most: usize, shared: usize) -> Arc<Self> {
        Arc::new(Self { most, shared, turns: Mutex::default() })
    }

    /// Gives the account whose work was found its turn; none where nothing was found, and the next round begins.
    pub(super) fn serve(self: &Arc<Self>, account: Option<AccountId>) -> Option<TurnPermit> {
        let mut turns = self.turns();
        turns.last = account.map_or(Uuid::nil(), AccountId::uuid);
        let account = account?;
        *turns.under_way.entry(account).or_default() += 1;
        Some(TurnPermit { round_robin: Arc::clone(self), account })
    }

    /// Returns the account that was served last, and those that have as many turns as they may.
    pub(super) fn last_and_full(&self) -> (Uuid, Vec<AccountId>) {
        let turns = self.turns();
        let all: usize = turns.under_way.values().sum();
        let most = if all < self.shared { self.most } else { 1 };
        let full = turns.under_way.iter().filter(|(_, count)| **count >= most);
        (turns.last, full.map(|(account, _)| *account).collect())
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TurnPermit {
    fn drop(&mut self) {
        let mut turns = self.round_robin.turns();
        if let Entry::Occupied(mut count) = turns.under_way.entry(self.account) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permit(round: &Arc<RoundRobin>, account: AccountId) -> TurnPermit {
        round.serve(Some(account)).expect("it has work")
    }

    #[test]
    fn an_account_that_has_as_many_turns_as_it_may_is_passed_over_until_one_ends() {
        let (round, busy, other) = (RoundRobin::of(2, 8), AccountId::mint(), AccountId::mint());
        let (first, others) = (permit(&round, busy), permit(&round, other));
        assert_eq!(round.last_and_full().1, []);
        let second = permit(&round, busy);
        assert_eq!(round.last_and_full().1, [busy]);
        drop(first);
        assert_eq!(round.last_and_full().1, []);
        drop((second, others));
        assert!(round.turns().under_way.is_empty(), "nothing is kept of who has none");
    }

    #[test]
    fn once_the_shared_turns_are_taken_further_ones_are_for_accounts_without_any() {
        let (round, busy, calm) = (RoundRobin::of(3, 4), AccountId::mint(), AccountId::mint());
        let mut held: Vec<TurnPermit> = (0..3).map(|_| permit(&round, busy)).collect();
        held.push(permit(&round, calm));
        let mut passed_over = round.last_and_full().1;
        passed_over.sort_unstable();
        let mut both = vec![busy, calm];
        both.sort_unstable();
        assert_eq!(passed_over, both, "who has none goes before who has one");
        held.remove(0);
        assert_eq!(round.last_and_full().1, [], "both may have more again");
    }
}
