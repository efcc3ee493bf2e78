//! The connections to customers' servers: how they are opened, kept and read.
//!
//! It owns the check of names, TLS, the longest head and the time to connect. Only HTTP/1.1 is spoken: each request has
//! its connection for itself, and what a server can make us do besides its response is bounded (`metered`).

use super::metered::{Allowances, Metered};
use super::opening::Opening;
use super::resolve::VettingResolver;
use super::{IDLE, LONGEST_CONNECT, USER_AGENT};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::header::{ACCEPT, HeaderMap, HeaderValue, USER_AGENT as USER_AGENT_HEADER};
use http::{Method, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::error::Error as StdError;
use std::io;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tower::Service;
use url::Url;

/// Bytes that a response's head may have.
const LONGEST_HEAD: usize = 64 * 1024;

/// Silence after which TCP keepalive probes an open connection, also the time between probes, and how many there are.
const PROBE_AFTER: Duration = Duration::from_secs(15);
const PROBES: u32 = 3;

/// The connections of one scheme. Cheap to clone; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Pool(Client<Connector, Full<Bytes>>);

impl Pool {
    /// Makes a pool. The resolver decides which names and addresses may be reached.
    #[expect(clippy::disallowed_methods, reason = "this module owns the only client for customers' URLs")]
    pub(super) fn new(tls: rustls::ClientConfig, resolver: VettingResolver) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(PROBE_AFTER));
        tcp.set_keepalive_interval(Some(PROBE_AFTER));
        tcp.set_keepalive_retries(Some(PROBES));
        // A server that vanished is noticed by data that it does not acknowledge.
        tcp.set_tcp_user_timeout(Some(LONGEST_CONNECT));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .http1_max_buf_size(LONGEST_HEAD)
            .build(Connector(HttpsConnector::from((Plain(tcp), tls))));
        Self(client)
    }

    /// Sends one request and returns the response, whose body is not read yet.
    ///
    /// # Errors
    /// [`Unsent`]: HTTP can't carry the URL, or the request failed.
    pub(super) async fn send(
        &self,
        method: Method,
        url: &Url,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Unsent> {
        headers.insert(USER_AGENT_HEADER, HeaderValue::from_static(USER_AGENT));
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = Uri::try_from(url.as_str())?;
        *request.headers_mut() = headers;
        Ok(self.0.request(request).await?)
    }
}

/// Why a request has no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unsent {
    /// A URL whose characters no request can carry.
    #[error("the URL can't be sent")]
    Url(#[from] http::uri::InvalidUri),
    /// The connection could not be opened, or broke.
    #[error("the request failed")]
    Failed(#[from] Error),
}

/// Returns the allowances of the connection that this response came on.
pub(super) fn allowances(answer: &Response<Incoming>) -> Option<Allowances> {
    answer.extensions().get().cloned()
}

/// Whether this response came on the connection that this measurement is of.
pub(super) fn is_opened_by(answer: &Response<Incoming>, opening: &Opening) -> bool {
    answer.extensions().get::<Opening>().is_some_and(|of_connection| of_connection.is(opening))
}

/// Returns the next bytes of a body; none at its end.
///
/// # Errors
/// When the body breaks off or is malformed.
pub(super) async fn next_chunk(body: &mut Incoming) -> Result<Option<Bytes>, hyper::Error> {
    while let Some(frame) = body.frame().await {
        // Trailers are ignored.
        if let Ok(chunk) = frame?.into_data() {
            return Ok(Some(chunk));
        }
    }
    Ok(None)
}

/// Opens connections, each within `LONGEST_CONNECT`.
#[derive(Debug, Clone)]
struct Connector(HttpsConnector<Plain>);

/// Opens connections without TLS, each of which counts what is read from it.
#[derive(Clone)]
struct Plain(HttpConnector<VettingResolver>);

type BoxError = Box<dyn StdError + Send + Sync>;
/// The connection below TLS, or below HTTP if there is no TLS.
type Below = TokioIo<Metered<TcpStream>>;
/// The connection below HTTP.
type Above = TokioIo<Metered<TokioIo<MaybeHttpsStream<Below>>>>;

impl Service<Uri> for Plain {
    type Response = Below;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Below, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let (began, measured, opening) = (Instant::now(), Opening::of_task(), self.0.call(to));
        Box::pin(async move {
            let tcp = opening.await?.into_inner();
            measured.connected(began);
            Ok(TokioIo::new(Metered::below(tcp)))
        })
    }
}

impl Service<Uri> for Connector {
    type Response = Above;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Above, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let (began, measured, opening) = (Instant::now(), Opening::of_task(), self.0.call(to));
        Box::pin(async move {
            let opened = timeout(LONGEST_CONNECT, opening).await;
            let stream = opened.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            let below = match &stream {
                MaybeHttpsStream::Http(plain) => plain.inner(),
                MaybeHttpsStream::Https(tls) => {
                    measured.secured(began);
                    tls.inner().get_ref().0.inner().inner()
                }
            };
            let below = below.allowance();
            Ok(TokioIo::new(Metered::above(TokioIo::new(stream), below).opened_by(measured)))
        })
    }
}
