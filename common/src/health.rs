//! `/healthz`, `/readyz` and `/metrics`, which every process answers (design.md, "Settings").
//!
//! The worker and the scheduler serve them alone, where `MWS_HEALTH_LISTEN` says; so does the api, which mounts them beside
//! its routes too, `/metrics` only where it is not served elsewhere. Nothing here takes a credential.

use crate::measure;
use crate::process::Process;
use crate::store;
use metrics_exporter_prometheus::PrometheusHandle;
use poem::http::StatusCode;
use poem::listener::TcpListener;
use poem::{Body, Endpoint, EndpointExt, Response, Route, Server, get};
use serde_json::json;
use sqlx::PgPool;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a check may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// When to ask again a process that is not ready.
const RETRY_AFTER_SECONDS: u64 = 1;
/// A queue loop that has not beaten for this long hangs.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// The last sign of life of a process's queue loop. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Beat(Arc<Mutex<Instant>>);

impl Beat {
    /// Alive now.
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    /// A sign of life: call it at every round of the loop.
    pub fn touch(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn is_recent(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < LONGEST_SILENCE
    }
}

impl Default for Beat {
    fn default() -> Self {
        Self::new()
    }
}

/// What the answers are made of. Cheap to clone.
#[derive(Clone)]
pub struct Health {
    pool: PgPool,
    beat: Option<Beat>,
    decoders: Arc<OnceLock<&'static str>>,
    recorder: Option<PrometheusHandle>,
}

impl Health {
    /// Of this process; `beat` is its queue loop's, if it has one.
    pub fn new(process: &Process, beat: Option<Beat>) -> Self {
        let recorder = match measure::recorder() {
            Ok(recorder) => Some(recorder.clone()),
            Err(error) => {
                tracing::warn!(error = %error, "Nothing is measured: another recorder is installed.");
                None
            }
        };
        Self { pool: process.pool.clone(), beat, decoders: Arc::clone(&process.decoders), recorder }
    }

    /// The three routes.
    pub fn routes(&self) -> Route {
        let page = self.clone();
        self.probes().at("/metrics", get(poem::endpoint::make_sync(move |_| page.page())))
    }

    /// The two that balancers ask, which tell nothing of how much there is to do.
    pub fn probes(&self) -> Route {
        let ready = self.clone();
        Route::new().at("/healthz", get(poem::endpoint::make_sync(|_| "ok\n"))).at(
            "/readyz",
            get(poem::endpoint::make(move |_| {
                let health = ready.clone();
                async move { health.ready().await }
            })),
        )
    }

    async fn ready(&self) -> Response {
        let (database, migrations) = match timeout(PATIENCE, self.pending_migrations()).await {
            Ok(Ok(0)) => ("ok", "ok"),
            Ok(Ok(_)) => ("ok", "pending"),
            Ok(Err(_)) | Err(_) => ("unreachable", "unknown"),
        };
        let queue = match &self.beat {
            None => "none",
            Some(beat) if beat.is_recent() => "ok",
            Some(_) => "silent",
        };
        let ready = migrations == "ok" && queue != "silent";
        let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let decoders = self.decoders.get().unwrap_or(&"none here");
        let body = json!({
            "ready": ready, "database": database, "migrations": migrations, "queue": queue, "decoders": decoders,
        });
        let response = Response::builder().status(status).content_type("application/json");
        let response = if ready { response } else { response.header("retry-after", RETRY_AFTER_SECONDS) };
        response.body(body.to_string())
    }

    async fn pending_migrations(&self) -> sqlx::Result<i64> {
        let mut conn = self.pool.acquire().await?;
        store::pending_migrations(&mut conn).await
    }

    fn page(&self) -> Response {
        let idle = f64::from(u32::try_from(self.pool.num_idle()).unwrap_or(u32::MAX));
        let busy = (f64::from(self.pool.size()) - idle).max(0.0);
        metrics::gauge!("mws_db_pool_connections", "state" => "idle").set(idle);
        metrics::gauge!("mws_db_pool_connections", "state" => "busy").set(busy);
        let body = self.recorder.as_ref().map(PrometheusHandle::render).unwrap_or_default();
        Response::builder().content_type("text/plain; version=0.0.4; charset=utf-8").body(Body::from(body))
    }
}

/// Serves the three routes alone, if the settings name an address.
pub fn serve(process: &Process, beat: Option<Beat>) {
    let Some(listen) = process.settings.health_listen else { return };
    let (health, shutdown) = (Health::new(process, beat), process.shutdown.clone());
    tokio::spawn(async move {
        let server = Server::new(TcpListener::bind(listen));
        let ended = server.run_with_graceful_shutdown(endpoint(&health), shutdown.cancelled(), Some(PATIENCE)).await;
        report(listen, ended);
    });
}

fn endpoint(health: &Health) -> impl Endpoint + use<> {
    health.routes().map_to_response()
}

fn report(listen: SocketAddr, ended: std::io::Result<()>) {
    if let Err(error) = ended {
        tracing::error!(listen = %listen, error = %error, "Health and metrics are not served.");
    }
}
