//! The processor time that a job pays for, by what is held for it; and what its children took beyond.
//!
//! A price is of lengths and pixels, and media can be made whose work is neither: of noise, or of pictures that come in
//! bursts. So how long the children of a job compute is bounded by what is held, and what nobody paid for is counted to
//! the account by the day. The rates that are charged are the operator's; what work takes is reckoned by the default
//! ones.

use crate::readers::ProcessorTime;
use domain::minutes::{Minutes, Rates};
use runtime::config::Settings;
use std::time::Duration;
use store::jobs::{Claimed, Outcome};

/// How many times what such work usually takes is paid for, and so much beside, for what starts; where nothing is
/// charged, nothing is.
const PAID: (u32, Duration) = (3, Duration::from_secs(1));
/// The same of what a job may take.
const MOST: (u32, Duration) = (5, Duration::from_secs(10));

/// What is paid for.
#[derive(Debug, Clone, Copy)]
pub(super) struct PaidTime {
    /// What such work usually takes; unknown where it costs no minutes.
    usual: Option<Duration>,
}

impl PaidTime {
    /// By what is held for this job.
    pub(super) fn of(claimed: &Claimed, settings: &Settings) -> Self {
        let paid_ms =
            claimed.task.map_or(0, |task| settings.rates.of(task).pays_for_ms(Minutes::from_hundredths(claimed.held)));
        let usual = claimed.task.filter(|_| paid_ms > 0).map(|task| {
            let worth = Rates::default().of(task).price(paid_ms);
            usual(worth, settings.processor_seconds_a_minute)
        });
        Self { usual }
    }

    /// What the job's children may take.
    pub(super) fn bound(self) -> ProcessorTime {
        self.usual.map_or_else(ProcessorTime::unbounded, |usual| ProcessorTime::at_most(times(usual, MOST)))
    }

    /// How much of the time that they took is not the account's to answer for, now that the attempt came to this. What
    /// is given back for this machine's sake is nobody's.
    pub(super) fn covered(self, outcome: &Outcome) -> Duration {
        let Some(usual) = self.usual else { return Duration::MAX };
        match outcome {
            Outcome::Succeeded { .. } => times(usual, PAID),
            Outcome::Failed | Outcome::Retry(_) | Outcome::Cancelled => Duration::ZERO,
            Outcome::Abandoned | Outcome::Lost | Outcome::HandedBack | Outcome::PutBack(_) => Duration::MAX,
        }
    }
}

/// What work of so many minutes takes.
fn usual(worth: Minutes, seconds_a_minute: u32) -> Duration {
    let hundredths = u32::try_from(worth.hundredths().max(0)).unwrap_or(u32::MAX);
    Duration::from_secs(seconds_a_minute.into()).saturating_mul(hundredths) / 100
}

fn times(usual: Duration, (times, beside): (u32, Duration)) -> Duration {
    usual.saturating_mul(times).saturating_add(beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::credits::Credits;
    use serde_json::Value;

    #[test]
    fn a_job_may_take_five_times_what_it_pays_for_and_what_it_takes_beyond_three_is_counted() {
        let paid = PaidTime { usual: Some(usual(Minutes::from_hundredths(50), 240)) };
        let seconds = Duration::from_secs;
        assert_eq!(paid.bound().left().unwrap(), seconds(5 * 120 + 10));
        let succeeded = Outcome::Succeeded { charge: Minutes::ZERO, credits: Credits::ZERO, result: Value::Null };
        assert_eq!(paid.covered(&succeeded), seconds(361));
        for free in [Outcome::Failed, Outcome::Cancelled, Outcome::Retry(Duration::ZERO)] {
            assert_eq!(paid.covered(&free), Duration::ZERO, "{free:?}");
        }
        assert_eq!(paid.covered(&Outcome::HandedBack), Duration::MAX, "it is this process that ends");
        let free = PaidTime { usual: None };
        assert_eq!(free.covered(&Outcome::Failed), Duration::MAX);
        assert_eq!(free.bound().left().unwrap(), Duration::MAX);
    }
}
