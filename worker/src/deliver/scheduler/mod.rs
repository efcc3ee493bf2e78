//! Decides about deliveries in one process: events in, actions out (invariants: `invariants.rs`; the whole story:
//! `deliver`).
//!
//! It decides who is sent now, who is queued and whose tickets are delayed. Nothing here sends, waits, reads a clock or
//! touches the database, and nothing is shared: one task owns the value, so any sequence of events can be replayed. A
//! delivery and a ticket are values that are handed in and handed on, so neither can be forgotten or used twice.

mod backlog;
mod endpoint_queue;
mod invariants;
mod latency;
mod limits;
mod slots;
mod slow_lane;
mod tickets;

pub use backlog::{Cursor, Prefetch};
pub use endpoint_queue::Leased;
pub use limits::{Lane, Limits, Slot};

use backlog::{Backlog, TicketDelays};
use domain::ids::{AccountId, DeliveryId, EndpointId};
use endpoint_queue::EndpointQueue;
use std::collections::{BTreeSet, HashMap};
use std::mem::take;
use std::time::Duration;
use tokio::time::Instant;

/// The longest that a leased delivery may be queued before its claim is handed back.
pub const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The age up to which a claim that is sent at once is sent with the endpoint and secret that it was claimed with,
/// without asking the database again.
const AS_CLAIMED: Duration = Duration::from_secs(1);
/// The age up to which a delivery that was queued is sent as it was claimed, without asking the database again.
const AS_QUEUED: Duration = Duration::from_millis(50);

/// An event for the scheduler. `D` is a leased delivery's content, `T` a ticket that is being worked.
#[derive(Debug)]
pub enum Event<D, T> {
    /// A ticket was fetched.
    TicketArrived { lane: Lane, id: DeliveryId, endpoint: EndpointId, ticket: T },
    /// The caller reserved a slot for a first attempt that this process has just brought about; its ticket is in the
    /// queue.
    Reserved { id: DeliveryId, endpoint: EndpointId },
    /// The same of a delivery that began claimed, and has no ticket.
    Born { slot: Slot, leased: Leased<D> },
    /// A claim that was asked for succeeded.
    Claimed { slot: Slot, leased: Leased<D>, ticket: Option<T> },
    /// A claim that was asked for did not succeed: another process has the delivery, it is not due, it has ended, or
    /// the statement failed.
    NotClaimed { lane: Lane, endpoint: EndpointId, ticket: Option<T> },
    /// An attempt ended after `took`, which is none where no attempt was made.
    AttemptEnded { slot: Slot, took: Option<Duration>, has_failed: bool },
    /// A prefetch was answered: what it has claimed, oldest first, and where it left off.
    Prefetched { endpoint: EndpointId, leased: Vec<Leased<D>>, cursor: Cursor },
    /// The process is to end.
    ShutDown,
}

impl<D, T> Event<D, T> {
    /// Returns the endpoint that it is about; none if it is about all.
    pub fn endpoint(&self) -> Option<EndpointId> {
        match self {
            Self::TicketArrived { endpoint, .. }
            | Self::Reserved { endpoint, .. }
            | Self::NotClaimed { endpoint, .. }
            | Self::Prefetched { endpoint, .. } => Some(*endpoint),
            Self::Born { slot, .. } | Self::Claimed { slot, .. } | Self::AttemptEnded { slot, .. } => {
                Some(slot.endpoint)
            }
            Self::ShutDown => None,
        }
    }
}

/// A delivery that has a slot.
#[derive(Debug)]
pub struct Departure<D, T> {
    pub slot: Slot,
    pub leased: Leased<D>,
    /// Its ticket, unless that was finished when it was queued or consumed by the claim.
    pub ticket: Option<T>,
}

/// What to do next. An action that holds a ticket finishes it when it is done.
#[derive(Debug)]
pub enum Action<D, T> {
    /// Claim this delivery; answer with `Claimed` or `NotClaimed`.
    Claim { lane: Lane, id: DeliveryId, endpoint: EndpointId, ticket: Option<T> },
    /// Make an attempt; answer with `AttemptEnded`.
    Send(Departure<D, T>),
    /// Check that the claim still holds, take the endpoint and secret as they are now, and send; answer with
    /// `AttemptEnded`.
    Revalidate(Departure<D, T>),
    /// Claim the next deliveries of an endpoint; answer with `Prefetched`.
    Prefetch(Prefetch),
    /// Undo a claim: the attempt was not made, and the delivery is due again in `after_ms` milliseconds.
    HandBack { delivery: D, after_ms: i64, ticket: Option<T> },
    /// Have a delivery that was not claimed be due later.
    Defer { id: DeliveryId, after_ms: i64, ticket: T },
    /// Delay this delivery's ticket and, if `behind` names an endpoint, those of the deliveries behind it.
    DelayTickets { id: DeliveryId, behind: Option<EndpointId>, by: Duration, ticket: T },
    /// Nothing is left to do for this ticket.
    FinishTicket(T),
}

/// What an account has in one lane.
#[derive(Debug, Default)]
struct AccountQueues {
    in_flight: usize,
    endpoints: BTreeSet<EndpointId>,
}

/// The scheduler of one process.
#[derive(Debug)]
pub struct DeliveryScheduler<D, T> {
    limits: Limits,
    queues: HashMap<(Lane, EndpointId), EndpointQueue<D>>,
    accounts: HashMap<(Lane, AccountId), AccountQueues>,
    /// Deliveries in flight in each lane.
    in_flight: [usize; 2],
    /// Latencies of slow endpoints that have no queue now, and since when.
    slow: HashMap<(Lane, EndpointId), (f64, Instant)>,
    /// Deliveries that wait for endpoints, unclaimed.
    backlogs: HashMap<EndpointId, Backlog>,
    delays: TicketDelays,
    /// First attempts that are being claimed one by one.
    claiming: HashMap<EndpointId, usize>,
    is_ending: bool,
    actions: Vec<Action<D, T>>,
}

impl<D, T> DeliveryScheduler<D, T> {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            queues: HashMap::new(),
            accounts: HashMap::new(),
            in_flight: [0; 2],
            slow: HashMap::new(),
            backlogs: HashMap::new(),
            delays: TicketDelays::default(),
            claiming: HashMap::new(),
            is_ending: false,
            actions: Vec::new(),
        }
    }

    /// Takes an event and returns the actions to carry out, in this order.
    pub fn on(&mut self, event: Event<D, T>, now: Instant) -> Vec<Action<D, T>> {
        match event {
            Event::TicketArrived { lane, id, endpoint, ticket } => self.on_ticket(lane, id, endpoint, ticket, now),
            Event::Reserved { id, endpoint } => self.on_reserved(id, endpoint, now),
            Event::Born { slot, leased } => self.on_claimed(slot, leased, None, now),
            Event::Claimed { slot, leased, ticket } => {
                self.count_claim_answered(slot.lane, slot.endpoint);
                self.on_claimed(slot, leased, ticket, now);
            }
            Event::NotClaimed { lane, endpoint, ticket } => {
                self.count_claim_answered(lane, endpoint);
                self.actions.extend(ticket.map(Action::FinishTicket));
            }
            Event::AttemptEnded { slot, took, has_failed } => self.on_attempt_ended(slot, took, has_failed, now),
            Event::Prefetched { endpoint, leased, cursor } => self.on_prefetched(endpoint, leased, cursor, now),
            Event::ShutDown => self.shut_down(),
        }
        #[cfg(debug_assertions)]
        self.check();
        take(&mut self.actions)
    }

    /// Returns how many first attempts have a slot or are about to: [`Event::Reserved`] and [`Event::Born`] must leave
    /// room for them.
    pub fn first_slots_taken(&self) -> usize {
        self.in_flight(Lane::First) + self.claiming.values().sum::<usize>()
    }

    /// Sends a delivery that was claimed, queues it, or hands it back.
    fn on_claimed(&mut self, slot: Slot, leased: Leased<D>, ticket: Option<T>, now: Instant) {
        if self.is_ending || (slot.lane == Lane::First && !leased.is_healthy) {
            // An endpoint that began to fail after its ticket was made must not take the healthy ones' slots. The
            // scheduler process gives the delivery a ticket of the slow lane.
            self.hand_back(leased, 0, ticket);
            return;
        }
        let is_first = self.queue(slot, now).queued.is_empty();
        if is_first && self.has_room(slot, now) {
            self.occupy(slot);
            // A new claim has the current endpoint and secret, unless the claim took long.
            let is_new = now.saturating_duration_since(leased.since) < AS_CLAIMED;
            let departure = Departure { slot, leased, ticket };
            self.actions.push(if is_new { Action::Send(departure) } else { Action::Revalidate(departure) });
            return;
        }
        // Where nothing is in flight, nobody would pick it (I3).
        let may_wait = self.is_served(slot.lane, slot.account) && self.room_in_memory(slot.account) > 0;
        let timeout = self.limits.timeout;
        let queue = self.queue(slot, now);
        if may_wait && queue.takes_one_more(slot.lane) {
            queue.queued.push_back(leased);
            self.actions.extend(ticket.map(Action::FinishTicket));
        } else {
            let after_ms = queue.defer_ms(slot.lane, now, timeout);
            self.hand_back(leased, after_ms, ticket);
            self.forget_idle(slot.lane, slot.account, now);
        }
    }

    /// Frees a slot, and gives it to the next delivery: in the first lane to one of the same account, in the slow lane
    /// to one of any account.
    fn on_attempt_ended(&mut self, slot: Slot, took: Option<Duration>, has_failed: bool, now: Instant) {
        let Slot { lane, account, endpoint } = slot;
        if has_failed {
            self.note_failure(endpoint, now);
        }
        if !self.vacate(slot) {
            return;
        }
        if let (Some(took), Some(queue)) = (took, self.queues.get_mut(&(lane, endpoint))) {
            queue.latency.observe(took, now);
        }
        if lane == Lane::First {
            self.hand_back_expired(lane, account, now);
            // More than one, where the lane had more in flight than slots for a while.
            while let Some(next) = self.pick_next(account, now) {
                let is_new = self.is_as_queued(&next, now);
                self.actions.push(if is_new { Action::Send(next) } else { Action::Revalidate(next) });
            }
            self.hand_back_unserved(lane, account);
            if !self.backlogs.is_empty() {
                for endpoint in self.endpoints_of(lane, account) {
                    self.prefetch_if_short(endpoint, now);
                }
            }
        }
        self.forget_idle(lane, account, now);
        // The slow lane may have what the first lane leaves of an endpoint's sixteen.
        if lane == Lane::Slow || self.has_slow_queue(endpoint) {
            self.serve_slow_lane(now);
        }
    }

    /// Queues what was claimed of a backlog, and fills the slots that are free.
    fn on_prefetched(&mut self, endpoint: EndpointId, leased: Vec<Leased<D>>, cursor: Cursor, now: Instant) {
        let Some(backlog) = self.backlogs.get_mut(&endpoint) else {
            // `shut_down` has removed it, or the scheduler was started anew.
            self.hand_back_all(leased);
            return;
        };
        let slot = Slot { lane: Lane::First, account: backlog.account, endpoint };
        let is_added = backlog.record_prefetch(cursor);
        // An endpoint that has begun to fail meanwhile is for the slow lane.
        let (leased, failing): (Vec<_>, Vec<_>) = leased.into_iter().partition(|leased| leased.is_healthy);
        self.hand_back_all(failing);
        let got_some = !leased.is_empty();
        let claimed_at = leased.first().map(|leased| leased.since);
        if got_some {
            self.queue(slot, now).queued.extend(leased);
        }
        let Slot { lane, account, .. } = slot;
        self.hand_back_expired(lane, account, now);
        while let Some(next) = self.pick_next(account, now) {
            // A new claim has the current endpoint and secret, unless the claim took long.
            let is_new = next.slot == slot
                && Some(next.leased.since) == claimed_at
                && now.saturating_duration_since(next.leased.since) < AS_CLAIMED;
            self.actions.push(if is_new { Action::Send(next) } else { Action::Revalidate(next) });
        }
        self.hand_back_unserved(lane, account);
        if is_added || (cursor.more && got_some && self.has_queue(endpoint)) {
            // Slots that were freed meanwhile could not start a prefetch of their own.
            self.prefetch_if_short(endpoint, now);
        }
        self.settle_backlog(endpoint, cursor);
        self.forget_idle(lane, account, now);
    }

    /// Hands back the claims that have no slot. Deliveries that wait unclaimed keep their tickets.
    fn shut_down(&mut self) {
        self.is_ending = true;
        let waiting: Vec<_> = self.queues.values_mut().flat_map(|queue| queue.queued.drain(..)).collect();
        self.hand_back_all(waiting);
        self.backlogs.clear();
        self.queues.retain(|_, queue| queue.in_flight > 0);
        for ((lane, _), account) in &mut self.accounts {
            account.endpoints.retain(|endpoint| self.queues.contains_key(&(*lane, *endpoint)));
        }
        self.accounts.retain(|_, account| !account.endpoints.is_empty());
    }

    fn hand_back_all(&mut self, all: impl IntoIterator<Item = Leased<D>>) {
        for leased in all {
            self.hand_back(leased, 0, None);
        }
    }

    fn hand_back(&mut self, leased: Leased<D>, after_ms: i64, ticket: Option<T>) {
        self.actions.push(Action::HandBack { delivery: leased.delivery, after_ms, ticket });
    }
}

#[cfg(test)]
mod tests;
