//! The scheduler process: settings, signals and nothing else.

use clap::Parser;
use common::config::Settings;
use common::process::{Process, exit_code};
use common::store::PoolSize;
use common::store::fleet::Service;
use std::process::ExitCode;

/// The scheduler of the Media and Workspace Service.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() -> ExitCode {
    let closed = common::process::close_to_others();
    let Arguments { settings } = common::config::arguments::<Arguments>();
    common::telemetry::start(&settings);
    common::process::install_crypto();
    exit_code("scheduler", run(closed, settings).await)
}

async fn run(closed: std::io::Result<()>, mut settings: Settings) -> anyhow::Result<()> {
    closed?;
    settings.read_secret_files()?;
    let process = Process::start(settings, PoolSize(16), "scheduler").await?;
    process.end_on_signals()?;
    common::health::serve(&process, Service::Scheduler);
    scheduler::run(process).await
}
