//! The scheduler process: settings, signals and nothing else.

use clap::Parser;
use runtime::config::Settings;
use runtime::process::{Process, exit_code};
use std::process::ExitCode;
use store::PoolSize;
use store::fleet::Service;

/// The scheduler of the Media and Workspace Service.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() -> ExitCode {
    let closed = runtime::process::close_to_others();
    let Arguments { settings } = runtime::config::arguments::<Arguments>();
    let _traces = runtime::telemetry::start(&settings, "scheduler");
    runtime::process::install_crypto();
    exit_code("scheduler", run(closed, settings).await)
}

async fn run(closed: std::io::Result<()>, mut settings: Settings) -> anyhow::Result<()> {
    closed?;
    settings.read_secret_files()?;
    let process = Process::start(settings, PoolSize(16), "scheduler").await?;
    process.end_on_signals()?;
    runtime::health::serve(&process, Service::Scheduler);
    scheduler::run(process).await
}
