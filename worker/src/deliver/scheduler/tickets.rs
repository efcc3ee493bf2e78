//! Decides about a delivery before it is claimed, when only its ticket's lane and endpoint are known.

use super::backlog::{Backlog, Cursor};
use super::endpoint_queue::{EndpointQueue, target_length};
use super::latency::UNKNOWN_MS;
use super::limits::{ENDPOINT, Lane};
use super::{Action, DeliveryScheduler};
use domain::ids::{AccountId, DeliveryId, EndpointId};
use std::collections::hash_map::Entry;
use tokio::time::Instant;

/// When this many first attempts to an endpoint are being claimed or are queued here, further ones are prefetched.
const FEW: usize = 4;

/// What to do with a delivery whose ticket was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TicketDecision {
    /// Claim it.
    Claim,
    /// Delay its ticket, and leave the delivery to the next prefetch for its endpoint, which consumes the ticket.
    AwaitPrefetch(AccountId),
    /// Delay its ticket and those behind it, and leave the delivery to the next prefetch for its endpoint: the
    /// endpoint's queue is long, or it has one but gets no slot now.
    DelayAndPrefetch(AccountId),
    /// Its endpoint gets no slot now and has no queue: delay its ticket and those behind it.
    Delay,
    /// It would be queued for too long: leave it unclaimed, and make it due again after `after_ms` milliseconds.
    Defer { after_ms: i64 },
}

impl<D, T> DeliveryScheduler<D, T> {
    pub(super) fn on_ticket(&mut self, lane: Lane, id: DeliveryId, endpoint: EndpointId, ticket: T, now: Instant) {
        if self.is_ending {
            self.actions.push(Action::Defer { id, after_ms: 0, ticket });
            return;
        }
        let decision = self.decide(lane, endpoint, now);
        let action = match decision {
            TicketDecision::Claim => {
                self.count_claim_begun(lane, endpoint);
                Action::Claim { lane, id, endpoint, ticket: Some(ticket) }
            }
            TicketDecision::AwaitPrefetch(_) => {
                self.delays.forget(endpoint);
                Action::DelayTickets { id, behind: None, by: self.delays.next(endpoint, now), ticket }
            }
            TicketDecision::DelayAndPrefetch(_) | TicketDecision::Delay => {
                Action::DelayTickets { id, behind: Some(endpoint), by: self.delays.next(endpoint, now), ticket }
            }
            TicketDecision::Defer { after_ms } => Action::Defer { id, after_ms, ticket },
        };
        self.actions.push(action);
        self.add_to_backlog(decision, id, endpoint, now);
    }

    /// Decides about a first attempt that this process has brought about. If it is not claimed now, its ticket, which
    /// woke nobody, is prefetched with the others or found within a second.
    pub(super) fn on_reserved(&mut self, id: DeliveryId, endpoint: EndpointId, now: Instant) {
        if self.is_ending {
            return;
        }
        let decision = self.decide(Lane::First, endpoint, now);
        if decision == TicketDecision::Claim {
            self.count_claim_begun(Lane::First, endpoint);
            self.actions.push(Action::Claim { lane: Lane::First, id, endpoint, ticket: None });
        }
        self.add_to_backlog(decision, id, endpoint, now);
    }

    /// Whether a first attempt at this endpoint would not be claimed now: others come before it, or it would get no
    /// slot.
    pub fn is_busy(&self, endpoint: EndpointId, now: Instant) -> bool {
        self.is_ending || self.decide_first(endpoint, now) != TicketDecision::Claim
    }

    fn add_to_backlog(&mut self, decision: TicketDecision, id: DeliveryId, endpoint: EndpointId, now: Instant) {
        if let TicketDecision::AwaitPrefetch(account) | TicketDecision::DelayAndPrefetch(account) = decision {
            self.backlogs.entry(endpoint).or_insert_with(|| Backlog::new(account)).add(id);
            self.prefetch_if_short(endpoint, now);
        }
    }

    pub(super) fn decide(&mut self, lane: Lane, endpoint: EndpointId, now: Instant) -> TicketDecision {
        if lane == Lane::First {
            return self.decide_first(endpoint, now);
        }
        let timeout = self.limits.timeout;
        match self.queues.get_mut(&(lane, endpoint)) {
            Some(queue) if queue.would_wait_long(lane, now) => {
                TicketDecision::Defer { after_ms: queue.defer_ms(lane, now, timeout) }
            }
            _ => TicketDecision::Claim,
        }
    }

    fn decide_first(&self, endpoint: EndpointId, now: Instant) -> TicketDecision {
        let queue = self.queues.get(&(Lane::First, endpoint));
        let backlog = self.backlogs.get(&endpoint);
        let account = backlog.map(|backlog| backlog.account).or(queue.map(|queue| queue.account));
        if self.is_crowded_out(endpoint, now) {
            // Whoever gives a slot of its queue back asks again.
            let account = account.filter(|_| queue.is_some());
            return account.map_or(TicketDecision::Delay, TicketDecision::DelayAndPrefetch);
        }
        let claiming = self.claiming.get(&endpoint).copied().unwrap_or_default();
        let here = claiming + queue.map_or(0, |queue| queue.queued.len());
        let target = queue.map_or(target_length(UNKNOWN_MS), EndpointQueue::target_length);
        match account {
            Some(account) if here > target / 2 => TicketDecision::DelayAndPrefetch(account),
            Some(account) if here >= FEW || backlog.is_some() => TicketDecision::AwaitPrefetch(account),
            _ => TicketDecision::Claim,
        }
    }

    /// Whether the endpoint is slow, and slow endpoints together have all the slots that they may have.
    fn is_crowded_out(&self, endpoint: EndpointId, now: Instant) -> bool {
        let queue = self.queues.get(&(Lane::First, endpoint));
        let is_slow = queue.map_or_else(|| self.was_slow(endpoint, now), |queue| queue.is_slow(now));
        is_slow && self.first_load(false, now).slow_limit() == 0
    }

    fn count_claim_begun(&mut self, lane: Lane, endpoint: EndpointId) {
        if lane == Lane::First {
            *self.claiming.entry(endpoint).or_default() += 1;
        }
    }

    pub(super) fn count_claim_answered(&mut self, lane: Lane, endpoint: EndpointId) {
        if lane == Lane::First
            && let Entry::Occupied(mut claiming) = self.claiming.entry(endpoint)
        {
            *claiming.get_mut() -= 1;
            if *claiming.get() == 0 {
                claiming.remove();
            }
        }
    }

    /// Asks for a prefetch for an endpoint if its queue is short, there is room in memory, none is under way, and the
    /// endpoint would get a slot. Otherwise its tickets come round again.
    pub(super) fn prefetch_if_short(&mut self, endpoint: EndpointId, now: Instant) {
        if self.is_ending || !self.backlogs.contains_key(&endpoint) || self.is_crowded_out(endpoint, now) {
            return;
        }
        let queue = self.queues.get(&(Lane::First, endpoint));
        let target = queue.map_or_else(|| target_length(UNKNOWN_MS), EndpointQueue::target_length);
        let (queued, in_flight) = queue.map_or((0, 0), |queue| (queue.queued.len(), queue.in_flight));
        if queued <= target / 2 {
            let wanted = target + ENDPOINT.saturating_sub(in_flight);
            let room = self.backlogs.get(&endpoint).map_or(0, |backlog| self.room_in_memory(backlog.account));
            let many = wanted.min(room);
            let prefetch = self.backlogs.get_mut(&endpoint).and_then(|backlog| backlog.prefetch(endpoint, many));
            self.actions.extend(prefetch.map(Action::Prefetch));
        }
    }

    /// After a prefetch, forgets the endpoint's backlog if nothing is known to wait in it, or if the endpoint has no
    /// queue, since nothing would prefetch again. A delivery that waits nevertheless has its ticket.
    pub(super) fn settle_backlog(&mut self, endpoint: EndpointId, cursor: Cursor) {
        let has_queue = self.has_queue(endpoint);
        let is_over = |backlog: &Backlog| !(has_queue && (cursor.more || backlog.is_added()));
        if self.backlogs.get(&endpoint).is_some_and(|backlog| backlog.asked.is_none() && is_over(backlog)) {
            self.backlogs.remove(&endpoint);
        }
    }
}
