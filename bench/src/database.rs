//! The run's embedded server, and a fresh database for each measurement.

use crate::children::{family, stat};
use anyhow::Context;
use embedded_postgres::{EmbeddedPostgres, Options};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use store::PoolSize;
use tempfile::TempDir;

const TEMPLATE: &str = "template_mws";
/// The extension that counts statements. It comes with PostgreSQL's contributed modules, which may be missing.
const COUNTER: &str = "pg_stat_statements";
/// The settings of a run that tells what statements take: these time the planning of each, and log each checkpoint and
/// each vacuum.
const WATCHED: [(&str, &str); 4] = [
    ("pg_stat_statements.track_planning", "on"),
    ("log_autovacuum_min_duration", "0"),
    ("log_checkpoints", "on"),
    ("log_timezone", "UTC"),
];

/// The server; it ends with this value, and its data are deleted.
pub struct Server {
    postgres: EmbeddedPostgres,
    next: AtomicU32,
    folder: TempDir,
    /// Whether it counts statements.
    counts: bool,
}

/// Counters of the server for a database.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    /// Statements, including those that begin and end transactions; none where the server does not count them.
    pub statements: Option<f64>,
    /// Commits that sessions have reported. A session reports its commits after a second, and when it ends.
    pub commits: f64,
    /// The position in the WAL of the whole server, in bytes.
    pub wal_bytes: f64,
}

impl Server {
    /// Starts a server as durable as a user's, with more to be told of it if it is `watched`. Call it on the main
    /// thread, before any runtime is made.
    pub fn start(watched: bool) -> anyhow::Result<Self> {
        let folder = TempDir::new().context("could not make a folder")?;
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
        let options = |settings: &[(&str, &str)]| Options {
            settings: settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ..Options::new(folder.path())
        };
        let watched: &[(&str, &str)] = if watched { &WATCHED } else { &[] };
        let counted = [&[("shared_preload_libraries", COUNTER)][..], watched].concat();
        let counting = EmbeddedPostgres::start(&options(&counted));
        let (postgres, counts) = match counting {
            Ok(postgres) => (postgres, true),
            Err(error) => {
                eprintln!("statements are not counted, since {COUNTER} can't be loaded: {error}");
                (EmbeddedPostgres::start(&options(watched))?, false)
            }
        };
        Ok(Self { postgres, next: AtomicU32::new(0), folder, counts })
    }

    /// Returns the folder of the run.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Makes a new database with the schema in place.
    pub async fn fresh(&self) -> anyhow::Result<Database> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number == 0 {
            self.make_template().await?;
        }
        let name = format!("bench_{number}");
        let mut admin = self.connect("postgres").await?;
        // The migrations' detached connection may still be closing.
        let others = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1";
        sqlx::query(others).bind(TEMPLATE).execute(&mut admin).await?;
        run(&mut admin, format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE}")).await?;
        run(&mut admin, "CHECKPOINT".to_owned()).await?;
        admin.close().await?;
        self.open(&name).await
    }

    async fn make_template(&self) -> anyhow::Result<()> {
        self.postgres.create_database_if_missing(TEMPLATE).await?;
        let pool = store::connect(&self.postgres.url(TEMPLATE), PoolSize(2), "bench").await?;
        store::migrate(&pool).await?;
        pool.close().await;
        if self.counts {
            let mut admin = self.connect(TEMPLATE).await?;
            run(&mut admin, format!("CREATE EXTENSION {COUNTER}")).await?;
            admin.close().await?;
        }
        Ok(())
    }

    /// Opens connections to an existing database.
    pub async fn open(&self, name: &str) -> anyhow::Result<Database> {
        let url = self.postgres.url(name);
        let pool = store::connect(&url, PoolSize(16), "bench").await?;
        Ok(Database { name: name.to_owned(), url, pool })
    }

    /// Drops the database.
    pub async fn drop(&self, database: Database) -> anyhow::Result<()> {
        database.pool.close().await;
        let mut admin = self.connect("postgres").await?;
        run(&mut admin, format!("DROP DATABASE {} WITH (FORCE)", database.name)).await?;
        Ok(admin.close().await?)
    }

    /// Returns the counters for the database of this connection.
    pub async fn done(&self, conn: &mut PgConnection) -> anyhow::Result<Done> {
        let (commits, wal_bytes): (f64, f64) = sqlx::query_as(
            "SELECT pg_stat_get_db_xact_commit(oid)::float8, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8
             FROM pg_database WHERE datname = current_database()",
        )
        .fetch_one(&mut *conn)
        .await?;
        let counted = "SELECT coalesce(sum(s.calls), 0)::float8 FROM pg_stat_statements(false) AS s
                       JOIN pg_database AS d ON d.oid = s.dbid WHERE d.datname = current_database()";
        let statements =
            if self.counts { Some(sqlx::query_scalar(counted).fetch_one(&mut *conn).await?) } else { None };
        Ok(Done { statements, commits, wal_bytes })
    }

    /// Whether it counts statements.
    pub const fn counts(&self) -> bool {
        self.counts
    }

    /// Returns the path of its log.
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("postgres/server.log")
    }

    /// Returns the postmaster's process id.
    pub fn postmaster(&self) -> anyhow::Result<u32> {
        let file = fs::read_to_string(self.folder.path().join("postgres/data/postmaster.pid"))?;
        Ok(file.lines().next().context("a process id")?.parse()?)
    }

    /// Returns the ids of the server's processes, the postmaster's first.
    pub fn processes(&self) -> anyhow::Result<Vec<u32>> {
        family(self.postmaster()?)
    }

    /// Returns the CPU time that the server has used with all of its processes, in seconds.
    pub fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let processes = self.processes()?;
        let (postmaster, others) = processes.split_first().context("the server runs")?;
        // The postmaster's time includes processes that have ended.
        let others = others.iter().filter_map(|pid| stat(*pid).ok()).map(|stat| stat.own_seconds);
        Ok(stat(*postmaster)?.with_children_seconds + others.sum::<f64>())
    }

    /// Returns a connection without the service's timeouts, for statements that take minutes.
    pub async fn connect(&self, database: &str) -> sqlx::Result<PgConnection> {
        self.postgres.connect_options(database).connect().await
    }
}

async fn run(admin: &mut PgConnection, statement: String) -> sqlx::Result<()> {
    sqlx::query(AssertSqlSafe(statement)).execute(admin).await.map(drop)
}

/// One measurement's database.
pub struct Database {
    /// Its name.
    pub name: String,
    /// Its URL.
    pub url: String,
    /// Connections of the harness.
    pub pool: PgPool,
}

impl Database {
    /// Whether the query returns a row.
    pub async fn has(&self, query: &'static str) -> anyhow::Result<bool> {
        Ok(sqlx::query(query).fetch_optional(&self.pool).await?.is_some())
    }
}
