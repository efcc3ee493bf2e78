//! The deliveries of a day whose last attempt failed, on the page of failures: those that one host answered alike are
//! one row.

use super::shell;
use super::shell::Fit;
use super::words::{link, or_dash, time};
use crate::usecases::operator::errors::FailedDeliveries;
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use store::deliveries::DeliveryFailureGroup;

const COLUMNS: [(&str, Fit); 10] = [
    ("Host", Fit::Any),
    ("Answer", Fit::Any),
    ("Deliveries", Fit::Any),
    ("Tried again", Fit::Medium),
    ("Sent again", Fit::Medium),
    ("Endpoints", Fit::Wide),
    ("Accounts", Fit::Wide),
    ("Last made", Fit::Medium),
    ("One of them", Fit::Wide),
    ("All of them", Fit::Medium),
];

pub(super) fn shown(found: &FailedDeliveries, now: DateTime<Utc>) -> Markup {
    html! {
        @if found.kinds.is_empty() {
            p.empty { "No delivery of the last day failed at its last attempt, among the newest 20,000." }
        } @else {
            (shell::fitted_table("Failed deliveries", &COLUMNS, &html! { @for kind in &found.kinds { (row(kind, now)) } }))
        }
        p.soft {
            "Only the newest 20,000 deliveries are looked through. Those that are tried again count too. Kinds of "
            "which nothing is tried again or can be sent again are below the others."
        }
        @if found.more { p.soft { "There are more kinds: the first 100 are shown." } }
        (shell::command("mws errors --deliveries"))
    }
}

fn row(kind: &DeliveryFailureGroup, now: DateTime<Utc>) -> Markup {
    html! {
        tr {
            td.long { (kind.host) }
            td { (or_dash(kind.response_status)) " " code { (shell::code(&kind.error)) } }
            td.number { a href={ "/console/deliveries?" (query(kind)) } { (kind.deliveries) } }
            td.number.medium { (kind.pending) }
            td.medium { (sent_again(kind)) }
            td.number.wide { (kind.endpoints) }
            td.number.wide { (kind.accounts) }
            td.medium { (time(kind.last_at, now)) }
            td.wide { (link("deliveries", kind.sample)) }
            td.medium { @if kind.unsent > 0 { a href={ "/console/unsent?" (query(kind)) } { "Send again…" } } }
        }
    }
}

/// How many were sent again, and how many of those arrived.
fn sent_again(kind: &DeliveryFailureGroup) -> Markup {
    html! {
        span.number { (kind.sent_again) }
        @if kind.sent_again > 0 {
            " " span.soft { @if kind.arrived == kind.sent_again { "all arrived" } @else { (kind.arrived) " arrived" } }
        }
    }
}

/// The query of the lists of such deliveries: by their host where it has one endpoint.
fn query(kind: &DeliveryFailureGroup) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", &kind.error);
    query.extend_pairs(kind.response_status.map(|status| ("http_status", status.to_string())));
    query.extend_pairs((kind.endpoints == 1).then(|| ("endpoint_id", kind.endpoint.to_string())));
    query.finish()
}
