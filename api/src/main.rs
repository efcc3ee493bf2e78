//! The api process: settings, signals and nothing else.

use clap::Parser;
use common::config::{ApiSettings, Settings};
use common::process::{Process, exit_code};
use common::store::PoolSize;
use std::process::ExitCode;

/// The api of the Media and Workspace Service.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    api: ApiSettings,
}

#[tokio::main]
async fn main() -> ExitCode {
    let closed = common::process::close_to_others();
    let Arguments { settings, api } = common::config::arguments::<Arguments>();
    common::telemetry::start(&settings);
    common::process::install_crypto();
    exit_code("api", run(closed, settings, api).await)
}

async fn run(closed: std::io::Result<()>, mut settings: Settings, api: ApiSettings) -> anyhow::Result<()> {
    closed?;
    settings.read_secret_files()?;
    let process = Process::start(settings, PoolSize(16), "api").await?;
    process.end_on_signals()?;
    api::run(process, api).await
}
