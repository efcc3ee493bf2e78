//! Places that accounts share: of webhooks of projects (`notify_project`), of jobs that wait outside their slots
//! (`outside`), and of copies on this machine's disk, where each byte is a place (`scratch`). An account has a part of
//! them, and some are kept for accounts that have none: of these whoever was served longest ago goes first.
//!
//! Whoever finds no place goes away and comes again. So that others don't take its place meanwhile, it is remembered,
//! for somewhat longer than until it comes again. No more places than are kept are left free for those who are
//! remembered, so that the others are in use however many come.

use domain::ids::AccountId;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// For how long at least a place is left to an account that found none.
const REMEMBERED: Duration = Duration::from_secs(3);
/// How much later than it was told an account may come again: what is due is looked for once a second.
const LATE: Duration = Duration::from_secs(2);
/// For how many places that were taken since it is known when an account took its last.
const TAKEN_SINCE: u64 = 256;
/// The bounds of when to come again, in milliseconds.
const COME_AGAIN_MS: (i64, i64) = (500, 30_000);
/// Milliseconds by which each webhook of an account that finds no place comes later than the one before.
const STEP_MS: i64 = 50;

/// The places, and who has them or waits for them.
#[derive(Debug)]
pub(crate) struct Places {
    all: usize,
    an_accounts: usize,
    /// Those that are for accounts that have none.
    kept: usize,
    taken: usize,
    /// Places that were ever taken, which numbers them.
    ever_taken: u64,
    accounts: HashMap<AccountId, Account>,
}

#[derive(Debug, Default)]
struct Account {
    /// The places that it has.
    taken: usize,
    /// The number of the place that it took last; 0 before the first.
    last: u64,
    /// Until when places are left to it, where it found none and had none, and how many.
    waits_until: Option<Instant>,
    wants: usize,
    /// Its webhooks that found no place since one last did.
    sent_away: i64,
}

impl Account {
    fn waits(&self, now: Instant) -> bool {
        self.waits_until.is_some_and(|until| until > now)
    }
}

impl Places {
    /// So many, and so many of one account at most, all of them free. Of these `kept` are for accounts that have none.
    pub fn new(all: usize, an_accounts: usize, kept: usize) -> Self {
        Self { all, an_accounts, kept, taken: 0, ever_taken: 0, accounts: HashMap::new() }
    }

    /// Whether so many places are left for the account. More than an account's are for whoever is alone; none are
    /// always left within its part.
    pub fn are_left_for(&self, account: AccountId, many: usize, now: Instant) -> bool {
        let (own, last) = self.accounts.get(&account).map_or((0, 0), |found| (found.taken, found.last));
        let left_to_others = match (many, own) {
            (0, _) => 0,
            (_, 0) => self.before(account, last, now).min(self.kept),
            _ => self.kept,
        };
        let is_its_part = own.saturating_add(many) <= self.an_accounts || self.taken == 0;
        is_its_part && self.all.saturating_sub(self.taken) >= left_to_others.saturating_add(many)
    }

    /// Returns how many places others wait for who have none and took their last before this number.
    fn before(&self, account: AccountId, last: u64, now: Instant) -> usize {
        let others =
            self.accounts.iter().filter(|(id, other)| **id != account && other.waits(now) && other.last < last);
        others.map(|(_, other)| other.wants).fold(0, usize::saturating_add)
    }

    /// Takes so many places, which must be left for the account.
    pub fn take(&mut self, account: AccountId, many: usize) {
        self.taken += many;
        self.ever_taken += 1;
        let own = self.accounts.entry(account).or_default();
        *own = Account { taken: own.taken + many, last: self.ever_taken, ..Account::default() };
    }

    /// Counts that no place was left for the account. Returns the milliseconds after which to come again.
    pub fn send_away(&mut self, account: AccountId) -> i64 {
        let own = self.accounts.entry(account).or_default();
        own.sent_away += 1;
        let (least, most) = COME_AGAIN_MS;
        (least + own.sent_away.saturating_mul(STEP_MS)).min(most)
    }

    /// Remembers an account that has no place and did not find so many, until it has come again after this time.
    pub fn remember(&mut self, account: AccountId, many: usize, now: Instant, after: Duration) {
        let own = self.accounts.entry(account).or_default();
        if own.taken == 0 {
            own.wants = many;
            own.waits_until = Some(now + REMEMBERED.max(after + LATE));
        }
    }

    /// Gives so many places of the account back.
    pub fn leave(&mut self, account: AccountId, many: usize) {
        self.taken = self.taken.saturating_sub(many);
        if let Some(own) = self.accounts.get_mut(&account) {
            own.taken = own.taken.saturating_sub(many);
        }
    }

    /// Forgets accounts that have no place, wait for none and took none lately.
    pub fn forget(&mut self, now: Instant) {
        let since = self.ever_taken.saturating_sub(TAKEN_SINCE);
        self.accounts.retain(|_, own| own.taken > 0 || own.waits(now) || own.last > since);
    }

    /// Whether nobody has a place.
    pub const fn are_free(&self) -> bool {
        self.taken == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_left_to_whoever_waits_until_it_is_forgotten() {
        let (mut places, now) = (Places::new(1, 1, 1), Instant::now());
        let [busy, other] = [(); 2].map(|()| AccountId::mint());
        places.take(busy, 1);
        assert_eq!([(); 3].map(|()| places.send_away(other)), [550, 600, 650]);
        assert_eq!(places.send_away(busy), 550, "each account's own");
        places.remember(other, 1, now, Duration::from_millis(650));
        places.leave(busy, 1);
        assert!(!places.are_left_for(busy, 1, now) && places.are_left_for(other, 1, now));
        let later = now + REMEMBERED;
        assert!(places.are_left_for(busy, 1, later), "the other did not come");
        places.take(busy, 1);
        places.leave(busy, 1);
        for _ in 0..TAKEN_SINCE {
            let account = AccountId::mint();
            places.take(account, 1);
            places.leave(account, 1);
        }
        places.forget(later);
        assert!(places.are_free() && !places.accounts.contains_key(&busy) && !places.accounts.contains_key(&other));
    }

    #[test]
    fn who_was_sent_away_often_is_remembered_until_it_comes_again() {
        let (mut places, now) = (Places::new(1, 1, 1), Instant::now());
        let [busy, other] = [(); 2].map(|()| AccountId::mint());
        places.take(busy, 1);
        let after = Duration::from_millis([(); 100].map(|()| places.send_away(other))[99].unsigned_abs());
        places.remember(other, 1, now, after);
        places.leave(busy, 1);
        let comes = now + after;
        places.forget(comes);
        assert!(
            comes > now + REMEMBERED && !places.are_left_for(busy, 1, comes) && places.are_left_for(other, 1, comes)
        );
        assert!(places.are_left_for(busy, 1, comes + LATE), "it did not come");
    }
}
