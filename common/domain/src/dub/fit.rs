//! Fits spoken segments into their time: by a change of tempo within limits, and then by reporting the overflow.
//! Nothing is cut off, and no two segments are heard at once.

use std::ops::RangeInclusive;

/// The tempos at which speech may be heard, in thousandths of the speed at which it was spoken.
pub const TEMPOS: RangeInclusive<i64> = 850..=1_200;
/// A segment that is longer than its time by no more than these milliseconds is taken to fit.
const SLACK_MS: i64 = 20;

/// A spoken segment, with its times in samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoken {
    /// The first sample of its time.
    pub start: i64,
    /// The end of its time, in samples.
    pub end: i64,
    /// Its length in samples, at the tempo that it is heard at.
    pub len: i64,
}

/// The place where a segment is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fitted {
    /// Its first sample.
    pub at: i64,
    /// Milliseconds that it continues after its time's end; 0 up to `SLACK_MS`.
    pub overflow_ms: i64,
}

/// Returns the tempo in thousandths, within `TEMPOS`, at which `spoken` samples come closest to filling `span` samples.
pub fn tempo(spoken: i64, span: i64) -> i64 {
    // Rounded up: slightly too fast is still in time.
    let exact = (spoken.max(0) * 1_000 + span.max(1) - 1) / span.max(1);
    exact.clamp(*TEMPOS.start(), *TEMPOS.end())
}

/// Places the segments in order: each where its time begins, or where the one before ends if that is later. `rate` is
/// in samples per second.
pub fn fitted(spoken: &[Spoken], rate: i64) -> Vec<Fitted> {
    let mut free = 0;
    let place = |one: &Spoken| {
        let at = one.start.max(free);
        free = at + one.len;
        let over_ms = (free - one.end) * 1_000 / rate.max(1);
        Fitted { at, overflow_ms: if one.len > 0 && over_ms > SLACK_MS { over_ms } else { 0 } }
    };
    spoken.iter().map(place).collect()
}
