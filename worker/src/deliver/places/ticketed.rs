//! What becomes of a delivery before it is claimed, by what its ticket tells: the endpoint.

use super::line::{Crowd, LONGEST_EXPECTED_WAIT_MS, Line, UNKNOWN_PACE_MS, at_pace, full};
use super::{Lane, Places};
use common::ids::{AccountId, EndpointId};
use std::collections::hash_map::Entry;
use tokio::time::Instant;

/// First attempts to an endpoint that are claimed and wait before others are looked for by the endpoint.
const FEW: usize = 4;

/// What becomes of a delivery by what its ticket tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ticketed {
    /// Claim it.
    Claim,
    /// Leave it to the next fetch for its line: call [`Places::set_behind`].
    Join(AccountId),
    /// The same, when its ticket and those of its like have been put off: the line is long.
    Behind(AccountId),
    /// Only put its ticket off, with those of its like: its endpoint gets no place now.
    Later,
    /// It would wait too long for a claim to be worth it.
    Off {
        /// Milliseconds until it is due again.
        after_ms: i64,
    },
}

impl<T> Places<T> {
    /// Whether a delivery is to be claimed. An endpoint whose attempts hang is known by that before the first of them has
    /// ended.
    pub fn ticketed(&mut self, lane: Lane, endpoint: EndpointId, now: Instant) -> Ticketed {
        if lane == Lane::First {
            return self.first_ticketed(endpoint, now);
        }
        let Some(&account) = self.owners.get(&(lane, endpoint)) else { return Ticketed::Claim };
        let places = self.accounts.get_mut(&(lane, account));
        let Some(standing) = places.and_then(|places| places.lines.get_mut(&endpoint)) else { return Ticketed::Claim };
        let pace_ms = standing.pace_ms.max(standing.still_ms(now));
        let waits_long = at_pace(lane, pace_ms, standing.waiting.len() + 1) > LONGEST_EXPECTED_WAIT_MS;
        if waits_long && !standing.waiting.is_empty() {
            Ticketed::Off { after_ms: standing.place_behind(lane, now, self.timeout) }
        } else {
            Ticketed::Claim
        }
    }

    fn first_ticketed(&mut self, endpoint: EndpointId, now: Instant) -> Ticketed {
        let account = self.backlogs.account(endpoint).or_else(|| self.owners.get(&(Lane::First, endpoint)).copied());
        let places = account.and_then(|account| self.accounts.get(&(Lane::First, account)));
        let standing = places.and_then(|places| places.lines.get(&endpoint));
        if self.gets_no_place(standing, endpoint, now) {
            // Whoever leaves its line asks again.
            return account.filter(|_| standing.is_some()).map_or(Ticketed::Later, Ticketed::Behind);
        }
        let claiming = self.claiming.get(&endpoint).copied().unwrap_or_default();
        let here = claiming + standing.map_or(0, |standing| standing.waiting.len());
        match account {
            Some(account) if here > standing.map_or(full(UNKNOWN_PACE_MS), Line::full) / 2 => Ticketed::Behind(account),
            Some(account) if here >= FEW || self.backlogs.account(endpoint).is_some() => Ticketed::Join(account),
            _ => {
                self.claiming.insert(endpoint, claiming + 1);
                Ticketed::Claim
            }
        }
    }

    /// Whether the endpoint answers late, and its like have all that they may have.
    pub(super) fn gets_no_place(&self, standing: Option<&Line<T>>, endpoint: EndpointId, now: Instant) -> bool {
        let is_slow = standing.map_or_else(|| self.is_remembered(endpoint, now), |standing| standing.is_slow(now));
        is_slow && {
            let (slow, unknown) = self.doubtful(now);
            Crowd { is_half: false, slow, unknown, slots: self.first_slots }.leaves_slow() == 0
        }
    }

    /// A claim that a first attempt's ticket led to has been answered.
    pub fn claimed(&mut self, lane: Lane, endpoint: EndpointId) {
        if lane == Lane::First
            && let Entry::Occupied(mut claiming) = self.claiming.entry(endpoint)
        {
            *claiming.get_mut() -= 1;
            if *claiming.get() == 0 {
                claiming.remove();
            }
        }
    }

    /// Whether a first attempt to this endpoint is to be claimed beside those that have tickets.
    pub fn is_free(&mut self, endpoint: EndpointId, now: Instant) -> bool {
        let taken = self.first_in_flight + self.claiming.values().sum::<usize>();
        taken < self.first_slots && self.first_ticketed(endpoint, now) == Ticketed::Claim
    }
}
