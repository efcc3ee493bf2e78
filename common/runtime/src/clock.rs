//! The host's clock, for times that are shown but decide nothing.
//!
//! Leases, due times, expiries, months and the timestamp of a webhook's signature follow the database's `mws_now()`.
//! Only a header of a response that needed no database uses this clock.

use std::time::{SystemTime, UNIX_EPOCH};

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
