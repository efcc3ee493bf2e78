//! What the router answers before any handler runs, and while the database is away: no database is needed for either.

use crate::app::App;
use crate::http::error::Code;
use crate::http::refusal::{Envelope, classify};
use crate::server::outer::Outer;
use clap::Parser;
use common::config::{ApiSettings, Settings};
use common::process::Process;
use poem::http::{Method, StatusCode};
use poem::test::{TestClient, TestRequestBuilder, TestResponse};
use poem::{Endpoint, Response};
use serde_json::Value;
use sqlx::postgres::PgPoolOptions;
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

/// The router over a database that no one can reach.
fn client() -> (TestClient<impl Endpoint<Output = Response>>, CancellationToken) {
    let (app, shutdown) = app();
    (TestClient::new(super::router(app)), shutdown)
}

/// An app over that database, and what ends it.
pub(crate) fn app() -> (App, CancellationToken) {
    app_with(|_, _| ())
}

#[tokio::test]
async fn operators_may_have_a_port_of_their_own_and_customers_find_nothing_of_theirs_on_the_other() {
    let (customers, _shutdown) = app_with(|_, api| api.operator_listen = "127.0.0.1:1".parse().ok());
    let operators = TestClient::new(super::router(customers.for_operators()));
    let customers = TestClient::new(super::router(customers));
    for path in ["/api/v1/operator/accounts", "/api/v1/operator/nope", "/metrics"] {
        refused(customers.get(path).header("authorization", KEY), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    }
    refused(operators.get("/api/v1/operator/accounts"), StatusCode::UNAUTHORIZED, Code::Unauthenticated).await;
    operators.get("/metrics").send().await.assert_status(StatusCode::OK);
    for path in ["/api/v1/keys", "/docs", "/api/v1/tools"] {
        refused(operators.get(path), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    }
    for client in [&customers.get("/healthz").send().await, &operators.get("/healthz").send().await] {
        client.assert_status(StatusCode::OK);
    }
}

#[tokio::test]
async fn operators_routes_may_be_for_some_addresses_alone() {
    let (app, _shutdown) = app_with(|_, api| api.operator_allow = vec!["10.1.0.0/16".parse().expect("a network")]);
    let client = TestClient::new(super::router(app));
    // A request of this test comes from no address at all.
    for path in ["/api/v1/operator/accounts", "/metrics"] {
        refused(client.get(path), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    }
    refused(client.get("/api/v1/keys"), StatusCode::UNAUTHORIZED, Code::Unauthenticated).await;
}

/// The same with other settings.
pub(crate) fn app_with(change: impl FnOnce(&mut Settings, &mut ApiSettings)) -> (App, CancellationToken) {
    common::process::install_crypto();
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

async fn refused(request: TestRequestBuilder<'_, impl Endpoint>, status: StatusCode, code: Code) -> TestResponse {
    let mut response = request.send().await;
    response.assert_status(status);
    response.assert_header_exist("x-request-id");
    // Nobody is known here, and nobody has no numbers.
    assert!(!response.0.headers().contains_key("x-ratelimit-remaining"));
    response.assert_header("x-content-type-options", "nosniff");
    let text = response.0.take_body().into_string().await.expect("a body");
    let body: Value = serde_json::from_str(&text).expect("JSON");
    response.0.set_body(text);
    assert_eq!(body["error"]["code"], code.name());
    assert_eq!(body["error"]["message"].as_str().map(str::is_empty), Some(false));
    assert_eq!(body["ok"].is_boolean(), body["error"]["retryable"].is_boolean());
    assert_eq!(body["ok"].is_null(), body["error"]["status"].is_number());
    response
}

#[tokio::test]
async fn what_the_router_refuses_has_the_envelope_of_its_path() {
    let (client, _shutdown) = client();
    refused(client.get("/api/v1/nope"), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    refused(client.get("/nope"), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    refused(client.post("/api/v1/tools/nope"), StatusCode::NOT_FOUND, Code::ToolNotFound).await;
    let wrong = client.request(Method::PUT, "/api/v1/keys");
    refused(wrong, StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed).await.assert_header("allow", "POST, GET");
    let wrong = client.get("/api/v1/tools/prepare_media");
    refused(wrong, StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed).await.assert_header("allow", "POST");
}

#[tokio::test]
async fn no_credential_is_refused_before_the_body_is_judged() {
    let (client, _shutdown) = client();
    let unsigned = client.post("/api/v1/tools/prepare_media").content_type("application/json").body("{");
    refused(unsigned, StatusCode::UNAUTHORIZED, Code::Unauthenticated).await.assert_header_exist("www-authenticate");
    let wrong = client.get("/api/v1/keys").header("authorization", "Bearer nonsense");
    refused(wrong, StatusCode::UNAUTHORIZED, Code::Unauthenticated).await;
}

#[tokio::test]
async fn a_database_that_is_away_is_503_with_retry_after_and_no_hang() {
    let (client, _shutdown) = client();
    let signed = client.post("/api/v1/tools/prepare_media").header("authorization", KEY);
    refused(signed, StatusCode::SERVICE_UNAVAILABLE, Code::DatabaseUnavailable).await.assert_header("retry-after", "2");
    client.get("/healthz").send().await.assert_status_is_ok();
    client.get("/readyz").send().await.assert_status(StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_body_is_read_up_to_its_cap_and_judged_by_its_field() {
    let (client, _shutdown) = client();
    let redeem = || client.post("/api/v1/sessions/redeem").content_type("application/json");
    refused(redeem().body(vec![b' '; (1 << 20) + 1]), StatusCode::PAYLOAD_TOO_LARGE, Code::RequestTooLarge).await;
    refused(redeem().body("{\"code\":"), StatusCode::BAD_REQUEST, Code::InvalidJson).await;
    refused(redeem().body("{\"code\":false}"), StatusCode::BAD_REQUEST, Code::InvalidRequest).await;
    refused(redeem().body("{\"code\":\"x\",\"more\":1}"), StatusCode::BAD_REQUEST, Code::InvalidRequest).await;
    refused(redeem().body("{\"code\":\"x\"}"), StatusCode::BAD_REQUEST, Code::CodeMalformed).await;
    let plain = client.post("/api/v1/sessions/redeem").content_type("text/plain").body("x");
    refused(plain, StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType).await;
    let odd = client.get("/api/v1/keys").header("idempotency-key", "\u{e9}");
    refused(odd, StatusCode::BAD_REQUEST, Code::InvalidRequest).await;
}

#[tokio::test]
async fn a_panic_is_answered_as_internal_and_tells_nothing_of_itself() {
    let (app, _shutdown) = app();
    let panics = poem::endpoint::make_sync(|_| -> Response { panic!("hunter2") });
    let client = TestClient::new(Outer::new(panics, app));
    let mut response = refused(client.get("/api/v1/tools/x"), StatusCode::INTERNAL_SERVER_ERROR, Code::Internal).await;
    let body = response.0.take_body().into_string().await.unwrap_or_default();
    assert!(!body.contains("hunter2"));
}

#[tokio::test]
async fn a_handler_that_never_ends_is_given_up_and_one_that_takes_a_stream_is_not() {
    let (app, _shutdown) = app();
    let hangs = poem::endpoint::make(|_| std::future::pending::<Response>());
    let client = TestClient::new(Outer::new(hangs, app.clone()).within(Duration::from_millis(20)));
    for path in ["/api/v1/operator/accounts", "/api/v1/tools/x", "/mcp"] {
        let late = refused(client.post(path), StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable).await;
        late.assert_header("retry-after", "2");
    }
    let streams = poem::endpoint::make(|_| async {
        // Ten ticks are longer than the others may take.
        let mut ticks = tokio::time::interval(Duration::from_millis(5));
        for _ in 0..10 {
            ticks.tick().await;
        }
        Response::default()
    });
    let client = TestClient::new(Outer::new(streams, app).within(Duration::from_millis(20)));
    client.put("/api/v1/uploads/upl_1/content").send().await.assert_status_is_ok();
}

#[tokio::test]
async fn metrics_are_kept_off_the_customers_port_where_they_have_one_of_their_own() {
    let (app, _shutdown) = app();
    TestClient::new(super::router(app)).get("/metrics").send().await.assert_status_is_ok();
    let (app, _shutdown) = app_with(|settings, _| settings.health_listen = Some(([127, 0, 0, 1], 9_000).into()));
    let client = TestClient::new(super::router(app));
    refused(client.get("/metrics"), StatusCode::NOT_FOUND, Code::RouteNotFound).await;
    client.get("/healthz").send().await.assert_status_is_ok();
}

#[tokio::test]
async fn a_clients_request_id_comes_back() {
    let (client, _shutdown) = client();
    let response = client.get("/api/v1/keys").header("x-request-id", "mine-1").send().await;
    response.assert_header("x-request-id", "mine-1");
}

#[tokio::test]
async fn a_stopping_process_answers_503() {
    let (client, shutdown) = client();
    shutdown.cancel();
    let late = client.get("/api/v1/keys");
    refused(late, StatusCode::SERVICE_UNAVAILABLE, Code::ShuttingDown).await.assert_header("retry-after", "1");
}

#[tokio::test]
async fn the_document_and_its_pages_are_served_with_what_they_need() {
    let (client, _shutdown) = client();
    let document = client.get("/api/v1/openapi.json").send().await;
    document.assert_status_is_ok();
    document.assert_text(crate::openapi::document().compact.as_str()).await;
    for page in ["/docs", "/reference"] {
        let mut response = client.get(page).send().await;
        response.assert_status_is_ok();
        let html = response.0.take_body().into_string().await.expect("a page");
        assert!(html.contains("\"openapi\":\"3.0.3\""), "{page} shows the patched document");
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
