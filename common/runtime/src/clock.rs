//! The host's clock, for times that are shown but decide nothing.
//!
//! Leases, due times, expiries, months and the timestamp of a webhook's signature follow the database's `mws_now()`.
//! Only a header of a response that needed no database uses this clock.

use sqlx::PgConnection;
use std::time::{SystemTime, UNIX_EPOCH};
use store::inspect;

/// Returns the seconds since 1970 by this host's clock.
pub fn host_unix_seconds() -> i64 {
    host_unix_millis() / 1000
}

/// Returns the milliseconds since 1970 by this host's clock.
pub fn host_unix_millis() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "the one module that may look at the host's clock")]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The database's clock beside this host's, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub struct Clocks {
    /// This host's when the database was asked.
    pub before: i64,
    /// The database's, at some moment of the question.
    pub theirs: i64,
    /// This host's when the answer was here.
    pub after: i64,
}

impl Clocks {
    /// Reads both.
    pub async fn read(conn: &mut PgConnection) -> sqlx::Result<Self> {
        let before = host_unix_millis();
        let theirs = inspect::clock_ms(conn).await?;
        Ok(Self { before, theirs, after: host_unix_millis() })
    }

    /// Returns how many milliseconds this host's clock is ahead of the database's; negative if it is behind. If the
    /// database's lies between this host's two, there is no skew.
    pub fn skew_ms(self) -> i64 {
        if self.theirs < self.before { self.before - self.theirs } else { (self.after - self.theirs).min(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_question_took_is_no_skew() {
        let skew = |theirs| Clocks { before: 1_000, theirs, after: 1_200 }.skew_ms();
        assert_eq!([skew(1_000), skew(1_100), skew(1_200)], [0, 0, 0]);
        assert_eq!((skew(700), skew(1_500)), (300, -300));
    }
}
