//! What a process of the service stands on: its settings, its connections, and the edges of the world around it.
//!
//! The rules are `domain`'s and all SQL is `store`'s. Here are the queue, the media store, the client for customers'
//! servers, wake-ups, signs of life and logs, and what jobs of every kind do when they end (`ending`). Nothing here
//! knows a route, a reader or a duty: those live in the crates that depend on this one.

pub mod chat;
pub mod clock;
pub mod config;
pub mod descriptors;
pub mod ending;
pub mod health;
pub mod measure;
pub mod media;
pub mod outbound;
pub mod own_fault;
pub mod process;
pub mod providers;
pub mod queue;
pub mod seal;
pub mod signs;
pub mod sparing;
pub mod start_error;
pub mod telemetry;
pub mod wake;
