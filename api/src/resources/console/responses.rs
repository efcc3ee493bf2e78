//! What the console responds with: a page, the rows of a list as JSON, the page of a refusal, or where to go instead.

use super::{assets, shell};
use crate::http::error::ApiError;
use crate::http::refusal::Refused;
use maud::Markup;
use poem::Response;
use poem::http::{HeaderValue, StatusCode, header};
use serde_json::Value;

/// Returns the page of a refusal.
pub(super) fn refused(seat: Option<&shell::Seat>, refusal: &ApiError) -> Response {
    refused_on(&shell::refusal(seat, refusal), refusal)
}

/// Returns a page that says why something was refused, with the status and the headers of the refusal.
pub(super) fn refused_on(page: &Markup, refusal: &ApiError) -> Response {
    let mut response = html(refusal.code().status(), page);
    if let Some(seconds) = refusal.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response.set_data(Refused(refusal.code()));
    response
}

/// Returns a page with this status, and the headers that browsers keep to.
pub(super) fn html(status: StatusCode, page: &Markup) -> Response {
    let mut response = Response::builder().status(status).content_type("text/html; charset=utf-8").body(page.0.clone());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, assets::policy("'self'"));
    // With `no-referrer`, browsers would send the console's own forms with the origin `null`.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex, nofollow"));
    response
}

/// Returns what a page shows as JSON.
pub(super) fn json(shown: &Value) -> Response {
    let mut response = Response::builder().content_type("application/json; charset=utf-8").body(shown.to_string());
    response.headers_mut().insert("x-robots-tag", HeaderValue::from_static("noindex, nofollow"));
    response
}

/// Redirects to another page, so that reloading it sends no form twice.
pub(super) fn leads_to(path: &str) -> Response {
    Response::builder().status(StatusCode::SEE_OTHER).header(header::LOCATION, path).finish()
}
