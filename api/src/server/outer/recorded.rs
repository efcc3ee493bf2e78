//! What is kept of a request once it is answered: its metrics, its span and a line of the log.

use crate::http::error::Code;
use crate::http::refusal::Refused;
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::server::traced::named;
use poem::Response;
use poem::http::Method;
use runtime::telemetry::traces;
use std::time::Duration;
use tracing::Span;

/// An answer that takes longer is logged.
const SLOW: Duration = Duration::from_secs(5);

/// Counts an answer, ends its span and logs it.
pub(super) fn record(method: &Method, scope: &Scope, response: &Response, took: Duration, traced: &Span) {
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
