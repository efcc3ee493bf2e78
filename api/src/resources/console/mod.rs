//! The operators' pages: `/console` (docs/operators.md, "The console").
//!
//! They show what the operators' routes and the store know, as HTML that needs no script; changes go through the same
//! use cases as those routes, in the name of whoever is signed in. `session` says who that is, `shell` is what all
//! pages share, `responses` makes the responses, and each page is a file. Pages read over their own database
//! connections, whose statements end after two seconds. Like the pages behind public links, they are not in the OpenAPI
//! document.

mod accounts;
mod assets;
mod audit;
mod axis;
mod bulk;
mod bulk_operations;
mod changed;
mod charges;
mod compared;
mod cures;
mod deliveries;
mod delivery;
mod delivery_errors;
mod differences;
mod endpoint;
mod endpoints;
mod entry;
mod errors;
mod filtered;
mod find;
mod fleet;
mod hours;
mod item;
mod items;
mod job;
mod jobs;
mod life;
mod media;
mod moments;
mod notices;
mod overview;
mod portal_link;
mod priced;
mod proof;
mod releases;
mod rerun;
mod responses;
mod retained;
mod said;
mod session;
mod shell;
mod spark;
mod statement;
mod unsent;
mod unsent_counts;
mod words;

use crate::app::App;
use crate::app::doors::CONSOLE_PATH;
use crate::auth::operator::{OperatorCaller, allow};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::{PageHandler, boxed, form, refuse_other_pages};
use crate::http::paging::Page;
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::http::text::Text;
use chrono::{DateTime, Utc};
use domain::credential::ConsoleSession;
use domain::operator::OperatorRole::{self, Act, Metadata, Read};
use maud::Markup;
use poem::endpoint::make;
use poem::http::{StatusCode, header};
use poem::{Endpoint, Request, Response, Route, get};
use responses::{html, json, leads_to, refused};
use serde_json::Value;
use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use std::str::FromStr;
use std::sync::Arc;
use store::inspect;

/// Adds the pages to the routes.
pub fn add_to(route: Route, app: &App) -> Route {
    let needing = |role: OperatorRole| move |path: &str, handler: PageHandler<Visit>| page(app, path, role, handler);
    let (meta, see, act) = (needing(Metadata), needing(Read), needing(Act));
    add_accounts(route, app)
        .at("/console", get(meta("", boxed(overview::show))))
        .at("/console/in", get(session::arrival(app)).post(session::arrival(app)))
        .at("/console/in/:code", get(session::arrival(app)))
        .at("/console/out", poem::post(meta("/out", boxed(session::sign_out))))
        .at("/console/find", get(meta("/find", boxed(find::show))))
        .at("/console/jobs", get(meta("/jobs", boxed(jobs::show))))
        .at("/console/jobs/:id", get(meta("/jobs/{id}", boxed(job::show))))
        .at(
            "/console/jobs/:id/retry",
            get(act("/jobs/{id}/retry", boxed(job::confirm))).post(act("/jobs/{id}/retry", boxed(job::retry))),
        )
        .at(
            "/console/jobs/:id/change",
            get(act("/jobs/{id}/change", boxed(changed::show))).post(act("/jobs/{id}/change", boxed(changed::run))),
        )
        .at(
            "/console/jobs/:id/cancel",
            get(act("/jobs/{id}/cancel", boxed(job::confirm_cancel)))
                .post(act("/jobs/{id}/cancel", boxed(job::cancel))),
        )
        .at("/console/rerun", get(see("/rerun", boxed(rerun::show))).post(act("/rerun", boxed(rerun::run))))
        .at("/console/errors", get(see("/errors", boxed(errors::show))))
        .at("/console/deliveries", get(meta("/deliveries", boxed(deliveries::show))))
        .at("/console/deliveries/:id", get(meta("/deliveries/{id}", boxed(delivery::show))))
        .at(
            "/console/deliveries/:id/resend",
            get(act("/deliveries/{id}/resend", boxed(delivery::confirm)))
                .post(act("/deliveries/{id}/resend", boxed(delivery::resend))),
        )
        .at("/console/unsent", get(see("/unsent", boxed(unsent::show))).post(act("/unsent", boxed(unsent::resend))))
        .at("/console/bulk", get(see("/bulk", boxed(bulk_operations::show))))
        .at(
            "/console/bulk/:id",
            get(see("/bulk/{id}", boxed(bulk_operations::one))).post(act("/bulk/{id}", boxed(bulk_operations::stop))),
        )
        .at("/console/endpoints", get(meta("/endpoints", boxed(endpoints::show))))
        .at("/console/endpoints/:id", get(meta("/endpoints/{id}", boxed(endpoint::show))))
        .at(
            "/console/endpoints/:id/change",
            get(act("/endpoints/{id}/change", boxed(endpoint::confirm)))
                .post(act("/endpoints/{id}/change", boxed(endpoint::change))),
        )
        .at(
            "/console/endpoints/:id/ping",
            get(act("/endpoints/{id}/ping", boxed(endpoint::confirm_ping)))
                .post(act("/endpoints/{id}/ping", boxed(endpoint::ping))),
        )
        .at("/console/fleet", get(meta("/fleet", boxed(fleet::show))))
        .at(
            "/console/reads/:id",
            get(act("/reads/{read}", boxed(fleet::confirm))).post(act("/reads/{read}", boxed(fleet::change))),
        )
        .at("/console/audit", get(see("/audit", boxed(audit::show))))
        .at("/console/*rest", get(meta("/{rest}", boxed(nothing))))
}

/// Adds the pages of accounts and of what they have.
fn add_accounts(route: Route, app: &App) -> Route {
    let needing = |role: OperatorRole| move |path: &str, handler: PageHandler<Visit>| page(app, path, role, handler);
    let (meta, see, act) = (needing(Metadata), needing(Read), needing(Act));
    route
        .at("/console/accounts", get(meta("/accounts", boxed(accounts::show))))
        .at("/console/accounts/:id", get(meta("/accounts/{id}", boxed(accounts::one))))
        .at(
            "/console/accounts/:id/portal",
            get(act("/accounts/{id}/portal", boxed(portal_link::confirm)))
                .post(act("/accounts/{id}/portal", boxed(portal_link::make))),
        )
        .at("/console/accounts/:id/minutes", get(see("/accounts/{id}/minutes", boxed(statement::show))))
        .at("/console/accounts/:id/minutes.csv", get(see("/accounts/{id}/minutes.csv", boxed(statement::file))))
        .at("/console/items", get(see("/items", boxed(items::show))))
        .at("/console/items/:id", get(see("/items/{id}", boxed(item::show))))
        .at("/console/items/:id/lanes.svg", get(see("/items/{id}/lanes.svg", boxed(item::lanes))))
        .at("/console/items/:id/media", get(see("/items/{id}/media", boxed(media::media))))
        .at("/console/items/:id/captions.vtt", get(see("/items/{id}/captions.vtt", boxed(media::captions))))
        .at("/console/items/:id/still", get(see("/items/{id}/still", boxed(media::still))))
}

/// Refuses a path that there is no page of.
async fn nothing(visit: Visit) -> Answer<Response> {
    let path = visit.seat.url.split('?').next().unwrap_or_default();
    Err(ApiError::new(Code::RouteNotFound, format!("There is no page `{path}`.")))
}

/// A request of an operator who is signed in.
struct Visit {
    app: App,
    caller: OperatorCaller,
    /// Who is signed in, and the URL of the request.
    seat: shell::Seat,
    /// The id in the path; empty if the path has none.
    id: String,
    query: Vec<(String, String)>,
    /// The part of a file that is asked for: the header `Range`.
    range: Option<String>,
    /// The filter that was refused, which the form of the filters marks.
    wrong: Option<String>,
    form: Vec<(String, String)>,
    session: ConsoleSession,
}

impl Visit {
    /// Returns a connection for reading what is shown.
    async fn conn(&self) -> Answer<PoolConnection<Postgres>> {
        Ok(self.app.pages.acquire().await?)
    }

    /// Returns the query parameter of this name, unless it is absent or empty.
    fn asked(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(own, _)| own == name).map(|(_, value)| value.trim());
        found.filter(|value| !value.is_empty())
    }

    /// Returns the query parameter of this name as `known` parses it. An unknown word is refused.
    fn word<T>(&self, name: &str, known: impl Fn(&str) -> Option<T>) -> Answer<Option<T>> {
        let Some(asked) = self.asked(name) else { return Ok(None) };
        let wrong = || ApiError::new(Code::InvalidRequest, format!("`{name}`: `{asked}` is none that there is."));
        known(asked).map(Some).ok_or_else(wrong)
    }

    /// Returns the query parameter of this name as an id. What is no such id is refused.
    fn id_in<T: FromStr<Err: std::fmt::Display>>(&self, name: &str) -> Answer<Option<T>> {
        self.asked(name).map(|asked| Text(asked.to_owned()).id_in(name)).transpose()
    }

    /// Returns the page of a list that the query asks for.
    fn page(&self, list: &'static str) -> Answer<Page> {
        Page::new(list, None, self.asked("cursor").map(Text::from).as_ref())
    }

    /// Whether the rows of a list are asked for as JSON, by `format=json`.
    fn wants_json(&self) -> Answer<bool> {
        Ok(self.word("format", |format| (format == "json").then_some(()))?.is_some())
    }

    /// Refuses a query parameter that the page does not know: a filter is never silently ignored.
    fn takes(&self, names: &[&str]) -> Answer<()> {
        match self.query.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => {
                Err(ApiError::new(Code::InvalidRequest, format!("This page knows no filter `{name}`. Leave it out.")))
            }
        }
    }

    /// Returns the id in the path.
    fn own_id<T: FromStr>(&self, missing: Code) -> Answer<T> {
        Text(self.id.clone()).id(missing)
    }

    /// Whether they may see what customers wrote, sent or made.
    fn sees_payloads(&self) -> bool {
        self.seat.role.sees_payloads()
    }

    /// Whether they may open the pages of what customers have, of what is run or sent again, and of what operators did.
    fn may_read(&self) -> bool {
        self.seat.role >= Read
    }

    fn may_act(&self) -> bool {
        self.seat.role >= Act
    }

    /// Returns the database's time.
    async fn now(&self) -> Answer<DateTime<Utc>> {
        Ok(inspect::now(&mut *self.conn().await?).await?)
    }

    /// Returns a whole page with this content.
    fn whole(&self, title: &str, main: &Markup) -> Response {
        html(StatusCode::OK, &shell::whole(Some(&self.seat), title, main))
    }
}

/// Returns the rows of a list that has no route of its own, in the shape of those that have one.
fn listed(rows: Vec<Value>, next_cursor: Option<&str>) -> Response {
    let has_more = next_cursor.is_some();
    json(&serde_json::json!({ "data": Value::Array(rows), "has_more": has_more, "next_cursor": next_cursor }))
}

/// Wraps a page: finds out who is signed in, refuses forms from other sites, and shows refusals as pages.
fn page(app: &App, path: &str, needs: OperatorRole, handler: PageHandler<Visit>) -> impl Endpoint + use<> {
    let template = Template(Arc::from(format!("{CONSOLE_PATH}{path}")));
    let (app, handler) = (app.clone(), Arc::new(handler));
    make(move |request: Request| {
        let (app, handler, template) = (app.clone(), Arc::clone(&handler), template.clone());
        async move {
            let mut response = answer(&app, &request, needs, &handler).await;
            response.set_data(template);
            response
        }
    })
}

async fn answer(app: &App, request: &Request, needs: OperatorRole, handler: &PageHandler<Visit>) -> Response {
    let scope = Scope::of(request);
    let (operator, session) = match session::of(app, &scope, request).await {
        Ok(Some(found)) => found,
        Ok(None) => return html(StatusCode::UNAUTHORIZED, &session::asks_to_sign_in(!request.method().is_safe())),
        Err(refusal) => return refused(None, &refusal),
    };
    let seat = shell::Seat {
        name: operator.name.clone(),
        role: operator.role,
        url: request.uri().path_and_query().map(ToString::to_string).unwrap_or_default(),
        is_form: !request.method().is_safe(),
        request: scope.request_id.clone(),
    };
    let caller = OperatorCaller::new(operator, &scope);
    let allowed = allow(operator, needs);
    let shown = match visit(app, request, (caller, seat.clone(), session), allowed).await {
        Ok(visit) => handler(visit).await,
        Err(refusal) => Err(refusal),
    };
    shown.unwrap_or_else(|refusal| refused(Some(&seat), &refusal))
}

/// Returns the visit of somebody who is signed in, if they are allowed to see this page, and notes that they look.
async fn visit(
    app: &App,
    request: &Request,
    (caller, seat, session): (OperatorCaller, shell::Seat, ConsoleSession),
    allowed: Answer<()>,
) -> Answer<Visit> {
    let is_read = request.method().is_safe();
    if !is_read {
        refuse_other_pages(&app.public_url, request)?;
    }
    allowed?;
    if is_read {
        caller.note_look(app, request).await?;
    }
    let pairs = url::form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).into_owned();
    let query: Vec<(String, String)> = pairs.collect();
    if query.iter().any(|(_, value)| value.contains('\0')) {
        return Err(ApiError::new(Code::InvalidRequest, "A filter holds a NUL character."));
    }
    let id = request.path_params::<String>().unwrap_or_default();
    let form = if is_read { Vec::new() } else { form(request) };
    let range = request.header(header::RANGE).map(str::to_owned);
    Ok(Visit { app: app.clone(), caller, seat, id, query, range, wrong: None, form, session })
}
