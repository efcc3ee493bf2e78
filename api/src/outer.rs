//! Around everything: the request's id, its caps, the answer's headers, and refusals of what has no operation.
//!
//! Nothing here knows an operation. A panic inside ends here as `internal`, logged once.

use crate::app::{API_PATH, App};
use crate::error::{ApiError, Code};
use crate::guard::{Envelope, Guarded, Refused};
use crate::limits::Standing;
use crate::routes;
use crate::scope::{Parts, Scope};
use common::clock::host_unix_seconds;
use common::ids::RequestId;
use futures_util::FutureExt;
use poem::http::{HeaderName, HeaderValue, StatusCode};
use poem::{Endpoint, EndpointExt, Request, Response, Route};
use poem_openapi::OpenApiService;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

/// Everything the api serves.
pub fn router(app: App) -> impl Endpoint<Output = Response> {
    let service = OpenApiService::new(Guarded(routes::all(&app)), "Media and Workspace Service", "1");
    let route = Route::new().nest(API_PATH, service);
    Outer { inner: route.map_to_response(), app }
}

struct Outer<E> {
    inner: E,
    app: App,
}

impl<E: Endpoint<Output = Response>> Endpoint for Outer<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let envelope = Envelope::of(request.uri().path());
        let scope = scope(&request);
        request.set_data(scope.clone());
        request.set_data(self.app.clone());
        let answered = AssertUnwindSafe(self.inner.call(request)).catch_unwind().await;
        let mut response = match answered {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => error.into_response(),
            Err(_) => envelope.refuse(&ApiError::internal("a handler panicked")),
        };
        if response.status().as_u16() >= 400 && response.data::<Refused>().is_none() {
            response = envelope.refuse(&unshaped(envelope, response.status()));
        }
        self.finish(&scope, &mut response);
        Ok(response)
    }
}

impl<E> Outer<E> {
    fn finish(&self, scope: &Scope, response: &mut Response) {
        let now = host_unix_seconds();
        let fresh = || Standing::fresh(&self.app.process.settings, now);
        let standing = scope.standing.get().copied().unwrap_or_else(fresh);
        let headers = response.headers_mut();
        let id = HeaderValue::from_str(&scope.request_id).unwrap_or(HeaderValue::from_static("req_unknown"));
        headers.insert(HeaderName::from_static("x-request-id"), id);
        headers.insert(HeaderName::from_static("x-ratelimit-limit"), standing.limit.into());
        headers.insert(HeaderName::from_static("x-ratelimit-remaining"), standing.remaining.into());
        headers.insert(HeaderName::from_static("x-ratelimit-reset"), standing.reset.into());
    }
}

fn unshaped(envelope: Envelope, status: StatusCode) -> ApiError {
    match (status, envelope) {
        (StatusCode::NOT_FOUND, Envelope::Tool) => {
            ApiError::new(Code::ToolNotFound, "There is no such tool.").suggest("GET /tools lists them.")
        }
        (StatusCode::NOT_FOUND, Envelope::Route) => ApiError::new(Code::RouteNotFound, "There is no such route."),
        (StatusCode::METHOD_NOT_ALLOWED, _) => ApiError::new(Code::MethodNotAllowed, "See Allow for the methods."),
        _ => ApiError::internal(format!("an answer of status {status} that no one shaped")),
    }
}

fn scope(request: &Request) -> Scope {
    Scope(Arc::new(Parts {
        request_id: request_id(request.header("x-request-id")),
        traceparent: request.header("traceparent").filter(|value| value.len() <= 128).map(str::to_owned),
        address: None,
        standing: OnceLock::new(),
        account: OnceLock::new(),
    }))
}

/// A client's own id is kept when it is short and plain; it ends up in logs and headers.
fn request_id(sent: Option<&str>) -> String {
    let plain = |id: &&str| {
        (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
    };
    sent.filter(plain).map_or_else(|| RequestId::mint().to_string(), str::to_owned)
}
