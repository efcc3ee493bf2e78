//! The form of a request, filled in as it was sent: the page of a refusal shows it again, so that nothing has to be
//! written twice. What was sent stands in that page alone, and in no address.

use super::refusals::Wrong;
use super::{PORTAL_PATH, endpoint, jobs, statement, webhooks};
use crate::http::error::ApiError;
use crate::http::pages::{field, form};
use maud::{Markup, html};
use poem::Request;

/// Returns the form that this request was made by, below its heading, if somebody writes into it or chooses in it. A
/// field that the refusal is about is marked. The heading says that something was written only where a form was sent:
/// the address of a filter may have nothing for its fields.
pub(super) fn again(request: &Request, refusal: Option<&ApiError>) -> Option<Markup> {
    let heading = if request.method().is_safe() { "Choose once more" } else { "What you wrote is still here" };
    filled_in(request, refusal).map(|form| html! { h2 { (heading) } (form) })
}

fn filled_in(request: &Request, refusal: Option<&ApiError>) -> Option<Markup> {
    let below = request.uri().path().strip_prefix(PORTAL_PATH)?;
    let page: Vec<&str> = below.trim_matches('/').split('/').collect();
    let wrong = refusal.and_then(Wrong::of);
    let wrong = wrong.as_ref();
    if request.method().is_safe() {
        let query: Vec<_> = url::form_urlencoded::parse(request.uri().query()?.as_bytes()).into_owned().collect();
        return match page.as_slice() {
            ["webhooks", _] => Some(endpoint::asking(&query, wrong)),
            ["jobs"] => Some(jobs::asking(&query, wrong)),
            ["usage", "statement"] => Some(statement::asking(&field(&query, "month"), wrong, &html! {})),
            _ => None,
        };
    }
    let sent = form(request);
    match page.as_slice() {
        ["webhooks"] => Some(webhooks::add_form(Some(sent.as_slice()), wrong)),
        ["webhooks", _] if field(&sent, "do") == "resend" => Some(endpoint::resend_form(&field(&sent, "since"), wrong)),
        _ => None,
    }
}
