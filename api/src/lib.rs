//! The HTTP interface: tools, routes, and the OpenAPI document that describes them.
//!
//! Its floors, from the ground: `http` (errors, texts, rates), `contract` (what each operation promises), `oauth`
//! (tokens), `app` (the state that requests share), `auth` (who calls), `usecases` (what operations do, and every
//! transaction), `resources` (the operations), `routes` (all of them), `openapi` (the document), `server` (connections
//! and what surrounds every request). A floor uses only those below it; `tests/all/floors` holds that. Nothing here
//! runs a read or sends a webhook: the worker does.

pub mod app;
mod auth;
pub mod contract;
pub mod http;
mod oauth;
mod openapi;
mod resources;
mod routes;
mod server;
pub mod usecases;

use crate::app::{App, AppError};
use runtime::config::ApiSettings;
use runtime::process::Process;
use store::fleet::{self, Service};
use tokio::net::TcpListener;

pub use resources::{start_reads_on_ready, work_on_projects};
pub use server::{router, serve};
pub use usecases::operator::bulk_reruns::run_failed_reads_again;

/// Puts together the state that requests share, for this process.
///
/// # Errors
/// [`AppError`], each with the setting to change.
pub fn assemble(process: Process, api: ApiSettings) -> Result<App, AppError> {
    App::new(process, api, openapi::contract())
}

/// Serves until the process shuts down, and lets answers that are under way finish.
pub async fn run(process: Process, api: ApiSettings) -> anyhow::Result<()> {
    let (listen, operators) = (api.listen, api.operator_listen);
    runtime::health::serve(&process, Service::Api);
    let (pool, name) = (process.pool.clone(), process.name.clone());
    let app = assemble(process, api)?;
    tracing::info!(listen = %listen, base_url = %app.base_url, "The api listens.");
    let starting = tokio::spawn(start_reads_on_ready(app.clone()));
    let working = tokio::spawn(work_on_projects(app.clone()));
    let running_again = tokio::spawn(run_failed_reads_again(app.clone()));
    let customers = serve(TcpListener::bind(listen).await?, app.clone());
    match operators {
        None => customers.await?,
        Some(listen) => {
            let listener = TcpListener::bind(listen).await?;
            tracing::info!(listen = %listener.local_addr()?, "Operators' routes are on a port of their own.");
            tokio::try_join!(customers, serve(listener, app.for_operators()))?;
        }
    }
    // They end with the process's shutdown, as the servers do.
    let _ = tokio::join!(starting, working, running_again);
    if let Ok(mut conn) = pool.acquire().await {
        // While the database is away the row stays for a day, and misleads nobody.
        let _ = fleet::leave(&mut conn, &name).await;
    }
    Ok(())
}
