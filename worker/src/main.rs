//! The worker process: settings, signals and nothing else.

use clap::Parser;
use common::config::Settings;
use common::process::{Process, exit_code};
use common::store::PoolSize;
use common::store::fleet::Service;
use std::process::ExitCode;

/// The worker of the Media and Workspace Service.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() -> ExitCode {
    if let Err(error) = common::process::close_to_others() {
        return exit_code("worker", Err(error.into()));
    }
    let Arguments { settings } = common::config::arguments::<Arguments>();
    common::telemetry::start(&settings);
    common::process::install_crypto();
    exit_code("worker", run(settings).await)
}

async fn run(settings: Settings) -> anyhow::Result<()> {
    let process = Process::start(settings, PoolSize(16), "worker").await?;
    process.end_on_signals()?;
    common::health::serve(&process, Service::Worker);
    worker::run(process).await
}
