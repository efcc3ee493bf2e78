//! The worker: runs the reads that clients asked for and delivers the events that they lead to.
//!
//! `readers` computes a read from a media file and knows no database. What claims a job, runs it and settles it
//! stands beside it, and is the only caller of it.

pub mod readers;
