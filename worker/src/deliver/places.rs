//! How many deliveries this process sends at once to an endpoint and for an account (design.md, "Lanes").
//!
//! A delivery over a cap holds no slot: it waits here in its endpoint's line while that is short, and is due again later when
//! it is long: put off unclaimed where its ticket tells enough, put back otherwise. Whoever ends an attempt takes the next of
//! the account's lines along, so nobody has to be woken. An endpoint that takes long is known as slow, and leaves half of its
//! account's places to those that don't.
//! Nothing here sends, sleeps, reads a clock or touches the database.

use common::ids::{AccountId, EndpointId};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// At once to one endpoint, over both lanes.
const ENDPOINT: usize = 16;
/// Of those, in the slow lane; and in the first for a slow endpoint whose account has taken half of its places.
const ENDPOINT_SLOW: usize = 4;
/// The longest line in front of an endpoint.
const LONGEST_LINE: usize = 512;
/// A delivery that would wait longer than this is put back instead.
const LONGEST_EXPECTED_WAIT_MS: f64 = 5_000.0;
/// How long an attempt takes, as long as none has ended.
const UNKNOWN_PACE_MS: f64 = 50.0;
/// An endpoint whose attempts take longer than this is slow, and one of which none ends for so long stands still.
const SLOW_PACE_MS: f64 = 1_000.0;
/// How long the pace of a slow endpoint is remembered while nothing is sent to it.
const REMEMBERED: Duration = Duration::from_mins(1);
/// The bounds of the time after which one that was put back is due again.
const PUT_BACK_MS: (f64, f64) = (250.0, 60_000.0);

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
}

/// The places of one process.
#[derive(Debug)]
pub struct Places<T> {
    first_of_account: usize,
    slow_of_account: usize,
    /// How long an attempt may take.
    timeout: Duration,
    accounts: HashMap<(Lane, AccountId), Account<T>>,
    /// In flight to an endpoint, over both lanes.
    endpoints: HashMap<EndpointId, usize>,
    /// Whose the lines are, for tickets, which name their endpoint alone.
    owners: HashMap<(Lane, EndpointId), AccountId>,
    /// The paces of slow endpoints that nothing is sent to now, and since when.
    slow: HashMap<(Lane, EndpointId), (f64, Instant)>,
}

#[derive(Debug)]
struct Account<T> {
    in_flight: usize,
    lines: BTreeMap<EndpointId, Line<T>>,
}

#[derive(Debug)]
struct Line<T> {
    in_flight: usize,
    waiting: VecDeque<T>,
    /// How many were put back or off since the line was last empty: they stand behind it, each at its own due time.
    put_back: usize,
    pace_ms: f64,
    /// When an attempt ended last, or the line began.
    moved: Instant,
}

impl<T> Places<T> {
    /// Places for lanes of so many slots, of which an account gets a quarter each, and attempts of at most so long.
    pub fn new(first_slots: usize, slow_slots: usize, timeout: Duration) -> Self {
        Self {
            first_of_account: (first_slots / 4).max(1),
            slow_of_account: (slow_slots / 4).max(1),
            timeout,
            accounts: HashMap::new(),
            endpoints: HashMap::new(),
            owners: HashMap::new(),
            slow: HashMap::new(),
        }
    }

    /// Milliseconds until a delivery is due again that would wait too long for a claim to be worth it; none when it may be
    /// claimed. An endpoint whose attempts hang is known by that before the first of them has ended.
    pub fn puts_off(&mut self, lane: Lane, endpoint: EndpointId, now: Instant) -> Option<i64> {
        let account = self.owners.get(&(lane, endpoint))?;
        let standing = self.accounts.get_mut(&(lane, *account))?.lines.get_mut(&endpoint)?;
        let pace_ms = standing.pace_ms.max(standing.still_ms(now));
        let waits_long = at_pace(lane, pace_ms, standing.waiting.len() + 1) > LONGEST_EXPECTED_WAIT_MS;
        (waits_long && !standing.waiting.is_empty()).then(|| standing.place_behind(lane, now, self.timeout))
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
        let of_account = self.of_account(lane);
        let total = self.endpoints.entry(endpoint).or_default();
        let places = self.accounts.entry((lane, account)).or_insert_with(Account::new);
        let standing = places.lines.entry(endpoint).or_insert_with(|| {
            let remembered = self.slow.remove(&(lane, endpoint)).filter(|(_, since)| now - *since < REMEMBERED);
            self.owners.insert((lane, endpoint), account);
            Line::new(remembered.map_or(UNKNOWN_PACE_MS, |(pace_ms, _)| pace_ms), now)
        });
        let crowd = Crowd::of(places.in_flight, of_account);
        let room = places.in_flight < of_account && standing.has_room(lane, crowd, *total);
        if room && standing.waiting.is_empty() {
            *total += 1;
            places.in_flight += 1;
            standing.in_flight += 1;
            return Admission::Go(delivery);
        }
        // Without anyone of the account in the lane there would be nobody to take it along.
        let admission = if places.in_flight > 0 && standing.takes_one_more(lane) {
            standing.waiting.push_back(delivery);
            Admission::Waits
        } else {
            Admission::Over { delivery, after_ms: standing.place_behind(lane, now, self.timeout) }
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
        let mut left = Left { next: None, stranded: Vec::new() };
        let of_account = self.of_account(lane);
        let Some(places) = self.accounts.get_mut(&(lane, account)) else { return left };
        places.in_flight -= 1;
        if let Some(line) = places.lines.get_mut(&endpoint) {
            line.in_flight -= 1;
            if let Some(took) = took {
                line.learn(took, now);
            }
        }
        if let Some(total) = self.endpoints.get_mut(&endpoint) {
            *total -= 1;
        }
        for line in places.lines.values_mut() {
            while let Some(stale) = line.waiting.pop_front_if(|waiting| is_stale(waiting)) {
                left.stranded.push(stale);
            }
        }
        left.next = places.next(lane, of_account, &mut self.endpoints);
        if places.in_flight == 0 {
            left.stranded.extend(places.lines.values_mut().flat_map(|line| line.waiting.drain(..)));
        }
        self.forget_if_idle(lane, account, endpoint, now);
        left
    }

    fn of_account(&self, lane: Lane) -> usize {
        match lane {
            Lane::First => self.first_of_account,
            Lane::Slow => self.slow_of_account,
        }
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
        let slow: Vec<_> = idle.filter(|(_, line)| line.is_slow()).collect();
        if is_over {
            self.accounts.remove(&(lane, account));
        }
        if !slow.is_empty() {
            self.slow.retain(|_, (_, since)| now - *since < REMEMBERED);
            self.slow.extend(slow.into_iter().map(|(endpoint, line)| ((lane, endpoint), (line.pace_ms, now))));
        }
    }
}

/// Whether an account has so many places taken that its slow endpoints must leave the rest to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crowd {
    Half,
    Less,
}

impl Crowd {
    fn of(in_flight: usize, of_account: usize) -> Self {
        if in_flight >= of_account / 2 { Self::Half } else { Self::Less }
    }
}

impl<T> Account<T> {
    fn new() -> Self {
        Self { in_flight: 0, lines: BTreeMap::new() }
    }

    /// Takes a place for the first in line of the endpoint that has fewest in flight and room for one more.
    fn next(
        &mut self,
        lane: Lane,
        of_account: usize,
        totals: &mut HashMap<EndpointId, usize>,
    ) -> Option<(EndpointId, T)> {
        let crowd = Crowd::of(self.in_flight, of_account);
        let total = |endpoint: &EndpointId| totals.get(endpoint).copied().unwrap_or_default();
        let (&endpoint, standing) = self
            .lines
            .iter_mut()
            .filter(|(_, standing)| !standing.waiting.is_empty())
            .filter(|(endpoint, standing)| standing.has_room(lane, crowd, total(endpoint)))
            .min_by_key(|(_, standing)| standing.in_flight)?;
        let delivery = standing.waiting.pop_front()?;
        if standing.waiting.is_empty() {
            standing.put_back = 0;
        }
        standing.in_flight += 1;
        self.in_flight += 1;
        *totals.entry(endpoint).or_default() += 1;
        Some((endpoint, delivery))
    }
}

impl<T> Line<T> {
    fn new(pace_ms: f64, now: Instant) -> Self {
        Self { in_flight: 0, waiting: VecDeque::new(), put_back: 0, pace_ms, moved: now }
    }

    fn is_slow(&self) -> bool {
        self.pace_ms > SLOW_PACE_MS
    }

    fn has_room(&self, lane: Lane, crowd: Crowd, total: usize) -> bool {
        let few = lane == Lane::Slow || (self.is_slow() && crowd == Crowd::Half);
        total < ENDPOINT && (!few || self.in_flight < ENDPOINT_SLOW)
    }

    fn takes_one_more(&self, lane: Lane) -> bool {
        let standing = self.waiting.len();
        standing < LONGEST_LINE && at_pace(lane, self.pace_ms, standing + 1) <= LONGEST_EXPECTED_WAIT_MS
    }

    /// When one more that is put back should be due: behind those in line, and those put back before it. Where attempts stand
    /// still, not before their time is up, since more is known then.
    fn place_behind(&mut self, lane: Lane, now: Instant, timeout: Duration) -> i64 {
        self.put_back += 1;
        let position = self.waiting.len() + self.put_back;
        let still_ms = self.still_ms(now);
        let left_ms = (timeout.as_secs_f64() * 1000.0 - still_ms).max(0.0);
        let wait = at_pace(lane, self.pace_ms, position).max(at_pace(lane, still_ms, position).min(left_ms));
        #[expect(clippy::cast_possible_truncation, reason = "clamped to a minute")]
        let after_ms = wait.clamp(PUT_BACK_MS.0, PUT_BACK_MS.1) as i64;
        after_ms
    }

    /// For how long no attempt has ended, once that is long: they may take as long again, whatever the pace was.
    fn still_ms(&self, now: Instant) -> f64 {
        let still_ms = (now - self.moved).as_secs_f64() * 1000.0;
        if self.in_flight > 0 && still_ms >= SLOW_PACE_MS { still_ms } else { 0.0 }
    }

    /// The pace follows what attempts took lately, a quarter a time.
    fn learn(&mut self, took: Duration, now: Instant) {
        self.pace_ms += (took.as_secs_f64() * 1000.0 - self.pace_ms) / 4.0;
        self.moved = now;
    }
}

/// How long the one at this place in a line waits, in milliseconds, where attempts take so long.
#[expect(clippy::cast_precision_loss, reason = "an estimate of small counts")]
fn at_pace(lane: Lane, pace_ms: f64, position: usize) -> f64 {
    let at_once = if lane == Lane::First { ENDPOINT } else { ENDPOINT_SLOW };
    position as f64 * pace_ms / at_once as f64
}

#[cfg(test)]
mod tests;
