//! What the router answers before any handler runs, and while the database is away: no database is needed for either.

use crate::app::App;
use crate::app::beside::LONG;
use crate::app::late_answers::Answered;
use crate::http::address::{NOWHERE, network};
use crate::http::answers::Taker;
use crate::http::error::Code;
use crate::http::refusal::{Envelope, classify};
use crate::http::scope::Scope;
use crate::server::outer::Outer;
use clap::Parser;
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use poem::http::{HeaderMap, Method, StatusCode};
use poem::{Endpoint, Request, RequestBuilder, Response};
use runtime::config::{ApiSettings, Settings};
use runtime::process::Process;
use serde_json::Value;
use sqlx::postgres::PgPoolOptions;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    api: ApiSettings,
}

const KEY: &str = "Bearer es_live_0123456789abcdef0123456789abcdef";

/// The router over a database that no one can reach, and what ends it.
fn router() -> (impl Endpoint<Output = Response>, CancellationToken) {
    let (app, shutdown) = app();
    (super::router(app), shutdown)
}

/// What came back, read to its end.
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

fn request(method: Method, path: &str) -> RequestBuilder {
    Request::builder().method(method).uri_str(path)
}

fn get(path: &str) -> Request {
    request(Method::GET, path).finish()
}

fn post(path: &str) -> Request {
    request(Method::POST, path).finish()
}

async fn send(router: &impl Endpoint, request: Request) -> Reply {
    let mut response = router.get_response(request).await;
    let text = response.take_body().into_string().await.expect("a body of text");
    Reply { status: response.status(), headers: response.headers().clone(), text }
}

/// An app over that database, and what ends it.
pub(crate) fn app() -> (App, CancellationToken) {
    app_with(|_, _| ())
}

#[tokio::test]
async fn operators_may_have_a_port_of_their_own_and_customers_find_nothing_of_theirs_on_the_other() {
    let (customers, _shutdown) = app_with(|_, api| api.operator_listen = "127.0.0.1:1".parse().ok());
    let operators = super::router(customers.for_operators());
    let customers = super::router(customers);
    for path in ["/api/v1/operator/accounts", "/api/v1/operator/mcp", "/api/v1/operator/nope", "/metrics"] {
        let signed = request(Method::GET, path).header("authorization", KEY).finish();
        refused(&customers, signed, StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    }
    let unsigned = get("/api/v1/operator/accounts");
    refused(&operators, unsigned, StatusCode::UNAUTHORIZED, Code::Unauthenticated).await;
    assert_eq!(send(&operators, get("/metrics")).await.status, StatusCode::OK);
    for path in ["/api/v1/keys", "/docs", "/api/v1/tools"] {
        refused(&operators, get(path), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    }
    for healthy in [send(&customers, get("/healthz")).await, send(&operators, get("/healthz")).await] {
        assert_eq!(healthy.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn operators_routes_may_be_for_some_addresses_alone() {
    let (app, _shutdown) = app_with(|_, api| api.operator_allow = vec!["10.1.0.0/16".parse().expect("a network")]);
    let router = super::router(app);
    // A request of this test comes from no address at all.
    for path in ["/api/v1/operator/accounts", "/api/v1/operator/mcp", "/metrics"] {
        refused(&router, get(path), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    }
    refused(&router, get("/api/v1/keys"), StatusCode::UNAUTHORIZED, Code::Unauthenticated).await;
}

/// An app whose settings were changed by `change`, with a database that can't be reached.
pub(crate) fn app_with(change: impl FnOnce(&mut Settings, &mut ApiSettings)) -> (App, CancellationToken) {
    runtime::process::install_crypto();
    let folder = std::env::temp_dir().join(format!("mws-api-tests-{}", std::process::id()));
    let secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let mut arguments = Arguments::parse_from(["api", "--secret-key", secret]);
    arguments.settings.data_dir = folder.clone();
    change(&mut arguments.settings, &mut arguments.api);
    let pool = PgPoolOptions::new()
        .acquire_timeout(Duration::from_millis(200))
        .connect_lazy("postgres://mws@localhost/none?host=/nonexistent")
        .expect("a pool that connects when it is used");
    let process = Process::over(arguments.settings, pool).expect("a process");
    let shutdown = process.shutdown.clone();
    (crate::assemble(process, arguments.api).expect("an app"), shutdown)
}

async fn refused(router: &impl Endpoint, request: Request, status: StatusCode, code: Code) -> Reply {
    let reply = send(router, request).await;
    assert_eq!(reply.status, status, "{}", reply.text);
    assert!(reply.header("x-request-id").is_some());
    // Nobody is known here, and nobody has no numbers.
    assert_eq!(reply.header("x-ratelimit-remaining"), None);
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    let body: Value = serde_json::from_str(&reply.text).expect("JSON");
    assert_eq!(body["error"]["code"], code.name());
    assert_eq!(body["error"]["message"].as_str().map(str::is_empty), Some(false));
    assert_eq!(body["ok"].is_boolean(), body["error"]["retryable"].is_boolean());
    assert_eq!(body["ok"].is_null(), body["error"]["status"].is_number());
    reply
}

#[tokio::test]
async fn what_the_router_refuses_has_the_envelope_of_its_path() {
    let (router, _shutdown) = router();
    refused(&router, get("/api/v1/nope"), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    refused(&router, get("/nope"), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    refused(&router, post("/api/v1/tools/nope"), StatusCode::NOT_FOUND, Code::ToolNotFound).await;
    for (method, path, allowed) in [
        (Method::PUT, "/api/v1/keys", "POST, GET, HEAD"),
        (Method::GET, "/api/v1/tools/prepare_media", "POST"),
        (Method::PUT, "/l/anything", "GET, POST, HEAD"),
        (Method::PUT, "/l/anything/comments", "GET, POST, HEAD"),
        (Method::POST, "/l/anything/media", "GET, HEAD"),
        (Method::GET, "/console/out", "POST"),
    ] {
        let wrong = request(method, path).finish();
        let reply = refused(&router, wrong, StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed).await;
        assert_eq!(reply.header("allow"), Some(allowed));
    }
}

#[tokio::test]
async fn no_credential_is_refused_before_the_body_is_judged() {
    let (router, _shutdown) = router();
    let unsigned = request(Method::POST, "/api/v1/tools/prepare_media").content_type("application/json").body("{");
    let reply = refused(&router, unsigned, StatusCode::UNAUTHORIZED, Code::Unauthenticated).await;
    assert!(reply.header("www-authenticate").is_some());
    let wrong = request(Method::GET, "/api/v1/keys").header("authorization", "Bearer nonsense").finish();
    refused(&router, wrong, StatusCode::UNAUTHORIZED, Code::Unauthenticated).await;
}

#[tokio::test]
async fn a_database_that_is_away_is_503_with_retry_after_and_no_hang() {
    let (router, _shutdown) = router();
    let signed = request(Method::POST, "/api/v1/tools/prepare_media").header("authorization", KEY).finish();
    let reply = refused(&router, signed, StatusCode::SERVICE_UNAVAILABLE, Code::DatabaseUnavailable).await;
    assert_eq!(reply.header("retry-after"), Some("2"));
    assert_eq!(send(&router, get("/healthz")).await.status, StatusCode::OK);
    assert_eq!(send(&router, get("/readyz")).await.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_body_is_read_up_to_its_cap_and_judged_by_its_field() {
    let (router, _shutdown) = router();
    let redeem = || request(Method::POST, "/api/v1/sessions/redeem").content_type("application/json");
    refused(&router, redeem().body(vec![b' '; (1 << 20) + 1]), StatusCode::PAYLOAD_TOO_LARGE, Code::RequestTooLarge)
        .await;
    let long = redeem().header("content-length", 1 << 20).body(vec![b' '; 1 << 20]);
    let refusal = refused(&router, long, StatusCode::BAD_REQUEST, Code::InvalidJson).await;
    assert_eq!(refusal.header("connection"), Some("close"), "it may come before the body has been read");
    let short = redeem().header("content-length", 8).body("{\"code\":");
    let refusal = refused(&router, short, StatusCode::BAD_REQUEST, Code::InvalidJson).await;
    assert_eq!(refusal.header("connection"), None);
    refused(&router, redeem().body("{\"code\":false}"), StatusCode::BAD_REQUEST, Code::InvalidRequest).await;
    refused(&router, redeem().body("{\"code\":\"x\",\"more\":1}"), StatusCode::BAD_REQUEST, Code::InvalidRequest).await;
    refused(&router, redeem().body("{\"code\":\"x\"}"), StatusCode::BAD_REQUEST, Code::CodeMalformed).await;
    let plain = request(Method::POST, "/api/v1/sessions/redeem").content_type("text/plain").body("x");
    refused(&router, plain, StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType).await;
    let odd = request(Method::GET, "/api/v1/keys").header("idempotency-key", "\u{e9}").finish();
    refused(&router, odd, StatusCode::BAD_REQUEST, Code::InvalidRequest).await;
}

#[tokio::test]
async fn a_long_body_waits_for_its_senders_turn_and_a_short_one_for_nobody() {
    let (app, _shutdown) = app();
    let router = super::router(app.clone());
    let redeem = |bytes: usize| {
        let body = format!("[{}0]", "0,".repeat(bytes / 2));
        request(Method::POST, "/api/v1/sessions/redeem").content_type("application/json").body(body)
    };
    let stranger = Taker::Network(network(NOWHERE));
    let turn = app.turns.bodies(stranger, LONG + 1).turn(stranger).await;
    let mut long = Box::pin(send(&router, redeem(LONG)));
    assert!(long.as_mut().now_or_never().is_none(), "its sender's turn is taken");
    let short = send(&router, redeem(100)).now_or_never().expect("it waits for nobody");
    drop(turn);
    for reply in [short, long.await] {
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{}", reply.text);
        assert!(reply.text.contains("expected an object, found a list"), "{}", reply.text);
    }
}

#[tokio::test]
async fn what_no_rate_counts_comes_late_first_refusals_and_then_pages_and_probes() {
    let (app, shutdown) = app();
    let router = super::router(app.clone());
    let wrong = || [get("/nope"), get("/api/v1/nope"), post("/docs"), get("/api/v1/keys")];
    refused(&router, get("/nope"), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    for request in wrong() {
        assert!(send(&router, request).now_or_never().is_some(), "the first are sent at once");
    }
    // It comes from nowhere, as the requests of this test do.
    let stranger = Scope(Arc::default());
    for _ in 0..1_250 {
        // It is counted, though nobody waits for it.
        let _ = app.late_answers.wait(&stranger, Answered::Refused, &shutdown).now_or_never();
    }
    tokio::task::yield_now().await;
    for request in wrong() {
        let path = request.uri().path().to_owned();
        assert!(send(&router, request).now_or_never().is_none(), "{path}");
    }
    for (path, status) in [
        ("/api/v1/openapi.json", StatusCode::OK),
        ("/healthz", StatusCode::OK),
        ("/readyz", StatusCode::SERVICE_UNAVAILABLE),
    ] {
        let asked = pin!(send(&router, get(path)));
        let late = pin!(send(&router, get("/nope")));
        let Either::Left((reply, _)) = select(asked, late).await else { panic!("{path} waited as refusals do") };
        assert_eq!(reply.status, status, "{path}: {}", reply.text);
    }
    for _ in 0..2_500 {
        let _ = app.late_answers.wait(&stranger, Answered::Served, &shutdown).now_or_never();
    }
    tokio::task::yield_now().await;
    for path in ["/api/v1/openapi.json", "/healthz", "/readyz"] {
        assert!(send(&router, get(path)).now_or_never().is_none(), "{path} comes late after a thousand");
    }
}

#[tokio::test]
async fn a_panic_is_answered_as_internal_and_tells_nothing_of_itself() {
    let (app, _shutdown) = app();
    let panics = poem::endpoint::make_sync(|_| -> Response { panic!("hunter2") });
    let router = Outer::new(panics, app);
    let reply = refused(&router, get("/api/v1/tools/x"), StatusCode::INTERNAL_SERVER_ERROR, Code::Internal).await;
    assert!(!reply.text.contains("hunter2"));
}

#[tokio::test]
async fn a_handler_that_never_ends_is_given_up_and_one_that_takes_a_stream_is_not() {
    let (app, _shutdown) = app();
    let hangs = poem::endpoint::make(|_| std::future::pending::<Response>());
    let router = Outer::new(hangs, app.clone()).within(Duration::from_millis(20));
    for path in ["/api/v1/operator/accounts", "/api/v1/tools/x", "/mcp"] {
        let late = refused(&router, post(path), StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable).await;
        assert_eq!(late.header("retry-after"), Some("2"));
    }
    let streams = poem::endpoint::make(|_| async {
        // Ten ticks are longer than the others may take.
        let mut ticks = tokio::time::interval(Duration::from_millis(5));
        for _ in 0..10 {
            ticks.tick().await;
        }
        Response::default()
    });
    let router = Outer::new(streams, app).within(Duration::from_millis(20));
    let stream = request(Method::PUT, "/api/v1/uploads/upl_1/content").finish();
    assert_eq!(send(&router, stream).await.status, StatusCode::OK);
}

#[tokio::test]
async fn metrics_are_kept_off_the_customers_port_where_they_have_one_of_their_own() {
    let (app, _shutdown) = app();
    assert_eq!(send(&super::router(app), get("/metrics")).await.status, StatusCode::OK);
    let (app, _shutdown) = app_with(|settings, _| settings.health_listen = Some(([127, 0, 0, 1], 9_000).into()));
    let router = super::router(app);
    refused(&router, get("/metrics"), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    assert_eq!(send(&router, get("/healthz")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_clients_request_id_comes_back() {
    let (router, _shutdown) = router();
    let named = request(Method::GET, "/api/v1/keys").header("x-request-id", "mine-1").finish();
    assert_eq!(send(&router, named).await.header("x-request-id"), Some("mine-1"));
}

#[tokio::test]
async fn a_stopping_process_answers_503() {
    let (router, shutdown) = router();
    shutdown.cancel();
    let late = refused(&router, get("/api/v1/keys"), StatusCode::SERVICE_UNAVAILABLE, Code::ShuttingDown).await;
    assert_eq!(late.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn the_document_and_its_pages_are_served_with_what_they_need() {
    let (router, _shutdown) = router();
    let document = send(&router, get("/api/v1/openapi.json")).await;
    assert_eq!(document.status, StatusCode::OK);
    assert_eq!(document.text, crate::openapi::document().compact.as_str());
    for page in ["/docs", "/reference"] {
        let shown = send(&router, get(page)).await;
        assert_eq!(shown.status, StatusCode::OK);
        assert!(shown.text.contains("\"openapi\":\"3.0.3\""), "{page} shows the patched document");
    }
}

#[test]
fn every_code_keeps_its_status_and_its_words_in_both_envelopes() {
    for code in Code::ALL {
        let error = crate::http::error::ApiError::new(*code, "words");
        assert_eq!(error.tool_body()["error"]["retryable"], code.retryable());
        assert_eq!(error.route_body()["error"]["status"], code.status().as_u16());
        let response = Envelope::Tool.refuse(&classify(error.into()));
        assert_eq!(response.status(), code.status());
        let waits = matches!(response.status().as_u16(), 429 | 503);
        assert_eq!(response.headers().contains_key("retry-after"), waits, "{code:?}");
    }
}
