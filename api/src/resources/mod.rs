//! The operations: one file or folder a group, each with its handlers and the shapes of what they take and answer.

pub mod account;
pub mod calendar_feed;
pub mod console;
pub mod events;
mod fragments;
pub mod library;
pub mod link_page;
pub mod mcp;
pub mod media;
pub mod models;
pub mod operator;
pub mod overview;
pub mod portal;
pub mod projects;
pub mod thumbnails;
pub mod tools;
pub mod uploads;
pub mod webhooks;

pub use library::start_reads_on_ready;
pub use projects::work_on_projects;
