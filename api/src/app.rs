//! What every request may use: the process, the settings and the URLs the service is known by.
//!
//! One value, made at start, cheap to clone. It holds no state of a request: that is `scope`.

use crate::limits::Blocked;
use common::config::ApiSettings;
use common::process::Process;
use std::ops::Deref;
use std::sync::Arc;

/// Where every path of the interface begins (spec §9).
pub const API_PATH: &str = "/api/v1";

/// The parts that handlers share.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// What [`App`] derefs to.
pub struct Parts {
    /// Settings, pool, wake-ups and the shutdown signal.
    pub process: Process,
    /// Settings of the api alone.
    pub api: ApiSettings,
    /// The URL clients reach the service by, without a path and without a slash at its end.
    pub public_url: String,
    /// `public_url` and the version segment (spec, `{base_url}`).
    pub base_url: String,
    /// Who is over the rate limit, so that a flood costs no queries.
    pub blocked: Blocked,
}

impl App {
    /// Puts the parts together.
    pub fn new(process: Process, api: ApiSettings) -> Self {
        let public_url = api.public_url.clone().unwrap_or_else(|| format!("http://{}", api.listen));
        let public_url = public_url.trim_end_matches('/').to_owned();
        let base_url = format!("{public_url}{API_PATH}");
        Self(Arc::new(Parts { process, api, public_url, base_url, blocked: Blocked::new() }))
    }

    /// A connection from the pool.
    pub async fn conn(&self) -> sqlx::Result<sqlx::pool::PoolConnection<sqlx::Postgres>> {
        self.process.pool.acquire().await
    }
}

impl Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}
