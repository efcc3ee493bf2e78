//! Around each operation: what it refuses, and what the framework refuses on its behalf, becomes one envelope.
//!
//! It is put around the endpoints as they enter the route table, so that it still sees the framework's typed errors.
//! What has no endpoint (an unknown route, a wrong method) and panics are `outer`'s.

use crate::app::API_PATH;
use crate::error::{Answer, ApiError, Code};
use crate::openapi::{self, Operation};
use bytes::Bytes;
use poem::endpoint::BoxEndpoint;
use poem::error::{MethodNotAllowedError, NotFoundError, ResponseError};
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Endpoint, EndpointExt, IntoResponse, Request, Response};
use poem_openapi::OpenApi;
use poem_openapi::error::{
    AuthorizationError, ContentTypeError, ParseParamError, ParsePathError, ParseRequestPayloadError,
};
use poem_openapi::registry::{MetaApi, Registry};
use std::collections::HashMap;
use std::sync::Arc;

/// The operations of `T`, each guarded.
pub struct Guarded<T>(pub T);

/// The route's template, on every answer of an operation: the `http_route` of the metrics.
#[derive(Debug, Clone)]
pub struct Template(pub Arc<str>);

/// On an answer that refuses: which code, for the metrics. An answer without it was not shaped yet.
#[derive(Debug, Clone, Copy)]
pub struct Refused(pub Code);

/// On every request whose body was read: its bytes, to be judged by.
#[derive(Debug, Clone)]
pub struct SentBody(pub Bytes);

/// The media type that a request says it has, in lower case, without its parameters.
pub fn media_type(request: &Request) -> String {
    let said = request.content_type().unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// On every request that reached an operation: which one.
#[derive(Clone, Copy)]
pub struct Reached(pub &'static Operation);

type Table = HashMap<String, HashMap<Method, BoxEndpoint<'static>>>;

impl<T: OpenApi> OpenApi for Guarded<T> {
    fn meta() -> Vec<MetaApi> {
        T::meta()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn add_routes(self, table: &mut Table) {
        let mut plain = Table::new();
        self.0.add_routes(&mut plain);
        for (path, methods) in plain {
            let guarded = methods.into_iter().map(|(method, inner)| {
                let operation = openapi::document().operation(&method, &path);
                let template = operation.map_or(path.as_str(), |operation| &operation.path);
                let guard = Guard { inner, template: format!("{API_PATH}{template}").into(), operation };
                (method, guard.boxed())
            });
            table.entry(path.clone()).or_default().extend(guarded.collect::<Vec<_>>());
        }
    }
}

struct Guard {
    inner: BoxEndpoint<'static>,
    template: Arc<str>,
    operation: Option<&'static Operation>,
}

impl Endpoint for Guard {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let envelope = Envelope::of(&self.template);
        let mut response = match self.reach(&mut request) {
            Err(refusal) => envelope.refuse(&refusal),
            Ok(()) => match self.inner.call(request).await {
                Ok(response) => response,
                Err(error) => envelope.refuse(&classify(error)),
            },
        };
        response.set_data(Template(self.template.clone()));
        Ok(response)
    }
}

impl Guard {
    /// Says which operation was reached, and judges the request unless its caller has to be known first.
    fn reach(&self, request: &mut Request) -> Answer<()> {
        let Some(operation) = self.operation else { return Ok(()) };
        request.set_data(Reached(operation));
        if operation.takes_credential { Ok(()) } else { operation.judge(request) }
    }
}

/// Which of the two error envelopes of spec §7 a path takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    /// `{ok: false, error: …}`.
    Tool,
    /// `{error: {code, message, status}}`.
    Route,
}

impl Envelope {
    /// By the path alone, so that an unknown tool is refused in the tools' form.
    pub fn of(path: &str) -> Self {
        let tool = path.strip_prefix(API_PATH).is_some_and(|rest| rest.starts_with("/tools/"));
        if tool { Self::Tool } else { Self::Route }
    }

    /// The refusal's JSON.
    pub fn body(self, error: &ApiError) -> String {
        let body = match self {
            Self::Tool => error.tool_body(),
            Self::Route => error.route_body(),
        };
        body.to_string()
    }

    /// The refusal as an answer.
    pub fn refuse(self, error: &ApiError) -> Response {
        let mut response = Response::builder()
            .status(error.code().status())
            .content_type("application/json; charset=utf-8")
            .body(self.body(error));
        if let Some(seconds) = error.retry_after_seconds() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if error.code().status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.set_data(Refused(error.code()));
        response
    }
}

/// What a framework's error means to a caller. Ours pass through.
pub fn classify(error: poem::Error) -> ApiError {
    let error = match error.downcast::<ApiError>() {
        Ok(ours) => return ours,
        Err(error) => error,
    };
    if error.is::<AuthorizationError>() {
        return ApiError::new(Code::Unauthenticated, "No credential was sent.")
            .suggest("Send `Authorization: Bearer <API key>`.");
    }
    if let Some(error) = error.downcast_ref::<ParseRequestPayloadError>() {
        return payload_refusal(&error.reason);
    }
    if let Some(error) = error.downcast_ref::<ParseParamError>() {
        return ApiError::new(Code::InvalidRequest, format!("`{}`: {}", error.name, plain(&error.reason)));
    }
    if let Some(error) = error.downcast_ref::<ParsePathError>() {
        return ApiError::new(Code::InvalidRequest, format!("`{}`: {}", error.name, plain(&error.reason)));
    }
    if let Some(error) = error.downcast_ref::<ContentTypeError>() {
        return ApiError::new(Code::UnsupportedMediaType, format!("The body must be application/json: {error}."));
    }
    if error.is::<NotFoundError>() {
        return ApiError::new(Code::RouteNotFound, "There is no such route.");
    }
    if error.is::<MethodNotAllowedError>() {
        return ApiError::new(Code::MethodNotAllowed, "The route has other methods; see Allow.");
    }
    by_status(error)
}

/// An error of the framework that nothing above knows, by its status.
fn by_status(error: poem::Error) -> ApiError {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(Code::RequestTooLarge, "The body is larger than 1 MiB."),
        status if status.is_client_error() => ApiError::new(Code::InvalidRequest, plain(&error.to_string())),
        _ => ApiError::internal(error),
    }
}

/// `serde_json`'s errors name a line and a column; those of the parsed value don't.
fn payload_refusal(reason: &str) -> ApiError {
    if reason.contains(" at line ") && reason.contains(" column ") {
        return ApiError::new(Code::InvalidJson, format!("The body is not JSON: {reason}."));
    }
    ApiError::new(Code::InvalidRequest, plain(reason))
}

/// The framework's words without its types.
fn plain(reason: &str) -> String {
    let reason = reason.split(" (occurred while parsing").next().unwrap_or(reason);
    let words = reason.strip_prefix("failed to parse ").and_then(|rest| rest.split_once(": "));
    let mut text = words.map_or(reason, |(_, rest)| rest).trim().to_owned();
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

/// For an error that reaches the server without passing a guard.
impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        debug_assert_eq!(ResponseError::status(&self), self.code().status());
        Envelope::Route.refuse(&self)
    }
}
