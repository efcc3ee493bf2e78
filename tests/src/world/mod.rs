//! A whole service for one test: a database of its own, an api that listens, and as many workers and schedulers as the
//! test asks for.
//!
//! Everything runs in the test's process, but a worker has a runtime of its own, so that it can be killed as a process
//! is. Tests act through the HTTP interface and look at the database; they wait with [`until`] and move the database's
//! clock with [`World::advance`], and never sleep. Every test ends in [`World::end`], which holds the database against
//! [`invariants`].

mod api;
mod authorization;
mod browser;
mod bucket;
mod clock;
mod cut;
mod feed;
pub mod footage;
pub mod invariants;
mod locks;
pub mod processes;
mod provider;
mod proxy;
mod receiver;
pub mod runners;
mod settings;
mod statements;
mod stored;
mod tenants;
mod tls;
mod waits;
mod workers;

pub use api::{Answer, Client, mcp_call};
pub use authorization::AuthorizationServer;
pub use browser::Browser;
pub use bucket::{Bucket, BucketAddress};
pub use clock::until;
pub use cut::{cut_short, disturbed};
pub use feed::{Feed, Message};
pub use locks::wait_for_locks;
pub use provider::{PIXEL, Provider, Reply};
pub use proxy::Proxy;
pub use receiver::{Received, Receiver};
pub use statements::counted;
pub use tenants::{Media, Tenant};
pub use tls::{Authority, Certificate, TlsReceiver};
pub use waits::{in_line, let_in};
pub use workers::{Scheduler, Worker};

use crate::template::{OwnServer, TestDatabase};
use ::api::app::App;
use anyhow::Context;
use api::Api;
use domain::read::Read;
use domain::task::Task;
use runtime::config::{ApiSettings, Settings};
use runtime::process::Process;
use sqlx::PgPool;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, OnceLock};
use store::{PoolSize, generations, reads, renders};
use tempfile::TempDir;

/// Connections of a process of a test.
const CONNECTIONS: PoolSize = PoolSize(10);
/// The part of the disk for media that is free for each process of a test, whatever the machine has.
const FREE_DISK: f64 = 0.5;

/// One test's service.
pub struct World {
    /// The process that the api runs in; duties are run on it.
    pub process: Process,
    /// What every further process is started with.
    pub settings: Settings,
    api: Api,
    ahead_seconds: AtomicI64,
    /// The time at which its clock stands, as SQL, if it was stopped.
    stopped_at: OnceLock<String>,
    /// Where its media is, unless in a folder.
    bucket: Option<BucketAddress>,
    workers: Mutex<Vec<Worker>>,
    _folder: TempDir,
    database: TestDatabase,
}

impl World {
    /// A service that can run every read and render, with a limit on the rate that no test meets.
    pub async fn new() -> anyhow::Result<Self> {
        Self::with(|_| ()).await
    }

    /// A service as [`Self::new`] makes it, with other settings.
    pub async fn with(change: impl FnOnce(&mut Settings)) -> anyhow::Result<Self> {
        Self::with_api(|settings, _| change(settings)).await
    }

    /// A service as [`Self::new`] makes it, with other settings, also of the api.
    pub async fn with_api(change: impl FnOnce(&mut Settings, &mut ApiSettings)) -> anyhow::Result<Self> {
        Self::over(TestDatabase::new(async |pool: &PgPool| Ok(store::migrate(pool).await?)).await?, None, change).await
    }

    /// The same whose media is in a bucket, to which clients send by themselves.
    pub async fn in_bucket(bucket: BucketAddress) -> anyhow::Result<Self> {
        let database = TestDatabase::new(async |pool: &PgPool| Ok(store::migrate(pool).await?)).await?;
        Self::over(database, Some(bucket), |_, api| api.direct_uploads = true).await
    }

    /// Has workers and schedulers that are started from now on come to the bucket in this way.
    pub fn use_bucket(&mut self, bucket: BucketAddress) {
        self.bucket = Some(bucket);
    }

    /// The same on a server of the test's own, which can crash.
    pub async fn on(server: &Arc<OwnServer>) -> anyhow::Result<Self> {
        let migrate = async |pool: &PgPool| Ok(store::migrate(pool).await?);
        Self::over(TestDatabase::on(Arc::clone(server), migrate).await?, None, |_, _| ()).await
    }

    async fn over(
        database: TestDatabase,
        bucket: Option<BucketAddress>,
        change: impl FnOnce(&mut Settings, &mut ApiSettings),
    ) -> anyhow::Result<Self> {
        runtime::process::install_crypto();
        let folder = TempDir::new().context("could not make a folder")?;
        let mut settings = settings::fixed(&database.url(), folder.path())?;
        let mut api = settings::api()?;
        change(&mut settings, &mut api);
        let mut process = Process::start(settings.clone(), CONNECTIONS, "api").await?;
        if let Some(bucket) = &bucket {
            process.media = bucket.store()?;
        }
        process.media = process.media.with_free_ratio(FREE_DISK);
        let api = Api::start(&process, api)?;
        let world = Self {
            process,
            settings,
            api,
            ahead_seconds: AtomicI64::new(0),
            stopped_at: OnceLock::new(),
            bucket,
            workers: Mutex::default(),
            _folder: folder,
            database,
        };
        world.leave_ending_month().await?;
        world.can_run(&Read::ALL).await?;
        renders::announce(&mut *world.pool().acquire().await?, "test", "1").await?;
        generations::announce(&mut *world.pool().acquire().await?, &runners::makers()).await?;
        Ok(world)
    }

    /// Connections without the service's limits.
    pub fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    /// Where its database is.
    pub fn database_url(&self) -> String {
        self.database.url()
    }

    /// Says, as a worker would, that these reads can be run.
    pub async fn can_run(&self, reads: &[Read]) -> anyhow::Result<()> {
        let engines: Vec<_> = reads.iter().map(|read| runners::offer(Task::Read(*read))).collect();
        Ok(reads::announce(&mut *self.pool().acquire().await?, &engines).await?)
    }

    /// A number out of the database.
    pub async fn count(&self, query: &'static str) -> anyhow::Result<i64> {
        Ok(sqlx::query_scalar(query).fetch_one(self.pool()).await?)
    }

    /// The state that the api's requests share.
    pub fn app(&self) -> &App {
        self.api.app()
    }

    /// Fails if anything that must always hold does not. May be asked while everything runs.
    pub async fn assert_invariants(&self) -> anyhow::Result<()> {
        invariants::hold(self.pool(), &self.settings.event_kinds).await
    }

    /// Stops everything that runs, holds the database against the invariants, and drops it.
    pub async fn end(self) -> anyhow::Result<()> {
        let workers = self.workers.into_inner().unwrap_or_default();
        for worker in workers {
            worker.stop().await?;
        }
        invariants::hold(self.database.pool(), &self.settings.event_kinds).await?;
        self.process.shutdown.cancel();
        self.api.stopped().await?;
        self.database.close().await
    }
}
