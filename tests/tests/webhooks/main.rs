//! Job webhooks from a job's end to its receiver, and everything that can go wrong between (spec §6.1).

mod bench;
mod faults;
mod receiver;
mod routes;
mod series;
