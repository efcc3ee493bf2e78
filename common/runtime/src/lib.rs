//! The base of every process of the service: its settings, its connections, and the edges to the outside.
//!
//! `domain` has the rules, `store` all SQL. Here are the queue, the media store, the client for customers' servers,
//! wake-ups, signs of life and logs, and what happens when a job of any kind ends (`ending`). Nothing here knows a
//! route, a reader or a duty: those are in the crates that depend on this one.

pub mod chat;
pub mod clock;
pub mod config;
pub mod descriptors;
pub mod ending;
pub mod health;
pub mod measure;
pub mod media;
pub mod operator_webhook;
pub mod outbound;
pub mod own_connections;
pub mod own_fault;
pub mod own_turns;
pub mod process;
pub mod providers;
pub mod queue;
pub mod scratch;
pub mod seal;
pub mod signs;
pub mod sparing;
pub mod start_error;
pub mod telemetry;
pub mod wake;
