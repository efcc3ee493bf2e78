//! The operations: each group has a file or a folder, with its handlers and the shapes of their requests and answers.

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
mod statement_file;
pub mod thumbnails;
pub mod tools;
pub mod uploads;
mod verifying;
pub mod webhooks;

pub use library::start_reads_on_ready;
pub use projects::work_on_projects;
