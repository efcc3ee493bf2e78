//! `/mcp`: the tools over the Model Context Protocol, by streamable HTTP (contract §1, §4.4).
//!
//! It shows the tool registry over another protocol, and implements no tool: a call is handed to the endpoint that
//! answers `POST /api/v1/tools/<name>`, with the request id, the caller and the rate that were settled here. Every
//! message is its own request, so any process may answer it. `server` speaks the protocol, `result` puts a tool's
//! answer into its message, `tools` is the list, `prompts` are the workspace's skills, `metadata` says where tokens
//! come from. `operators` is apart from all of it: another endpoint, with the tools of `operator_tools`, whose refusals
//! name the next steps of `operator_steps`.

mod metadata;
mod operator_steps;
mod operator_tools;
mod operators;
mod prompts;
mod result;
mod schema;
mod server;
mod tools;

pub use operators::OPERATOR_MCP_PATH;
pub use schema::json_schema;

use crate::app::App;
use crate::app::beside::{BodyTurn, apart_in_turn_if};
use crate::auth::{PreAuthenticated, caller_of};
use crate::contract::refuse_doubled;
use crate::http::answers::{AnswerPermit, Taker, holding};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::refusal::{Envelope, Refused, classify};
use crate::http::request::{SentBody, Template, media_type};
use crate::http::scope::Scope;
use bytes::Bytes;
use domain::ids::AccountId;
use poem::endpoint::TowerCompatExt;
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Endpoint, EndpointExt, Request, Response, Route, post};
use result::CallAnswer;
use rmcp::ServerHandler;
use rmcp::model::{CallToolResponse, CallToolResult, ErrorData};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use server::{Calls, Server};
use std::sync::Arc;

/// Its path below the public URL.
pub const MCP_PATH: &str = "/mcp";
/// The longest message of a refusal, in bytes.
const MOST_WORDS: usize = 1 << 10;
/// An answer of more bytes than this is put into its message on another thread, in its account's turn.
const LARGE: usize = 256 << 10;

/// Adds the protocol's endpoint and its metadata; `calls` answers `POST /api/v1/tools/<name>`.
pub fn add_to(route: Route, app: &App, calls: Calls) -> Route {
    let route = operators::add_to(metadata::add_to(route, app), app);
    let inner = service(app, Server::new(app, calls));
    route.at(MCP_PATH, post(Mcp { inner, app: app.clone(), challenge: metadata::url(app) }))
}

/// Serves this server by streamable HTTP, without sessions.
fn service<S: ServerHandler + Clone>(app: &App, server: S) -> impl Endpoint<Output = Response> + use<S> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(hosts(app))
        .with_allowed_origins([app.public_url.clone()])
        .with_cancellation_token(app.process.shutdown.child_token());
    let manager = Arc::new(NeverSessionManager::default());
    StreamableHttpService::new(move || Ok(server.clone()), manager, config).compat().map_to_response()
}

/// Returns a tool call's result, or an error as soon as its client hangs up: the work stops then, as it does for a
/// client of the HTTP interface.
async fn until_hung_up(
    context: &RequestContext<RoleServer>,
    result: impl Future<Output = CallToolResult>,
) -> Result<CallToolResponse, ErrorData> {
    tokio::select! {
        () = context.ct.cancelled() => Err(ErrorData::internal_error("The call was given up.", None)),
        result = result => Ok(result.into()),
    }
}

/// Returns this service's host names: a request under another name is refused, so that no other site can lead here.
fn hosts(app: &App) -> Vec<String> {
    let public = app.public_url.split_once("://").map_or(app.public_url.as_str(), |(_, authority)| authority);
    let loopback = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
    let mut hosts = vec![public.to_owned(), app.api.listen.to_string()];
    hosts.extend(loopback);
    hosts.extend(app.api.operator_listen.map(|listen| listen.to_string()));
    hosts.extend(app.api.mcp_hosts.iter().cloned());
    hosts
}

/// The protocol's endpoint, for authenticated callers.
struct Mcp<E> {
    inner: E,
    app: App,
    /// The URL of the metadata that says how to get a token.
    challenge: String,
}

impl<E: Endpoint<Output = Response>> Endpoint for Mcp<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let mut response = match caller_of(&request).await {
            Ok(caller) => match judge(&request, caller.account_id.into()).await {
                Ok(()) => {
                    let (kept, account) = (CallAnswer::default(), caller.account_id);
                    request.set_data(PreAuthenticated(caller));
                    request.set_data(kept.clone());
                    let is_json = media_type(&request) == "application/json";
                    let response = shape(self.inner.get_response(request).await, is_json).await;
                    self.hold_memory(account, response, kept).await
                }
                Err(refusal) => Envelope::Route.refuse(&refusal),
            },
            Err(error) => self.turned_away(&request, &classify(error)),
        };
        response.set_data(Template(MCP_PATH.into()));
        Ok(response)
    }
}

impl<E> Mcp<E> {
    /// Returns the message with the call's answer in it, and with memory reserved for all of it. Even short ones count:
    /// they repeat the request's id, which may be as long as the client likes.
    async fn hold_memory(&self, account: AccountId, mut response: Response, kept: CallAnswer) -> Response {
        // The transport has the whole message, but passes it on as a stream without its length.
        let written = match response.take_body().into_bytes().await {
            Ok(message) => self.written(account, message, &kept).await,
            Err(error) => Err(ApiError::internal(error)),
        };
        match written {
            Ok((message, room)) => {
                response.set_body(message);
                holding(response, (kept, room))
            }
            Err(refusal) => Envelope::Route.refuse(&refusal),
        }
    }

    /// Returns the message with the call's answer in it, and its room.
    async fn written(&self, account: AccountId, message: Bytes, kept: &CallAnswer) -> Answer<(Bytes, AnswerPermit)> {
        let Some(answer) = kept.take() else {
            let room = self.app.answers.hold(account, message.len() as u64)?;
            return Ok((message, room));
        };
        let (app, kept) = (self.app.clone(), kept.clone());
        let is_large = answer.len() > LARGE;
        let work = move || {
            // The work owns what it uses: it goes on when the client hangs up.
            let _kept = kept;
            result::written(message, &answer, |bytes| app.answers.hold(account, bytes))
        };
        apart_in_turn_if(&self.app, account, is_large, work).await?
    }

    /// Returns a refusal; a 401 says where a client learns how to get a token (RFC 9728, section 5.1). So does a 429
    /// for others' wrong credentials, which came before anybody looked whether this one is right.
    fn turned_away(&self, request: &Request, refusal: &ApiError) -> Response {
        let mut response = Envelope::Route.refuse(refusal);
        let is_wrong = response.status() == StatusCode::UNAUTHORIZED;
        // Of known callers it is known how their account's rate stands.
        let is_unknown = Scope::of(request).standing.get().is_none();
        if is_wrong || (is_unknown && response.status() == StatusCode::TOO_MANY_REQUESTS) {
            let sent = request.headers().contains_key(header::AUTHORIZATION);
            let error = if sent && is_wrong { "error=\"invalid_token\", " } else { "" };
            let challenge = format!("Bearer {error}resource_metadata=\"{}\"", self.challenge);
            if let Ok(challenge) = HeaderValue::from_str(&challenge) {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
        }
        response
    }
}

/// Refuses a message that names a field twice. A long one waits for its sender's turn before it is looked at.
async fn judge(request: &Request, sender: Taker) -> Answer<()> {
    BodyTurn::wait(request, sender).await;
    request.data::<SentBody>().map_or(Ok(()), |SentBody(sent)| refuse_doubled(sent))
}

/// Passes an answer of the protocol on unchanged, and puts a refusal of its transport into this service's envelope. The
/// transport calls JSON that is not a message of the protocol an unsupported media type, which it is not.
async fn shape(mut response: Response, is_json: bool) -> Response {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let code = match status {
        StatusCode::PAYLOAD_TOO_LARGE => Code::RequestTooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE if !is_json => Code::UnsupportedMediaType,
        // The origin or the host name of the request is not allowed.
        StatusCode::FORBIDDEN => Code::OriginForbidden,
        status if status.is_client_error() => Code::InvalidRequest,
        _ => Code::Internal,
    };
    if response.content_type().is_some_and(|media| media.contains("json")) {
        response.set_data(Refused(code));
        return response;
    }
    let words = response.take_body().into_bytes_limit(MOST_WORDS).await.unwrap_or_default();
    let words = String::from_utf8_lossy(&words).into_owned();
    match code {
        Code::Internal => Envelope::Route.refuse(&ApiError::internal(format!("the MCP transport: {words}"))),
        code => Envelope::Route.refuse(&ApiError::new(code, format!("{}.", words.trim_end_matches('.')))),
    }
}
