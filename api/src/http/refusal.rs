//! How a refusal becomes an answer: in which of the two envelopes, with which headers, and what the framework's own
//! errors mean.
//!
//! `error` has the codes and their words.

use super::API_PATH;
use super::error::{ApiError, Code};
use poem::error::{MethodNotAllowedError, NotFoundError, ResponseError};
use poem::http::{HeaderValue, StatusCode, header};
use poem::{IntoResponse, Response};
use poem_openapi::error::{
    AuthorizationError, ContentTypeError, ParseParamError, ParsePathError, ParseRequestPayloadError,
};

/// The code of a refusal, attached to its answer for the metrics. A refusal without it has no envelope yet.
#[derive(Debug, Clone, Copy)]
pub struct Refused(pub Code);

/// Which of the two error envelopes of contract §7 a path takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    /// `{ok: false, error: …}`.
    Tool,
    /// `{error: {code, message, status}}`.
    Route,
}

impl Envelope {
    /// Returns the envelope of this path. The path alone decides: an unknown tool is refused in the tools' form.
    pub fn of(path: &str) -> Self {
        let tool = path.strip_prefix(API_PATH).is_some_and(|rest| rest.starts_with("/tools/"));
        if tool { Self::Tool } else { Self::Route }
    }

    /// Returns the JSON of the refusal.
    pub fn body(self, error: &ApiError) -> String {
        let body = match self {
            Self::Tool => error.tool_body(),
            Self::Route => error.route_body(),
        };
        body.to_string()
    }

    /// Returns the answer that refuses.
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

/// Returns the refusal for an error of the framework. Our own pass through.
pub fn classify(error: poem::Error) -> ApiError {
    let error = match error.downcast::<ApiError>() {
        Ok(ours) => return ours,
        Err(error) => error,
    };
    if error.is::<AuthorizationError>() {
        return ApiError::new(Code::Unauthenticated, "No credential was sent.")
            .suggest("Send `Authorization: Bearer <API key>`.");
    }
    if let Some(refusal) = argument_refusal(&error) {
        return refusal;
    }
    if error.is::<NotFoundError>() {
        return ApiError::new(Code::RouteNotFound, "There is no such route.");
    }
    if error.is::<MethodNotAllowedError>() {
        return ApiError::new(Code::MethodNotAllowed, "The route has other methods; see Allow.");
    }
    by_status(error)
}

/// Returns the refusal if the body, a parameter or a part of the path could not be read; none for other errors.
fn argument_refusal(error: &poem::Error) -> Option<ApiError> {
    let named = |name: &str, reason: &str| ApiError::new(Code::InvalidRequest, format!("`{name}`: {}", plain(reason)));
    if let Some(error) = error.downcast_ref::<ParseRequestPayloadError>() {
        return Some(payload_refusal(&error.reason));
    }
    if let Some(error) = error.downcast_ref::<ParseParamError>() {
        return Some(named(error.name, &error.reason));
    }
    if let Some(error) = error.downcast_ref::<ParsePathError>() {
        return Some(named(error.name, &error.reason));
    }
    let error = error.downcast_ref::<ContentTypeError>()?;
    Some(ApiError::new(Code::UnsupportedMediaType, format!("The body must be application/json: {error}.")))
}

/// Returns the refusal for an error of the framework of which only the status is known.
fn by_status(error: poem::Error) -> ApiError {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(Code::RequestTooLarge, "The body is larger than 1 MiB."),
        status if status.is_client_error() => ApiError::new(Code::InvalidRequest, plain(&error.to_string())),
        _ => ApiError::internal(error),
    }
}

/// Returns the refusal of a body: of a text that is not JSON, whose error names a line and a column, or of a value of a
/// wrong type.
fn payload_refusal(reason: &str) -> ApiError {
    if reason.contains(" at line ") && reason.contains(" column ") {
        return ApiError::new(Code::InvalidJson, format!("The body is not JSON: {reason}."));
    }
    ApiError::new(Code::InvalidRequest, plain(reason))
}

/// Returns the framework's message without the names of its types.
fn plain(reason: &str) -> String {
    let reason = reason.split(" (occurred while parsing").next().unwrap_or(reason);
    let words = reason.strip_prefix("failed to parse ").and_then(|rest| rest.split_once(": "));
    let mut text = words.map_or(reason, |(_, rest)| rest).trim().to_owned();
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

/// Answers with an error that reaches the server without passing a guard.
impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        debug_assert_eq!(ResponseError::status(&self), self.code().status());
        Envelope::Route.refuse(&self)
    }
}
