//! The rules of the service as pure functions and values: no pool, and no clock and no randomness but those of new ids.
//!
//! Whatever a rule needs is handed in, whatever it decides is handed back; the edges do the IO.

pub mod attempt;
pub mod attempt_headers;
pub mod board;
pub mod brand_kit;
pub mod calendar;
pub mod canvas;
pub mod captions;
pub mod comment;
pub mod credential;
pub mod credits;
pub mod document;
pub mod ducking;
pub mod event;
pub mod file_name;
pub mod film;
pub mod footage;
pub mod generation;
pub mod horizon;
pub mod host_name;
pub mod http_range;
mod hundredths;
pub mod ics;
pub mod ids;
pub mod item;
pub mod job;
pub mod letters;
pub mod link;
pub mod media_time;
pub mod minutes;
pub mod model;
pub mod operator;
pub mod plan;
pub mod post;
pub mod project;
pub mod public_address;
pub mod public_link;
pub mod read;
pub mod render;
pub mod retry;
pub mod role;
pub mod search;
pub mod series;
pub mod settings;
pub mod silence;
pub mod skill;
pub mod still;
pub mod task;
pub mod template;
pub mod timeline;
pub mod upload;
pub mod url_policy;
pub mod verdict;
pub mod voices;

pub use mws_signature as signature;
