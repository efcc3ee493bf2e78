//! `/cal/{token}.ics`: a workspace's calendar for calendar programs, behind a secret URL (docs/library.md).
//!
//! The token is the only proof; whether the feed still exists is checked at each read. A program that reads too often
//! is told when to try again.

use crate::app::App;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::refusal::{Envelope, Refused};
use crate::http::request::Template;
use crate::http::scope::Scope;
use crate::resources::library::hexadecimal;
use crate::usecases::calendar_feeds::read_feed;
use domain::http_range::is_known;
use domain::public_link::LinkToken;
use poem::endpoint::make;
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Request, Response, Route, get};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The start of the feeds' paths.
pub const FEEDS_PATH: &str = "/cal/";
/// The end of the feeds' paths.
const SUFFIX: &str = ".ics";

/// Returns the URL of the feed with this token.
pub fn feed_url(app: &App, token: &str) -> String {
    format!("{}{FEEDS_PATH}{token}{SUFFIX}", app.public_url)
}

/// Adds the feeds to the routes.
pub fn add_to(route: Route, app: &App) -> Route {
    let app = app.clone();
    let feed = make(move |request: Request| {
        let app = app.clone();
        async move {
            let mut response = feed_of(&app, &request).await.unwrap_or_else(|refusal| refused(&refusal));
            response.set_data(Template(Arc::from("/cal/{token}.ics")));
            response.headers_mut().insert("x-robots-tag", HeaderValue::from_static("noindex, nofollow"));
            response
        }
    });
    route.at("/cal/:file", get(feed))
}

async fn feed_of(app: &App, request: &Request) -> Answer<Response> {
    let file = request.path_params::<String>().unwrap_or_default();
    let token = file.strip_suffix(SUFFIX).and_then(|token| token.parse::<LinkToken>().ok()).ok_or_else(ended)?;
    let text = read_feed(app, &Scope::of(request), &token).await?.ok_or_else(ended)?;
    let tag = format!("\"{}\"", hexadecimal(&Sha256::digest(&text)));
    let mut response = if is_known(request.header(header::IF_NONE_MATCH), &tag) {
        Response::builder().status(StatusCode::NOT_MODIFIED).finish()
    } else {
        Response::builder().content_type("text/calendar; charset=utf-8").body(text)
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::from_str(&tag).map_err(ApiError::internal)?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=300"));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("inline; filename=\"calendar.ics\""));
    Ok(response)
}

fn ended() -> ApiError {
    ApiError::new(Code::LinkInvalid, "This calendar feed was revoked, or there is none like it.")
}

/// Returns the response of a refusal; a feed that does not exist is 404.
fn refused(refusal: &ApiError) -> Response {
    let mut response = Envelope::Route.refuse(refusal);
    if refusal.code() == Code::LinkInvalid {
        response.set_status(StatusCode::NOT_FOUND);
    }
    response.set_data(Refused(refusal.code()));
    response
}
