//! The outermost layer: the request's id, the answer's headers, metrics, and refusals of requests without an operation.
//!
//! Nothing here knows an operation. A panic inside becomes `internal` here, and is logged once. `scoped` takes up what
//! is known of the request, `unshaped` refuses what no operation answers, and `headers` and `recorded` finish every
//! answer.

mod headers;
mod meant;
mod recorded;
mod scoped;
mod unshaped;

use crate::app::App;
use crate::app::beside::call_beside;
use crate::app::doors::{self, CONSOLE_PATH, Door};
use crate::app::late_answers::Answered;
use crate::auth::PreAuthenticated;
use crate::http::API_PATH;
use crate::http::address::{NOWHERE, is_trusted, network};
use crate::http::answers::Taker;
use crate::http::body::{BodyPermit, is_streamed, refuse_odd_coding, take_in};
use crate::http::error::{ApiError, Code};
use crate::http::refusal::{Envelope, Refused};
use crate::http::scope::Scope;
use crate::http::shares::Share;
use crate::http::thread_time::timed;
use crate::resources::calendar_feed::FEEDS_PATH;
use crate::resources::link_page::PAGES_PATH;
use crate::resources::mcp::MCP_PATH;
use crate::resources::portal::PORTAL_PATH;
use crate::resources::uploads::tus;
use crate::server::traced::traced;
use futures_util::FutureExt;
pub use headers::add_headers;
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Endpoint, Request, Response};
use recorded::{ToldOfStrangers, record};
use scoped::scope;
pub use scoped::unknown_scope;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tracing::{Instrument, Span};
use unshaped::unshaped;

/// How long a handler may take: longer than a long poll (30 s) and the longest statement (30 s) together. One that is
/// slower waits for something that hangs, and the caller is told so.
const LONGEST: Duration = Duration::from_secs(75);

/// The outermost endpoint.
pub struct Outer<E> {
    inner: E,
    app: App,
    longest: Duration,
    told: ToldOfStrangers,
}

impl<E: Endpoint<Output = Response>> Outer<E> {
    /// Wraps `inner`, whose errors are answers already.
    pub fn new(inner: E, app: App) -> Self {
        Self { inner, app, longest: LONGEST, told: ToldOfStrangers::default() }
    }

    /// As [`Self::new`], with handlers that may take this long.
    #[cfg(test)]
    pub fn within(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }

    /// Takes a place among the requests of the client's address, if they come through a trusted proxy. Other clients'
    /// connections are counted instead.
    fn take_share(&self, request: &Request) -> Result<Option<Share<IpAddr>>, ApiError> {
        let connection = request.remote_addr().as_socket_addr().map(SocketAddr::ip);
        let is_proxy = connection.is_some_and(|from| is_trusted(from, &self.app.api.trusted_proxies));
        let client = Scope::of(request).address.unwrap_or(NOWHERE);
        if !is_proxy || Some(client) == connection.map(|from| from.to_canonical()) {
            return Ok(None);
        }
        let share = self.app.of_address.take(network(client), self.app.api.max_address_connections);
        let message = "Your address has as many requests under way as one may.";
        share.map(Some).ok_or_else(|| ApiError::new(Code::RateLimited, message))
    }

    async fn answer(&self, mut request: Request, envelope: Envelope) -> Response {
        if let Err(refusal) = refuse_odd_coding(&request) {
            return envelope.refuse(&refusal);
        }
        let (path, address) = (request.uri().path(), Scope::of(&request).address);
        if !doors::lets_in(self.app.door, path, address, &self.app.api.operator_allow) {
            if self.app.door != Door::Customers {
                tracing::warn!(client.address = ?address, "Operators' routes were asked for from an address that is not let in.");
            }
            return unshaped(&self.app.contract, envelope, StatusCode::NOT_FOUND, request.method(), path);
        }
        let versioned = request.uri().path().starts_with(API_PATH);
        let for_clients = is_for_clients(request.uri().path());
        if for_clients && self.app.process.shutdown.is_cancelled() {
            return envelope.refuse(&ApiError::new(Code::ShuttingDown, "This process is stopping. Try again."));
        }
        // A streamed body has deadlines of its own.
        let longest = if for_clients && !is_streamed(&request) { self.longest } else { Duration::MAX };
        let taken =
            if for_clients { take_in(&self.app.body_memory, &mut request).await } else { Ok(BodyPermit::default()) };
        let _room = match taken {
            Ok(room) => room,
            Err(refusal) => return envelope.refuse(&refusal),
        };
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let scope = Scope::of(&request);
        let count = |taken| {
            if let Some(reckoned) = scope.reckoned.get() {
                reckoned.settle(taken);
            }
        };
        let answering = AssertUnwindSafe(timed(call_beside(&self.inner, request), count)).catch_unwind();
        let Ok(ended) = timeout(longest, answering).await else { return envelope.refuse(&given_up(longest)) };
        let response = match ended {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => error.into_response(),
            Err(panic) => return envelope.refuse(&ApiError::internal(panic_message(panic.as_ref()))),
        };
        // Some 503 answers, as that of readiness, have a body of their own.
        let routed = ![StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&response.status());
        if !versioned && routed {
            return response;
        }
        if is_refused(&response) && response.data::<Refused>().is_none() {
            unshaped(&self.app.contract, envelope, response.status(), &method, &path)
        } else {
            response
        }
    }
}

impl<E: Endpoint<Output = Response>> Endpoint for Outer<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        meant::read(&mut request);
        let (started, method) = (Instant::now(), request.method().clone());
        let speaks_tus = request.header(tus::RESUMABLE).is_some();
        let envelope = Envelope::of(request.uri().path());
        // Probes ask every other second, and are not worth a trace.
        let traced = if is_for_clients(request.uri().path()) { traced(&method) } else { Span::none() };
        let scope = scope(&self.app, &request, &traced);
        request.set_data(scope.clone());
        request.set_data(self.app.clone());
        let may_stay_unread = may_stay_unread(&request);
        let refused_as = refused_as(&request);
        // Everything that is logged meanwhile names the request.
        let span = tracing::error_span!("request", request.id = scope.request_id.as_str());
        let place = self.take_share(&request);
        let response = match &place {
            Ok(_) => self.answer(request, envelope).instrument(span).instrument(traced.clone()).await,
            Err(refusal) => envelope.refuse(refusal),
        };
        // What an answer waits on purpose is no part of how long it took.
        let took = started.elapsed();
        // It keeps its place meanwhile, and is not late without one: so no address has more of a proxy's connections
        // waiting than it may.
        if place.is_ok() {
            let served = refused_as == Answered::Refused && !is_refused(&response);
            let answered = if served { Answered::Served } else { refused_as };
            self.app.late_answers.wait(&scope, answered, &self.app.process.shutdown).await;
        }
        let mut response = self.app.answers.housed(envelope, Taker::of(&scope), response);
        add_headers(&self.app, &scope, &mut response);
        if may_stay_unread && !response.is_success() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if speaks_tus {
            tus::add_version(&mut response);
        }
        record(&method, &scope, &response, took, &traced, &self.told);
        Ok(response)
    }
}

/// Returns as what this request is answered, if it is refused. A probe that says no was served.
fn refused_as(request: &Request) -> Answered {
    if request.data::<PreAuthenticated>().is_some() {
        Answered::Inside
    } else if doors::is_probe(request.uri().path()) {
        Answered::Served
    } else {
        Answered::Refused
    }
}

fn is_refused(response: &Response) -> bool {
    response.status().is_client_error() || response.status().is_server_error()
}

/// Whether a refusal may come before the request's body was read to its end: it is long, or of unknown length. The
/// connection is closed then, and a client that is not told so may send its next request on it.
fn may_stay_unread(request: &Request) -> bool {
    const SURELY_READ: u64 = 16 << 10;
    let bytes = request.header(header::CONTENT_LENGTH).and_then(|bytes| bytes.parse::<u64>().ok());
    bytes.is_some_and(|bytes| bytes > SURELY_READ) || request.headers().contains_key(header::TRANSFER_ENCODING)
}

/// The refusal of a request whose handler was dropped, with its open transaction.
fn given_up(longest: Duration) -> ApiError {
    let seconds = longest.as_secs();
    tracing::warn!("A request was given up: what it asked did not answer.");
    ApiError::new(Code::Unavailable, format!("There was no answer within {seconds} s, and the request was given up."))
        .retry_after(2)
}

/// The message of a panic; the panic hook has logged the place.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a handler panicked: {}", words.unwrap_or_default())
}

/// Whether the path is for people or programs; false for those of probes.
fn is_for_clients(path: &str) -> bool {
    let begins = [API_PATH, PAGES_PATH, FEEDS_PATH, CONSOLE_PATH, PORTAL_PATH];
    path == MCP_PATH || begins.iter().any(|begin| path.starts_with(begin))
}
