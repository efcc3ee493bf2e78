//! Delivery series: their states, their triggers, and what follows each attempt (contract §6.1.8–10).
//!
//! This file decides between another attempt and the end. `retry` has the delays; the statement that logs an attempt
//! counts an endpoint's failures.

use super::attempt::AttemptError;
use super::retry::{NextAttempt, RetrySchedule};
use serde::{Deserialize, Serialize};

/// The number of consecutive failures that disables an endpoint (contract §6.1.10).
pub const FAILURES_THAT_DISABLE: i32 = 20;

/// The number of consecutive failures at which its owner is warned (contract §6.3).
pub const FAILURES_THAT_WARN: i32 = 10;

/// How many times an attempt may be interrupted before an interruption counts as its failure (contract §6.3).
pub const UNCOUNTED_INTERRUPTIONS: i16 = 3;

macro_rules! words {
    ($(#[$doc:meta])* $type:ident { $($(#[$each:meta])* $name:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type)]
        #[sqlx(type_name = "text")]
        pub enum $type {
            $($(#[$each])* #[serde(rename = $word)] #[sqlx(rename = $word)] $name,)*
        }

        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns its name in the API and in the tables.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns the value of this name; `None` if there is none.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|each| each.name() == name)
            }
        }
    };
}

pub(crate) use words;

words! {
    /// The status of a series (contract §6.3).
    DeliveryStatus {
        /// It is waiting for its next attempt, or an attempt is running.
        Pending = "pending",
        /// The response to an attempt was 2xx, in time.
        Succeeded = "succeeded",
        /// All attempts failed.
        Failed = "failed",
        /// It was not sent, or not to the end, because its endpoint is disabled.
        Skipped = "skipped",
        /// Its endpoint was removed, or a resend replaced it.
        Cancelled = "cancelled",
    }
}

words! {
    /// The reason why a series is sent (contract §6.3).
    Trigger {
        /// A job ended.
        Event = "event",
        /// The endpoint's owner asked for another delivery.
        Resend = "resend",
        /// A ping: one attempt, which does not count as a failure of the endpoint.
        Test = "test",
    }
}

words! {
    /// The reason why an endpoint is disabled (contract §6.3).
    DisabledReason {
        /// Its owner disabled it.
        User = "user",
        /// An operator disabled it.
        Operator = "operator",
        /// Twenty attempts failed in a row.
        TooManyFailures = "too_many_failures",
        /// Its account is suspended.
        Suspended = "suspended",
    }
}

impl Trigger {
    /// Whether its attempts count as consecutive failures of the endpoint; those of pings do not.
    pub const fn counts(self) -> bool {
        !matches!(self, Self::Test)
    }

    /// Returns what follows attempt number `attempt`, from 1; `error` is `None` if it succeeded. `jitter` is a random
    /// fraction in `0..1`.
    pub fn next(self, attempt: i16, error: Option<AttemptError>, schedule: &RetrySchedule, jitter: f64) -> Next {
        if error.is_none() {
            return Next::Succeeded;
        }
        let attempt = u32::try_from(attempt).unwrap_or_default();
        let after = match self {
            Self::Test => RetrySchedule::once().after_failure(attempt, jitter),
            Self::Event | Self::Resend => schedule.after_failure(attempt, jitter),
        };
        match after {
            NextAttempt::After(delay) => Next::Retry { after_ms: i64::try_from(delay.as_millis()).unwrap_or(i64::MAX) },
            NextAttempt::Spent => Next::Failed,
        }
    }
}

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The series has succeeded.
    Succeeded,
    /// Another attempt follows.
    Retry {
        /// Milliseconds from the end of the failed attempt.
        after_ms: i64,
    },
    /// The series has failed.
    Failed,
}

impl Next {
    /// Returns the new status of the series.
    pub const fn status(self) -> DeliveryStatus {
        match self {
            Self::Succeeded => DeliveryStatus::Succeeded,
            Self::Retry { .. } => DeliveryStatus::Pending,
            Self::Failed => DeliveryStatus::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_ends_at_its_first_success_or_its_eighth_failure() {
        let schedule = RetrySchedule::default();
        let next = |attempt, error| Trigger::Event.next(attempt, error, &schedule, 0.0);
        assert_eq!(next(3, None), Next::Succeeded);
        assert_eq!(next(1, Some(AttemptError::Timeout)), Next::Retry { after_ms: 60_000 });
        assert_eq!(next(7, Some(AttemptError::HttpStatus)), Next::Retry { after_ms: 86_400_000 });
        assert_eq!(next(8, Some(AttemptError::HttpStatus)), Next::Failed);
    }

    #[test]
    fn a_ping_is_sent_once_and_counts_for_nothing() {
        let schedule = RetrySchedule::default();
        assert_eq!(Trigger::Test.next(1, Some(AttemptError::Timeout), &schedule, 0.0), Next::Failed);
        assert_eq!(Trigger::Test.next(1, None, &schedule, 0.0), Next::Succeeded);
        assert!(!Trigger::Test.counts());
        assert!(Trigger::Resend.counts());
    }

    #[test]
    fn a_word_reads_back_as_what_it_was() {
        for status in DeliveryStatus::ALL {
            assert_eq!(DeliveryStatus::from_name(status.name()), Some(*status));
        }
        assert_eq!(Trigger::from_name("event"), Some(Trigger::Event));
        assert_eq!(DisabledReason::from_name("nobody"), None);
    }
}
