//! The database that a command works on: the one that `DATABASE_URL` names, or the embedded server of the data folder.
//!
//! An embedded server is started on the calling thread, which must be the main one, and before a runtime is made.

use anyhow::{Context, bail};
use embedded_postgres::{EmbeddedPostgres, Options};
use runtime::config::Settings;
use std::time::Duration;

/// The embedded server's database.
const NAME: &str = "mws";
/// How often it is checked that the embedded server runs.
const LOOK: Duration = Duration::from_millis(500);

/// An open database. Stop it when the runtime has ended.
#[derive(Debug)]
pub struct Database {
    embedded: Option<EmbeddedPostgres>,
}

impl Database {
    /// Starts or adopts the embedded server when the settings name no other, and names it in the settings.
    pub fn open(settings: &mut Settings) -> anyhow::Result<Self> {
        if settings.database_url.is_some() {
            return Ok(Self { embedded: None });
        }
        let server = EmbeddedPostgres::start(&Options::new(&settings.data_dir))?;
        settings.database_url = Some(server.url(NAME));
        // The direct URL belongs to another database.
        settings.database_direct_url = None;
        Ok(Self { embedded: Some(server) })
    }

    /// Makes the embedded server's database, if it has none yet.
    pub async fn prepare(&self) -> anyhow::Result<()> {
        match &self.embedded {
            Some(server) => server.create_database_if_missing(NAME).await.context("the database can't be made"),
            None => Ok(()),
        }
    }

    /// Its kind, as it is shown.
    pub fn kind(&self) -> &'static str {
        match &self.embedded {
            None => "DATABASE_URL",
            Some(server) if server.is_owner() => "embedded",
            Some(_) => "embedded, adopted",
        }
    }

    /// Ends when the embedded server does, which is a failure; never for a server of `DATABASE_URL`.
    pub async fn wait_for_end(&mut self) -> anyhow::Result<()> {
        let Some(server) = &mut self.embedded else { return std::future::pending().await };
        while !server.has_ended() {
            tokio::time::sleep(LOOK).await;
        }
        bail!("PostgreSQL ended unasked; its log is postgres/server.log in the data folder")
    }

    /// Stops the embedded server if this process started it.
    pub fn stop(self) {
        if let Some(server) = self.embedded {
            server.stop();
        }
    }
}

/// The runtime of a command. Make it after the database is open.
pub fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    runtime::process::executor().context("the runtime can't be started")
}
