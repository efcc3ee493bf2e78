//! The span of a request, for a collector of traces.

use poem::http::Method;
use tracing::Span;
use tracing::field::Empty;

/// The span of a request, for a collector of traces, if there is one. Its path is left out, since some hold tokens.
pub fn traced(method: &Method) -> Span {
    runtime::span!(
        "request",
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = named(method),
        http.route = Empty,
        http.response.status_code = Empty,
        request.id = Empty,
        account.id = Empty,
        error.code = Empty,
        error.type = Empty,
    )
}

/// The name of a method, or a common one for those that are unknown.
pub fn named(method: &Method) -> &str {
    let known = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD, Method::OPTIONS];
    if known.contains(method) { method.as_str() } else { "_OTHER" }
}
