//! What is kept of a request once it is answered: its metrics, its span and a line of the log.

use crate::http::error::Code;
use crate::http::refusal::Refused;
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::server::traced::named;
use poem::Response;
use poem::http::Method;
use runtime::telemetry::{OnceAMinute, traces};
use std::time::Duration;
use tokio::time::Instant;
use tracing::Span;

/// An answer that takes longer is logged.
const SLOW: Duration = Duration::from_secs(5);

/// What was logged of answers to callers whose account is not known, by route and status. Strangers may cause as many
/// of these as they like.
pub(super) type ToldOfStrangers = OnceAMinute<(String, u16)>;

/// Counts an answer, ends its span and logs it.
pub(super) fn record(
    method: &Method,
    scope: &Scope,
    response: &Response,
    took: Duration,
    traced: &Span,
    told: &ToldOfStrangers,
) {
    let template =
        response.data::<Template>().map_or_else(|| "unmatched".to_owned(), |template| template.0.to_string());
    let (method, status) = (named(method).to_owned(), response.status().as_u16());
    traces::rename(traced, format!("{method} {template}"));
    traced.record("http.route", template.as_str());
    traced.record("http.response.status_code", i64::from(status));
    let refused = response.data::<Refused>().map(|Refused(code)| *code);
    // A refusal of what a client did wrong is no error of this side's: it has a code, and no type.
    if status >= 500 {
        traced.record("otel.status_code", "ERROR");
        traced.record("error.type", refused.map_or_else(|| status.to_string(), |code| code.name().to_owned()));
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
    if let Some(code) = refused {
        metrics::counter!("mws_api_refusals_total", "code" => code.name()).increment(1);
        traced.record("error.code", code.name());
        if code == Code::RateLimited {
            metrics::counter!("mws_rate_limited_total").increment(1);
        }
    }
    if let Some(account) = scope.account.get() {
        traced.record("account.id", account.to_string());
    }
    log(&method, &template, status, scope, took, told);
}

/// Writes a line about an answer that was late or a fault, unless it is left out; about any other for debugging alone.
fn log(method: &str, route: &str, status: u16, scope: &Scope, took: Duration, told: &ToldOfStrangers) {
    let account = scope.account.get().map(ToString::to_string).unwrap_or_default();
    let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let id = scope.request_id.as_str();
    let left_out = if status < 500 && took <= SLOW {
        None
    } else if account.is_empty() {
        told.tell((route.to_owned(), status), Instant::now())
    } else {
        Some(0)
    };
    if let Some(left_out) = left_out {
        tracing::info!(
            request.id = id,
            account.id = account,
            http.route = route,
            http.status = status,
            duration_ms,
            left_out = (left_out > 0).then_some(left_out),
            "Answered {method} late or with a fault."
        );
    } else {
        tracing::debug!(
            request.id = id,
            account.id = account,
            http.route = route,
            http.status = status,
            duration_ms,
            "Answered {method}."
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::AccountId;
    use poem::http::StatusCode;
    use runtime::telemetry;
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    /// Lines of a log.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("unpoisoned").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn faults_are_logged_each_for_an_account_and_once_a_minute_of_a_kind_for_strangers() {
        let log = Log::default();
        let writer = log.clone();
        let _logs = tracing::subscriber::set_default(telemetry::subscriber("info", move || writer.clone()));
        let (told, stranger, known) = (ToldOfStrangers::default(), Scope(Arc::default()), Scope(Arc::default()));
        known.account.set(AccountId::mint()).expect("a new scope");
        let answer = |scope: &Scope, status: StatusCode, route: &'static str| {
            let mut response = Response::builder().status(status).finish();
            response.set_data(Template(route.into()));
            record(&Method::GET, scope, &response, Duration::ZERO, &Span::none(), &told);
        };
        for _ in 0..100 {
            answer(&stranger, StatusCode::SERVICE_UNAVAILABLE, "/a");
        }
        for _ in 0..3 {
            answer(&stranger, StatusCode::SERVICE_UNAVAILABLE, "/b");
            answer(&stranger, StatusCode::INTERNAL_SERVER_ERROR, "/b");
            answer(&known, StatusCode::SERVICE_UNAVAILABLE, "/c");
            answer(&stranger, StatusCode::NOT_FOUND, "/d");
        }
        let lines = String::from_utf8(log.0.lock().expect("unpoisoned").clone()).expect("text");
        let of = |route: &str| lines.lines().filter(|line| line.contains(&format!("\"{route}\""))).count();
        assert_eq!(["/a", "/b", "/c", "/d"].map(of), [1, 2, 3, 0], "{lines}");
    }
}
