//! How often something is done whose cost can grow without a bound of its own: always while it is cheap, and for an
//! eighth of the time while it is dear.
//!
//! What reads a queue from its beginning is such a thing: while an old transaction is open, all that was deleted since
//! is read too.

use std::time::Duration;
use tokio::time::Instant;

/// What is cheap.
const CHEAP: Duration = Duration::from_millis(2);
/// How many times as long as it took is waited after what was dear.
const REST: u32 = 7;

/// See the module.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sparing {
    /// How long it took last, beyond what is cheap.
    excess: Duration,
    not_before: Option<Instant>,
}

impl Sparing {
    /// Whether it may be done now.
    pub fn may(&self, now: Instant) -> bool {
        self.not_before.is_none_or(|at| now >= at)
    }

    /// In how long it may be done again.
    pub fn again_in(&self, now: Instant) -> Duration {
        self.not_before.map(|at| at.saturating_duration_since(now)).unwrap_or_default()
    }

    /// Notes that it took so long, and ended now.
    pub fn took(&mut self, time: Duration, now: Instant) {
        self.excess = time.saturating_sub(CHEAP);
        self.not_before = (!self.excess.is_zero()).then(|| now + self.excess * REST);
    }

    /// Whether it was dear when it was done last.
    pub const fn was_dear(&self) -> bool {
        !self.excess.is_zero()
    }

    /// Allows it once more at once, however dear it was.
    pub const fn once_more(&mut self) {
        self.not_before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cheap_may_be_done_again_at_once_and_what_is_dear_after_seven_times_as_long() {
        let now = Instant::now();
        let mut sparing = Sparing::default();
        assert!(sparing.may(now));
        sparing.took(CHEAP, now);
        assert!(sparing.may(now) && !sparing.was_dear());
        let dear = CHEAP + Duration::from_millis(10);
        sparing.took(dear, now);
        let again = now + Duration::from_millis(70);
        assert!(sparing.was_dear() && !sparing.may(again - CHEAP) && sparing.may(again));
        assert_eq!(sparing.again_in(again - CHEAP), CHEAP);
        sparing.took(dear, now);
        sparing.once_more();
        assert!(sparing.may(now) && sparing.was_dear());
    }
}
