//! The HTTP interface: tools, routes, and the OpenAPI document that describes them.
//!
//! `routes` names every group once; `outer` and `guard` surround them, so that a handler only decides and answers.
//! Nothing here runs a read or sends a webhook: that is the worker's.

pub mod access;
mod address;
mod answers;
pub mod app;
mod audit;
pub mod auth;
pub mod balances;
mod deliveries;
pub mod dispatch;
pub mod doors;
pub mod envelope;
pub mod error;
mod event_stream;
mod events;
mod explain;
mod guard;
mod guesses;
mod holding;
pub mod idempotency;
mod intake;
pub mod keys;
pub mod library;
mod limits;
mod links;
mod mcp;
pub mod media;
pub mod models;
pub mod oauth;
mod once;
mod openapi;
pub mod operation;
pub mod operator;
mod outer;
pub mod paging;
mod projects;
mod quotas;
mod router;
pub mod routes;
mod scope;
mod searches;
mod serve;
pub mod sessions;
mod shares;
mod suggestion;
pub mod text;
pub mod thumbnails;
pub mod tools;
mod twice;
pub mod uploads;
mod webhook_secret;
mod webhooks;
pub mod workspaces;

use crate::app::App;
use common::config::ApiSettings;
use common::process::Process;
use common::store::fleet::{self, Service};
use tokio::net::TcpListener;

pub use router::router;
pub use serve::serve;

/// Serves until the process is told to end, and lets answers that are under way finish.
pub async fn run(process: Process, api: ApiSettings) -> anyhow::Result<()> {
    let (listen, operators) = (api.listen, api.operator_listen);
    common::health::serve(&process, Service::Api);
    let (pool, name) = (process.pool.clone(), process.name.clone());
    let app = App::new(process, api)?;
    tracing::info!(listen = %listen, base_url = %app.base_url, "The api listens.");
    let customers = serve(TcpListener::bind(listen).await?, app.clone());
    match operators {
        None => customers.await?,
        Some(listen) => {
            let listener = TcpListener::bind(listen).await?;
            tracing::info!(listen = %listener.local_addr()?, "Operators' routes are on a port of their own.");
            tokio::try_join!(customers, serve(listener, app.for_operators()))?;
        }
    }
    if let Ok(mut conn) = pool.acquire().await {
        // Without the database the row stays for a day, and nobody is misled by it.
        let _ = fleet::leave(&mut conn, &name).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
