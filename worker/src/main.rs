//! The worker process: settings, signals and nothing else.

use clap::Parser;
use common::config::Settings;
use common::process::Process;
use common::store::PoolSize;

/// The worker of the Media and Workspace Service.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    common::process::close_to_others()?;
    let Arguments { settings } = common::config::arguments::<Arguments>();
    common::telemetry::start(&settings);
    common::process::install_crypto();
    let process = Process::start(settings, PoolSize(16), "worker").await?;
    process.end_on_signals()?;
    common::health::serve(&process, None);
    worker::run(process).await
}
