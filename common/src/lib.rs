//! What the api, the worker, the scheduler and the command line share.
//!
//! `domain` holds the rules, without IO. `store` holds all SQL. The other modules are the edges: the queue, the
//! media store, the outbound client, the embedded server, settings and logs. Nothing here knows a route, a reader
//! or a duty: those live in the crates that depend on this one.

pub mod clock;
pub mod config;
pub mod descriptors;
pub mod domain;
pub mod ending;
pub mod health;
pub mod ids;
pub mod measure;
pub mod media;
pub mod outbound;
pub mod own_fault;
pub mod postgres;
pub mod process;
pub mod queue;
pub mod seal;
pub mod secret_files;
pub mod signs;
pub mod sparing;
pub mod store;
pub mod telemetry;
pub mod wake;
