//! The only HTTP client for URLs that customers give: it reaches nothing that customers may not reach.
//!
//! It owns the connections, the deadline, and what customers see of a failure. It never uses a proxy, decompresses, or
//! retries: `domain::retry` decides when, the worker does it. Only `fetch` follows redirects, and checks each like its
//! first URL. Every request passes `domain::url_policy` twice: by its URL's text before it is sent, and by its
//! addresses when its name is resolved; a literal address passes only the first.
//!
//! One client lives as long as the process, because a client for each request would cost a TLS set-up each time. It has
//! two pools, since plain HTTP may reach only the networks that the operator names, and a resolver does not know the
//! scheme.

mod chains;
mod classify;
mod fetch;
mod file_name;
mod metered;
mod opening;
mod pool;
mod resolve;
mod shares;
mod system_names;
mod webhook;

#[cfg(test)]
pub(crate) mod test_receiver;
#[cfg(test)]
mod tests;

use domain::ids::AccountId;
use domain::url_policy::{CheckedUrl, NetworkPolicy, Plain, UrlRefused};
pub use fetch::{FetchError, FetchLimits, Fetched, Pace};
use pool::Pool;
use reqwest::redirect;
pub use resolve::Lookup;
use resolve::{ResolveError, VettingResolver};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use shares::Shares;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
pub use webhook::{AttemptOutcome, WebhookRequest};

/// The `User-Agent` that receivers see.
pub const USER_AGENT: &str = concat!("media-workspace-service/", env!("CARGO_PKG_VERSION"));

/// How long an idle connection is kept. Node and Apache close theirs after five seconds: a request that meets such a
/// close would count as a failure although the receiver is well.
const IDLE: Duration = Duration::from_secs(4);

/// How long opening a connection may take. An attempt that is not needed any more, since another connection came free,
/// ends by then too.
const LONGEST_CONNECT: Duration = Duration::from_secs(30);

/// How long resolving a name may take while an endpoint is created.
const CREATION_LOOKUP: Duration = Duration::from_secs(5);

/// Checked URLs that are remembered: those of all endpoints that a process sends to within a while.
const MOST_CHECKED: usize = 1_024;

/// How the client is set up.
#[derive(Debug, Clone, Default)]
pub struct OutboundSettings {
    /// Which addresses may be reached: `MWS_OUTBOUND_ALLOW`.
    pub policy: NetworkPolicy,
    /// Root certificates that are trusted in addition to the web's, for tests and closed networks:
    /// `MWS_OUTBOUND_ROOTS`.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// How names are resolved.
    pub lookup: Lookup,
}

/// Why the client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// An extra root certificate is not usable.
    #[error("an extra root certificate can't be used: {0}")]
    Root(String),
    /// The TLS or HTTP set-up failed.
    #[error("the outbound client can't be set up: {0}")]
    Setup(String),
}

/// Reads the certificates of a PEM file.
///
/// # Errors
/// [`OutboundError::Root`] when the text is no PEM, or holds no certificate.
pub fn roots_from_pem(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, OutboundError> {
    let roots = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let roots = roots.map_err(|error| OutboundError::Root(error.to_string()))?;
    if roots.is_empty() { Err(OutboundError::Root("the file holds none".into())) } else { Ok(roots) }
}

/// Reads the certificates of a PEM file, such as `MWS_OUTBOUND_ROOTS` names.
///
/// # Errors
/// [`OutboundError::Root`], which names the file, when it can't be read or holds no certificate.
pub fn roots_from_file(path: &Path) -> Result<Vec<CertificateDer<'static>>, OutboundError> {
    let named = |why: String| OutboundError::Root(format!("{}: {why}", path.display()));
    let pem = std::fs::read(path).map_err(|error| named(error.to_string()))?;
    roots_from_pem(&pem).map_err(|error| match error {
        OutboundError::Root(why) | OutboundError::Setup(why) => named(why),
    })
}

/// The client. Cheap to clone; all clones share their connections.
#[derive(Clone)]
pub struct OutboundClient {
    policy: Arc<NetworkPolicy>,
    lookup: Lookup,
    /// URLs of requests that were checked before. The result of a check depends only on the text and the policy.
    checked: Arc<Mutex<HashMap<String, Arc<CheckedUrl>>>>,
    /// The shares of lookups for URLs that are registered; requests have shares of their own.
    checks: Shares,
    https: Pool,
    plain: Pool,
}

impl fmt::Debug for OutboundClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundClient").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl OutboundClient {
    /// Makes the client. Call it once per process.
    ///
    /// # Errors
    /// [`OutboundError`] when a root certificate or the TLS set-up is wrong.
    pub fn new(settings: OutboundSettings) -> Result<Self, OutboundError> {
        let mut tls = tls(&settings.extra_roots)?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let policy = Arc::new(settings.policy);
        let lookup = settings.lookup;
        let requests = Shares::default();
        let pool = |plain| {
            let resolver = VettingResolver::new(lookup.clone(), policy.clone(), plain, requests.clone());
            Pool::new(tls.clone(), resolver)
        };
        let (https, plain) = (pool(Plain::No), pool(Plain::Yes));
        Ok(Self { policy, lookup, checked: Arc::default(), checks: Shares::default(), https, plain })
    }

    /// Checks a URL's text; its name is not resolved.
    ///
    /// # Errors
    /// [`UrlRefused`], whose variants carry the names of codes.
    pub fn check_url(&self, url: &str) -> Result<CheckedUrl, UrlRefused> {
        self.policy.check_url(url)
    }

    /// Like [`Self::check_url`], for a URL of many requests: its text is parsed and judged once.
    ///
    /// # Errors
    /// [`UrlRefused`]; a refusal is not remembered.
    pub fn checked_before(&self, url: &str) -> Result<Arc<CheckedUrl>, UrlRefused> {
        // A panic while the lock is held leaves nothing half done.
        let known = || self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(checked) = known().get(url) {
            return Ok(Arc::clone(checked));
        }
        let checked = Arc::new(self.check_url(url)?);
        let mut known = known();
        if known.len() >= MOST_CHECKED {
            known.clear();
        }
        known.insert(url.to_owned(), Arc::clone(&checked));
        Ok(checked)
    }

    /// Checks a URL that this account registers (contract §6.3): its text, and the addresses that its name has now. A
    /// public name that does not resolve now is accepted with https, since every request checks again.
    ///
    /// # Errors
    /// [`UrlRefused`].
    pub async fn check_resolves_public(&self, url: &str, account: AccountId) -> Result<CheckedUrl, UrlRefused> {
        self.check_resolves_within(url, account, CREATION_LOOKUP).await
    }

    async fn check_resolves_within(
        &self,
        url: &str,
        account: AccountId,
        limit: Duration,
    ) -> Result<CheckedUrl, UrlRefused> {
        let checked = self.check_url(url)?;
        let Some(name) = checked.name() else { return Ok(checked) };
        let plain = if checked.is_plain() { Plain::Yes } else { Plain::No };
        let resolver = VettingResolver::new(self.lookup.clone(), self.policy.clone(), plain, self.checks.clone());
        match tokio::time::timeout(limit, resolver.vetted(name.to_owned(), Some(account))).await {
            Ok(Err(ResolveError::Refused(refused))) => Err(refused),
            Ok(Ok(_)) => Ok(checked),
            Ok(Err(ResolveError::Failed | ResolveError::Ours)) | Err(_) => {
                self.policy.check_unresolved(&checked)?;
                Ok(checked)
            }
        }
    }

    /// Returns the pool for a checked URL.
    fn pool(&self, url: &CheckedUrl) -> &Pool {
        if url.is_plain() { &self.plain } else { &self.https }
    }
}

/// Returns a client for URLs that the operator has configured, such as the media store's or a token issuer's. It
/// applies no address policy, because those may well be private: never call a customer's URL with it. It follows no
/// redirect and uses no proxy.
///
/// # Errors
/// As [`OutboundClient::new`].
pub fn trusted_client(extra_roots: &[CertificateDer<'static>]) -> Result<reqwest::Client, OutboundError> {
    let built = trusted(extra_roots)?.read_timeout(Duration::from_secs(30)).build();
    built.map_err(|error| OutboundError::Setup(error.to_string()))
}

/// Like [`trusted_client`], for requests that take long, because of what they send or what is done with it. It waits
/// for a response as long as the caller does, who must set a limit.
///
/// # Errors
/// As [`OutboundClient::new`].
pub fn sending_client(extra_roots: &[CertificateDer<'static>]) -> Result<reqwest::Client, OutboundError> {
    // A server that vanished is noticed by TCP keepalive, not by a timeout of its response.
    let built = trusted(extra_roots)?.pool_idle_timeout(IDLE).tcp_keepalive(Duration::from_secs(15)).build();
    built.map_err(|error| OutboundError::Setup(error.to_string()))
}

#[expect(clippy::disallowed_methods, reason = "this module owns the only HTTP client")]
fn trusted(extra_roots: &[CertificateDer<'static>]) -> Result<reqwest::ClientBuilder, OutboundError> {
    Ok(reqwest::Client::builder()
        .tls_backend_preconfigured(tls(extra_roots)?)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .user_agent(USER_AGENT)
        .connect_timeout(Duration::from_secs(5)))
}

fn tls(extra_roots: &[CertificateDer<'static>]) -> Result<rustls::ClientConfig, OutboundError> {
    let mut roots: rustls::RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    for root in extra_roots {
        roots.add(root.clone()).map_err(|error| OutboundError::Root(error.to_string()))?;
    }
    // The provider is named here, so that it does not matter whether `main` has installed one.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| OutboundError::Setup(error.to_string()))?;
    let verifier = chains::Bounded::new(roots, provider)?;
    let mut config = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
