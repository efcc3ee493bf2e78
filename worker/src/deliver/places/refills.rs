//! Filling the lines of first attempts again from what waits behind them.

use super::backlogs::{Refill, Rest};
use super::line::{Line, UNKNOWN_PACE_MS, full};
use super::{ENDPOINT, Lane, Places, strand_stale};
use common::ids::{AccountId, DeliveryId, EndpointId};
use tokio::time::Instant;

/// What follows when a line was filled again.
#[derive(Debug, PartialEq, Eq)]
pub struct Refilled<T> {
    /// To be sent at once, under places that are taken already.
    pub go: Vec<(EndpointId, T)>,
    /// To be put back: nobody would take them along.
    pub stranded: Vec<T>,
    /// To be fetched at once, since nobody else would ask.
    pub again: Option<Refill>,
}

impl<T> Places<T> {
    /// Says that this delivery was left behind its endpoint's line, and maybe others. Answers what to fetch at once, if nobody else would.
    pub fn set_behind(
        &mut self,
        account: AccountId,
        endpoint: EndpointId,
        delivery: DeliveryId,
        now: Instant,
    ) -> Option<Refill> {
        self.backlogs.add(account, endpoint, delivery);
        self.refill(account, endpoint, now)
    }

    /// Asks for more of what is behind, once, if the line is short. For an endpoint that would get no place nothing is asked: its
    /// tickets come round again.
    pub(super) fn refill(&mut self, account: AccountId, endpoint: EndpointId, now: Instant) -> Option<Refill> {
        self.backlogs.account(endpoint)?;
        let places = self.accounts.get(&(Lane::First, account));
        let standing = places.and_then(|places| places.lines.get(&endpoint));
        if self.gets_no_place(standing, endpoint, now) {
            return None;
        }
        let many = standing.map_or_else(|| full(UNKNOWN_PACE_MS), Line::full);
        let (waiting, in_flight) = standing.map_or((0, 0), |line| (line.waiting.len(), line.in_flight));
        let free = ENDPOINT.saturating_sub(in_flight);
        (waiting <= many / 2).then(|| self.backlogs.ask(endpoint, many + free)).flatten()
    }

    /// Fills a line with what was claimed of its backlog. `rest` is what is left of it.
    /// `is_stale` says which have waited too long to be sent under their claim.
    pub fn refilled(
        &mut self,
        refill: &Refill,
        claimed: Vec<T>,
        rest: Rest,
        now: Instant,
        is_stale: impl Fn(&T) -> bool,
    ) -> Refilled<T> {
        let Refill { account, endpoint, .. } = *refill;
        let was_added = self.backlogs.answer(endpoint, rest);
        let got_some = !claimed.is_empty();
        if got_some {
            self.line(Lane::First, account, endpoint, now).waiting.extend(claimed);
        }
        let mut refilled = Refilled { go: Vec::new(), stranded: Vec::new(), again: None };
        if let Some(places) = self.accounts.get_mut(&(Lane::First, account)) {
            strand_stale(places, is_stale, &mut refilled.stranded);
        }
        while let Some(next) = self.next_of_refilled(account, now) {
            refilled.go.push(next);
        }
        let Some(places) = self.accounts.get_mut(&(Lane::First, account)) else {
            return Refilled { again: self.fetched_in_vain(account, endpoint, was_added, now), ..refilled };
        };
        if places.in_flight == 0 {
            refilled.stranded.extend(places.lines.values_mut().flat_map(|line| line.waiting.drain(..)));
        }
        let line = places.lines.get(&endpoint);
        if !line.is_some_and(|line| line.in_flight > 0 || !line.waiting.is_empty()) {
            refilled.again = self.fetched_in_vain(account, endpoint, was_added, now);
        } else if was_added || (rest.more && got_some) {
            // Others may have left meanwhile, and asked in vain.
            refilled.again = self.refill(account, endpoint, now);
        }
        self.forget_if_idle(Lane::First, account, endpoint, now);
        refilled
    }

    /// One more to send, beside those that are taken along by who leaves.
    fn next_of_refilled(&mut self, account: AccountId, now: Instant) -> Option<(EndpointId, T)> {
        let (crowd, of_account) = (self.crowd(Lane::First, account, now), self.of_account(Lane::First));
        let places = self.accounts.get_mut(&(Lane::First, account))?;
        if places.in_flight >= of_account {
            return None;
        }
        let next = places.next(Lane::First, crowd, &mut self.endpoints, now)?;
        self.first_in_flight += 1;
        Some(next)
    }

    /// Nothing came of a fetch, and nobody in the line will ask again: what was added meanwhile is fetched now, and the rest
    /// of a backlog is left to its due time.
    fn fetched_in_vain(
        &mut self,
        account: AccountId,
        endpoint: EndpointId,
        was_added: bool,
        now: Instant,
    ) -> Option<Refill> {
        if was_added {
            return self.refill(account, endpoint, now);
        }
        self.backlogs.forget(endpoint);
        None
    }
}
