//! Slots: who gets a free one, and what becomes of those who get none.
//!
//! Nothing waits here: a delivery without a slot stays in its endpoint's queue until an attempt ends that picks it, or
//! its claim is handed back.

use super::endpoint_queue::{EndpointQueue, Leased};
use super::latency::{Latency, UNKNOWN_MS};
use super::limits::{Lane, LaneLoad, Slot};
use super::{AS_QUEUED, DeliveryScheduler, Departure, LONGEST_WAIT};
use domain::ids::{AccountId, EndpointId};
use std::time::Duration;
use tokio::time::Instant;

/// How long the latency of a slow endpoint is remembered while nothing is sent to it.
const REMEMBERED: Duration = Duration::from_mins(1);

impl<D, T> DeliveryScheduler<D, T> {
    /// Returns an endpoint's queue, a new one if there was none.
    pub(super) fn queue(&mut self, slot: Slot, now: Instant) -> &mut EndpointQueue<D> {
        let Slot { lane, account, endpoint } = slot;
        self.queues.entry((lane, endpoint)).or_insert_with(|| {
            self.accounts.entry((lane, account)).or_default().endpoints.insert(endpoint);
            let remembered = self.slow.remove(&(lane, endpoint)).filter(|(_, since)| now - *since < REMEMBERED);
            EndpointQueue::new(account, Latency::new(remembered.map_or(UNKNOWN_MS, |(ewma_ms, _)| ewma_ms), now))
        })
    }

    /// Returns the endpoints that the account has queues for in the lane.
    pub(super) fn endpoints_of(&self, lane: Lane, account: AccountId) -> Vec<EndpointId> {
        self.accounts.get(&(lane, account)).map_or_else(Vec::new, |account| account.endpoints.iter().copied().collect())
    }

    /// Returns how many the account has in flight in the lane.
    pub(super) fn of_account(&self, lane: Lane, account: AccountId) -> usize {
        self.accounts.get(&(lane, account)).map_or(0, |queues| queues.in_flight)
    }

    /// Whether something is in flight whose end picks what the account has queued: its own, or any in the slow lane.
    pub(super) fn is_served(&self, lane: Lane, account: AccountId) -> bool {
        let serving = match lane {
            Lane::First => self.of_account(lane, account),
            Lane::Slow => self.in_flight(lane),
        };
        serving > 0
    }

    /// Whether something of an endpoint's first attempts is in flight or queued.
    pub(super) fn has_queue(&self, endpoint: EndpointId) -> bool {
        self.queues.get(&(Lane::First, endpoint)).is_some_and(|queue| !queue.is_idle())
    }

    /// Returns how many are in flight in a lane.
    pub(super) fn in_flight(&self, lane: Lane) -> usize {
        self.in_flight[lane as usize]
    }

    /// Returns how many more of the account may be queued or asked for.
    pub(super) fn room_in_memory(&self, account: AccountId) -> usize {
        let queued = self.queues.values().map(|queue| (queue.account, queue.queued.len()));
        let asked = self.backlogs.values().map(|backlog| (backlog.account, backlog.asked.unwrap_or_default()));
        let (its_own, all) = queued
            .chain(asked)
            .fold((0, 0), |(its_own, all), (of, many)| (its_own + if of == account { many } else { 0 }, all + many));
        self.limits.room_in_memory(its_own, all)
    }

    /// Returns how many are in flight to an endpoint, over both lanes.
    pub(super) fn to_endpoint(&self, endpoint: EndpointId) -> usize {
        let in_flight = |lane| self.queues.get(&(lane, endpoint)).map_or(0, |queue| queue.in_flight);
        in_flight(Lane::First) + in_flight(Lane::Slow)
    }

    /// Whether an endpoint was slow not long ago.
    pub(super) fn was_slow(&self, endpoint: EndpointId, now: Instant) -> bool {
        self.slow.get(&(Lane::First, endpoint)).is_some_and(|(_, since)| now - *since < REMEMBERED)
    }

    /// Returns the load of the first lane. `is_half` is an account's.
    pub(super) fn first_load(&self, is_half: bool, now: Instant) -> LaneLoad {
        let mut load = LaneLoad { is_half, slow: 0, unproven: 0, slots: self.limits.first_slots };
        let first = self.queues.iter().filter(|((lane, _), _)| *lane == Lane::First);
        for (_, queue) in first {
            if queue.is_slow(now) {
                load.slow += queue.in_flight;
            } else if !queue.latency.is_proven {
                load.unproven += queue.in_flight;
            }
        }
        load
    }

    /// Returns what the account's endpoints must leave to others; none when it may have no more in flight.
    fn room_of(&self, account: AccountId, now: Instant) -> Option<LaneLoad> {
        let sharing = self.accounts.keys().filter(|(its, _)| *its == Lane::First).count();
        let limit = self.limits.of_account(sharing);
        let queues = self.accounts.get(&(Lane::First, account))?;
        if queues.in_flight >= limit {
            return None;
        }
        let is_half = queues.in_flight >= limit / 2;
        let mut its = queues.endpoints.iter().filter_map(|endpoint| self.queues.get(&(Lane::First, *endpoint)));
        let asks = its.any(|queue| queue.is_slow(now) || !queue.latency.is_proven);
        let unasked = LaneLoad { is_half, slow: 0, unproven: 0, slots: self.limits.first_slots };
        Some(if asks { self.first_load(is_half, now) } else { unasked })
    }

    /// Whether the endpoint may have one more in flight; false where it has no queue.
    pub(super) fn has_room(&self, slot: Slot, now: Instant) -> bool {
        let Slot { lane, account, endpoint } = slot;
        let Some(queue) = self.queues.get(&(lane, endpoint)) else { return false };
        match lane {
            Lane::First => {
                self.room_of(account, now).is_some_and(|load| queue.has_room(load, self.to_endpoint(endpoint), now))
            }
            Lane::Slow => self.has_slow_slot(account) && self.has_slow_room(endpoint, queue),
        }
    }

    /// Puts the first delivery of a queue into a slot of the first lane, if one is free: of the account's endpoints
    /// with room, the one with fewest in flight. What comes out of a queue has no ticket whose handler it would keep.
    pub(super) fn pick_next(&mut self, account: AccountId, now: Instant) -> Option<Departure<D, T>> {
        let lane = Lane::First;
        if self.in_flight(lane) >= self.limits.first_slots {
            return None;
        }
        let load = self.room_of(account, now)?;
        let endpoints = self.accounts.get(&(lane, account))?.endpoints.iter();
        let queues = endpoints.filter_map(|endpoint| Some((*endpoint, self.queues.get(&(lane, *endpoint))?)));
        let (endpoint, _) = queues
            .filter(|(endpoint, queue)| {
                !queue.queued.is_empty() && queue.has_room(load, self.to_endpoint(*endpoint), now)
            })
            .min_by_key(|(_, queue)| queue.in_flight)?;
        self.depart(Slot { lane, account, endpoint })
    }

    /// Whether a queued delivery is still to be sent as it was claimed: that was a moment ago, and nothing has failed
    /// at its endpoint since, which might have disabled it.
    pub(super) fn is_as_queued(&self, departure: &Departure<D, T>, now: Instant) -> bool {
        let Departure { slot, leased, .. } = departure;
        let queue = self.queues.get(&(slot.lane, slot.endpoint));
        let has_failed = queue.and_then(|queue| queue.failed_at).is_some_and(|at| at >= leased.since);
        !has_failed && now.saturating_duration_since(leased.since) < AS_QUEUED
    }

    /// Notes that an attempt at the endpoint has failed, in whichever lane.
    pub(super) fn note_failure(&mut self, endpoint: EndpointId, now: Instant) {
        for lane in [Lane::First, Lane::Slow] {
            if let Some(queue) = self.queues.get_mut(&(lane, endpoint)) {
                queue.failed_at = Some(now);
            }
        }
    }

    /// Puts the first delivery of this queue into a slot.
    pub(super) fn depart(&mut self, slot: Slot) -> Option<Departure<D, T>> {
        let leased = self.queues.get_mut(&(slot.lane, slot.endpoint))?.pop()?;
        self.occupy(slot);
        Some(Departure { slot, leased, ticket: None })
    }

    pub(super) fn occupy(&mut self, Slot { lane, account, endpoint }: Slot) {
        if let Some(queue) = self.queues.get_mut(&(lane, endpoint)) {
            queue.in_flight += 1;
            self.accounts.entry((lane, account)).or_default().in_flight += 1;
            self.in_flight[lane as usize] += 1;
        }
    }

    /// Returns whether there was something to give back: a scheduler that was started anew knows nothing of what is in
    /// flight.
    pub(super) fn vacate(&mut self, Slot { lane, account, endpoint }: Slot) -> bool {
        let Some(queue) = self.queues.get_mut(&(lane, endpoint)).filter(|queue| queue.in_flight > 0) else {
            return false;
        };
        let Some(queues) = self.accounts.get_mut(&(lane, account)).filter(|queues| queues.in_flight > 0) else {
            return false;
        };
        (queue.in_flight, queues.in_flight) = (queue.in_flight - 1, queues.in_flight - 1);
        self.in_flight[lane as usize] -= 1;
        true
    }

    /// Hands back what the account has had in its queues for too long to be sent under its claim.
    pub(super) fn hand_back_expired(&mut self, lane: Lane, account: AccountId, now: Instant) {
        for endpoint in self.endpoints_of(lane, account) {
            let is_expired = |leased: &mut Leased<D>| now - leased.since > LONGEST_WAIT;
            let expired = |queue: &mut EndpointQueue<D>| queue.queued.pop_front_if(is_expired);
            while let Some(leased) = self.queues.get_mut(&(lane, endpoint)).and_then(expired) {
                self.hand_back(leased, 0, None);
            }
        }
    }

    /// Hands back what an account has queued where nothing is in flight whose end would pick it (I3).
    pub(super) fn hand_back_unserved(&mut self, lane: Lane, account: AccountId) {
        if self.is_served(lane, account) {
            return;
        }
        for endpoint in self.endpoints_of(lane, account) {
            let queued = self.queues.get_mut(&(lane, endpoint)).map(|queue| std::mem::take(&mut queue.queued));
            self.hand_back_all(queued.into_iter().flatten());
        }
    }

    /// Forgets endpoints and accounts with nothing in flight or queued, but keeps slow endpoints' latency for a while.
    pub(super) fn forget_idle(&mut self, lane: Lane, account: AccountId, now: Instant) {
        for endpoint in self.endpoints_of(lane, account) {
            let Some(queue) = self.queues.get(&(lane, endpoint)).filter(|queue| queue.is_idle()) else { continue };
            if queue.is_slow(now) {
                let remembered = (queue.latency.ewma_ms, now);
                self.slow.retain(|_, (_, since)| now - *since < REMEMBERED);
                self.slow.insert((lane, endpoint), remembered);
            }
            self.queues.remove(&(lane, endpoint));
            if let Some(queues) = self.accounts.get_mut(&(lane, account)) {
                queues.endpoints.remove(&endpoint);
            }
            if lane == Lane::First && self.backlogs.get(&endpoint).is_some_and(|backlog| backlog.asked.is_none()) {
                // Deliveries that wait have tickets, which come round again.
                self.backlogs.remove(&endpoint);
            }
        }
        if self.accounts.get(&(lane, account)).is_some_and(|queues| queues.endpoints.is_empty()) {
            self.accounts.remove(&(lane, account));
        }
    }
}
