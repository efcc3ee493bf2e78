//! The customers' pages: `/portal` (docs/portal.md), for people whose product sends its media work here.
//!
//! They are a client of the HTTP interface and know nothing else: whatever they show or change goes through the
//! account's own operations (`ask`), as the session's caller, so that a page can't show a row that its account could
//! not request. `session` says who the caller is, `shell` is what all pages share, and each page has a file. The pages
//! work without scripts and load nothing else. Like the console's, they are not in the OpenAPI document.

mod addresses;
mod attempts;
mod endpoint;
mod fields;
mod forms;
mod jobs;
mod keys;
mod lists;
mod refusals;
mod session;
mod shell;
mod statement;
mod usage;
mod webhooks;

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::{PageHandler, boxed, form, refuse_other_pages};
use crate::http::refusal::Refused;
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::resources::tools::calling::{Asked, ask_as};
use crate::usecases::portal::Pass;
use domain::credential::PortalSession;
use domain::portal::{Look, PortalPage};
use lists::refuse_odd_queries;
use maud::Markup;
use poem::endpoint::make;
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Endpoint, Request, Response, Route, get};
use serde_json::Value;
use shell::WayBack;
use std::sync::Arc;

/// The start of the pages' paths.
pub const PORTAL_PATH: &str = "/portal";

/// The query parameters that pages take, by their paths; other pages take none.
const TAKEN: [(&str, &[&str]); 6] = [
    ("/webhooks", &["cursor"]),
    ("/webhooks/{id}", &["status", "http_status", "cursor", "resent", "more"]),
    ("/jobs", &["status", "kind", "cursor"]),
    ("/usage/statement", &["month", "cursor"]),
    ("/usage/statement.csv", &["month"]),
    ("/keys", &["cursor"]),
];

/// Adds the pages to the routes.
pub fn add_to(route: Route, app: &App) -> Route {
    let any = |path: &str, handler| page(app, path, None, handler);
    let of = |own, path: &str, handler| page(app, path, Some(own), handler);
    let (webhooks, jobs, usage, keys) = (PortalPage::Webhooks, PortalPage::Jobs, PortalPage::Usage, PortalPage::Keys);
    route
        .at("/portal", get(any("", boxed(first))))
        .at("/portal/in/:code", get(session::arrival(app)).post(session::arrival(app)))
        .at("/portal/out", get(nowhere(app, "/out")).post(any("/out", boxed(session::sign_out))))
        .at(
            "/portal/webhooks",
            get(of(webhooks, "/webhooks", boxed(webhooks::show))).post(of(webhooks, "/webhooks", boxed(webhooks::add))),
        )
        .at("/portal/secret", get(nowhere(app, "/secret")).post(of(webhooks, "/secret", boxed(webhooks::secret))))
        .at(
            "/portal/webhooks/:id",
            get(of(webhooks, "/webhooks/{id}", boxed(endpoint::show))).post(of(
                webhooks,
                "/webhooks/{id}",
                boxed(endpoint::change),
            )),
        )
        .at(
            "/portal/webhooks/:id/:delivery",
            get(of(webhooks, "/webhooks/{id}/{delivery}", boxed(endpoint::delivery))).post(of(
                webhooks,
                "/webhooks/{id}/{delivery}",
                boxed(endpoint::resend),
            )),
        )
        .at("/portal/jobs", get(of(jobs, "/jobs", boxed(jobs::show))))
        .at("/portal/jobs/:id", get(of(jobs, "/jobs/{id}", boxed(jobs::one))))
        .at("/portal/usage", get(of(usage, "/usage", boxed(usage::show))))
        .at("/portal/usage/statement", get(of(usage, "/usage/statement", boxed(statement::show))))
        .at("/portal/usage/statement.csv", get(of(usage, "/usage/statement.csv", boxed(statement::file))))
        .at("/portal/keys", get(of(keys, "/keys", boxed(keys::show))).post(of(keys, "/keys", boxed(keys::revoke))))
        .at("/portal/*rest", nowhere(app, "/{rest}"))
}

/// A request of somebody who is signed in.
struct Visit {
    app: App,
    caller: Caller,
    session: PortalSession,
    pass: Pass,
    /// Whether the page was requested over https.
    is_secure: bool,
    /// The ids in the path: of the endpoint and the delivery, or of the job.
    ids: Vec<String>,
    /// The path of the request.
    path: String,
    query: Vec<(String, String)>,
    form: Vec<(String, String)>,
}

impl Visit {
    /// Calls an operation of the interface. Its refusal is returned as an error, and becomes a page.
    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Answer<Value> {
        let heard = ask_as(&self.app, &self.caller, Asked { method, path, body, key: None }).await?;
        if (200..300).contains(&heard.status) {
            return Ok(heard.body);
        }
        let said = heard.body["error"]["message"].as_str().unwrap_or("It was refused.");
        let refusal = ApiError::new(heard.refused.unwrap_or(Code::Internal), said);
        Err(match heard.retry_after {
            Some(after) => refusal.retry_after(after.as_secs()),
            None => refusal,
        })
    }

    /// Returns the query parameter of this name, unless it is absent or empty.
    fn asked(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(own, _)| own == name).map(|(_, value)| value.trim());
        found.filter(|value| !value.is_empty())
    }

    /// Returns the form field of this name; empty if it is absent.
    fn sent(&self, name: &str) -> &str {
        self.form.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.trim())
    }

    /// Returns an id of the path, if it can safely stand in another path.
    fn id(&self, place: usize) -> Answer<&str> {
        let id = self.ids.get(place).map_or("", String::as_str);
        let is_plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_plain { Ok(id) } else { Err(no_page()) }
    }

    /// Returns the filters and the cursor of a list, as the query for its operation.
    fn filters(&self, names: &[&str]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", "25");
        let known = self.query.iter().filter(|(name, value)| names.contains(&name.as_str()) && !value.is_empty());
        query.extend_pairs(known);
        query.finish()
    }

    /// Returns a whole page with this content.
    fn whole(&self, title: &str, main: &Markup) -> Response {
        let look = &self.pass.look;
        html(&self.app, StatusCode::OK, look, &shell::whole(Some(&self.seat()), look, title, main))
    }

    fn seat(&self) -> shell::Seat {
        shell::Seat { account: self.pass.account.clone(), path: self.path.clone() }
    }
}

/// Leads to the first page that this session may see.
async fn first(visit: Visit) -> Answer<Response> {
    let first = visit.pass.look.pages.first().map_or("usage", |page| page.name());
    Ok(leads_to(&format!("{PORTAL_PATH}/{first}")))
}

fn no_page() -> ApiError {
    ApiError::new(Code::RouteNotFound, "There is no such page.")
}

/// Answers for a path that there is no page of: with the navigation for somebody who is signed in.
fn nowhere(app: &App, path: &str) -> impl Endpoint + use<> {
    let (app, template) = (app.clone(), Template(Arc::from(format!("{PORTAL_PATH}{path}"))));
    make(move |request: Request| {
        let (app, template) = (app.clone(), template.clone());
        async move {
            let mut response = match visit(&app, &request).await {
                Ok(visit) => refused(&app, &visit.pass.look, Some(&visit.seat()), WayBack::default(), &no_page()),
                Err(_) => refused(&app, &Look::default(), None, WayBack::default(), &no_page()),
            };
            response.set_data(template);
            response
        }
    })
}

/// Wraps a page: finds out who is signed in, refuses forms from other sites, and shows refusals as pages.
fn page(app: &App, path: &str, own: Option<PortalPage>, handler: PageHandler<Visit>) -> impl Endpoint + use<> {
    let template = Template(Arc::from(format!("{PORTAL_PATH}{path}")));
    let (app, handler) = (app.clone(), Arc::new(handler));
    let taken = TAKEN.iter().find(|(page, _)| *page == path).map_or(&[][..], |(_, taken)| *taken);
    make(move |request: Request| {
        let (app, handler, template) = (app.clone(), Arc::clone(&handler), template.clone());
        async move {
            let mut response = answer(&app, &request, (own, taken), &handler).await;
            response.set_data(template);
            response
        }
    })
}

async fn answer(
    app: &App,
    request: &Request,
    (own, taken): (Option<PortalPage>, &[&str]),
    handler: &PageHandler<Visit>,
) -> Response {
    let visit = match visit(app, request).await {
        Ok(visit) => visit,
        Err(refusal) => return session::not_in(app, request, &refusal).await,
    };
    let (look, seat) = (visit.pass.look.clone(), visit.seat());
    let is_hidden = own.is_some_and(|own| !look.pages.contains(&own));
    // The query of a form is not judged: a form is sent to the address that its page had, whatever that had.
    let judged = if own.is_some() && request.method().is_safe() { refuse_odd_queries(&visit, taken) } else { Ok(()) };
    let shown = match judged {
        _ if is_hidden => Err(no_page()),
        Err(refusal) => Err(refusal),
        Ok(()) => handler(visit).await,
    };
    shown.unwrap_or_else(|refusal| refused(app, &look, Some(&seat), way_back(request, &refusal), &refusal))
}

/// Returns the way back to what a request was made by. Only for a form that no other site sent: it could have written
/// something into the form that is shown again. Filters may come from elsewhere, by a link: they change nothing.
fn way_back(request: &Request, refusal: &ApiError) -> WayBack {
    WayBack { page: stood_on(request), form: forms::again(request, Some(refusal)) }
}

/// Returns the path of the page whose form or filter sent this request; none if neither did.
fn stood_on(request: &Request) -> Option<String> {
    let is_form = !request.method().is_safe() || request.uri().query().is_some();
    let below = request.uri().path().strip_prefix(PORTAL_PATH)?;
    is_form.then(|| match below {
        "/secret" => format!("{PORTAL_PATH}/webhooks"),
        "/out" => PORTAL_PATH.to_owned(),
        below => format!("{PORTAL_PATH}{}", below.trim_end_matches(".csv")),
    })
}

/// Returns the visit, if somebody is signed in.
async fn visit(app: &App, request: &Request) -> Answer<Visit> {
    let scope = Scope::of(request);
    if !request.method().is_safe() {
        refuse_other_pages(&app.public_url, request)?;
    }
    let (session, caller, pass) = session::of(app, &scope, request).await?;
    let pairs = url::form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).into_owned();
    Ok(Visit {
        app: app.clone(),
        caller,
        session,
        pass,
        is_secure: session::is_secure(app, request),
        ids: ["id", "delivery"]
            .into_iter()
            .filter_map(|name| request.raw_path_param(name))
            .map(str::to_owned)
            .collect(),
        path: request.uri().path().to_owned(),
        query: pairs.collect(),
        form: form(request),
    })
}

/// Returns the page that shows a refusal. To a page that is not there leads no way back.
fn refused(app: &App, look: &Look, seat: Option<&shell::Seat>, back: WayBack, refusal: &ApiError) -> Response {
    let status = refusal.code().status();
    let back = if status == StatusCode::NOT_FOUND { WayBack::default() } else { back };
    let mut response = html(app, status, look, &shell::refusal(look, seat, &back, refusal));
    if let Some(seconds) = refusal.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response.set_data(Refused(refusal.code()));
    response
}

fn html(app: &App, status: StatusCode, look: &Look, page: &Markup) -> Response {
    let mut response = Response::builder().status(status).content_type("text/html; charset=utf-8").body(page.0.clone());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, shell::policy(look, &app.api.portal_frame_ancestors));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex, nofollow"));
    response
}

/// Redirects to another page, so that reloading it sends no form twice.
fn leads_to(path: &str) -> Response {
    Response::builder().status(StatusCode::SEE_OTHER).header(header::LOCATION, path).finish()
}
