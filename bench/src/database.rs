//! The embedded server of the run, and a fresh database for each measurement.

use crate::children::stat;
use anyhow::Context;
use common::postgres::{EmbeddedPostgres, Options};
use common::store::{self, PoolSize};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

const TEMPLATE: &str = "template_mws";

/// The server; it ends with this value, and its data are deleted.
pub struct Server {
    postgres: EmbeddedPostgres,
    next: AtomicU32,
    folder: TempDir,
}

impl Server {
    /// Starts a server as durable as a user's. Call it on the main thread, before any runtime is made.
    pub fn start() -> anyhow::Result<Self> {
        let folder = TempDir::new().context("could not make a folder")?;
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
        let postgres = EmbeddedPostgres::start(&Options::new(folder.path()))?;
        Ok(Self { postgres, next: AtomicU32::new(0), folder })
    }

    /// The folder of the run.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// A new database with the schema in place.
    pub async fn fresh(&self) -> anyhow::Result<Database> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number == 0 {
            self.postgres.create_database_if_missing(TEMPLATE).await?;
            let pool = store::connect(&self.postgres.url(TEMPLATE), PoolSize(2), "bench").await?;
            store::migrate(&pool).await?;
            pool.close().await;
        }
        let name = format!("bench_{number}");
        let mut admin = self.admin().await?;
        // The migrations' detached connection may still be closing.
        let others = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1";
        sqlx::query(others).bind(TEMPLATE).execute(&mut admin).await?;
        run(&mut admin, format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE}")).await?;
        run(&mut admin, "CHECKPOINT".to_owned()).await?;
        admin.close().await?;
        let url = self.postgres.url(&name);
        let pool = store::connect(&url, PoolSize(16), "bench").await?;
        Ok(Database { name, url, pool })
    }

    /// Drops it.
    pub async fn drop(&self, database: Database) -> anyhow::Result<()> {
        database.pool.close().await;
        let mut admin = self.admin().await?;
        run(&mut admin, format!("DROP DATABASE {} WITH (FORCE)", database.name)).await?;
        Ok(admin.close().await?)
    }

    /// The CPU time that the server has used with all of its processes, in seconds.
    pub fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let file = fs::read_to_string(self.folder.path().join("postgres/data/postmaster.pid"))?;
        let postmaster: u32 = file.lines().next().context("a process id")?.parse()?;
        let mut seconds = stat(postmaster)?.with_children_seconds;
        for entry in fs::read_dir("/proc")? {
            let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            // One that ends meanwhile is counted by the postmaster.
            if let Ok(stat) = stat(pid)
                && stat.parent == postmaster
            {
                seconds += stat.own_seconds;
            }
        }
        Ok(seconds)
    }

    async fn admin(&self) -> sqlx::Result<PgConnection> {
        self.postgres.connect_options("postgres").connect().await
    }
}

async fn run(admin: &mut PgConnection, statement: String) -> sqlx::Result<()> {
    sqlx::query(AssertSqlSafe(statement)).execute(admin).await.map(drop)
}

/// One measurement's database.
pub struct Database {
    name: String,
    /// Its URL.
    pub url: String,
    /// Connections of the harness.
    pub pool: PgPool,
}

impl Database {
    /// A number out of it.
    pub async fn count(&self, query: &'static str) -> anyhow::Result<i64> {
        Ok(sqlx::query_scalar(query).fetch_one(&self.pool).await?)
    }
}
