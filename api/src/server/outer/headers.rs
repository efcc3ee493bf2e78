//! The headers of every answer: the request's id, the rate, and those that protect browsers.

use crate::app::App;
use crate::http::rate::policy;
use crate::http::scope::Scope;
use poem::Response;
use poem::http::{HeaderName, HeaderValue, header};

/// Headers of every answer that does not set them itself. There is no CORS: no answer is for another origin's page.
const SECURITY_HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Adds the headers of every answer: the request's id, the rate, and those that protect browsers.
pub fn add_headers(app: &App, scope: &Scope, response: &mut Response) {
    let id = HeaderValue::from_str(&scope.request_id).unwrap_or(HeaderValue::from_static("req_unknown"));
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-request-id"), id);
    // An unknown caller has no rate.
    if let Some(standing) = scope.standing.get() {
        headers.insert(HeaderName::from_static("x-ratelimit-limit"), standing.limit.into());
        headers.insert(HeaderName::from_static("x-ratelimit-remaining"), standing.remaining.into());
        headers.insert(HeaderName::from_static("x-ratelimit-reset"), standing.reset.into());
        if let Ok(policy) = HeaderValue::from_str(&policy(&app.process.settings)) {
            headers.insert(HeaderName::from_static("ratelimit-policy"), policy);
        }
    }
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if app.public_url.starts_with("https://") {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(year);
    }
}
