//! The rules of the service as pure functions and values: no pool, no clock, no randomness.
//!
//! Whatever a rule needs is handed in, whatever it decides is handed back; the edges do the IO.

pub mod attempt;
pub mod credential;
pub mod event;
pub mod item;
pub mod job;
pub mod minutes;
pub mod plan;
pub mod project;
pub mod public_address;
pub mod read;
pub mod retry;
pub mod series;
pub mod upload;
pub mod url_policy;

pub use mws_signature as signature;
