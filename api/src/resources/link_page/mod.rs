//! The page behind a public link, for people who have no account: `/l/{token}`, and its files (docs/links.md).
//!
//! The token is the only proof, with the passphrase if the link has one: the link is checked at each request, so that a
//! revoked one shows nothing more. The pages are HTML, refusals too, and contain everything but the media; `view`
//! writes them. They work without their script, which follows the media and seeks.

mod assets;
mod files;
mod guest;
mod parts;
mod view;

use crate::app::App;
use crate::http::answers::{AnswerPermit, Taker};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::cookie;
use crate::http::refusal::{Envelope, Refused};
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::usecases::public_links::{is_admitted, open_link};
use poem::endpoint::make;
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Endpoint, Request, Response, Route, get};
use std::sync::Arc;
use store::items::{self, ItemRow};
use store::public_links::{self, OpenLink};

/// The start of the pages' paths.
pub const PAGES_PATH: &str = "/l/";
/// The bytes of room that a page or a file of it takes while it is put together; few are longer. They are asked for
/// before, so that whoever has no room makes nobody draw. What the work takes beyond that is bounded by its turns.
const ROOM_BYTES: u64 = 1 << 20;
/// The name of the cookie of visitors who have given the passphrase.
const COOKIE: &str = "mws_link";

/// Returns the URL of the page of the link with this token.
pub fn page_url(app: &App, token: &str) -> String {
    format!("{}{PAGES_PATH}{token}", app.public_url)
}

/// Returns whether forms are sent to this path of the pages, which can be read, too.
pub fn takes_forms(path: &str) -> bool {
    let below = path.strip_prefix(PAGES_PATH).unwrap_or_default();
    !below.is_empty() && below.split_once('/').is_none_or(|(_, part)| part == "comments")
}

/// Adds the pages to the routes.
pub fn add_to(route: Route, app: &App) -> Route {
    route
        .at("/l/:token", get(page(app, "/l/{token}", page_or_form)).post(page(app, "/l/{token}", guest::admit)))
        .at(
            "/l/:token/comments",
            get(page(app, "/l/{token}/comments", guest::to_page)).post(page(
                app,
                "/l/{token}/comments",
                guest::comment,
            )),
        )
        .at("/l/:token/media", get(page(app, "/l/{token}/media", files::media)))
        .at("/l/:token/lanes.svg", get(page(app, "/l/{token}/lanes.svg", files::lanes)))
        .at("/l/:token/captions.vtt", get(page(app, "/l/{token}/captions.vtt", files::captions)))
        .at("/l/:token/poster.jpg", get(page(app, "/l/{token}/poster.jpg", files::poster)))
}

/// A request by somebody who follows a link that works.
#[derive(Clone)]
struct Visit {
    app: App,
    link: OpenLink,
    token: String,
    /// Whether they have given the passphrase, or need none.
    admitted: bool,
}

impl Visit {
    /// # Errors
    /// `link_invalid` when the link has ended or never existed: the visitor is not told which.
    async fn of(app: &App, request: &Request) -> Answer<Self> {
        let token = request.path_params::<String>().unwrap_or_default();
        let link = open_link(app, &Scope::of(request), &token).await?.ok_or_else(ended)?;
        let _ = Scope::of(request).account.set(link.account_id);
        let admitted = is_admitted(app, &link, cookie(request, COOKIE));
        Ok(Self { app: app.clone(), link, token, admitted })
    }

    /// Opens the link as [`Self::of`] does, and refuses a visitor who has not given its passphrase.
    async fn admit(app: &App, request: &Request) -> Answer<Self> {
        let visit = Self::of(app, request).await?;
        if visit.admitted {
            return Ok(visit);
        }
        Err(ApiError::new(Code::LinkInvalid, "This link asks for a passphrase. Open its page, and enter it there."))
    }

    /// Takes room for what is sent to the visitors of its account's links.
    fn room(&self, bytes: u64) -> Answer<AnswerPermit> {
        self.app.answers.hold(Taker::Visitors(self.link.account_id), bytes)
    }

    async fn item(&self) -> Answer<ItemRow> {
        items::find(&mut *self.app.conn().await?, self.link.item_id).await?.ok_or_else(ended)
    }
}

/// Wraps an endpoint of these pages, so that a refusal is a page too.
fn page<F>(
    app: &App,
    template: &str,
    answer: impl Fn(App, Request) -> F + Send + Sync + 'static,
) -> impl Endpoint + 'static
where
    F: Future<Output = Answer<Response>> + Send + 'static,
{
    let (app, template, answer) = (app.clone(), Template(Arc::from(template)), Arc::new(answer));
    make(move |request: Request| {
        let (app, template, answer) = (app.clone(), template.clone(), Arc::clone(&answer));
        async move {
            let scope = Scope::of(&request);
            let response = answer(app.clone(), request).await.unwrap_or_else(|refusal| refused(&refusal));
            // What visitors are slow to take keeps the account from none of its own answers.
            let mut response = app.answers.housed(Envelope::Route, Taker::visitor(&scope), response);
            response.set_data(template);
            response.headers_mut().insert("x-robots-tag", HeaderValue::from_static("noindex, nofollow"));
            response
        }
    })
}

/// Sends the page, or the form for the passphrase.
async fn page_or_form(app: App, request: Request) -> Answer<Response> {
    let visit = Visit::of(&app, &request).await?;
    if !visit.admitted {
        return Ok(html(StatusCode::OK, &view::asks_passphrase(&visit.token, None)));
    }
    let parts = parts::of(&visit).await?;
    if app.link_pages.is_first_view(visit.link.id).await {
        public_links::count_view(&mut *app.conn().await?, visit.link.id).await?;
    }
    let from = request.uri().query().and_then(asked_second);
    let page = view::page(&visit.link, &visit.token, &parts, from, None);
    let mut response = html(StatusCode::OK, &page);
    if app.process.media.is_bucket() {
        // The media comes from the bucket, by a redirect.
        let policy = HeaderValue::from_str(&assets::policy("'self' https: http:")).map_err(ApiError::internal)?;
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// Returns the time in `t=`, in seconds; none if it is not a time.
fn asked_second(query: &str) -> Option<f64> {
    let given = query.split('&').find_map(|pair| pair.strip_prefix("t="))?;
    seconds(&given.replace("%3A", ":"))
}

/// Parses a time, written as `75`, `1:15` or `0:01:15.5`, into seconds.
fn seconds(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    if parts.len() > 3
        || parts.iter().any(|part| part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    {
        return None;
    }
    parts.iter().try_fold(0.0, |sum, part| part.parse::<f64>().ok().map(|part| sum * 60.0 + part))
}

fn ended() -> ApiError {
    ApiError::new(Code::LinkInvalid, "This link has ended, or there is none like it. Ask whoever sent it for another.")
}

/// Returns the page of a refusal.
fn refused(refusal: &ApiError) -> Response {
    let status = match refusal.code() {
        Code::LinkInvalid | Code::LinkExpired => StatusCode::NOT_FOUND,
        code => code.status(),
    };
    let mut response = html(status, &view::refusal(status, refusal.message()));
    if let Some(seconds) = refusal.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response.set_data(Refused(refusal.code()));
    response
}

fn html(status: StatusCode, page: &maud::Markup) -> Response {
    let mut response = Response::builder().status(status).content_type("text/html; charset=utf-8").body(page.0.clone());
    if let Ok(policy) = HeaderValue::from_str(&assets::policy("'self'")) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_people_write_it() {
        assert_eq!(
            ["75", "1:15", "0:01:15.5", " 7.25 "].map(seconds),
            [Some(75.0), Some(75.0), Some(75.5), Some(7.25)]
        );
        for wrong in ["", "1:", "-1", "1:2:3:4", "1e3", "x", "NaN", "1..2"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
        assert_eq!(asked_second("a=b&t=1%3A15"), Some(75.0));
    }
}
