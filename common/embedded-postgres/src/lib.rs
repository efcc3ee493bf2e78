//! The embedded PostgreSQL server, which the service runs when `DATABASE_URL` is unset.
//!
//! It is the system's own `postgres` program on a cluster in the data folder, reached with a password over a unix
//! socket that only its user can open. The process that starts it owns it and stops it; a second process on the same
//! folder adopts the running server and does not stop it. Everything here is synchronous and must run on the main
//! thread, before any runtime is started: the kernel ends the server when the *thread* that spawned it ends.
//!
//! `cluster` has the folders, `process` the processes, `identity` the user, `password` the password, `programs` the
//! search for PostgreSQL's programs. Nothing here knows a table: the store has the migrations.

mod cluster;
mod error;
mod identity;
mod password;
mod process;
mod programs;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Instant;

use secrecy::{ExposeSecret, SecretString};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use url::form_urlencoded::byte_serialize;

pub use error::EmbeddedError;

use cluster::Layout;
use identity::Identity;
use process::FoundServer;

/// The role that owns everything: the cluster's only superuser.
const ROLE: &str = "mws";

/// A part of the socket's name; the server listens on no port.
const PORT: u16 = 5432;

/// How to start an embedded server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The service's data folder, which may be relative and is created if missing. The server uses only `postgres` in
    /// it.
    pub data_dir: PathBuf,
    /// What a crash of the machine may lose.
    pub durability: Durability,
    /// How long the server runs.
    pub lifetime: Lifetime,
    /// Names and values of PostgreSQL settings, which override this crate's own.
    pub settings: Vec<(String, String)>,
}

impl Options {
    /// Options for a durable server in `data_dir` that ends with its caller.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            durability: Durability::Full,
            lifetime: Lifetime::WithCaller,
            settings: Vec::new(),
        }
    }
}

/// What a crash of the machine may lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that is committed.
    Full,
    /// The whole cluster. For tests only.
    Tests,
}

/// How long the server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Until its owner stops or drops it; on Linux also until the thread that started it ends, even by kill -9.
    WithCaller,
    /// Until somebody else stops it.
    Detached,
}

/// A running embedded server. Dropping the owner's value stops the server, unless it is detached.
#[derive(Debug)]
pub struct EmbeddedPostgres {
    socket_dir: PathBuf,
    lifetime: Lifetime,
    /// None when the server trusts its socket: a test's server, or one that an earlier release started and that still
    /// runs.
    password: Option<SecretString>,
    /// The server's process; none when another process started it.
    child: Option<Child>,
}

impl EmbeddedPostgres {
    /// Starts the server of `options.data_dir`, or adopts it when it is running already. Returns once it accepts
    /// connections. The first start creates the cluster, which takes a few seconds.
    ///
    /// Call it from the main thread, before a runtime is started: a server with [`Lifetime::WithCaller`] ends with
    /// the calling thread.
    pub fn start(options: &Options) -> Result<Self, EmbeddedError> {
        let began = Instant::now();
        let layout = Layout::prepare(&options.data_dir)?;
        let _one_at_a_time = layout.lock()?;
        if let Some(adopted) = Self::adopt(&layout, options.lifetime)? {
            return Ok(adopted);
        }
        let bin = programs::find()?;
        let identity = Identity::choose(&layout.data())?;
        layout.secure(&identity)?;
        identity.check_reachable(&bin)?;
        let is_new = layout.init(&bin, &identity, options.durability)?;
        let password = password::settled(&bin, &layout, &identity, options.durability, is_new)?;
        let socket_dir = layout.socket_dir(&identity)?;
        let child = process::spawn(&bin, &layout, &identity, options, &socket_dir)?;
        let took_ms = began.elapsed().as_millis();
        tracing::info!(postgres.pid = child.id(), "PostgreSQL is ready after {took_ms} ms on {}", socket_dir.display());
        Ok(Self { socket_dir, lifetime: options.lifetime, password, child: Some(child) })
    }

    fn adopt(layout: &Layout, lifetime: Lifetime) -> Result<Option<Self>, EmbeddedError> {
        match process::find_running(layout)? {
            FoundServer::Nothing => Ok(None),
            FoundServer::Running => {
                let Some(file) = layout.pid_file() else { return Ok(None) };
                tracing::info!(
                    postgres.pid = file.pid,
                    "Using the PostgreSQL that runs on {}",
                    file.socket_dir.display()
                );
                let password = password::known(layout)?;
                Ok(Some(Self { socket_dir: file.socket_dir, lifetime, password, child: None }))
            }
        }
    }

    /// Whether this process started the server, and therefore stops it.
    pub fn is_owner(&self) -> bool {
        self.child.is_some()
    }

    /// Whether the server that this process started has ended; false for an adopted one, which its owner watches.
    pub fn has_ended(&mut self) -> bool {
        self.child.as_mut().is_some_and(|child| !matches!(child.try_wait(), Ok(None)))
    }

    /// The folder of the server's socket.
    pub fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// Returns the options for a connection to `database`. They ignore the environment (`PGHOST`, `PGPASSWORD` …).
    pub fn connect_options(&self, database: &str) -> PgConnectOptions {
        let options = PgConnectOptions::new_without_pgpass()
            .socket(&self.socket_dir)
            .port(PORT)
            .username(ROLE)
            .database(database)
            .ssl_mode(sqlx::postgres::PgSslMode::Disable);
        match &self.password {
            Some(password) => options.password(password.expose_secret()),
            None => options,
        }
    }

    /// Returns the same options as a URL. It contains the password, so it must not be logged.
    pub fn url(&self, database: &str) -> String {
        let host: String = byte_serialize(self.socket_dir.as_os_str().as_encoded_bytes()).collect();
        // A form writes a space as `+`, a URL as `%20`.
        let password = password::exposed(self.password.as_ref());
        format!("postgres://{ROLE}{password}@localhost:{PORT}/{database}?host={}", host.replace('+', "%20"))
    }

    /// Creates the database `name` unless it exists. Several processes may call it at once.
    pub async fn create_database_if_missing(&self, name: &str) -> Result<(), EmbeddedError> {
        let mut connection = self.connect_options("postgres").connect().await?;
        let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)")
            .bind(name)
            .fetch_one(&mut connection)
            .await?;
        if !exists {
            let quoted = name.replace('"', "\"\"");
            let create = format!("CREATE DATABASE \"{quoted}\" OWNER {ROLE}");
            let created = sqlx::query(AssertSqlSafe(create)).execute(&mut connection).await;
            if let Err(error) = created
                && !was_made_meanwhile(&error)
            {
                return Err(error.into());
            }
        }
        connection.close().await?;
        Ok(())
    }

    /// Shuts the server down cleanly and waits for it, if this process started it. An adopted server keeps running.
    pub fn stop(mut self) {
        self.stop_child();
    }

    fn stop_child(&mut self) {
        if let Some(mut child) = self.child.take() {
            process::stop(&mut child);
            tracing::info!("PostgreSQL has stopped");
        }
    }
}

impl Drop for EmbeddedPostgres {
    fn drop(&mut self) {
        if self.lifetime == Lifetime::WithCaller {
            self.stop_child();
        }
    }
}

/// Creates the folder for the server's files. Fails when the server's user could not reach it.
pub fn check_data_dir(data_dir: &Path) -> Result<(), EmbeddedError> {
    let layout = Layout::prepare(data_dir)?;
    layout.secure(&Identity::choose(&layout.data())?)
}

/// Whether the database exists by now: `duplicate_database`, or the unique violation of two simultaneous creations.
fn was_made_meanwhile(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    matches!(code.as_deref(), Some("42P04" | "23505"))
}
