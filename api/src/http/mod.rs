//! HTTP in the api: errors, envelopes of refusals, texts, lists, and the room and the rates that requests share.
//!
//! The lowest floor of the api: nothing here knows what an operation does, or how its caller is found.

pub mod address;
pub mod answers;
pub mod body;
pub mod error;
pub mod holding;
pub mod json;
pub mod pages;
pub mod paging;
pub mod rate;
pub mod refusal;
pub mod request;
pub mod room;
pub mod scope;
pub mod shares;
pub mod text;
pub mod thread_time;
pub mod urls;
pub mod words;

/// The prefix of every path of the interface (contract §9).
pub const API_PATH: &str = "/api/v1";
