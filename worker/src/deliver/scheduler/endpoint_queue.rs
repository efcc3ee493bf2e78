//! An endpoint's queue in one lane of one process: its deliveries in flight and queued, and how long attempts take.

use super::latency::Latency;
use super::limits::{ENDPOINT, ENDPOINT_SLOW, Lane, LaneLoad};
use domain::ids::{AccountId, DeliveryId};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// The longest queue of an endpoint, whatever comes at once.
pub const LONGEST_QUEUE: usize = 512;
/// A delivery that would be queued for longer than this is due later instead.
pub const LONGEST_EXPECTED_WAIT_MS: f64 = 5_000.0;
/// A queue of first attempts is filled to what 250 ms of sending takes, within the bounds of `TARGET`.
const QUEUE_MS: f64 = 250.0;
const TARGET: (f64, f64) = (1.0, 128.0);
/// The bounds of the time after which a deferred delivery is due again.
const DEFER_MS: (f64, f64) = (250.0, 60_000.0);

/// A delivery that this process holds the lease of.
#[derive(Debug)]
pub struct Leased<D> {
    pub id: DeliveryId,
    /// When the claim was asked for.
    pub since: Instant,
    /// Whether its endpoint was enabled then, and its last attempt had not failed.
    pub is_healthy: bool,
    pub delivery: D,
}

/// One endpoint's deliveries in one lane of this process: those in flight, those queued, and how long attempts take.
#[derive(Debug)]
pub struct EndpointQueue<D> {
    pub account: AccountId,
    pub in_flight: usize,
    pub queued: VecDeque<Leased<D>>,
    /// The number deferred since the queue was last empty: they come behind it, each at its own due time.
    deferred: usize,
    pub latency: Latency,
    /// When an attempt failed last.
    pub failed_at: Option<Instant>,
}

impl<D> EndpointQueue<D> {
    pub fn new(account: AccountId, latency: Latency) -> Self {
        Self { account, in_flight: 0, queued: VecDeque::new(), deferred: 0, latency, failed_at: None }
    }

    pub fn is_slow(&self, now: Instant) -> bool {
        self.latency.is_slow(self.in_flight, now)
    }

    pub fn is_idle(&self) -> bool {
        self.in_flight == 0 && self.queued.is_empty()
    }

    /// Returns how many first attempts should be queued.
    pub fn target_length(&self) -> usize {
        target_length(self.latency.ewma_ms)
    }

    /// Whether one more first attempt may be in flight, beside `to_endpoint` of them over both lanes.
    pub fn has_room(&self, load: LaneLoad, to_endpoint: usize, now: Instant) -> bool {
        let limit = if self.is_slow(now) {
            load.slow_limit()
        } else if self.latency.is_proven {
            ENDPOINT
        } else {
            load.unproven_limit()
        };
        to_endpoint < ENDPOINT && self.in_flight < limit
    }

    /// Takes the first out of the queue, into a slot.
    pub fn pop(&mut self) -> Option<Leased<D>> {
        let leased = self.queued.pop_front()?;
        if self.queued.is_empty() {
            self.deferred = 0;
        }
        Some(leased)
    }

    pub fn takes_one_more(&self, lane: Lane) -> bool {
        let queued = self.queued.len();
        queued < LONGEST_QUEUE && expected_ms(lane, self.latency.ewma_ms, queued + 1) <= LONGEST_EXPECTED_WAIT_MS
    }

    /// Whether a delivery that came now would wait longer than a claim is worth.
    pub fn would_wait_long(&self, lane: Lane, now: Instant) -> bool {
        let each_ms = self.latency.ewma_ms.max(self.latency.stalled_ms(self.in_flight, now));
        !self.queued.is_empty() && expected_ms(lane, each_ms, self.queued.len() + 1) > LONGEST_EXPECTED_WAIT_MS
    }

    /// Returns the milliseconds until one more deferred delivery should be due: behind those queued and those deferred
    /// before it. Where attempts stall it is not before they time out, since more is known then.
    pub fn defer_ms(&mut self, lane: Lane, now: Instant, timeout: Duration) -> i64 {
        self.deferred += 1;
        let position = self.queued.len() + self.deferred;
        let stalled_ms = self.latency.stalled_ms(self.in_flight, now);
        let left_ms = (timeout.as_secs_f64() * 1_000.0 - stalled_ms).max(0.0);
        let stalled_wait_ms = expected_ms(lane, stalled_ms, position).min(left_ms);
        let wait_ms = expected_ms(lane, self.latency.ewma_ms, position).max(stalled_wait_ms);
        #[expect(clippy::cast_possible_truncation, reason = "clamped to a minute")]
        let after_ms = wait_ms.clamp(DEFER_MS.0, DEFER_MS.1) as i64;
        after_ms
    }
}

/// Returns the milliseconds that the delivery at this position of a queue waits, where an attempt takes `each_ms`.
#[expect(clippy::cast_precision_loss, reason = "an estimate of small counts")]
fn expected_ms(lane: Lane, each_ms: f64, position: usize) -> f64 {
    let at_once = if lane == Lane::First { ENDPOINT } else { ENDPOINT_SLOW };
    position as f64 * each_ms / at_once as f64
}

/// Returns how long a queue should be where an attempt takes `each_ms`: all slots stay busy while more is claimed.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a few hundred")]
pub fn target_length(each_ms: f64) -> usize {
    (QUEUE_MS / expected_ms(Lane::First, each_ms, 1)).clamp(TARGET.0, TARGET.1) as usize
}
