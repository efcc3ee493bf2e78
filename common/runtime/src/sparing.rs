//! Limits how often something is done whose cost can grow without bound: always while it is cheap, less often while it
//! is expensive.
//!
//! Reading a queue from its beginning is such a thing: while an old transaction is open, it reads past all rows deleted
//! since. The time that it takes beyond the cheap part is followed by a rest of some multiple of that time.

use std::time::Duration;
use tokio::time::Instant;

/// The longest rest: a stall of the database's disk is no reason to look away.
const LONGEST_REST: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sparing {
    was_dear: bool,
    not_before: Option<Instant>,
}

impl Sparing {
    /// Whether it may be done now.
    pub fn may(&self, now: Instant) -> bool {
        self.not_before.is_none_or(|at| now >= at)
    }

    /// Returns how long to wait until it may be done again.
    pub fn again_in(&self, now: Instant) -> Duration {
        self.not_before.map(|at| at.saturating_duration_since(now)).unwrap_or_default()
    }

    /// Records that it took `time`, of which `cheap` is free, and ended at `now`. It rests for `rest` times the excess,
    /// at most a second.
    pub fn took(&mut self, time: Duration, cheap: Duration, rest: u32, now: Instant) {
        let dear = time.saturating_sub(cheap);
        self.was_dear = !dear.is_zero();
        self.not_before = self.was_dear.then(|| now + dear.saturating_mul(rest).min(LONGEST_REST));
    }

    /// Whether it was expensive the last time.
    pub const fn was_dear(&self) -> bool {
        self.was_dear
    }

    /// Allows it once more at once, however expensive it was.
    pub const fn once_more(&mut self) {
        self.not_before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cheap_may_be_done_again_at_once_and_what_is_dear_after_a_rest() {
        let (now, cheap) = (Instant::now(), Duration::from_millis(2));
        let mut sparing = Sparing::default();
        assert!(sparing.may(now));
        sparing.took(cheap, cheap, 7, now);
        assert!(sparing.may(now) && !sparing.was_dear());
        let dear = Duration::from_millis(12);
        sparing.took(dear, cheap, 7, now);
        let again = now + Duration::from_millis(70);
        assert!(sparing.was_dear() && !sparing.may(again - cheap) && sparing.may(again));
        assert_eq!(sparing.again_in(again - cheap), cheap);
        sparing.took(dear, cheap, 7, now);
        sparing.once_more();
        assert!(sparing.may(now) && sparing.was_dear());
        sparing.took(Duration::from_secs(8), cheap, 7, now);
        assert_eq!(sparing.again_in(now), LONGEST_REST, "however long it stood still");
    }
}
