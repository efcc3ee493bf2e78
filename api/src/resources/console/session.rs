//! Who is signed in: a one-time link shows a button, the button exchanges the link's code for a cookie, and the cookie
//! stands for the operator whose token made the link.
//!
//! Opening a link changes nothing yet, so that programs that open links before people do use none up. The cookie is
//! sent to these pages only, in requests from their own site only, and scripts can't read it.

use super::{Visit, html, leads_to, refused, shell};
use crate::app::App;
use crate::app::doors::CONSOLE_PATH;
use crate::http::error::{Answer, ApiError};
use crate::http::pages::{cookie, field, form, refuse_other_pages};
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::usecases::operator::console::{SESSION_SECONDS, is_good, sign_in, signed_in};
use domain::credential::{ConsoleCode, ConsoleSession};
use domain::operator::Operator;
use maud::{Markup, html as markup};
use poem::endpoint::make;
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Endpoint, Request, Response};
use std::sync::Arc;

/// The name of the session's cookie.
const COOKIE: &str = "mws_console";

/// Returns the operator who is signed in, and their session; none when nobody is.
pub(super) async fn of<'a>(
    app: &'a App,
    scope: &Scope,
    request: &Request,
) -> Answer<Option<(&'a Operator, ConsoleSession)>> {
    let Some(session) = cookie(request, COOKIE).and_then(ConsoleSession::parse) else { return Ok(None) };
    Ok(signed_in(app, scope, &session).await?.map(|operator| (operator, session)))
}

/// The page behind a one-time link, and the request that its button sends.
pub(super) fn arrival(app: &App) -> impl Endpoint + 'static {
    let (app, template) = (app.clone(), Template(Arc::from(format!("{CONSOLE_PATH}/in"))));
    make(move |request: Request| {
        let (app, template) = (app.clone(), template.clone());
        async move {
            let mut response = enter(&app, &request).await.unwrap_or_else(|refusal| refused(None, &refusal));
            response.set_data(template);
            response
        }
    })
}

async fn enter(app: &App, request: &Request) -> Answer<Response> {
    let scope = Scope::of(request);
    if request.method().is_safe() {
        let code = ConsoleCode::parse(&request.path_params::<String>().unwrap_or_default());
        return match code {
            Some(code) if is_good(app, &scope, &code).await? => Ok(html(StatusCode::OK, &asks_to_go_on(&code))),
            _ => Ok(html(StatusCode::FORBIDDEN, &has_ended())),
        };
    }
    refuse_other_pages(&app.public_url, request)?;
    let code = ConsoleCode::parse(&field(&form(request), "code"));
    let session = match &code {
        Some(code) => sign_in(app, &scope, code).await?,
        None => None,
    };
    let Some(session) = session else { return Ok(html(StatusCode::FORBIDDEN, &has_ended())) };
    let mut response = leads_to(CONSOLE_PATH);
    let is_secure = request.header(header::ORIGIN).is_some_and(|origin| origin.starts_with("https://"));
    set_cookie(&mut response, session.expose(), SESSION_SECONDS, if is_secure { "; Secure" } else { "" })?;
    Ok(response)
}

/// Ends the session.
pub(super) async fn sign_out(visit: Visit) -> Answer<Response> {
    crate::usecases::operator::console::sign_out(&visit.app, &visit.session).await?;
    let mut response = leads_to(CONSOLE_PATH);
    set_cookie(&mut response, "", 0, "")?;
    Ok(response)
}

/// `secure` restricts the cookie to https, if the page was requested over it.
fn set_cookie(response: &mut Response, value: &str, seconds: u32, secure: &str) -> Answer<()> {
    let cookie = format!("{COOKIE}={value}; Path={CONSOLE_PATH}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    let cookie = HeaderValue::from_str(&cookie).map_err(ApiError::internal)?;
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(())
}

/// The page for visitors who are not signed in, and for operators who follow a link on another site until they reload
/// it. `is_form`: something was asked for, which is said not to have been done.
pub(super) fn asks_to_sign_in(is_form: bool) -> Markup {
    shell::alone(
        if is_form { "That was not done: sign in first" } else { "Sign in" },
        &markup! {
            @if is_form { p role="alert" { "What you just asked for was not done: sign in, open the page again, and do it there." } }
            p { "You are not signed in here. Make a link where the service's credentials are, and follow it:" }
            p { code { "mws console" } }
            p.soft { "If you followed a link of another site: " a href=(CONSOLE_PATH) { "open the console from here" } "." }
        },
    )
}

fn asks_to_go_on(code: &ConsoleCode) -> Markup {
    shell::alone(
        "Sign in to the console",
        &markup! {
            p { "This link signs this browser in for twelve hours. It can be used once." }
            form method="post" action={ (CONSOLE_PATH) "/in" } {
                input type="hidden" name="code" value=(code.expose());
                button { "Sign in" }
            }
        },
    )
}

fn has_ended() -> Markup {
    shell::alone(
        "This link has ended",
        &markup! {
            p { "It was used, or is older than ten minutes. Another one is made by:" }
            p { code { "mws console" } }
        },
    )
}
