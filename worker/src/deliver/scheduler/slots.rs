//! Slots: who gets one that is free, and what becomes of those who can't.

use super::endpoint_queue::{EndpointQueue, Leased};
use super::latency::{Latency, UNKNOWN_MS};
use super::limits::{Lane, LaneLoad, Slot};
use super::{DeliveryScheduler, Departure, LONGEST_WAIT};
use common::ids::EndpointId;
use std::time::Duration;
use tokio::time::Instant;

/// How long the latency of a slow endpoint is remembered while nothing is sent to it.
const REMEMBERED: Duration = Duration::from_mins(1);

impl<D, T> DeliveryScheduler<D, T> {
    /// An endpoint's queue, new if there was none.
    pub(super) fn queue(&mut self, slot: Slot, now: Instant) -> &mut EndpointQueue<D> {
        let Slot { lane, account, endpoint } = slot;
        self.queues.entry((lane, endpoint)).or_insert_with(|| {
            self.accounts.entry((lane, account)).or_default().endpoints.insert(endpoint);
            let remembered = self.slow.remove(&(lane, endpoint)).filter(|(_, since)| now - *since < REMEMBERED);
            EndpointQueue::new(account, Latency::new(remembered.map_or(UNKNOWN_MS, |(ewma_ms, _)| ewma_ms), now))
        })
    }

    /// The endpoints that the account has queues of in the lane.
    pub(super) fn endpoints_beside(&self, Slot { lane, account, .. }: Slot) -> Vec<EndpointId> {
        self.accounts.get(&(lane, account)).map_or_else(Vec::new, |account| account.endpoints.iter().copied().collect())
    }

    /// Whether something of the account is in flight in the lane: whoever ends it picks the next.
    pub(super) fn is_served(&self, Slot { lane, account, .. }: Slot) -> bool {
        self.accounts.get(&(lane, account)).is_some_and(|queues| queues.in_flight > 0)
    }

    /// Whether something of an endpoint's first attempts is in flight or queued.
    pub(super) fn has_queue(&self, endpoint: EndpointId) -> bool {
        self.queues.get(&(Lane::First, endpoint)).is_some_and(|queue| !queue.is_idle())
    }

    /// In flight in a lane.
    pub(super) fn in_flight(&self, lane: Lane) -> usize {
        let accounts = self.accounts.iter().filter(|((its, _), _)| *its == lane);
        accounts.map(|(_, account)| account.in_flight).sum()
    }

    /// How many more may be queued, or asked for.
    pub(super) fn room_in_memory(&self) -> usize {
        let queued: usize = self.queues.values().map(|queue| queue.queued.len()).sum();
        let asked: usize = self.backlogs.values().filter_map(|backlog| backlog.asked).sum();
        self.limits.queued.saturating_sub(queued + asked)
    }

    /// In flight to an endpoint, over both lanes.
    pub(super) fn to_endpoint(&self, endpoint: EndpointId) -> usize {
        let in_flight = |lane| self.queues.get(&(lane, endpoint)).map_or(0, |queue| queue.in_flight);
        in_flight(Lane::First) + in_flight(Lane::Slow)
    }

    /// Whether an endpoint was slow not long ago.
    pub(super) fn was_slow(&self, endpoint: EndpointId, now: Instant) -> bool {
        self.slow.get(&(Lane::First, endpoint)).is_some_and(|(_, since)| now - *since < REMEMBERED)
    }

    /// The load of the first lane. `is_half` is an account's.
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

    /// Whether the account may have one more in flight, and what its endpoints must leave to others.
    fn room_of(&self, Slot { lane, account, .. }: Slot, now: Instant) -> Option<LaneLoad> {
        let sharing = self.accounts.keys().filter(|(its, _)| *its == lane).count();
        let limit = self.limits.of_account(lane, sharing);
        let queues = self.accounts.get(&(lane, account))?;
        if queues.in_flight >= limit {
            return None;
        }
        let is_half = queues.in_flight >= limit / 2;
        let its = queues.endpoints.iter().filter_map(|endpoint| self.queues.get(&(lane, *endpoint)));
        let asks = lane == Lane::First && its.into_iter().any(|queue| queue.is_slow(now) || !queue.latency.is_proven);
        let unasked = LaneLoad { is_half, slow: 0, unproven: 0, slots: self.limits.first_slots };
        Some(if asks { self.first_load(is_half, now) } else { unasked })
    }

    /// Whether the endpoint may have one more in flight.
    pub(super) fn has_room(&mut self, slot: Slot, now: Instant) -> bool {
        self.queue(slot, now);
        let queue = self.queues.get(&(slot.lane, slot.endpoint));
        let (load, to_endpoint) = (self.room_of(slot, now), self.to_endpoint(slot.endpoint));
        queue.zip(load).is_some_and(|(queue, load)| queue.has_room(slot.lane, load, to_endpoint, now))
    }

    /// Puts the first in the queue of the account's endpoint that has fewest in flight, and room, into a slot of the
    /// lane, if one is free: what is sent out of queues has no ticket whose handler it would keep.
    pub(super) fn pick_next(&mut self, of: Slot, now: Instant) -> Option<Departure<D, T>> {
        if self.in_flight(of.lane) >= self.limits.of_lane(of.lane) {
            return None;
        }
        let load = self.room_of(of, now)?;
        let Slot { lane, account, .. } = of;
        let endpoints = self.accounts.get(&(lane, account))?.endpoints.iter();
        let queues = endpoints.filter_map(|endpoint| Some((*endpoint, self.queues.get(&(lane, *endpoint))?)));
        let (endpoint, _) = queues
            .filter(|(endpoint, queue)| {
                !queue.queued.is_empty() && queue.has_room(lane, load, self.to_endpoint(*endpoint), now)
            })
            .min_by_key(|(_, queue)| queue.in_flight)?;
        let leased = self.queues.get_mut(&(lane, endpoint))?.pop()?;
        let slot = Slot { endpoint, ..of };
        self.occupy(slot);
        Some(Departure { slot, leased, ticket: None })
    }

    pub(super) fn occupy(&mut self, Slot { lane, account, endpoint }: Slot) {
        if let Some(queue) = self.queues.get_mut(&(lane, endpoint)) {
            queue.in_flight += 1;
            self.accounts.entry((lane, account)).or_default().in_flight += 1;
        }
    }

    /// Answers whether there was something to give back: a scheduler that was begun anew knows nothing of what is in
    /// flight.
    pub(super) fn vacate(&mut self, Slot { lane, account, endpoint }: Slot) -> bool {
        let Some(queue) = self.queues.get_mut(&(lane, endpoint)).filter(|queue| queue.in_flight > 0) else {
            return false;
        };
        let Some(queues) = self.accounts.get_mut(&(lane, account)).filter(|queues| queues.in_flight > 0) else {
            return false;
        };
        (queue.in_flight, queues.in_flight) = (queue.in_flight - 1, queues.in_flight - 1);
        true
    }

    /// Gives up what the account has had in its queues for too long to be sent under its claim.
    pub(super) fn release_expired(&mut self, of: Slot, now: Instant) {
        for endpoint in self.endpoints_beside(of) {
            let is_expired = |leased: &mut Leased<D>| now - leased.since > LONGEST_WAIT;
            let expired = |queue: &mut EndpointQueue<D>| queue.queued.pop_front_if(is_expired);
            while let Some(leased) = self.queues.get_mut(&(of.lane, endpoint)).and_then(expired) {
                self.release_claim(leased, 0, None);
            }
        }
    }

    /// Gives up what an account has queued where nothing of it is in flight: nobody would pick it (I3).
    pub(super) fn release_unserved(&mut self, of: Slot) {
        if self.is_served(of) {
            return;
        }
        for endpoint in self.endpoints_beside(of) {
            let queued = self.queues.get_mut(&(of.lane, endpoint)).map(|queue| std::mem::take(&mut queue.queued));
            self.release_claims(queued.into_iter().flatten());
        }
    }

    /// Keeps nothing of those with nothing in flight and nothing queued, but for the latency of the slow, for a while.
    pub(super) fn forget_idle(&mut self, of: Slot, now: Instant) {
        let Slot { lane, account, .. } = of;
        for endpoint in self.endpoints_beside(of) {
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
                // What waits has tickets, and they come round again.
                self.backlogs.remove(&endpoint);
            }
        }
        if self.accounts.get(&(lane, account)).is_some_and(|queues| queues.endpoints.is_empty()) {
            self.accounts.remove(&(lane, account));
        }
    }
}
