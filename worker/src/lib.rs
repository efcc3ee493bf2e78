//! The worker: claims what the tickets name, runs reads on the real media, and delivers webhooks.

pub mod batch;
pub mod deliver;

use common::process::Process;

/// Works until the process is told to end.
pub async fn run(process: Process) -> anyhow::Result<()> {
    process.shutdown.cancelled().await;
    Ok(())
}
