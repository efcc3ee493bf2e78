//! What is known of a request before anything answers it: its id, its trace and the client's address.

use crate::app::App;
use crate::http::address;
use crate::http::scope::{Scope, ScopeState};
use domain::ids::RequestId;
use poem::Request;
use poem::http::HeaderValue;
use runtime::telemetry::traces;
use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;
use tracing::Span;

/// The request's scope. Its trace context is that of `traced` where spans are sent, else the client's.
pub(super) fn scope(app: &App, request: &Request, traced: &Span) -> Scope {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clients_request_id_is_kept_when_it_is_short_and_plain() {
        assert_eq!(request_id(Some("abc-1.2:3")), "abc-1.2:3");
        for odd in [None, Some(""), Some("a b"), Some("a\"b"), Some(&*"x".repeat(129))] {
            assert!(request_id(odd).starts_with("req_"), "{odd:?}");
        }
    }
}
