//! Everything the api serves, put together: the versioned routes, MCP, the document and its pages, health and metrics.

use crate::app::App;
use crate::app::doors::Door;
use crate::contract::Contract;
use crate::http::API_PATH;
use crate::http::answers::AnswerReserved;
use crate::openapi;
use crate::resources::{calendar_feed, console, link_page, mcp, portal};
use crate::routes;
use crate::server::guard::Guarded;
use crate::server::outer::Outer;
use bytes::Bytes;
use poem::endpoint::{BoxEndpoint, make_sync};
use poem::http::{HeaderValue, header};
use poem::{Endpoint, EndpointExt, IntoEndpoint, Response, Route, get};
use poem_openapi::OpenApiService;
use runtime::health::Health;
use std::sync::{Arc, LazyLock};
use store::fleet::Service;

/// The documentation pages are self-contained.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; \
    img-src 'self' data:; font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The whole router, which `run` serves and tests call.
pub fn router(app: App) -> impl Endpoint<Output = Response> {
    let contract = Arc::clone(&app.contract);
    let guarded = Guarded { operations: routes::all(&app), contract: Arc::clone(&contract) };
    let service: Arc<BoxEndpoint<'static>> =
        Arc::new(OpenApiService::new(guarded, "", "").into_endpoint().map_to_response().boxed());
    app.operations.set(&service);
    // MCP calls the same operations, inside the same middleware as requests over HTTP.
    let calls = Outer::new(Route::new().nest(API_PATH, Arc::clone(&service)).map_to_response(), app.clone());
    let json = Bytes::copy_from_slice(contract.compact.as_bytes());
    let health = Health::new(&app.process, Service::Api);
    // `/metrics` sums up all customers. Where it has a port of its own, the customers' port doesn't serve it.
    let is_apart = app.process.settings.health_listen.is_some() && app.door != Door::Operators;
    let route = if is_apart { health.probes() } else { health.routes() };
    let route = route
        .at("/docs", page(openapi::swagger, &contract))
        .at("/reference", page(openapi::scalar, &contract))
        .at(
            format!("{API_PATH}/openapi.json"),
            get(make_sync(move |_| shared(Response::builder().content_type("application/json").body(json.clone())))),
        )
        .nest(API_PATH, service);
    let route = link_page::add_to(route, &app);
    let route = calendar_feed::add_to(route, &app);
    let route = console::add_to(route, &app);
    let route = portal::add_to(route, &app);
    let route = mcp::add_to(route, &app, Arc::new(calls.boxed()));
    Outer::new(route.map_to_response(), app)
}

/// Marks an answer whose bytes all requests share, so that it isn't counted against the memory for answers.
fn shared(mut response: Response) -> Response {
    response.set_data(AnswerReserved::SHARED);
    response
}

/// A page about the contract. It is written when it is first asked for, since that takes as long as all else that a
/// start does.
fn page(html: fn(&Contract) -> String, contract: &Arc<Contract>) -> impl Endpoint + 'static {
    let contract = Arc::clone(contract);
    let html = LazyLock::new(move || Bytes::from(html(&contract)));
    get(make_sync(move |_| {
        let mut response = shared(Response::builder().content_type("text/html; charset=utf-8").body(html.clone()));
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }))
}
