//! The delays before a failed delivery is tried again (contract §6.1.9). Jobs have a simpler rule in `job`.
//!
//! Pure functions of counts. Nothing here reads a clock or draws jitter: the caller adds the delay to the end of the
//! failed attempt, and passes in a random fraction. The store counts the attempts.

use std::str::FromStr;
use std::time::Duration;

/// Jitter is at most one tenth of the delay, and at most [`MOST_JITTER`]: small, so that the
/// promised schedule (contract §6.1.9) can be recognized in the log.
const JITTER_PART: u32 = 10;

/// The most that jitter may add to a delay.
pub const MOST_JITTER: Duration = Duration::from_secs(30);

/// The longest delay that the setting accepts, in seconds, so that a typing error can't put a retry off for years.
const LONGEST_DELAY_S: u64 = 7 * 86_400;

/// The attempts of a delivery series under the default schedule (contract §6.1.9).
pub const DELIVERY_ATTEMPTS: usize = 8;

/// What follows a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextAttempt {
    /// Another attempt, this long after the end of the failed one.
    After(Duration),
    /// Nothing: no attempt is left, and the series has failed.
    Spent,
}

/// The delays between the attempts of a delivery series, from `MWS_WEBHOOK_RETRY_SECONDS`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrySchedule {
    delays: Vec<Duration>,
}

impl Default for RetrySchedule {
    /// 1, 5, 30, 120, 360, 720 and 1,440 minutes: eight attempts in all (contract §6.1.9).
    fn default() -> Self {
        Self { delays: [60, 300, 1_800, 7_200, 21_600, 43_200, 86_400].map(Duration::from_secs).to_vec() }
    }
}

impl RetrySchedule {
    /// Returns one attempt without a retry, for pings and project webhooks (contract §6.3, §6.2.5).
    pub const fn once() -> Self {
        Self { delays: Vec::new() }
    }

    /// Returns the number of attempts of a series.
    pub fn attempts(&self) -> usize {
        self.delays.len() + 1
    }

    /// Returns what follows the failure of attempt number `failed_attempt`, from 1. `jitter` is a random fraction in
    /// `0..1` of the most that may be added; the delay is never shorter than scheduled.
    pub fn after_failure(&self, failed_attempt: u32, jitter: f64) -> NextAttempt {
        let index = failed_attempt.saturating_sub(1) as usize;
        match self.delays.get(index) {
            Some(&delay) => NextAttempt::After(jittered(delay, jitter)),
            None => NextAttempt::Spent,
        }
    }
}

/// Why a text is not a retry schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A part is not a whole number of seconds of at most seven days.
    #[error("`{0}` is not a number of seconds from 0 to 604800")]
    Delay(String),
    /// There are too many delays for a series of eight attempts.
    #[error("{0} delays make more than eight attempts: give one to seven")]
    TooMany(usize),
}

impl FromStr for RetrySchedule {
    type Err = ScheduleError;

    /// Parses one to seven delays in seconds, separated by commas: `60,300,1800`.
    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let delays = text.split(',').map(|part| {
            let seconds = part.trim().parse().ok().filter(|&seconds: &u64| seconds <= LONGEST_DELAY_S);
            seconds.map(Duration::from_secs).ok_or_else(|| ScheduleError::Delay(part.trim().to_owned()))
        });
        let delays = delays.collect::<Result<Vec<_>, _>>()?;
        if delays.len() >= DELIVERY_ATTEMPTS {
            return Err(ScheduleError::TooMany(delays.len()));
        }
        Ok(Self { delays })
    }
}

fn jittered(delay: Duration, jitter: f64) -> Duration {
    let most = (delay / JITTER_PART).min(MOST_JITTER);
    let fraction = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
    delay + most.mul_f64(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(seconds: u64) -> NextAttempt {
        NextAttempt::After(Duration::from_secs(seconds))
    }

    #[test]
    fn eight_attempts_follow_the_minutes_of_the_spec() {
        let schedule = RetrySchedule::default();
        assert_eq!(schedule.attempts(), DELIVERY_ATTEMPTS);
        for (attempt, minutes) in (1..).zip([1, 5, 30, 120, 360, 720, 1_440]) {
            assert_eq!(schedule.after_failure(attempt, 0.0), seconds(minutes * 60), "after attempt {attempt}");
        }
        for spent in [8, 9, u32::MAX] {
            assert_eq!(schedule.after_failure(spent, 0.5), NextAttempt::Spent);
        }
    }

    #[test]
    fn the_setting_reads_as_the_default_does() {
        let read = "60,300,1800,7200,21600,43200,86400".parse();
        assert_eq!(read, Ok(RetrySchedule::default()));
        assert_eq!("0".parse::<RetrySchedule>().map(|s| (s.attempts(), s.after_failure(1, 0.9))), Ok((2, seconds(0))));
        assert_eq!("1, 2".parse::<RetrySchedule>().map(|s| s.after_failure(2, 0.0)), Ok(seconds(2)));
    }

    #[test]
    fn a_setting_that_is_no_schedule_says_which_part() {
        for (text, part) in [("", ""), ("1,", ""), ("-1", "-1"), ("1.5", "1.5"), ("1,x", "x"), ("604801", "604801")] {
            assert_eq!(text.parse::<RetrySchedule>(), Err(ScheduleError::Delay(part.to_owned())), "{text}");
        }
        assert_eq!("1,1,1,1,1,1,1,1".parse::<RetrySchedule>(), Err(ScheduleError::TooMany(8)));
    }

    #[test]
    fn a_ping_is_tried_once() {
        assert_eq!(RetrySchedule::once().attempts(), 1);
        assert_eq!(RetrySchedule::once().after_failure(1, 0.0), NextAttempt::Spent);
    }

    #[test]
    fn jitter_is_a_tenth_of_a_short_delay_and_thirty_seconds_of_a_long_one() {
        let schedule = RetrySchedule::default();
        assert_eq!(schedule.after_failure(1, 1.0), seconds(66));
        assert_eq!(schedule.after_failure(2, 1.0), seconds(330));
        assert_eq!(schedule.after_failure(3, 1.0), seconds(1_830));
        assert_eq!(schedule.after_failure(7, 0.5), seconds(86_415));
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -3.0] {
            assert_eq!(schedule.after_failure(1, odd), seconds(60));
        }
    }

    proptest! {
        #[test]
        fn a_retry_is_never_early_and_late_by_a_tenth_or_thirty_seconds_at_most(
            delays in proptest::collection::vec(0..=LONGEST_DELAY_S, 1..8),
            attempt in 0..12_u32,
            jitter in any::<f64>(),
        ) {
            let text = delays.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
            let schedule: RetrySchedule = text.parse().expect("in range");
            let index = attempt.max(1) as usize - 1;
            match (schedule.after_failure(attempt, jitter), delays.get(index)) {
                (NextAttempt::Spent, None) => {}
                (NextAttempt::After(delay), Some(&exact)) => {
                    let exact = Duration::from_secs(exact);
                    prop_assert!(delay >= exact);
                    prop_assert!(delay <= exact + (exact / 10).min(Duration::from_secs(30)));
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
