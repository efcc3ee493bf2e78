//! The HTTP interface: tools, routes, and the OpenAPI document that describes them.
//!
//! `routes` names every group once; `outer` and `guard` surround them, so that a handler only decides and answers.
//! Nothing here runs a read or sends a webhook: that is the worker's.

mod address;
pub mod app;
pub mod auth;
pub mod balances;
mod deliveries;
pub mod dispatch;
pub mod envelope;
pub mod error;
mod event_stream;
mod explain;
mod guard;
pub mod idempotency;
mod intake;
pub mod keys;
pub mod library;
mod limits;
pub mod models;
mod openapi;
pub mod operation;
mod outer;
pub mod paging;
mod projects;
mod router;
pub mod routes;
mod scope;
pub mod sessions;
pub mod text;
pub mod thumbnails;
pub mod tools;
pub mod uploads;
mod webhook_secret;
mod webhooks;
pub mod workspaces;

use crate::app::App;
use common::config::ApiSettings;
use common::process::Process;
use poem::Server;
use poem::listener::TcpListener;
use std::time::Duration;

pub use router::router;

/// How long answers that are under way have once the process is to end.
const GRACE: Duration = Duration::from_secs(10);

/// How long a connection may be silent: longer than a long poll, and than an upload may stall.
const IDLE: Duration = Duration::from_secs(90);

/// Serves until the process is told to end, and lets answers that are under way finish.
pub async fn run(process: Process, api: ApiSettings) -> anyhow::Result<()> {
    let shutdown = process.shutdown.clone();
    let listen = api.listen;
    let app = App::new(process, api)?;
    tracing::info!(listen = %listen, base_url = %app.base_url, "The api listens.");
    Server::new(TcpListener::bind(listen))
        .idle_timeout(IDLE)
        .run_with_graceful_shutdown(router(app), shutdown.cancelled(), Some(GRACE))
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests;
