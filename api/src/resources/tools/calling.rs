//! Calls one tool from another: as a request of its own, which the tool's own endpoint answers.
//!
//! The caller was authenticated and counted once already, as over MCP; the endpoint checks again the role, the body and
//! the Idempotency-Key. The agent of projects calls tools this way for the user whom it acts for (`call_as`), and the
//! portal's pages call any operation as the user who is signed in (`ask_as`). A call of an operator's over MCP has the
//! token of its message (`ask`).

use crate::app::App;
use crate::app::beside::{LONG, call_beside, run_beside_if};
use crate::app::operations::Operations;
use crate::auth::{Caller, PreAuthenticated};
use crate::contract::idempotency;
use crate::contract::operation::RUN_TEMPLATE;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::refusal::Refused;
use crate::http::request::SentBody;
use crate::http::scope::{Scope, ScopeState};
use bytes::Bytes;
use poem::error::ReadBodyError;
use poem::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use poem::{IntoResponse, Request, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::ToJSON;
use serde_json::Value;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// The headers that a call keeps of the request that it is made for.
const KEPT: [HeaderName; 4] = [
    header::AUTHORIZATION,
    HeaderName::from_static("x-workspace-id"),
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("traceparent"),
];
/// The most bytes of an answer that a page or an operator's tool shows.
const MOST_SHOWN: usize = 8 << 20;
const _: () = assert!(idempotency::HEADER.len() == "idempotency-key".len(), "the header that is kept is the key's");

/// A response that is passed on unchanged, documented as `T`.
pub struct Called<T>(pub Response, PhantomData<fn() -> T>);

impl<T> Called<T> {
    /// Wraps this response.
    pub const fn of(response: Response) -> Self {
        Self(response, PhantomData)
    }
}

impl<T: Send> IntoResponse for Called<T> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl<T: ToJSON> ApiResponse for Called<T> {
    fn meta() -> MetaResponses {
        <Json<T> as ApiResponse>::meta()
    }

    fn register(registry: &mut Registry) {
        <Json<T> as ApiResponse>::register(registry);
    }
}

/// The path of the tool of this name.
///
/// # Errors
/// `tool_not_found` when there is no such tool, and for `run_template`, which can't be called this way.
pub fn path_of(app: &App, tool: &str) -> Answer<String> {
    let path = format!("/tools/{tool}");
    if path == RUN_TEMPLATE || app.contract.operation(&Method::POST, &path).is_none() {
        let shown: String = tool.chars().take(64).collect();
        return Err(ApiError::new(
            Code::ToolNotFound,
            format!("There is no tool `{shown}`, or it can't be called so."),
        ));
    }
    Ok(path)
}

/// Copies the headers that a call keeps: the credential, the workspace, the Idempotency-Key and the trace.
pub fn keep_headers(sent: &HeaderMap, call: &mut Request) {
    for name in &KEPT {
        if let Some(value) = sent.get(name) {
            call.headers_mut().insert(name, value.clone());
        }
    }
}

/// Calls the tool at this path with this body.
pub async fn call(app: &App, request: &Request, caller: Caller, path: &str, arguments: &Value) -> Answer<Response> {
    let operations = app.operations.get().ok_or_else(|| ApiError::internal("a call without the routes"))?;
    let body = Bytes::from(arguments.to_string());
    let mut call =
        Request::builder().method(Method::POST).uri_str(path).content_type("application/json").body(body.clone());
    keep_headers(request.headers(), &mut call);
    call.set_data(app.clone());
    call.set_data(Scope::of(request));
    call.set_data(SentBody(body));
    call.set_data(PreAuthenticated(caller));
    Ok(ask_operation(&operations, call).await)
}

/// The answer of an operation to a request that this service makes: beside the threads that answer calls, and in its
/// account's turn, where the body is long.
async fn ask_operation(operations: &Operations, call: Request) -> Response {
    call_beside(operations, call).await.unwrap_or_else(poem::Error::into_response)
}

/// The answer of an operation that this service called itself, as it was sent.
#[derive(Debug)]
pub struct SentAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The body's bytes; none when it has more than were to be taken.
    pub body: Option<Bytes>,
    /// The code of the refusal, if it was refused.
    pub refused: Option<Code>,
    /// How long to wait before trying again.
    pub retry_after: Option<Duration>,
}

/// The answer of an operation that this service called itself, parsed.
#[derive(Debug)]
pub struct CalledAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body; null when there is none.
    pub body: Value,
    /// The code of the refusal, if it was refused.
    pub refused: Option<Code>,
    /// How long to wait before trying again.
    pub retry_after: Option<Duration>,
}

/// Calls the tool of this name on behalf of a caller who has sent no request, with this Idempotency-Key.
///
/// # Errors
/// `tool_not_found`; else as [`ask`].
pub async fn call_as(
    app: &App,
    caller: &Caller,
    tool: &str,
    arguments: &Value,
    key: Option<&str>,
) -> Answer<CalledAnswer> {
    let path = path_of(app, tool)?;
    ask_as(app, caller, Asked { method: Method::POST, path: &path, body: Some(arguments), key }).await
}

/// As [`call_as`], but returns at most `most` bytes of the answer as they were sent: a JSON value takes some twenty
/// times as much memory, so whoever parses long answers does so in a turn.
///
/// # Errors
/// `tool_not_found`; `internal` when the answer breaks off, and before the routes are set up.
pub async fn send_as(
    app: &App,
    caller: &Caller,
    tool: &str,
    arguments: &Value,
    key: Option<&str>,
    most: usize,
) -> Answer<SentAnswer> {
    let path = path_of(app, tool)?;
    let asked = Asked { method: Method::POST, path: &path, body: Some(arguments), key };
    send(app, request(app, caller, asked)?, most).await
}

/// A request that this service makes for a caller who is authenticated already.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The method.
    pub method: Method,
    /// The path below the version, with its query.
    pub path: &'a str,
    /// The body, if there is one.
    pub body: Option<&'a Value>,
    /// The Idempotency-Key, if there is one.
    pub key: Option<&'a str>,
}

/// Calls an operation as this caller, whose rights are checked as for a request from outside.
///
/// # Errors
/// As [`ask`].
pub async fn ask_as(app: &App, caller: &Caller, asked: Asked<'_>) -> Answer<CalledAnswer> {
    ask(app, request(app, caller, asked)?).await
}

/// Sends a request of this service's own to the operation that answers it. It has with it what every request has: the
/// app, its scope, its body's bytes, and a credential or a caller.
///
/// # Errors
/// `file_too_large` when the answer has more than can be shown; `internal` when it is not JSON, and before the routes
/// are set up.
pub async fn ask(app: &App, call: Request) -> Answer<CalledAnswer> {
    let SentAnswer { status, body, refused, retry_after } = send(app, call, MOST_SHOWN).await?;
    let Some(bytes) = body else {
        let message = format!("The answer has more than the {} MiB that can be shown.", MOST_SHOWN >> 20);
        return Err(ApiError::new(Code::FileTooLarge, message).suggest("Ask for less at once."));
    };
    let parsed = || run_beside_if(bytes.len() > LONG, || serde_json::from_slice(&bytes));
    let body = if bytes.is_empty() { Ok(Value::Null) } else { parsed() };
    Ok(CalledAnswer { status, body: body.map_err(ApiError::internal)?, refused, retry_after })
}

/// Sends the request, and takes at most `most` bytes of its answer.
async fn send(app: &App, call: Request, most: usize) -> Answer<SentAnswer> {
    let operations = app.operations.get().ok_or_else(|| ApiError::internal("a call without the routes"))?;
    let mut response = ask_operation(&operations, call).await;
    let refused = response.data::<Refused>().map(|Refused(code)| *code);
    let retry_after = response.headers().get(header::RETRY_AFTER).and_then(|after| after.to_str().ok()?.parse().ok());
    // Boxed: it has its buffer within.
    let body = match Box::pin(response.take_body().into_bytes_limit(most)).await {
        Ok(bytes) => Some(bytes),
        Err(ReadBodyError::PayloadTooLarge) => None,
        Err(error) => return Err(ApiError::internal(error)),
    };
    let retry_after = retry_after.map(Duration::from_secs);
    Ok(SentAnswer { status: response.status().as_u16(), body, refused, retry_after })
}

/// What is asked, as a request of this caller.
fn request(app: &App, caller: &Caller, asked: Asked<'_>) -> Answer<Request> {
    let uri: Uri = asked.path.parse().map_err(ApiError::internal)?;
    let body = asked.body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
    let mut call = Request::builder().method(asked.method).uri(uri).body(body.clone());
    if asked.body.is_some() {
        call.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    if let Some(key) = asked.key.and_then(|key| HeaderValue::from_str(key).ok()) {
        call.headers_mut().insert(idempotency::HEADER, key);
    }
    let (request_id, traceparent) = (caller.request_id.clone(), caller.traceparent.clone());
    call.set_data(Scope(Arc::new(ScopeState {
        request_id,
        traceparent,
        address: caller.address,
        ..ScopeState::default()
    })));
    call.set_data(app.clone());
    call.set_data(SentBody(body));
    // Its value is never read: the caller is known already. Without the header the framework refuses the request.
    call.headers_mut().insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer known"));
    call.set_data(PreAuthenticated(caller.clone()));
    Ok(call)
}
