//! The HTTP interface: tools, routes, and the OpenAPI document that describes them.

pub mod dispatch;

use common::config::ApiSettings;
use common::process::Process;

/// Serves until the process is told to end.
pub async fn run(process: Process, _api: ApiSettings) -> anyhow::Result<()> {
    process.shutdown.cancelled().await;
    Ok(())
}
