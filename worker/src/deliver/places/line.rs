//! An endpoint's line in one process, and the lines of an account: how many are in flight, who waits, and how long that takes.

use super::{ENDPOINT, ENDPOINT_SLOW, ENDPOINT_UNKNOWN, Lane};
use common::ids::EndpointId;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// The longest line in front of an endpoint, whatever comes at once.
const LONGEST_LINE: usize = 512;
/// A delivery that would wait longer than this is put back instead.
pub const LONGEST_EXPECTED_WAIT_MS: f64 = 5_000.0;
/// A line of first attempts is kept so long that it lasts for about this time, and within bounds.
const LINE_MS: f64 = 250.0;
const FULL: (f64, f64) = (1.0, 128.0);
/// How long an attempt takes, as long as none has ended.
pub const UNKNOWN_PACE_MS: f64 = 50.0;
/// An endpoint whose attempts take longer than this is slow, and one of which none ends for so long stands still.
const SLOW_PACE_MS: f64 = 1_000.0;
/// The bounds of the time after which one that was put back is due again.
const PUT_BACK_MS: (f64, f64) = (250.0, 60_000.0);

/// The lines of an account in a lane.
#[derive(Debug)]
pub struct Account<T> {
    pub in_flight: usize,
    pub lines: BTreeMap<EndpointId, Line<T>>,
}

/// An endpoint's line.
#[derive(Debug)]
pub struct Line<T> {
    pub in_flight: usize,
    pub waiting: VecDeque<T>,
    /// How many were put back or off since the line was last empty: they stand behind it, each at its own due time.
    put_back: usize,
    pub pace_ms: f64,
    pub has_answered: bool,
    /// When an attempt ended last, or the line began.
    moved: Instant,
}

/// What endpoints that answer late, or have not answered yet, must leave to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowd {
    /// Whether their account has half of its places taken.
    pub is_half: bool,
    /// First attempts in flight to endpoints that answer late, of all accounts.
    pub slow: usize,
    /// The same to those that have not answered yet.
    pub unknown: usize,
    /// The slots for first attempts.
    pub slots: usize,
}

impl Crowd {
    /// The places of an endpoint that answers late: together they take at most half of the slots.
    pub fn leaves_slow(self) -> usize {
        if self.slow >= (self.slots / 2).max(1) {
            0
        } else if self.is_half {
            ENDPOINT_SLOW
        } else {
            ENDPOINT
        }
    }

    /// The places of one that has not answered yet: few where many may be slow, but always some, to show how quick it is.
    pub fn leaves_unknown(self) -> usize {
        if self.slow + self.unknown >= (self.slots / 4).max(1) { ENDPOINT_UNKNOWN } else { ENDPOINT }
    }
}

impl<T> Account<T> {
    pub fn new() -> Self {
        Self { in_flight: 0, lines: BTreeMap::new() }
    }

    /// Takes a place for the first in line of the endpoint that has fewest in flight and room for one more.
    pub fn next(
        &mut self,
        lane: Lane,
        crowd: Crowd,
        totals: &mut HashMap<EndpointId, usize>,
        now: Instant,
    ) -> Option<(EndpointId, T)> {
        let total = |endpoint: &EndpointId| totals.get(endpoint).copied().unwrap_or_default();
        let (&endpoint, standing) = self
            .lines
            .iter_mut()
            .filter(|(_, standing)| !standing.waiting.is_empty())
            .filter(|(endpoint, standing)| standing.has_room(lane, crowd, total(endpoint), now))
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
    pub fn new(pace_ms: f64, now: Instant) -> Self {
        Self { in_flight: 0, waiting: VecDeque::new(), put_back: 0, pace_ms, has_answered: false, moved: now }
    }

    /// Whether attempts take long, or stand still now.
    pub fn is_slow(&self, now: Instant) -> bool {
        self.pace_ms > SLOW_PACE_MS || self.still_ms(now) > 0.0
    }

    /// How many should stand in line, of those that wait for their first attempt.
    pub fn full(&self) -> usize {
        full(self.pace_ms)
    }

    pub fn has_room(&self, lane: Lane, crowd: Crowd, total: usize, now: Instant) -> bool {
        let most = match lane {
            Lane::Slow => ENDPOINT_SLOW,
            Lane::First if self.is_slow(now) => crowd.leaves_slow(),
            Lane::First if !self.has_answered => crowd.leaves_unknown(),
            Lane::First => ENDPOINT,
        };
        total < ENDPOINT && self.in_flight < most
    }

    pub fn takes_one_more(&self, lane: Lane) -> bool {
        let standing = self.waiting.len();
        standing < LONGEST_LINE && at_pace(lane, self.pace_ms, standing + 1) <= LONGEST_EXPECTED_WAIT_MS
    }

    /// When one more that is put back should be due: behind those in line, and those put back before it. Where attempts stand
    /// still, not before their time is up, since more is known then.
    pub fn place_behind(&mut self, lane: Lane, now: Instant, timeout: Duration) -> i64 {
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
    pub fn still_ms(&self, now: Instant) -> f64 {
        let still_ms = (now - self.moved).as_secs_f64() * 1000.0;
        if self.in_flight > 0 && still_ms >= SLOW_PACE_MS { still_ms } else { 0.0 }
    }

    /// The pace follows what attempts took lately, a quarter a time.
    pub fn learn(&mut self, took: Duration, now: Instant) {
        self.pace_ms += (took.as_secs_f64() * 1000.0 - self.pace_ms) / 4.0;
        (self.has_answered, self.moved) = (true, now);
    }
}

/// How long the one at this place in a line waits, in milliseconds, where attempts take so long.
#[expect(clippy::cast_precision_loss, reason = "an estimate of small counts")]
pub fn at_pace(lane: Lane, pace_ms: f64, position: usize) -> f64 {
    let at_once = if lane == Lane::First { ENDPOINT } else { ENDPOINT_SLOW };
    position as f64 * pace_ms / at_once as f64
}

/// How long a line is to be where attempts take so long: enough to keep all places busy while more is fetched.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a few hundred")]
pub fn full(pace_ms: f64) -> usize {
    (LINE_MS / at_pace(Lane::First, pace_ms, 1)).clamp(FULL.0, FULL.1) as usize
}
