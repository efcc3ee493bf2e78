//! The host's clock, for what is shown and never decided.
//!
//! Leases, due times, expiries, months and the timestamp under a webhook's signature go by the database's `mws_now()`.
//! A header on an answer that touched no database has only this one.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970 on this host.
pub fn host_unix_seconds() -> i64 {
    host_unix_millis() / 1000
}

/// Milliseconds since 1970 on this host.
pub fn host_unix_millis() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "the one module that may look at the host's clock")]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
