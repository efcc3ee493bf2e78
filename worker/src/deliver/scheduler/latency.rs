//! How long an endpoint's attempts take, as far as this process has seen.

use std::time::Duration;
use tokio::time::Instant;

/// Milliseconds that an attempt is assumed to take until one has ended.
pub const UNKNOWN_MS: f64 = 50.0;
/// Milliseconds of an average attempt above which an endpoint is slow, and without any end after which it is stalled.
const SLOW_MS: f64 = 1_000.0;

/// The latency of one endpoint's attempts in one lane.
#[derive(Debug)]
pub struct Latency {
    pub ewma_ms: f64,
    /// Whether it has answered at all.
    pub is_proven: bool,
    /// When an attempt ended last, or this was created.
    last_progress_at: Instant,
}

impl Latency {
    pub fn new(ewma_ms: f64, now: Instant) -> Self {
        Self { ewma_ms, is_proven: false, last_progress_at: now }
    }

    /// Notes the end of an attempt: the average moves by a quarter of the difference.
    pub fn observe(&mut self, took: Duration, now: Instant) {
        self.ewma_ms += (took.as_secs_f64() * 1_000.0 - self.ewma_ms) / 4.0;
        (self.is_proven, self.last_progress_at) = (true, now);
    }

    /// Returns the milliseconds since an attempt ended last, once that is long: those in flight may take as long again,
    /// whatever the average. Otherwise 0.
    pub fn stalled_ms(&self, in_flight: usize, now: Instant) -> f64 {
        let stalled_ms = (now - self.last_progress_at).as_secs_f64() * 1_000.0;
        if in_flight > 0 && stalled_ms >= SLOW_MS { stalled_ms } else { 0.0 }
    }

    /// Whether attempts take long, or none ends now.
    pub fn is_slow(&self, in_flight: usize, now: Instant) -> bool {
        self.ewma_ms > SLOW_MS || self.stalled_ms(in_flight, now) > 0.0
    }
}
