//! `/healthz`, `/readyz` and `/metrics`, which every process serves (`mws up --help`).
//!
//! The worker and the scheduler serve them on `MWS_HEALTH_LISTEN`. So does the api, which also mounts them beside its
//! routes, `/metrics` only if it is not served elsewhere. No credential is needed, so a check is made, and a page is
//! written, once a second at most, however many ask. A process is ready when it can write to the database and its
//! queue's loops go round. The state of its duties is shown too, but does not make it unready, since clients need not
//! go elsewhere for it.

use crate::measure;
use crate::media::MediaStore;
use crate::process::{DatabaseClock, Process};
use crate::signs::{Loops, Signs};
use bytes::Bytes;
use metrics_exporter_prometheus::PrometheusHandle;
use poem::http::StatusCode;
use poem::listener::TcpListener;
use poem::{Endpoint, EndpointExt, Response, Route, Server, get};
use serde_json::json;
use sqlx::PgPool;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::fleet::{self, Member, Service};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// How long a check of the database may take.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Seconds after which to ask a process again that is not ready.
const RETRY_AFTER_SECONDS: u64 = 1;
/// How long a result is reused.
const KEPT: Duration = Duration::from_secs(1);

/// The state of the database, as `/readyz` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Database {
    state: &'static str,
    migrations: &'static str,
}

impl Database {
    const UNREACHABLE: Self = Self { state: "unreachable", migrations: "unknown" };

    fn of(checked: &sqlx::Result<i64>) -> Self {
        match checked {
            Ok(0) => Self { state: "ok", migrations: "ok" },
            Ok(_) => Self { state: "ok", migrations: "pending" },
            Err(error) if store::is_read_only(error) => Self { state: "read_only", migrations: "unknown" },
            // Such as a server whose disk is full.
            Err(sqlx::Error::Database(_)) => Self { state: "refuses", migrations: "unknown" },
            Err(_) => Self::UNREACHABLE,
        }
    }
}

/// The parts that the three routes need. Cheap to clone.
#[derive(Clone)]
pub struct Health {
    pool: PgPool,
    name: Arc<str>,
    host: Arc<str>,
    service: Service,
    signs: Signs,
    database_clock: DatabaseClock,
    media: MediaStore,
    decoders: Arc<OnceLock<&'static str>>,
    found: Arc<Mutex<Option<(Instant, Database)>>>,
    recorder: Option<PrometheusHandle>,
    written: Arc<Mutex<Option<(Instant, Bytes)>>>,
}

impl Health {
    /// The health of this process.
    pub fn new(process: &Process, service: Service) -> Self {
        let recorder = match measure::recorder() {
            Ok(recorder) => Some(recorder.clone()),
            Err(error) => {
                tracing::warn!(error = %error, "Nothing is measured: another recorder is installed.");
                None
            }
        };
        Self {
            pool: process.pool.clone(),
            name: Arc::clone(&process.name),
            host: Arc::clone(&process.host),
            service,
            signs: process.signs.clone(),
            database_clock: process.database_clock.clone(),
            media: process.media.clone(),
            decoders: Arc::clone(&process.decoders),
            found: Arc::default(),
            recorder,
            written: Arc::default(),
        }
    }

    /// The three routes.
    pub fn routes(&self) -> Route {
        let page = self.clone();
        self.probes().at(
            "/metrics",
            get(poem::endpoint::make(move |_| {
                let health = page.clone();
                async move { health.page().await }
            })),
        )
    }

    /// The two routes for load balancers, which show nothing of the load.
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
        let database = timeout(TIMEOUT, self.database()).await.unwrap_or(Database::UNREACHABLE);
        let now = Instant::now();
        let loops = self.signs.loops(now);
        let ready = database.migrations == "ok" && loops != Loops::Silent;
        let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let mut body = json!({
            "ready": ready,
            "database": database.state,
            "migrations": database.migrations,
            "queue": loops.word(),
            "decoders": self.decoders.get().unwrap_or(&"none here"),
        });
        if self.signs.has_duties() {
            body["duties"] = self.signs.duties(now);
        }
        for (name, value) in self.signs.notes() {
            body[name] = value;
        }
        let response = Response::builder().status(status).content_type("application/json");
        let response = if ready { response } else { response.header("retry-after", RETRY_AFTER_SECONDS) };
        response.body(body.to_string())
    }

    /// Returns the database's state, at most a second old. Requests at the same time share one check.
    async fn database(&self) -> Database {
        let mut found = self.found.lock().await;
        if let Some((at, database)) = *found
            && at.elapsed() < KEPT
        {
            return database;
        }
        let database = Database::of(&self.write().await);
        *found = Some((Instant::now(), database));
        database
    }

    /// Writes like everything else that must not be lost, and checks that tables can grow. Returns how many migrations
    /// are pending.
    async fn write(&self) -> sqlx::Result<i64> {
        let mut conn = self.pool.acquire().await?;
        let (name, host, clock_ahead_ms) = (&self.name, &self.host, self.database_clock.ahead_ms());
        fleet::beat(&mut conn, Member { name, host, service: self.service, clock_ahead_ms }).await?;
        fleet::probe_room(&mut conn).await?;
        store::pending_migrations(&mut conn).await
    }

    /// Returns the metrics, at most a second old, since rendering them takes milliseconds of a core.
    async fn page(&self) -> Response {
        let mut written = self.written.lock().await;
        let text = match &*written {
            Some((at, text)) if at.elapsed() < KEPT => text.clone(),
            _ => {
                let health = self.clone();
                let text = tokio::task::spawn_blocking(move || health.measured()).await.unwrap_or_default();
                *written = Some((Instant::now(), text.clone()));
                text
            }
        };
        drop(written);
        Response::builder().content_type("text/plain; version=0.0.4; charset=utf-8").body(text)
    }

    fn measured(&self) -> Bytes {
        let idle = f64::from(u32::try_from(self.pool.num_idle()).unwrap_or(u32::MAX));
        let busy = (f64::from(self.pool.size()) - idle).max(0.0);
        metrics::gauge!("mws_db_pool_connections", "state" => "idle").set(idle);
        metrics::gauge!("mws_db_pool_connections", "state" => "busy").set(busy);
        if let Some(free) = self.media.free_ratio() {
            metrics::gauge!("mws_media_store_free_ratio").set(free);
        }
        self.recorder.as_ref().map(PrometheusHandle::render).unwrap_or_default().into()
    }
}

/// Serves the three routes on their own port, if the settings name an address.
pub fn serve(process: &Process, service: Service) {
    let Some(listen) = process.settings.health_listen else { return };
    let (health, shutdown) = (Health::new(process, service), process.shutdown.clone());
    tokio::spawn(async move {
        let server = Server::new(TcpListener::bind(listen));
        let ended = server.run_with_graceful_shutdown(endpoint(&health), shutdown.cancelled(), Some(TIMEOUT)).await;
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
