//! Limits the webhooks of projects that are under way to one host, and for one account, in this process (decisions.md,
//! "Slow endpoints share half of an account's places").
//!
//! Sixteen for a host, and a quarter of the slots for an account (four at least), so that neither a receiver that hangs
//! nor a customer with many receivers can hold the others up. A webhook that finds no place is told when to come again,
//! each a little later than the one before, and holds no slot meanwhile.

use domain::ids::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Webhooks in flight to one host, at most.
const HOST: usize = 16;
/// Webhooks in flight for one account, at most, however few slots there are.
const LEAST_OF_ACCOUNT: usize = 4;
/// The bounds of when to come again, in milliseconds.
const COME_AGAIN_MS: (i64, i64) = (500, 30_000);
/// Milliseconds by which each one that finds no place comes later than the one before.
const STEP_MS: i64 = 50;

/// The webhooks that are under way. Cheap to clone; clones share it.
#[derive(Clone)]
pub(super) struct Hosts {
    of_account: usize,
    under_way: Arc<Mutex<UnderWay>>,
}

#[derive(Default)]
struct UnderWay {
    hosts: HashMap<String, Host>,
    accounts: HashMap<AccountId, usize>,
}

#[derive(Default)]
struct Host {
    in_flight: usize,
    /// The number that found no place since one last did.
    sent_away: i64,
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
        Self { of_account: (slots / 4).max(LEAST_OF_ACCOUNT), under_way: Arc::default() }
    }

    /// Takes a place. The error is the milliseconds after which to come again.
    pub(super) fn enter(&self, host: &str, account: AccountId) -> Result<HostPermit, i64> {
        let mut under_way = self.lock();
        let UnderWay { hosts, accounts } = &mut *under_way;
        let of_account = accounts.get(&account).copied().unwrap_or_default();
        let at_host = hosts.entry(host.to_owned()).or_default();
        if at_host.in_flight >= HOST || of_account >= self.of_account {
            at_host.sent_away += 1;
            let (least, most) = COME_AGAIN_MS;
            let after_ms = (least + at_host.sent_away.saturating_mul(STEP_MS)).min(most);
            if at_host.in_flight == 0 {
                // Only hosts with something under way are remembered: the last to leave removes the entry.
                hosts.remove(host);
            }
            return Err(after_ms);
        }
        at_host.in_flight += 1;
        at_host.sent_away = 0;
        accounts.insert(account, of_account + 1);
        Ok(HostPermit { host: host.to_owned(), account, hosts: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        // A panic inside leaves counts that are too high at worst; refusing everyone for ever would be worse.
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HostPermit {
    fn drop(&mut self) {
        let mut under_way = self.hosts.lock();
        if let Some(host) = under_way.hosts.get_mut(&self.host) {
            host.in_flight -= 1;
            if host.in_flight == 0 {
                under_way.hosts.remove(&self.host);
            }
        }
        if let Some(of_account) = under_way.accounts.get_mut(&self.account) {
            *of_account -= 1;
            if *of_account == 0 {
                under_way.accounts.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_sixteen_places_whoever_asks_and_others_are_not_held_up() {
        let hosts = Hosts::new(256);
        let places: Vec<HostPermit> =
            (0..HOST).map(|_| hosts.enter("a", AccountId::mint()).expect("a place")).collect();
        let later: Vec<i64> = (0..3).filter_map(|_| hosts.enter("a", AccountId::mint()).err()).collect();
        assert_eq!(later, [550, 600, 650]);
        assert!(hosts.enter("b", AccountId::mint()).is_ok());
        drop(places);
        assert!(hosts.enter("a", AccountId::mint()).is_ok());
    }

    #[test]
    fn an_account_has_a_quarter_of_the_slots_over_all_its_hosts() {
        let (hosts, account) = (Hosts::new(64), AccountId::mint());
        let places: Vec<HostPermit> =
            (0..16).map(|host| hosts.enter(&host.to_string(), account).expect("a place")).collect();
        assert_eq!(hosts.enter("new", account).err(), Some(550));
        assert!(hosts.enter("new", AccountId::mint()).is_ok());
        drop(places);
        assert!(hosts.lock().hosts.is_empty() && hosts.lock().accounts.is_empty(), "nobody is remembered");
    }
}
