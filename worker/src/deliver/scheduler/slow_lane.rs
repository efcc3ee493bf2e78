//! The slow lane takes accounts in turn: the account with fewest slots gets the next free one, and among equals the one
//! that waits longest. An account that is alone may have all; while others wait it gets none until they have as many.
//!
//! Attempts may take until the timeout, and no slot is taken back. So that an account does not wait for the others'
//! attempts, its first attempt gets a slot even where all are taken, up to as many again.

use super::endpoint_queue::EndpointQueue;
use super::limits::{ENDPOINT, ENDPOINT_SLOW, Lane, Slot};
use super::{Action, DeliveryScheduler, Departure, LONGEST_WAIT};
use domain::ids::{AccountId, EndpointId};
use tokio::time::Instant;

impl<D, T> DeliveryScheduler<D, T> {
    /// Whether the endpoint may have one more in flight in the slow lane.
    pub(super) fn has_slow_room(&self, endpoint: EndpointId, queue: &EndpointQueue<D>) -> bool {
        queue.in_flight < ENDPOINT_SLOW && self.to_endpoint(endpoint) < ENDPOINT
    }

    /// Whether there is a slot for one more of the account.
    pub(super) fn has_slow_slot(&self, account: AccountId) -> bool {
        let is_first = self.of_account(Lane::Slow, account) == 0;
        let limit = if is_first { self.limits.slow_and_first_of_accounts() } else { self.limits.slow_slots };
        self.in_flight(Lane::Slow) < limit
    }

    /// Whether something is queued for the endpoint in the slow lane.
    pub(super) fn has_slow_queue(&self, endpoint: EndpointId) -> bool {
        self.queues.get(&(Lane::Slow, endpoint)).is_some_and(|queue| !queue.queued.is_empty())
    }

    /// Returns the queues that have something to send and whose endpoint has room, if only a slot were free.
    pub(super) fn slow_candidates(&self) -> impl Iterator<Item = (EndpointId, &EndpointQueue<D>)> {
        let slow = self.queues.iter().filter(|((lane, _), queue)| *lane == Lane::Slow && !queue.queued.is_empty());
        slow.map(|((_, endpoint), queue)| (*endpoint, queue))
            .filter(|(endpoint, queue)| self.has_slow_room(*endpoint, queue))
    }

    /// Fills the free slots out of the queues of all accounts. The end of an attempt looks once through what is queued,
    /// and once more for each that is sent while slots are left.
    pub(super) fn serve_slow_lane(&mut self, now: Instant) {
        let is_expired =
            |queue: &EndpointQueue<D>| queue.queued.front().is_some_and(|first| now - first.since > LONGEST_WAIT);
        for account in self.slow_accounts(is_expired) {
            self.hand_back_expired(Lane::Slow, account, now);
            self.forget_idle(Lane::Slow, account, now);
        }
        while self.in_flight(Lane::Slow) < self.limits.slow_and_first_of_accounts()
            && let Some(next) = self.pick_next_slow()
        {
            self.actions.push(Action::Revalidate(next));
        }
        if self.in_flight(Lane::Slow) == 0 {
            // Nothing is in flight whose end would pick it (I3).
            for account in self.slow_accounts(|queue| !queue.queued.is_empty()) {
                self.hand_back_unserved(Lane::Slow, account);
                self.forget_idle(Lane::Slow, account, now);
            }
        }
    }

    /// Returns the accounts of the queues in the slow lane that `is_such` accepts.
    fn slow_accounts(&self, is_such: impl Fn(&EndpointQueue<D>) -> bool) -> Vec<AccountId> {
        let queues = self.queues.iter().filter(|((lane, _), queue)| *lane == Lane::Slow && is_such(queue));
        let mut accounts: Vec<AccountId> = queues.map(|(_, queue)| queue.account).collect();
        accounts.sort_unstable();
        accounts.dedup();
        accounts
    }

    fn pick_next_slow(&mut self) -> Option<Departure<D, T>> {
        let since = |queue: &EndpointQueue<D>| queue.queued.front().map(|leased| leased.since);
        let turn = |queue: &EndpointQueue<D>| (self.of_account(Lane::Slow, queue.account), since(queue));
        let (_, first) = self.slow_candidates().min_by_key(|(_, queue)| turn(queue))?;
        let account = first.account;
        if !self.has_slow_slot(account) {
            return None;
        }
        let endpoints = self.accounts.get(&(Lane::Slow, account))?.endpoints.iter();
        let queues = endpoints.filter_map(|endpoint| Some((*endpoint, self.queues.get(&(Lane::Slow, *endpoint))?)));
        let (endpoint, _) = queues
            .filter(|(endpoint, queue)| !queue.queued.is_empty() && self.has_slow_room(*endpoint, queue))
            .min_by_key(|(_, queue)| (queue.in_flight, since(queue)))?;
        self.depart(Slot { lane: Lane::Slow, account, endpoint })
    }
}
