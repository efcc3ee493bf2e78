//! `mws up`: the api, the worker and the scheduler in one process, on an embedded PostgreSQL unless another is named.
//!
//! It makes everything it needs once, and keeps it in the data folder. The server is started on the main thread before
//! any runtime is made, because the kernel ends it with the thread that spawned it. When one of the three ends unasked,
//! the whole process ends with a failure: half a service is worse than one that is started again.

mod account;
mod background;
mod console;
mod listen;
mod say;
mod services;

use crate::data_dir::DataDir;
use crate::database::{self, Database};
use crate::doctor::{finding::Finding, machine};
use crate::failure::Failure;
use anyhow::Context;
use clap::Args;
use runtime::config::{ApiSettings, Settings};
use runtime::process::{self, Process};
use say::Say;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};
use store::{PoolSize, inspect};
use tokio::time::timeout;
use worker::readers::MediaTools;

/// Connections for work before the three are started; each of them has its own.
const CONNECTIONS: PoolSize = PoolSize(2);
/// How long a bucket may take to take a small object and give it back, before a start goes on without its answer.
const MEDIA_LOOK: Duration = Duration::from_secs(8);
/// How long leftover tasks may take to end.
const LEFT_OVER: Duration = Duration::from_secs(2);

/// Settings of `mws up`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mws up                                     everything, on 127.0.0.1:8080, with data in .mws
  mws up --listen 0.0.0.0:80 --data-dir /var/lib/mws
  mws up --detach                            in the background, until `mws down`
  DATABASE_URL=postgres://… mws up           on a PostgreSQL of your own")]
pub struct UpArgs {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    api: ApiSettings,
    /// Run in the background: return when the service is ready. Its log is `up.log` of the data folder, and `mws down`
    /// stops it.
    #[arg(long)]
    detach: bool,
}

impl UpArgs {
    /// The settings, to be changed before logging starts.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Whether the service is to run in the background, which this process then starts.
    pub const fn is_to_detach(&self) -> bool {
        self.detach
    }
}

/// Starts the service in the background, and says where it is once it is ready; with `json` in one JSON line.
pub fn detach(up: &UpArgs, json: bool) -> Result<(), Failure> {
    let started = background::start(&up.settings)?;
    Say::new(json).detached(started.ready, &relative(&started.log), &up.settings.data_dir);
    Ok(())
}

/// Runs until Ctrl-C or SIGTERM. `json` asks for one JSON line instead of words when all is ready.
pub fn run(up: UpArgs, json: bool) -> anyhow::Result<()> {
    let UpArgs { mut settings, mut api, detach: _ } = up;
    process::install_crypto();
    settings.read_secret_files()?;
    let say = Say::new(json);
    let public_url = listen::settle(&mut api)?;
    let data_dir = DataDir::prepare(&settings.data_dir)?;
    let _occupied = data_dir.occupy(&format!("`mws up` on {public_url}"))?;
    data_dir.path().clone_into(&mut settings.data_dir);
    data_dir.complete_secrets(&mut settings)?;
    if settings.media_store.is_none() {
        data_dir.make_media_folder()?;
    }

    let began = Instant::now();
    let mut database = Database::open(&mut settings)?;
    let runtime = database::runtime()?;
    let ended = runtime.block_on(async {
        database.prepare().await?;
        let process = Process::start(settings, CONNECTIONS, "up").await?;
        process.end_on_signals().context("signals can't be waited for")?;
        announce_database(&process, &database, &say, began.elapsed()).await?;
        serve(process, api, &mut database, &data_dir, &public_url, &say).await
    });
    runtime.shutdown_timeout(LEFT_OVER);
    database.stop();
    if ended.is_ok() {
        say.stopped();
    }
    ended
}

async fn announce_database(process: &Process, database: &Database, say: &Say, took: Duration) -> anyhow::Result<()> {
    let mut conn = process.pool.acquire().await?;
    let version = inspect::server_version(&mut conn).await?;
    say.done(&format!("PostgreSQL {version} ({})", database.kind()), took);
    say.done(&format!("schema {}, queue ready", inspect::schema_version(&mut conn).await?), Duration::ZERO);
    Ok(())
}

/// Starts the three, says when they are ready, and returns when they have ended.
async fn serve(
    process: Process,
    api: ApiSettings,
    database: &mut Database,
    data_dir: &DataDir,
    public_url: &str,
    say: &Say,
) -> anyhow::Result<()> {
    let credentials = account::credentials(&process, data_dir, public_url, api.operator_listen).await?;
    let engines = worker::Engines::found(&process).offered;
    let decoders = MediaTools::found(&worker::reader_settings(&process.settings));
    say.reads(&engines, process.settings.read_slots(), &decoders);
    let listen = api.listen;
    let shutdown = process.shutdown.clone();
    let mut services = services::start(&process, api);
    // Shutdown is checked first: a service that ends because it was asked to is not a failure.
    tokio::select! {
        biased;
        () = shutdown.cancelled() => {}
        () = until_reachable(listen, &process, say) => {
            let console = console::link(&process, &credentials).await?;
            say.ready(&credentials, &relative(&data_dir.credentials_path()), &console);
        }
        ended = services.first_end() => return services.stop(&shutdown, ended).await,
    }
    let ended = tokio::select! {
        biased;
        () = shutdown.cancelled() => Ok(()),
        ended = services.first_end() => ended,
        ended = database.wait_for_end() => ended,
    };
    let stopped = services.stop(&shutdown, ended).await;
    process.pool.close().await;
    stopped
}

/// Waits until the api takes connections. Meanwhile it says what a bucket for media answers; a folder was just made.
async fn until_reachable(listen: SocketAddr, process: &Process, say: &Say) {
    let looked = async {
        if process.settings.media_store.is_some() {
            let found = timeout(MEDIA_LOOK, machine::media(&process.settings)).await;
            say.media(&found.unwrap_or_else(|_| silent(&process.settings)));
        }
    };
    tokio::join!(listen::wait(listen), looked);
}

fn silent(settings: &Settings) -> Finding {
    let value = format!("{} has not answered within {} s", settings.media_store_url(), MEDIA_LOOK.as_secs());
    Finding::problem("media", value, "check its address and credentials; `mws doctor --only media` says more")
}

/// The path as the caller would write it.
fn relative(path: &Path) -> String {
    let here = std::env::current_dir().and_then(std::fs::canonicalize).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
