//! `mws migrate`: brings a database's schema up to date, and ends.
//!
//! Every process does the same when it starts. This command does it once, before the processes of a new release start
//! and apart from them: in a one-shot of compose, a Job of Kubernetes, or a step before a unit.

use crate::database::runtime;
use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::{document, print};
use anyhow::Context;
use runtime::config::Settings;
use serde_json::json;
use store::{PoolSize, inspect};

/// The database to migrate.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  DATABASE_URL=postgres://… mws migrate
  DATABASE_URL_FILE=/run/secrets/database-url mws migrate")]
pub struct MigrateArgs {
    #[command(flatten)]
    settings: Settings,
}

impl MigrateArgs {
    /// The settings, to be changed before logging starts.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }
}

/// Migrates the database, and prints the schema's version.
pub fn run(args: MigrateArgs, globals: &Globals) -> Result<(), Failure> {
    let mut settings = args.settings;
    settings.read_secret_files().context("a secret can't be read")?;
    let Some(url) = settings.database_direct_url.or(settings.database_url) else {
        return Err(Failure::Usage("name the database: DATABASE_URL, or DATABASE_URL_FILE".to_owned()));
    };
    let version = runtime()?.block_on(async {
        let pool = store::connect(&url, PoolSize(1), "mws-migrate").await.context("the database can't be reached")?;
        store::migrate(&pool).await.context("the schema could not be brought up to date")?;
        let version = inspect::schema_version(&mut *pool.acquire().await?).await?;
        anyhow::Ok(version)
    })?;
    if globals.json { document(&json!({ "schema": version })) } else { print(&format!("schema {version}")) }
}
