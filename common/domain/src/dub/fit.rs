//! Placing what was spoken within the time that it has: by tempo, as far as that is heard as speech, and then by saying
//! so. Nothing is cut off, and no two are heard at once.

use std::ops::RangeInclusive;

/// How much faster than it was spoken something may be heard, in thousandths.
pub const TEMPOS: RangeInclusive<i64> = 850..=1_200;
/// What is longer by no more than this is taken to fit.
const SLACK_MS: i64 = 20;

/// How something that was spoken is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoken {
    /// When its segment begins, in samples.
    pub start: i64,
    /// When that ends.
    pub end: i64,
    /// How many samples it has, at the tempo that it is heard at.
    pub len: i64,
}

/// Where it is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fitted {
    /// Its first sample.
    pub at: i64,
    /// Milliseconds that it goes on after its segment's end.
    pub overflow_ms: i64,
}

/// The tempo, in thousandths, at which `spoken` samples fill `span` of them, as near as that may come.
pub fn tempo(spoken: i64, span: i64) -> i64 {
    // Rounded up: a little too fast is in time.
    let exact = (spoken.max(0) * 1_000 + span.max(1) - 1) / span.max(1);
    exact.clamp(*TEMPOS.start(), *TEMPOS.end())
}

/// Where these are heard, in their order: at their segments' beginnings, or once the one before has ended.
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
