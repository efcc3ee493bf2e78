//! Job webhooks from a job's end to its receiver, and everything that can go wrong between (spec §6.1).

#![expect(clippy::expect_used, reason = "what a test's helper can't do fails the test")]

mod bench;
mod faults;
mod receiver;
mod routes;
mod series;
