//! The worker: claims what the tickets name, runs reads on the real media, and delivers webhooks.

use common::process::Process;

/// Works until the process is told to end.
pub async fn run(process: Process) -> anyhow::Result<()> {
    process.shutdown.cancelled().await;
    Ok(())
}
//! The worker: runs the reads that clients asked for and delivers the events that they lead to.
//!
//! `readers` computes a read from a media file and knows no database. What claims a job, runs it and settles it
//! stands beside it, and is the only caller of it.

pub mod readers;
