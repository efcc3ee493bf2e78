//! How many deliveries this process sends at once to an endpoint and for an account (design.md, "Lanes").
//!
//! A delivery over a cap holds no slot: it waits here in its endpoint's line. Whoever ends an attempt takes the next of the
//! account's lines along, so nobody has to be woken. A first attempt that comes when several are there already stays unclaimed,
//! to be fetched with all that waits for its endpoint when the line is short (`backlogs`); of others, one that would wait
//! long is due again later. An endpoint that takes long is known as slow, and leaves half of its account's places to those
//! that don't; those of all accounts leave half of the process's.
//! Nothing here sends, sleeps, reads a clock or touches the database.

mod backlogs;
mod line;
mod refills;
mod ticketed;

pub use backlogs::{Refill, Rest};
pub use ticketed::Ticketed;

use backlogs::Backlogs;
use common::ids::{AccountId, EndpointId};
use line::{Account, Crowd, Line, UNKNOWN_PACE_MS};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// At once to one endpoint, over both lanes.
const ENDPOINT: usize = 16;
/// Of those, in the slow lane; and in the first for a slow endpoint whose account has taken half of its places.
const ENDPOINT_SLOW: usize = 4;
/// In the first lane for one that has not answered yet, when a quarter of the slots are taken by its like.
const ENDPOINT_UNKNOWN: usize = 2;
/// How long the pace of a slow endpoint is remembered while nothing is sent to it.
const REMEMBERED: Duration = Duration::from_mins(1);

/// Which queue a ticket came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// First attempts to healthy endpoints.
    First,
    /// Every other attempt.
    Slow,
}

/// What becomes of a delivery that wants to be sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission<T> {
    /// Send it. Call [`Places::leave`] when its attempt has ended.
    Go(T),
    /// It stands in line; whoever leaves takes it along.
    Waits,
    /// The line is too long: put it back.
    Over {
        /// The delivery.
        delivery: T,
        /// Milliseconds until it is due again.
        after_ms: i64,
    },
}

/// What one who leaves takes along.
#[derive(Debug, PartialEq, Eq)]
pub struct Left<T> {
    /// To be sent next, under a place that is taken already.
    pub next: Option<(EndpointId, T)>,
    /// To be put back: they have waited too long, or nobody is left who would take them along.
    pub stranded: Vec<T>,
    /// Lines of the account that have grown short.
    pub refills: Vec<Refill>,
}

/// Takes those out of an account's lines that have waited too long.
fn strand_stale<T>(places: &mut Account<T>, is_stale: impl Fn(&T) -> bool, stranded: &mut Vec<T>) {
    for line in places.lines.values_mut() {
        while let Some(stale) = line.waiting.pop_front_if(|waiting| is_stale(waiting)) {
            stranded.push(stale);
        }
    }
}

/// The places of one process.
#[derive(Debug)]
pub struct Places<T> {
    first_slots: usize,
    slow_slots: usize,
    /// How long an attempt may take.
    timeout: Duration,
    accounts: HashMap<(Lane, AccountId), Account<T>>,
    /// In flight to an endpoint, over both lanes.
    endpoints: HashMap<EndpointId, usize>,
    /// Whose the lines are, for tickets, which name their endpoint alone.
    owners: HashMap<(Lane, EndpointId), AccountId>,
    /// The paces of slow endpoints that nothing is sent to now, and since when.
    slow: HashMap<(Lane, EndpointId), (f64, Instant)>,
    /// What was set behind the lines of first attempts.
    backlogs: Backlogs,
    /// First attempts in flight, of all accounts.
    first_in_flight: usize,
    /// First attempts that are being claimed, each for its own ticket.
    claiming: HashMap<EndpointId, usize>,
}

impl<T> Places<T> {
    /// Places for lanes of so many slots, of which an account gets a quarter each, and attempts of at most so long.
    pub fn new(first_slots: usize, slow_slots: usize, timeout: Duration) -> Self {
        Self {
            first_slots,
            slow_slots,
            timeout,
            accounts: HashMap::new(),
            endpoints: HashMap::new(),
            owners: HashMap::new(),
            slow: HashMap::new(),
            backlogs: Backlogs::default(),
            first_in_flight: 0,
            claiming: HashMap::new(),
        }
    }

    /// Whether the endpoint was slow not long ago.
    fn is_remembered(&self, endpoint: EndpointId, now: Instant) -> bool {
        self.slow.get(&(Lane::First, endpoint)).is_some_and(|(_, since)| now - *since < REMEMBERED)
    }

    fn crowd(&self, lane: Lane, account: AccountId, now: Instant) -> Crowd {
        let mut crowd = Crowd { is_half: false, slow: 0, unknown: 0, slots: self.first_slots };
        let Some(places) = self.accounts.get(&(lane, account)) else { return crowd };
        crowd.is_half = places.in_flight >= self.of_account(lane) / 2;
        if lane == Lane::First && places.lines.values().any(|line| line.is_slow(now) || !line.has_answered) {
            (crowd.slow, crowd.unknown) = self.doubtful(now);
        }
        crowd
    }

    /// First attempts in flight to endpoints that answer late, and to those that have not answered yet.
    fn doubtful(&self, now: Instant) -> (usize, usize) {
        let accounts = self.accounts.iter().filter(|((lane, _), _)| *lane == Lane::First);
        let mut doubtful = (0, 0);
        for line in accounts.flat_map(|(_, account)| account.lines.values()) {
            if line.is_slow(now) {
                doubtful.0 += line.in_flight;
            } else if !line.has_answered {
                doubtful.1 += line.in_flight;
            }
        }
        doubtful
    }

    /// Takes a place for a delivery, or puts it in its line.
    pub fn enter(
        &mut self,
        lane: Lane,
        account: AccountId,
        endpoint: EndpointId,
        now: Instant,
        delivery: T,
    ) -> Admission<T> {
        let (of_account, timeout) = (self.of_account(lane), self.timeout);
        self.line(lane, account, endpoint, now);
        let crowd = self.crowd(lane, account, now);
        let total = self.endpoints.get(&endpoint).copied().unwrap_or_default();
        let in_flight = self.accounts.get(&(lane, account)).map_or(0, |places| places.in_flight);
        let standing = self.line(lane, account, endpoint, now);
        let room = in_flight < of_account && standing.has_room(lane, crowd, total, now);
        if room && standing.waiting.is_empty() {
            standing.in_flight += 1;
            self.take_place(lane, account, endpoint);
            return Admission::Go(delivery);
        }
        // Without anyone of the account in the lane there would be nobody to take it along.
        let admission = if in_flight > 0 && standing.takes_one_more(lane) {
            standing.waiting.push_back(delivery);
            Admission::Waits
        } else {
            Admission::Over { delivery, after_ms: standing.place_behind(lane, now, timeout) }
        };
        self.forget_if_idle(lane, account, endpoint, now);
        admission
    }

    /// Gives a place back after an attempt that took so long, or after none, and takes it again for the account's next
    /// delivery in the lane. `is_stale` says which have waited too long to be sent under their claim.
    pub fn leave(
        &mut self,
        lane: Lane,
        account: AccountId,
        endpoint: EndpointId,
        took: Option<Duration>,
        now: Instant,
        is_stale: impl Fn(&T) -> bool,
    ) -> Left<T> {
        let mut left = Left { next: None, stranded: Vec::new(), refills: Vec::new() };
        let Some(places) = self.accounts.get_mut(&(lane, account)) else { return left };
        places.in_flight -= 1;
        self.first_in_flight -= usize::from(lane == Lane::First);
        if let Some(line) = places.lines.get_mut(&endpoint) {
            line.in_flight -= 1;
            if let Some(took) = took {
                line.learn(took, now);
            }
        }
        if let Some(total) = self.endpoints.get_mut(&endpoint) {
            *total -= 1;
        }
        let (crowd, of_account) = (self.crowd(lane, account, now), self.of_account(lane));
        let Some(places) = self.accounts.get_mut(&(lane, account)) else { return left };
        strand_stale(places, is_stale, &mut left.stranded);
        if places.in_flight < of_account {
            left.next = places.next(lane, crowd, &mut self.endpoints, now);
        }
        self.first_in_flight += usize::from(lane == Lane::First && left.next.is_some());
        if places.in_flight == 0 {
            left.stranded.extend(places.lines.values_mut().flat_map(|line| line.waiting.drain(..)));
        }
        if lane == Lane::First && !self.backlogs.is_empty() {
            let lines: Vec<EndpointId> = places.lines.keys().copied().collect();
            left.refills.extend(lines.into_iter().filter_map(|endpoint| self.refill(account, endpoint, now)));
        }
        self.forget_if_idle(lane, account, endpoint, now);
        left
    }

    fn take_place(&mut self, lane: Lane, account: AccountId, endpoint: EndpointId) {
        self.accounts.entry((lane, account)).or_insert_with(Account::new).in_flight += 1;
        *self.endpoints.entry(endpoint).or_default() += 1;
        self.first_in_flight += usize::from(lane == Lane::First);
    }

    /// An endpoint's line, new if there was none.
    fn line(&mut self, lane: Lane, account: AccountId, endpoint: EndpointId, now: Instant) -> &mut Line<T> {
        let places = self.accounts.entry((lane, account)).or_insert_with(Account::new);
        places.lines.entry(endpoint).or_insert_with(|| {
            let remembered = self.slow.remove(&(lane, endpoint)).filter(|(_, since)| now - *since < REMEMBERED);
            self.owners.insert((lane, endpoint), account);
            Line::new(remembered.map_or(UNKNOWN_PACE_MS, |(pace_ms, _)| pace_ms), now)
        })
    }

    /// What an account may have in flight: a quarter of the slots, or its share where many share them.
    fn of_account(&self, lane: Lane) -> usize {
        let slots = if lane == Lane::First { self.first_slots } else { self.slow_slots };
        let sharing = self.accounts.keys().filter(|(its, _)| *its == lane).count();
        (slots / sharing.max(4)).max(1)
    }

    /// Keeps no row for those with nothing in flight and nobody waiting, but for the pace of the slow, for a while.
    fn forget_if_idle(&mut self, lane: Lane, account: AccountId, endpoint: EndpointId, now: Instant) {
        if self.endpoints.get(&endpoint) == Some(&0) {
            self.endpoints.remove(&endpoint);
        }
        let Some(places) = self.accounts.get_mut(&(lane, account)) else { return };
        let is_over = places.in_flight == 0;
        let idle = places.lines.extract_if(.., |_, line| is_over || (line.in_flight == 0 && line.waiting.is_empty()));
        let idle = idle.inspect(|(endpoint, _)| {
            self.owners.remove(&(lane, *endpoint));
        });
        let slow: Vec<_> = idle.filter(|(_, line)| line.is_slow(now)).collect();
        if is_over {
            self.accounts.remove(&(lane, account));
        }
        if !slow.is_empty() {
            self.slow.retain(|_, (_, since)| now - *since < REMEMBERED);
            self.slow.extend(slow.into_iter().map(|(endpoint, line)| ((lane, endpoint), (line.pace_ms, now))));
        }
    }
}

#[cfg(test)]
mod tests;
