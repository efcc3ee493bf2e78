//! The scheduler: duties that make good what crashed, came due or grew old. Any number may run at once.

pub mod expire_uploads;
pub mod purge_items;
pub mod reissue_uploads;

use common::process::Process;

/// Runs the duties until the process is told to end.
pub async fn run(process: Process) -> anyhow::Result<()> {
    process.shutdown.cancelled().await;
    Ok(())
}
