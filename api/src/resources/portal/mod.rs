//! The customers' pages: `/portal` (docs/portal.md), for people whose product sends its media work here.
//!
//! They are a client of the interface and know nothing else: whatever they show or change is asked of the account's own
//! operations (`ask`), as the caller whom the session stands for, so that a page can't show a row that its account
//! could not ask for. `session` says who that is, `shell` is what all pages share, and each page is a file. They need
//! no script and fetch nothing. They are not in the OpenAPI document, as the console's pages are not.

mod endpoint;
mod jobs;
mod keys;
mod lists;
mod session;
mod shell;
mod usage;
mod webhooks;

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::{form, refuse_other_pages};
use crate::http::refusal::Refused;
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::resources::tools::calling::{Asked, ask_as};
use crate::usecases::portal::Pass;
use domain::credential::PortalSession;
use domain::portal::{Look, PortalPage};
use maud::Markup;
use poem::endpoint::make;
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Endpoint, Request, Response, Route, get};
use serde_json::Value;
use std::sync::Arc;

/// What the paths of the pages begin with.
pub const PORTAL_PATH: &str = "/portal";

/// Adds the pages to the routes.
pub fn add_to(route: Route, app: &App) -> Route {
    let any = |path: &str, shown| page(app, path, None, shown);
    let of = |own, path: &str, shown| page(app, path, Some(own), shown);
    let (webhooks, jobs, usage, keys) = (PortalPage::Webhooks, PortalPage::Jobs, PortalPage::Usage, PortalPage::Keys);
    route
        .at("/portal", get(any("", boxed(first))))
        .at("/portal/in/:code", get(session::arrival(app)).post(session::arrival(app)))
        .at("/portal/out", poem::post(any("/out", boxed(session::sign_out))))
        .at(
            "/portal/webhooks",
            get(of(webhooks, "/webhooks", boxed(webhooks::shown))).post(of(
                webhooks,
                "/webhooks",
                boxed(webhooks::add),
            )),
        )
        .at("/portal/secret", poem::post(of(webhooks, "/secret", boxed(webhooks::secret))))
        .at(
            "/portal/webhooks/:id",
            get(of(webhooks, "/webhooks/{id}", boxed(endpoint::shown))).post(of(
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
        .at("/portal/jobs", get(of(jobs, "/jobs", boxed(jobs::shown))))
        .at("/portal/jobs/:id", get(of(jobs, "/jobs/{id}", boxed(jobs::one))))
        .at("/portal/usage", get(of(usage, "/usage", boxed(usage::shown))))
        .at("/portal/keys", get(of(keys, "/keys", boxed(keys::shown))).post(of(keys, "/keys", boxed(keys::revoke))))
}

/// What answers a request of somebody who is signed in.
type Shown = Box<dyn Fn(Visit) -> futures_util::future::BoxFuture<'static, Answer<Response>> + Send + Sync>;

fn boxed<F>(shown: impl Fn(Visit) -> F + Send + Sync + 'static) -> Shown
where
    F: Future<Output = Answer<Response>> + Send + 'static,
{
    Box::new(move |visit| Box::pin(shown(visit)))
}

/// A request of somebody who is signed in.
struct Visit {
    app: App,
    caller: Caller,
    session: PortalSession,
    pass: Pass,
    /// Whether the page was come by over https.
    is_secure: bool,
    /// What the path names: the endpoint and the delivery, the job.
    ids: Vec<String>,
    /// The path, as it was asked for.
    path: String,
    query: Vec<(String, String)>,
    form: Vec<(String, String)>,
}

impl Visit {
    /// Asks an operation of the interface. What it refuses is a page here.
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

    /// What the query says of this name, where it says something.
    fn asked(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(own, _)| own == name).map(|(_, value)| value.trim());
        found.filter(|value| !value.is_empty())
    }

    /// What the form says of this name; empty where it says nothing.
    fn sent(&self, name: &str) -> &str {
        self.form.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.trim())
    }

    /// A part of the path that names something, as it may stand in another path.
    fn id(&self, place: usize) -> Answer<&str> {
        let id = self.ids.get(place).map_or("", String::as_str);
        let is_plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let missing = || ApiError::new(Code::RouteNotFound, "There is no such page.");
        if is_plain { Ok(id) } else { Err(missing()) }
    }

    /// The filters of a list and its place, to be asked for as they were asked here.
    fn filters(&self, names: &[&str]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", "25");
        let known = self.query.iter().filter(|(name, value)| names.contains(&name.as_str()) && !value.is_empty());
        query.extend_pairs(known);
        query.finish()
    }

    /// A whole page around this.
    fn whole(&self, title: &str, main: &Markup) -> Response {
        html(&self.app, StatusCode::OK, &self.pass.look, &shell::whole(Some(self), &self.pass.look, title, main))
    }
}

/// The first of the pages that this session has.
async fn first(visit: Visit) -> Answer<Response> {
    let first = visit.pass.look.pages.first().map_or("usage", |page| page.name());
    Ok(leads_to(&format!("{PORTAL_PATH}/{first}")))
}

/// An endpoint of these pages: it knows who is signed in, refuses forms of other pages, and a refusal is a page too.
fn page(app: &App, path: &str, own: Option<PortalPage>, shown: Shown) -> impl Endpoint + use<> {
    let template = Template(Arc::from(format!("{PORTAL_PATH}{path}")));
    let (app, shown) = (app.clone(), Arc::new(shown));
    make(move |request: Request| {
        let (app, shown, template) = (app.clone(), Arc::clone(&shown), template.clone());
        async move {
            let mut response = answer(&app, &request, own, &shown).await;
            response.set_data(template);
            response
        }
    })
}

async fn answer(app: &App, request: &Request, own: Option<PortalPage>, shown: &Shown) -> Response {
    let visit = match visit(app, request, own).await {
        Ok(visit) => visit,
        Err(refusal) => return session::not_in(app, request, &refusal).await,
    };
    let look = visit.pass.look.clone();
    shown(visit).await.unwrap_or_else(|refusal| refused(app, &look, &refusal))
}

/// Who is signed in, and whether this page is among theirs.
async fn visit(app: &App, request: &Request, own: Option<PortalPage>) -> Answer<Visit> {
    let scope = Scope::of(request);
    if !request.method().is_safe() {
        refuse_other_pages(&app.public_url, request)?;
    }
    let (session, caller, pass) = session::of(app, &scope, request).await?;
    if own.is_some_and(|own| !pass.look.pages.contains(&own)) {
        return Err(ApiError::new(Code::RouteNotFound, "There is no such page."));
    }
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

/// A refusal, as a page.
fn refused(app: &App, look: &Look, refusal: &ApiError) -> Response {
    let mut response = html(app, refusal.code().status(), look, &shell::refusal(look, refusal));
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

/// Leads on to another page, so that loading it again sends nothing twice.
fn leads_to(path: &str) -> Response {
    Response::builder().status(StatusCode::SEE_OTHER).header(header::LOCATION, path).finish()
}
