//! A server of one test's own, which can crash and come back without taking the other tests' databases along.
//!
//! A thread keeps it, because the kernel ends the server with the thread that started it: so it ends with the value or
//! with the test's process, however that ends. Its folder is deleted with it. `server` has the one that all tests
//! share.

use anyhow::{Context, anyhow};
use embedded_postgres::{Durability, EmbeddedPostgres, Options};
use rustix::process::{Pid, Signal, kill_process};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// Answered when the server has crashed and is back.
type Back = oneshot::Sender<Result<(), String>>;

/// A running server; it is gone when this is dropped.
#[derive(Debug)]
pub struct OwnServer {
    crashes: Option<mpsc::Sender<Back>>,
    keeper: Option<JoinHandle<()>>,
    options: PgConnectOptions,
    url: String,
    _folder: TempDir,
}

impl OwnServer {
    /// Starts one, with an empty cluster.
    pub async fn start() -> anyhow::Result<Self> {
        let folder = TempDir::new().context("could not make a folder")?;
        // The server's user must get through; what is inside is closed by the server itself.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
        let (crashes, asked) = mpsc::channel();
        let (tell, told) = oneshot::channel();
        let path = folder.path().to_owned();
        let keeper = std::thread::spawn(move || match start(&path) {
            Ok(postgres) => {
                // Nobody waits any more when the test has ended meanwhile.
                let _ = tell.send(Ok((postgres.connect_options("postgres"), postgres.url("DATABASE"))));
                keep(&path, postgres, &asked);
            }
            Err(error) => {
                let _ = tell.send(Err(format!("{error:#}")));
            }
        });
        let (options, url) = told.await.context("the server's keeper panicked")?.map_err(|error| anyhow!(error))?;
        Ok(Self { crashes: Some(crashes), keeper: Some(keeper), options, url, _folder: folder })
    }

    /// Ends the server as a crash does: every connection breaks, nothing is written out. Returns when it has recovered.
    pub async fn crash(&self) -> anyhow::Result<()> {
        let (back, is_back) = oneshot::channel();
        self.crashes.as_ref().context("it runs")?.send(back).ok().context("the server's keeper has ended")?;
        is_back.await.context("the server's keeper panicked")?.map_err(|error| anyhow!(error))
    }

    /// How to connect to `database`.
    pub fn connect_options(&self, database: &str) -> PgConnectOptions {
        self.options.clone().database(database)
    }

    /// The same as a URL.
    pub fn url(&self, database: &str) -> String {
        self.url.replace("DATABASE", database)
    }

    pub(super) async fn admin(&self) -> sqlx::Result<PgConnection> {
        self.connect_options("postgres").connect().await
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        self.crashes = None;
        if let Some(keeper) = self.keeper.take() {
            // The folder can be deleted once the server is gone. If its keeper panicked there is nothing to wait for.
            let _ = keeper.join();
        }
    }
}

/// As quick as the tests' own server, but for two things: what is committed outlives a crash of the server, as a user's
/// does, and others may follow it.
fn start(folder: &Path) -> anyhow::Result<EmbeddedPostgres> {
    let settings = [("synchronous_commit", "on"), ("wal_level", "replica"), ("max_wal_senders", "4")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Ok(EmbeddedPostgres::start(&Options { durability: Durability::Tests, settings, ..Options::new(folder) })?)
}

/// Keeps the server until nobody can ask for a crash any more.
fn keep(folder: &Path, mut postgres: EmbeddedPostgres, asked: &mpsc::Receiver<Back>) {
    while let Ok(back) = asked.recv() {
        let crashed = crash(folder, &mut postgres).and_then(|()| {
            postgres = start(folder)?;
            Ok(())
        });
        let _ = back.send(crashed.map_err(|error| format!("{error:#}")));
    }
    postgres.stop();
}

fn crash(folder: &Path, postgres: &mut EmbeddedPostgres) -> anyhow::Result<()> {
    let file: PathBuf = folder.join("postgres/data/postmaster.pid");
    let text = fs::read_to_string(&file).with_context(|| format!("could not read {}", file.display()))?;
    let pid = text.lines().next().and_then(|line| line.parse().ok()).and_then(Pid::from_raw);
    // PostgreSQL's immediate shutdown: no checkpoint, so that the next start recovers as after a crash.
    kill_process(pid.context("no process id")?, Signal::QUIT)?;
    while !postgres.has_ended() {
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
