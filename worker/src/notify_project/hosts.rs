//! Limits the webhooks of projects that are under way to one host, and for one account, in this process (decisions.md,
//! "Slow endpoints share half of an account's places").
//!
//! Sixteen for a host, and as many as there are slots in the process. Of both an account has a quarter (of the slots
//! four at least), and the last quarter is for accounts that have none (`crate::places`), so that neither receivers
//! that hang nor customers with many receivers can hold the others up. A webhook that finds no place is told when to
//! come again, each of an account a little later than the one before, and holds no slot meanwhile.

use crate::places::Places;
use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Webhooks in flight to one host, at most.
const HOST: usize = 16;
/// Webhooks in flight for one account, at most, however few slots there are.
const LEAST_OF_ACCOUNT: usize = 4;

/// The webhooks that are under way. Cheap to clone; clones share it.
#[derive(Clone)]
pub(super) struct Hosts(Arc<Mutex<UnderWay>>);

struct UnderWay {
    /// Places of the process.
    all: Places,
    /// Places at the hosts that have something under way: the last to leave removes the entry.
    hosts: HashMap<String, Places>,
}

/// A place that is taken, until it is dropped.
pub(super) struct HostPermit {
    host: String,
    account: AccountId,
    hosts: Hosts,
}

impl Hosts {
    /// Returns the places of a process with this many slots.
    pub(super) fn new(slots: usize) -> Self {
        let all = places(slots, (slots / 4).max(LEAST_OF_ACCOUNT));
        Self(Arc::new(Mutex::new(UnderWay { all, hosts: HashMap::new() })))
    }

    /// Takes a place. The error is the milliseconds after which to come again.
    pub(super) fn enter(&self, host: &str, account: AccountId) -> Result<HostPermit, i64> {
        let now = Instant::now();
        let mut under_way = self.lock();
        let UnderWay { all, hosts } = &mut *under_way;
        let at_host = hosts.entry(host.to_owned()).or_insert_with(|| places(HOST, HOST / 4));
        let both = [all, at_host].map(|places| {
            places.forget(now);
            places
        });
        if both.iter().all(|places| places.are_left_for(account, 1, now)) {
            for places in both {
                places.take(account, 1);
            }
            return Ok(HostPermit { host: host.to_owned(), account, hosts: self.clone() });
        }
        let mut full: Vec<&mut Places> =
            both.into_iter().filter(|places| !places.are_left_for(account, 1, now)).collect();
        // Where both are full it comes again when the later of them told it to.
        let after_ms = full.iter_mut().map(|places| places.send_away(account)).max().unwrap_or_default();
        for places in full {
            places.remember(account, 1, now, Duration::from_millis(after_ms.unsigned_abs()));
        }
        // It is new where the process alone has no place left.
        if hosts.get(host).is_some_and(Places::are_free) {
            hosts.remove(host);
        }
        Err(after_ms)
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        // A panic inside leaves counts that are too high at worst; refusing everyone for ever would be worse.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns so many places, the last quarter of them for accounts that have none.
fn places(all: usize, an_accounts: usize) -> Places {
    Places::new(all, an_accounts, (all / 4).max(1))
}

impl Drop for HostPermit {
    fn drop(&mut self) {
        let mut under_way = self.hosts.lock();
        under_way.all.leave(self.account, 1);
        if let Some(at_host) = under_way.hosts.get_mut(&self.host) {
            at_host.leave(self.account, 1);
            if at_host.are_free() {
                under_way.hosts.remove(&self.host);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts<const N: usize>() -> [AccountId; N] {
        [(); N].map(|()| AccountId::mint())
    }

    /// Returns the places that an account finds when it comes six times.
    fn six(hosts: &Hosts, host: &str, account: AccountId) -> Vec<HostPermit> {
        (0..6).filter_map(|_| hosts.enter(host, account).ok()).collect()
    }

    #[test]
    fn a_host_has_sixteen_places_whoever_asks_and_others_are_not_held_up() {
        let hosts = Hosts::new(256);
        let places = accounts::<HOST>().map(|account| hosts.enter("a", account).expect("a place"));
        let late = AccountId::mint();
        assert_eq!([(); 3].map(|()| hosts.enter("a", late).err()), [Some(550), Some(600), Some(650)]);
        assert_eq!(hosts.enter("a", AccountId::mint()).err(), Some(550), "whatever others were told");
        assert!(hosts.enter("b", AccountId::mint()).is_ok());
        drop(places);
        assert!(hosts.enter("a", AccountId::mint()).is_ok());
    }

    #[test]
    fn an_account_has_a_quarter_and_the_last_quarter_is_for_those_that_have_none() {
        // Of the places of a host, and of all in a process.
        for (slots, names) in [(256, ["a"; 8]), (16, ["a", "b", "c", "d", "e", "f", "g", "h"])] {
            let hosts = Hosts::new(slots);
            let held = names.map(|host| six(&hosts, host, AccountId::mint()));
            assert_eq!(held.each_ref().map(Vec::len), [4, 4, 4, 1, 1, 1, 1, 0]);
        }
    }

    #[test]
    fn a_place_that_is_given_back_goes_to_whoever_has_none_and_was_served_longest_ago() {
        let (hosts, busy, new) = (Hosts::new(256), accounts::<10>(), AccountId::mint());
        let mut held = busy.map(|account| six(&hosts, "a", account));
        assert_eq!(held.each_ref().map(Vec::len), [4, 4, 4, 1, 1, 1, 1, 0, 0, 0]);
        assert!(hosts.enter("a", new).is_err());
        held[3].clear();
        for account in &busy[..7] {
            assert!(hosts.enter("a", *account).is_err(), "it has some, or had one just now");
        }
        let _its = hosts.enter("a", new).expect("a place was left to it");
        held[4].clear();
        assert!(hosts.enter("a", busy[4]).is_err(), "three that had none are before it");
        assert!(hosts.enter("a", busy[9]).is_ok());
    }

    #[test]
    fn an_account_has_a_quarter_of_the_slots_over_all_its_hosts() {
        let (hosts, account) = (Hosts::new(64), AccountId::mint());
        let places: Vec<HostPermit> =
            (0..16).map(|host| hosts.enter(&host.to_string(), account).expect("a place")).collect();
        assert_eq!(hosts.enter("new", account).err(), Some(550));
        assert!(hosts.enter("new", AccountId::mint()).is_ok());
        drop(places);
        assert!(hosts.lock().hosts.is_empty() && hosts.lock().all.are_free(), "all are given back");
    }
}
