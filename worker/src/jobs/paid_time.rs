//! The processor time that a job pays for, and what its children took beyond that.
//!
//! Prices go by lengths and pixels, and some media takes more work than these say: noise, or pictures that come in
//! bursts. So the processor time of a job's children is bounded by the hold, and the unpaid part is counted to the
//! account by the day. What is paid for goes by the charge: a file that declares hours and holds seconds has a large
//! hold and a small charge. The operator sets the rates that are charged; the work is estimated by the default rates.

use crate::readers::ProcessorTime;
use domain::minutes::{Minutes, Rates};
use domain::task::Task;
use runtime::config::Settings;
use std::time::Duration;
use store::jobs::{Claimed, Outcome};

/// The time that is paid for; none where nothing is charged.
const PAID: Allowance = Allowance { multiple: 3, start: Duration::from_secs(1) };
/// The time that a job may take.
const MOST: Allowance = Allowance { multiple: 5, start: Duration::from_secs(10) };

/// How much processor time there is for work that usually takes a certain time.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    /// How many times the usual time.
    multiple: u32,
    /// What is added for starting.
    start: Duration,
}

/// The processor time that a job pays for.
#[derive(Debug, Clone, Copy)]
pub(super) struct PaidTime {
    /// The price of the job; none where it costs no minutes.
    price: Option<Price>,
}

/// What a job's minutes buy.
#[derive(Debug, Clone, Copy)]
struct Price {
    task: Task,
    /// Minutes that are charged for a minute of media.
    rate: Minutes,
    held: Minutes,
    /// Processor seconds that work usually takes that costs one minute at the default rates.
    seconds_a_minute: u32,
}

impl PaidTime {
    /// Returns the time by what is held for this job.
    pub(super) fn of(claimed: &Claimed, settings: &Settings) -> Self {
        let price = claimed.task.map(|task| Price {
            task,
            rate: settings.rates.of(task),
            held: Minutes::from_hundredths(claimed.held),
            seconds_a_minute: settings.processor_seconds_a_minute,
        });
        Self { price: price.filter(|price| price.rate.pays_for_ms(price.held) > 0) }
    }

    /// Returns the most processor time that the job's children may take.
    pub(super) fn bound(self) -> ProcessorTime {
        let Some(price) = self.price else { return ProcessorTime::unbounded() };
        ProcessorTime::at_most(MOST.of(price.usual(price.held)))
    }

    /// Returns how much of the time that they took is not counted to the account, given how the attempt ended. A job
    /// that is given back because of this machine counts to nobody.
    pub(super) fn covered(self, outcome: &Outcome) -> Duration {
        let Some(price) = self.price else { return Duration::MAX };
        match outcome {
            Outcome::Succeeded { charge, .. } => PAID.of(price.usual(price.held.min(*charge))),
            Outcome::Failed | Outcome::Retry(_) | Outcome::Cancelled => Duration::ZERO,
            Outcome::Abandoned | Outcome::Lost | Outcome::HandedBack | Outcome::HandedBackFor(_) => Duration::MAX,
        }
    }
}

impl Price {
    /// Returns the processor time that the media these minutes pay for usually takes.
    fn usual(self, minutes: Minutes) -> Duration {
        let paid_ms = self.rate.pays_for_ms(minutes);
        if paid_ms <= 0 {
            return Duration::ZERO;
        }
        let worth = Rates::default().of(self.task).price(paid_ms);
        let hundredths = u32::try_from(worth.hundredths().max(0)).unwrap_or(u32::MAX);
        Duration::from_secs(self.seconds_a_minute.into()).saturating_mul(hundredths) / 100
    }
}

impl Allowance {
    /// Returns the time for work that usually takes this long.
    fn of(self, usual: Duration) -> Duration {
        usual.saturating_mul(self.multiple).saturating_add(self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::credits::Credits;
    use serde_json::Value;

    #[test]
    fn a_job_may_take_five_times_what_it_pays_for_and_what_it_takes_beyond_three_is_counted() {
        let held = Minutes::from_hundredths(50);
        let task = Task::Render;
        let price = Price { task, rate: Rates::default().of(task), held, seconds_a_minute: 240 };
        let paid = PaidTime { price: Some(price) };
        let seconds = Duration::from_secs;
        assert_eq!(paid.bound().left().unwrap(), seconds(5 * 120 + 10));
        let succeeded = |charge| {
            let charge = Minutes::from_hundredths(charge);
            Outcome::Succeeded { charge, credits: Credits::ZERO, result: Value::Null }
        };
        assert_eq!(paid.covered(&succeeded(50)), seconds(361));
        assert_eq!(paid.covered(&succeeded(80)), seconds(361), "no more than what is held is charged");
        assert_eq!(paid.covered(&succeeded(5)), seconds(37), "hours were declared, and moments were there");
        assert_eq!(paid.covered(&succeeded(0)), seconds(1));
        for free in [Outcome::Failed, Outcome::Cancelled, Outcome::Retry(Duration::ZERO)] {
            assert_eq!(paid.covered(&free), Duration::ZERO, "{free:?}");
        }
        assert_eq!(paid.covered(&Outcome::HandedBack), Duration::MAX, "it is this process that ends");
        let free = PaidTime { price: None };
        assert_eq!(free.covered(&Outcome::Failed), Duration::MAX);
        assert_eq!(free.bound().left().unwrap(), Duration::MAX);
    }
}
