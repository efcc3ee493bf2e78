//! The span of a request, as it is sent to a collector of traces.

use poem::http::Method;
use tracing::Span;
use tracing::field::Empty;

/// What is sent of a request to a collector of traces, if there is one. Its path is left out: tokens stand in some.
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
    )
}

/// A method by its name, of which there are few.
pub fn named(method: &Method) -> &str {
    let known = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD, Method::OPTIONS];
    if known.contains(method) { method.as_str() } else { "_OTHER" }
}
