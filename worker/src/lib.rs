//! The worker: claims what the tickets name, runs reads on the real media, and delivers webhooks.
//!
//! `readers` computes a read from a media file and knows no database; `ingest` turns uploaded bytes into items. What
//! claims a job, runs it and settles it stands beside them, and is the only caller of `readers`.

pub mod ingest;
pub mod readers;

use common::process::Process;

/// Works until the process is told to end.
pub async fn run(process: Process) -> anyhow::Result<()> {
    process.shutdown.cancelled().await;
    Ok(())
}
