//! Both webhook systems from what happens to its receiver, and everything that can go wrong between (contract §6); the
//! event stream; and what `docs/webhooks.md` tells receivers.

#![expect(clippy::expect_used, reason = "what a test's helper can't do fails the test")]
#![expect(clippy::similar_names, reason = "a case of a test and what it came to")]

mod bench;
mod clocks;
mod documented;
mod faults;
mod hidden;
mod in_flight;
mod in_line;
mod log;
mod own_faults;
mod own_firsts;
mod plans;
mod processes;
mod project_bench;
mod project_faults;
mod projects;
mod records;
mod resends;
mod restart;
mod restored;
mod routes;
mod secret;
mod series;
mod short;
mod stream;
mod tls;
