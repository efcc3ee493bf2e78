//! What always holds between two events. Debug builds and tests check it at the end of each event.
//!
//! I1  An account's slots in a lane are the sum of its queues', and each queue is listed by its account; a lane's slots
//! are the sum of its accounts'. I2  At most 16 are in flight to an endpoint over both lanes, and at most 4 of them in
//! the slow lane. I3  Whatever is queued has an attempt of its account in flight in its lane, in the slow lane one of
//! any account: whoever gives that slot back picks the next. I4  Nothing is kept about an endpoint with nothing in
//! flight or queued, nor about an account without endpoints. I5  A backlog has a prefetch under way, or its endpoint
//! has a queue, whose next free slot asks for more. I6  A ticket is never kept: the answer to the event that brought it
//! hands it on. I7  Once the process ends, nothing is queued, and nothing is asked for or sent. I8  A queue is no
//! longer than its bound and one prefetch; all queues together, with what is asked for, keep to theirs, and an
//! account's to half of that. I9  Every claim is sent or handed back once. I10 Where the slow lane has
//! something queued for an endpoint with room, no slot is free, and its account has something in flight unless twice as
//! many are in flight as there are slots. Nobody gets a slot there before another account that could and has fewer.
//!
//! The types hold I6 and I9, since they hand tickets and claims on by value, and so do the tests, which count; the
//! tests hold the last of I10, since they look at each that is sent.

#[cfg(any(test, debug_assertions))]
use super::endpoint_queue::LONGEST_QUEUE;
#[cfg(any(test, debug_assertions))]
use super::limits::{ENDPOINT, ENDPOINT_SLOW, Lane};
#[cfg(any(test, debug_assertions))]
use super::{Action, DeliveryScheduler};

#[cfg(any(test, debug_assertions))]
impl<D, T> DeliveryScheduler<D, T> {
    /// Panics where an invariant does not hold.
    pub(super) fn check(&self) {
        for ((lane, account), queues) in &self.accounts {
            let its = queues.endpoints.iter().map(|endpoint| self.queues.get(&(*lane, *endpoint)));
            let in_flight: Option<usize> = its.map(|queue| queue.map(|queue| queue.in_flight)).sum();
            assert_eq!(in_flight, Some(queues.in_flight), "I1: the slots of {account} in {lane:?}");
            assert!(!queues.endpoints.is_empty(), "I4: {account} in {lane:?}");
        }
        for lane in [Lane::First, Lane::Slow] {
            let its = self.accounts.iter().filter(|((of, _), _)| *of == lane).map(|(_, queues)| queues.in_flight);
            assert_eq!(its.sum::<usize>(), self.in_flight(lane), "I1: the slots of {lane:?}");
        }
        for ((lane, endpoint), queue) in &self.queues {
            let queues = self.accounts.get(&(*lane, queue.account));
            assert!(queues.is_some_and(|queues| queues.endpoints.contains(endpoint)), "I1: {endpoint} is not listed");
            assert!(self.to_endpoint(*endpoint) <= ENDPOINT, "I2: {endpoint}");
            assert!(*lane == Lane::First || queue.in_flight <= ENDPOINT_SLOW, "I2: {endpoint} in the slow lane");
            let is_served = self.is_served(*lane, queue.account);
            assert!(queue.queued.is_empty() || is_served, "I3: nobody picks what is queued for {endpoint}");
            assert!(!queue.is_idle(), "I4: {endpoint} in {lane:?}");
            assert!(queue.queued.len() <= LONGEST_QUEUE + 2 * ENDPOINT + 128, "I8: {endpoint}");
            assert!(!self.is_ending || queue.queued.is_empty(), "I7: {endpoint} has some queued");
        }
        for (endpoint, backlog) in &self.backlogs {
            let is_asked = backlog.asked.is_some() || self.queues.contains_key(&(Lane::First, *endpoint));
            assert!(is_asked, "I5: nobody asks for what waits for {endpoint}");
        }
        let queued: usize = self.queues.values().map(|queue| queue.queued.len()).sum();
        let asked: usize = self.backlogs.values().filter_map(|backlog| backlog.asked).sum();
        assert!(queued + asked <= self.limits.queued, "I8: {queued} are queued, and {asked} asked for");
        for account in self.accounts.keys().map(|(_, account)| *account) {
            let its = self.queues.values().filter(|queue| queue.account == account).map(|queue| queue.queued.len());
            let asked = self.backlogs.values().filter(|backlog| backlog.account == account);
            let its = its.sum::<usize>() + asked.filter_map(|backlog| backlog.asked).sum::<usize>();
            assert!(its <= self.limits.queued.div_ceil(2), "I8: {its} are queued or asked for of {account}");
        }
        for (endpoint, queue) in self.slow_candidates() {
            assert!(!self.has_slow_slot(queue.account), "I10: a slot is free, and {endpoint} waits");
        }
        let slow = self.in_flight(Lane::Slow);
        assert!(slow <= self.limits.slow_and_first_of_accounts(), "I10: {slow} are in flight in the slow lane");
        assert!(!self.is_ending || self.backlogs.is_empty(), "I7: something waits");
        let asks = |action: &Action<D, T>| {
            matches!(action, Action::Claim { .. } | Action::Prefetch(_) | Action::Send(_) | Action::Revalidate(_))
        };
        assert!(!self.is_ending || !self.actions.iter().any(asks), "I7: something begins");
    }
}
