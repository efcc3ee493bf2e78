//! Who is signed in: a one-time link exchanges its code for a cookie, which stands for the account that made the link.
//!
//! Following the link changes nothing yet: its page sends a form, so that programs that open links before people do use
//! none up. Where scripts run, the form is sent at once. A browser that is signed in to another account is asked first,
//! by the new account's name, at the latest when the form arrives: a request that follows a link on another site
//! carries no cookie. The cookie is sent to these pages only, and scripts can't read it. Where the deployment lets
//! other origins show the pages in a frame, it is sent there too, separately for each origin, and only over https.

use super::shell::WayBack;
use super::{PORTAL_PATH, Visit, forms, html, leads_to, refused, shell, way_back};
use crate::app::App;
use crate::auth::{Caller, let_in_first, portal_caller};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::{cookie, field, form, refuse_other_pages};
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::usecases::portal::{self, Pass, SESSION_SECONDS};
use domain::credential::{PortalCode, PortalSession};
use poem::endpoint::make;
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Endpoint, Request, Response};
use std::sync::Arc;

/// The page of keys, whose form revokes one.
const KEYS: &str = "/portal/keys";
/// The name of the session's cookie.
const COOKIE: &str = "mws_portal";
/// The name of the cookie of a browser that was just led away since its session has run out.
const LED: &str = "mws_portal_led";
/// Seconds that a browser is not led away again: where it comes straight back without a session, it is shown a page.
const LED_SECONDS: u32 = 60;
/// Seconds that a browser keeps the cookie of a session that has run out, as long as its row is kept: until then its
/// pages can say where to sign in again.
const KNOWN_SECONDS: u32 = 86_400;

/// Returns the session of this request, its caller, and how the pages look.
///
/// # Errors
/// `unauthenticated` when there is no session; otherwise whatever a bearer token would be refused with.
pub(super) async fn of(app: &App, scope: &Scope, request: &Request) -> Answer<(PortalSession, Caller, Pass)> {
    let none = || ApiError::new(Code::Unauthenticated, "You are not signed in here.");
    let session = own(request).ok_or_else(none)?;
    if request.method() == Method::POST && request.uri().path() == KEYS {
        let_in_first(app, scope, &session.hash()).await;
    }
    let caller = portal_caller(app, scope, &session).await?;
    let pass = portal::pass_of_session(app, &session.hash()).await?.ok_or_else(none)?;
    Ok((session, caller, pass))
}

fn own(request: &Request) -> Option<PortalSession> {
    cookie(request, COOKIE).and_then(PortalSession::parse)
}

/// Shows that nobody is signed in, and the way back if it is known. If the session has run out and its maker gave a URL
/// for that, redirects there, once in a minute for each name of this host, so that no URL makes a browser go round and
/// round: when it comes back without a session, the page says so. A form is not redirected: what it asks for was not
/// done, and browsers block such a redirect. A cookie that never was a session is not looked up.
pub(super) async fn not_in(app: &App, request: &Request, refusal: &ApiError) -> Response {
    let was_one = matches!(refusal.code(), Code::TokenExpired | Code::CredentialRevoked);
    let pass = match own(request).filter(|_| was_one) {
        Some(session) => portal::pass_of_session(app, &session.hash()).await.ok().flatten().unwrap_or_default(),
        None => Pass::default(),
    };
    if !was_one && refusal.code() != Code::Unauthenticated {
        let is_anothers = refusal.code() == Code::OriginForbidden;
        let back = if is_anothers { WayBack::default() } else { way_back(request, refusal) };
        return refused(app, &pass.look, None, back, refusal);
    }
    let is_form = !request.method().is_safe();
    let may_lead = refusal.code() == Code::TokenExpired && !is_form;
    let came_back = may_lead && cookie(request, LED).is_some();
    if let Some(url) = pass.look.refresh_url.as_deref().filter(|_| may_lead && !came_back) {
        let mut response = leads_to(url);
        set_cookie(app, &mut response, is_secure(app, request), LED, "yes", LED_SECONDS);
        return response;
    }
    let form = forms::again(request, None).filter(|_| is_form);
    let page = shell::has_ended(&pass.look, is_form, form.as_ref(), came_back);
    let mut response = html(app, StatusCode::UNAUTHORIZED, &pass.look, &page);
    if !was_one {
        // The cookie is unknown: it is removed, so that it is not sent again.
        set_cookie(app, &mut response, is_secure(app, request), COOKIE, "", 0);
    }
    response
}

/// The page behind a one-time link, and the request that its form sends.
pub(super) fn arrival(app: &App) -> impl Endpoint + 'static {
    let (app, template) = (app.clone(), Template(Arc::from(format!("{PORTAL_PATH}/in/{{code}}"))));
    make(move |request: Request| {
        let (app, template) = (app.clone(), template.clone());
        async move {
            let entered = enter(&app, &request).await;
            let mut response = entered
                .unwrap_or_else(|refusal| refused(&app, &Pass::default().look, None, WayBack::default(), &refusal));
            response.set_data(template);
            response
        }
    })
}

async fn enter(app: &App, request: &Request) -> Answer<Response> {
    let scope = Scope::of(request);
    let ended = || html(app, StatusCode::FORBIDDEN, &Pass::default().look, &shell::link_has_ended());
    let Some(code) = PortalCode::parse(&request.path_params::<String>().unwrap_or_default()) else {
        return Ok(ended());
    };
    let is_form = !request.method().is_safe();
    if is_form {
        refuse_other_pages(&app.public_url, request)?;
    }
    let is_anothers = match own(request) {
        Some(session) => portal::is_anothers(app, &scope, &code, &session).await?,
        None => false,
    };
    if !is_form || (is_anothers && field(&form(request), shell::SURE).is_empty()) {
        let Some(pass) = portal::waiting(app, &scope, &code).await? else { return Ok(ended()) };
        return Ok(html(app, StatusCode::OK, &pass.look, &shell::goes_on(&pass, is_anothers)));
    }
    let Some(session) = portal::sign_in(app, &scope, &code).await? else { return Ok(ended()) };
    let mut response = leads_to(PORTAL_PATH);
    let seconds = SESSION_SECONDS + KNOWN_SECONDS;
    set_cookie(app, &mut response, is_secure(app, request), COOKIE, session.expose(), seconds);
    Ok(response)
}

/// Ends the session.
pub(super) async fn sign_out(visit: Visit) -> Answer<Response> {
    portal::sign_out(&visit.app, &visit.session).await?;
    let look = &visit.pass.look;
    let mut response = html(&visit.app, StatusCode::OK, look, &shell::signed_out(look));
    set_cookie(&visit.app, &mut response, visit.is_secure, COOKIE, "", 0);
    Ok(response)
}

/// Whether the page was requested over https.
pub(super) fn is_secure(app: &App, request: &Request) -> bool {
    request.header(header::ORIGIN).unwrap_or(&app.public_url).starts_with("https://")
}

/// Sets this cookie to a value for so many seconds.
fn set_cookie(app: &App, response: &mut Response, is_secure: bool, name: &str, value: &str, seconds: u32) {
    let site = match (is_secure, app.api.portal_frame_ancestors.is_empty()) {
        (true, false) => "SameSite=None; Secure; Partitioned",
        (true, true) => "SameSite=Strict; Secure",
        (false, _) => "SameSite=Strict",
    };
    let cookie = format!("{name}={value}; Path={PORTAL_PATH}; Max-Age={seconds}; HttpOnly; {site}");
    // It consists of a token and constants, so that it is always a valid header.
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
}
