//! The outermost layer: the request's id, the answer's headers, metrics, and refusals of requests without an operation.
//!
//! Nothing here knows an operation. A panic inside becomes `internal` here, and is logged once.

mod meant;

use crate::app::App;
use crate::app::beside::call_beside;
use crate::app::doors::{self, CONSOLE_PATH, Door};
use crate::contract::Contract;
use crate::http::API_PATH;
use crate::http::address::{self, NOWHERE, is_trusted, network};
use crate::http::answers::Taker;
use crate::http::body::{BodyPermit, is_streamed, take_in};
use crate::http::error::{ApiError, Code};
use crate::http::rate::policy;
use crate::http::refusal::{Envelope, Refused};
use crate::http::request::Template;
use crate::http::scope::{Scope, ScopeState};
use crate::http::shares::Share;
use crate::http::thread_time::timed;
use crate::resources::calendar_feed::FEEDS_PATH;
use crate::resources::link_page::{PAGES_PATH, takes_forms};
use crate::resources::mcp::{MCP_PATH, OPERATOR_MCP_PATH};
use crate::resources::portal::PORTAL_PATH;
use crate::resources::uploads::tus;
use crate::server::traced::{named, traced};
use domain::ids::RequestId;
use futures_util::FutureExt;
use poem::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use poem::{Endpoint, Request, Response};
use runtime::telemetry::traces;
use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tracing::{Instrument, Span};

/// An answer that takes longer is logged.
const SLOW: Duration = Duration::from_secs(5);

/// How long a handler may take: longer than a long poll (30 s) and the longest statement (30 s) together. One that is
/// slower waits for something that hangs, and the caller is told so.
const LONGEST: Duration = Duration::from_secs(75);

/// Headers of every answer that does not set them itself. There is no CORS: no answer is for another origin's page.
const SECURITY_HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::CACHE_CONTROL, "no-store"),
];

/// The outermost endpoint.
pub struct Outer<E> {
    inner: E,
    app: App,
    longest: Duration,
}

impl<E: Endpoint<Output = Response>> Outer<E> {
    /// Wraps `inner`, whose errors are answers already.
    pub fn new(inner: E, app: App) -> Self {
        Self { inner, app, longest: LONGEST }
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
        let (path, address) = (request.uri().path(), Scope::of(&request).address);
        if !doors::lets_in(self.app.door, path, address, &self.app.api.operator_allow) {
            if self.app.door != Door::Customers {
                tracing::warn!(client.address = ?address, "Operators' routes were asked for from an address that is not let in.");
            }
            return unshaped(&self.app.contract, envelope, StatusCode::NOT_FOUND, request.method(), path);
        }
        let versioned = request.uri().path().starts_with(API_PATH);
        let for_clients = is_for_clients(request.uri().path());
        let _share = match self.take_share(&request) {
            Ok(share) => share,
            Err(refusal) => return envelope.refuse(&refusal),
        };
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
        let refused = response.status().is_client_error() || response.status().is_server_error();
        // Some 503 answers, as that of readiness, have a body of their own.
        let routed = ![StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&response.status());
        if !versioned && routed {
            return response;
        }
        if refused && response.data::<Refused>().is_none() {
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
        // Everything that is logged meanwhile names the request.
        let span = tracing::error_span!("request", request.id = scope.request_id.as_str());
        let response = self.answer(request, envelope).instrument(span).instrument(traced.clone()).await;
        let mut response = self.app.answers.housed(envelope, Taker::of(&scope), response);
        add_headers(&self.app, &scope, &mut response);
        if may_stay_unread && !response.is_success() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if speaks_tus {
            tus::add_version(&mut response);
        }
        record(&method, &scope, &response, started.elapsed(), &traced);
        Ok(response)
    }
}

/// Whether a refusal may come before the request's body was read to its end: it is long, or of unknown length. The
/// connection is closed then, and a client that is not told so may send its next request on it.
fn may_stay_unread(request: &Request) -> bool {
    const SURELY_READ: u64 = 16 << 10;
    let bytes = request.header(header::CONTENT_LENGTH).and_then(|bytes| bytes.parse::<u64>().ok());
    bytes.is_some_and(|bytes| bytes > SURELY_READ) || request.header(header::TRANSFER_ENCODING).is_some()
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

/// The router's own refusal: there is no such path, or it has other methods.
fn unshaped(contract: &Contract, envelope: Envelope, status: StatusCode, method: &Method, path: &str) -> Response {
    match (status, envelope) {
        (StatusCode::NOT_FOUND, Envelope::Tool) => {
            let refusal = ApiError::new(Code::ToolNotFound, "There is no such tool.");
            envelope.refuse(&refusal.suggest("GET /tools lists them."))
        }
        (StatusCode::NOT_FOUND, Envelope::Route) => {
            envelope.refuse(&ApiError::new(Code::RouteNotFound, "There is no such route."))
        }
        (StatusCode::METHOD_NOT_ALLOWED, _) => {
            let allowed = allowed(contract, method, path);
            let refusal = ApiError::new(Code::MethodNotAllowed, format!("This route takes {allowed}."));
            let mut response = envelope.refuse(&refusal);
            if let Ok(allowed) = HeaderValue::from_str(&allowed) {
                response.headers_mut().insert(header::ALLOW, allowed);
            }
            response
        }
        (status, _) if status.is_client_error() => {
            envelope.refuse(&ApiError::new(Code::InvalidRequest, "The request's path or headers can't be read."))
        }
        _ => envelope.refuse(&ApiError::internal(format!("an answer of status {status} that no one shaped"))),
    }
}

/// The methods of a path for `Allow`. A path that the document does not describe is read-only; HEAD goes with GET.
fn allowed(contract: &Contract, method: &Method, path: &str) -> String {
    if path == MCP_PATH || path.strip_prefix(API_PATH) == Some(OPERATOR_MCP_PATH) {
        return "POST".to_owned();
    }
    let described = path.strip_prefix(API_PATH).map(|path| contract.methods(path)).unwrap_or_default();
    let mut names: Vec<&str> = described.into_iter().map(Method::as_str).collect();
    if names.is_empty() {
        // A path that refuses GET takes forms by POST.
        let is_read = ![Method::GET, Method::HEAD].contains(method);
        names.extend(is_read.then_some("GET"));
        names.extend((!is_read || takes_forms(path)).then_some("POST"));
    }
    if names.contains(&"GET") && !names.contains(&"HEAD") {
        names.push("HEAD");
    }
    names.join(", ")
}

/// Whether the path is for people or programs; false for those of probes.
fn is_for_clients(path: &str) -> bool {
    let begins = [API_PATH, PAGES_PATH, FEEDS_PATH, CONSOLE_PATH, PORTAL_PATH];
    path == MCP_PATH || begins.iter().any(|begin| path.starts_with(begin))
}

/// The request's scope. Its trace context is that of `traced` where spans are sent, else the client's.
fn scope(app: &App, request: &Request, traced: &Span) -> Scope {
    // A byte that is not text spoils its own entry alone, not those that a proxy has added after it.
    let lines = request.headers().get_all("x-forwarded-for").iter();
    let lines: Vec<Cow<'_, str>> = lines.map(|line| String::from_utf8_lossy(line.as_bytes())).collect();
    let connection = request.remote_addr().as_socket_addr().map(SocketAddr::ip);
    let states = request.headers().get_all("tracestate").iter().map(HeaderValue::to_str);
    let states: Vec<&str> = states.collect::<Result<_, _>>().unwrap_or_default();
    let sent = traces::of_client(request.header("traceparent"), &states);
    traces::go_on(traced, sent.as_deref());
    let request_id = request_id(request.header("x-request-id"));
    traced.record("request.id", request_id.as_str());
    Scope(Arc::new(ScopeState {
        request_id,
        method: request.method().clone(),
        traceparent: traces::traceparent(traced).or(sent),
        address: address::client(connection, Some(&lines.join(",")), &app.api.trusted_proxies),
        ..ScopeState::default()
    }))
}

/// Keeps a client's own id when it is short and plain, since it is logged and sent back; else makes one.
fn request_id(sent: Option<&str>) -> String {
    let plain = |id: &&str| {
        (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
    };
    sent.filter(plain).map_or_else(|| RequestId::mint().to_string(), str::to_owned)
}

/// The scope for the answer to bytes that never became a request.
pub fn unknown_scope() -> Scope {
    Scope(Arc::new(ScopeState { request_id: request_id(None), ..ScopeState::default() }))
}

/// Adds the headers of every answer: the request's id, the rate, and those that protect browsers.
pub fn add_headers(app: &App, scope: &Scope, response: &mut Response) {
    let id = HeaderValue::from_str(&scope.request_id).unwrap_or(HeaderValue::from_static("req_unknown"));
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-request-id"), id);
    // An unknown caller has no rate.
    if let Some(standing) = scope.standing.get() {
        headers.insert(HeaderName::from_static("x-ratelimit-limit"), standing.limit.into());
        headers.insert(HeaderName::from_static("x-ratelimit-remaining"), standing.remaining.into());
        headers.insert(HeaderName::from_static("x-ratelimit-reset"), standing.reset.into());
        if let Ok(policy) = HeaderValue::from_str(&policy(&app.process.settings)) {
            headers.insert(HeaderName::from_static("ratelimit-policy"), policy);
        }
    }
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if app.public_url.starts_with("https://") {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(year);
    }
}

fn record(method: &Method, scope: &Scope, response: &Response, took: Duration, traced: &Span) {
    let template =
        response.data::<Template>().map_or_else(|| "unmatched".to_owned(), |template| template.0.to_string());
    let (method, status) = (named(method).to_owned(), response.status().as_u16());
    traces::rename(traced, format!("{method} {template}"));
    traced.record("http.route", template.as_str());
    traced.record("http.response.status_code", status);
    if status >= 500 {
        traced.record("otel.status_code", "ERROR");
    }
    metrics::histogram!(
        "http_server_request_duration_seconds",
        "http_request_method" => method.clone(),
        "http_route" => template.clone(),
    )
    .record(took.as_secs_f64());
    // Counted by status here, and not in the histogram: seventy routes would make thousands of lines of it.
    metrics::counter!(
        "http_server_requests_total",
        "http_request_method" => method.clone(),
        "http_route" => template.clone(),
        "http_response_status_code" => status.to_string(),
    )
    .increment(1);
    if let Some(Refused(code)) = response.data::<Refused>() {
        metrics::counter!("mws_api_refusals_total", "code" => code.name()).increment(1);
        traced.record("error.code", code.name());
        if *code == Code::RateLimited {
            metrics::counter!("mws_rate_limited_total").increment(1);
        }
    }
    let account = scope.account.get().map(ToString::to_string).unwrap_or_default();
    if !account.is_empty() {
        traced.record("account.id", account.as_str());
    }
    let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let id = scope.request_id.as_str();
    if status >= 500 || took > SLOW {
        tracing::info!(
            request.id = id,
            account.id = account,
            http.route = template,
            http.status = status,
            duration_ms,
            "Answered {method} late or with a fault."
        );
    } else {
        tracing::debug!(
            request.id = id,
            account.id = account,
            http.route = template,
            http.status = status,
            duration_ms,
            "Answered {method}."
        );
    }
}

#[cfg(test)]
mod tests;
