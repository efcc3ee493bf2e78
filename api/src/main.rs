//! The api process: settings, signals and nothing else.

use clap::Parser;
use runtime::config::{ApiSettings, Settings};
use runtime::process::{Process, exit_code};
use std::process::ExitCode;
use store::PoolSize;

/// The api of the Media and Workspace Service.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    api: ApiSettings,
}

fn main() -> ExitCode {
    let closed = runtime::process::close_to_others();
    let Arguments { settings, api } = runtime::config::arguments::<Arguments>();
    let _traces = runtime::telemetry::start(&settings, "api");
    runtime::process::install_crypto();
    let executor = runtime::process::executor().map_err(anyhow::Error::from);
    exit_code("api", executor.and_then(|executor| executor.block_on(run(closed, settings, api))))
}

async fn run(closed: std::io::Result<()>, mut settings: Settings, api: ApiSettings) -> anyhow::Result<()> {
    closed?;
    settings.read_secret_files()?;
    let process = Process::start(settings, PoolSize(16), "api").await?.kept_open().await;
    process.end_on_signals()?;
    api::run(process, api).await
}
