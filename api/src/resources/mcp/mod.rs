//! `/mcp`: the tools over the Model Context Protocol, by streamable HTTP (contract §1, §4.4).
//!
//! A face of the registry, not another implementation: a call is handed to the very endpoint that answers `POST
//! /api/v1/tools/<name>`, under the request id, the caller and the rate that were settled here. Every message is a
//! request of its own, so any process may answer it. `server` speaks the protocol, `tools` is the list, `prompts` are
//! the workspace's skills, `metadata` says where tokens come from.

mod metadata;
mod prompts;
mod schema;
mod server;
mod tools;

pub use schema::json_schema;

use crate::app::App;
use crate::auth::{PreAuthenticated, caller_of};
use crate::contract::refuse_doubled;
use crate::http::answers::holding;
use crate::http::error::{ApiError, Code};
use crate::http::refusal::{Envelope, Refused, classify};
use crate::http::request::{SentBody, Template, media_type};
use domain::ids::AccountId;
use poem::endpoint::TowerCompatExt;
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Endpoint, EndpointExt, Request, Response, Route, post};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use server::{Calls, Kept, Server};
use std::sync::Arc;

/// Where it is, below the public URL.
pub const MCP_PATH: &str = "/mcp";
/// A refusal's words are no longer than this.
const MOST_WORDS: usize = 1 << 10;

/// The protocol's endpoint and its metadata; `calls` answers `POST /api/v1/tools/<name>`.
pub fn add_to(route: Route, app: &App, calls: Calls) -> Route {
    let route = metadata::add_to(route, app);
    route.at(MCP_PATH, post(Mcp { inner: service(app, calls), app: app.clone(), challenge: metadata::url(app) }))
}

fn service(app: &App, calls: Calls) -> impl Endpoint<Output = Response> + use<> {
    let server = Server::new(app, calls);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(hosts(app))
        .with_allowed_origins([app.public_url.clone()])
        .with_cancellation_token(app.process.shutdown.child_token());
    let manager = Arc::new(NeverSessionManager::default());
    StreamableHttpService::new(move || Ok(server.clone()), manager, config).compat().map_to_response()
}

/// The names this service is called by: a page elsewhere that makes its own name lead here is not answered.
fn hosts(app: &App) -> Vec<String> {
    let public = app.public_url.split_once("://").map_or(app.public_url.as_str(), |(_, authority)| authority);
    let loopback = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
    let mut hosts = vec![public.to_owned(), app.api.listen.to_string()];
    hosts.extend(loopback);
    hosts.extend(app.api.mcp_hosts.iter().cloned());
    hosts
}

/// The protocol, for callers who are known.
struct Mcp<E> {
    inner: E,
    app: App,
    /// Where the metadata is that says how to become one.
    challenge: String,
}

impl<E: Endpoint<Output = Response>> Endpoint for Mcp<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let mut response = match caller_of(&request).await {
            Ok(caller) => match request.data::<SentBody>().map_or(Ok(()), |SentBody(sent)| refuse_doubled(sent)) {
                Ok(()) => {
                    let (kept, account) = (Kept::default(), caller.account_id);
                    request.set_data(PreAuthenticated(caller));
                    request.set_data(kept.clone());
                    let is_json = media_type(&request) == "application/json";
                    let response = shaped(self.inner.get_response(request).await, is_json).await;
                    kept.is_made();
                    self.housed(account, response, kept).await
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
    /// The answer, with room for what it is now: of a few words too, which repeat the request's id, and that is as long
    /// as its client likes.
    async fn housed(&self, account: AccountId, mut response: Response, kept: Kept) -> Response {
        // The transport has it whole, and hands it on as a stream that does not say how long it is.
        let body = response.take_body().into_bytes().await.map_err(ApiError::internal);
        let held = body.and_then(|body| Ok((self.app.answers.hold(account, body.len() as u64)?, body)));
        match held {
            Ok((room, body)) => {
                response.set_body(body);
                holding(response, (kept, room))
            }
            Err(refusal) => Envelope::Route.refuse(&refusal),
        }
    }

    /// A 401 says where a client learns how to get a token (RFC 9728, section 5.1).
    fn turned_away(&self, request: &Request, refusal: &ApiError) -> Response {
        let mut response = Envelope::Route.refuse(refusal);
        if response.status() == StatusCode::UNAUTHORIZED {
            let sent = request.headers().contains_key(header::AUTHORIZATION);
            let error = if sent { "error=\"invalid_token\", " } else { "" };
            let challenge = format!("Bearer {error}resource_metadata=\"{}\"", self.challenge);
            if let Ok(challenge) = HeaderValue::from_str(&challenge) {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
        }
        response
    }
}

/// An answer of the protocol as it is, and a refusal of its transport in our envelope. The transport calls JSON that is
/// no message of the protocol an unsupported type, which it is not.
async fn shaped(mut response: Response, is_json: bool) -> Response {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let code = match status {
        StatusCode::PAYLOAD_TOO_LARGE => Code::RequestTooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE if !is_json => Code::UnsupportedMediaType,
        // The page or the name that a request comes by.
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
