//! The page of one endpoint: its state, its newest deliveries, and forms to enable, disable and test it.

use super::deliveries::{Listed, listed, rows};
use super::endpoints::{document as as_programs_see, failures, standing};
use super::words::{clock, endpoint_url, hidden, link, shown_url, theirs, time, time_or};
use super::{Visit, leads_to, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::http::pages::field;
use crate::http::text::Time;
use crate::usecases::operator::webhooks::change_any_webhook;
use crate::usecases::webhooks::endpoints::After;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::EndpointId;
use domain::receiver_clock;
use domain::series::DisabledReason;
use domain::signature::DEFAULT_TOLERANCE_S;
use maud::{Markup, html};
use poem::Response;
use store::deliveries::{self, DeliverySearchFilter, ReceiverClock, SearchScope};
use store::endpoints::{self, EndpointOf};

/// The newest deliveries that an endpoint's page shows.
const NEWEST: i64 = 20;
/// How long before an endpoint was disabled its oldest skipped delivery may have been created: what waited for another
/// attempt then is skipped too, and the usual attempts take two days.
const LONGEST_WAIT: TimeDelta = TimeDelta::days(3);

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["done", "since"])?;
    let found = find(&visit).await?;
    let id = found.endpoint.id;
    let now = visit.now().await?;
    let mut conn = visit.conn().await?;
    let scope = SearchScope::Endpoints(vec![id]);
    let seen = deliveries::search(&mut conn, &scope, &DeliverySearchFilter::default(), None, NEWEST).await?;
    let sent = listed(&mut conn, &seen.rows).await?;
    let told = deliveries::newest_clock(&mut conn, &seen.rows).await?;
    let main = html! {
        h1 { "Endpoint " span.id { (id) } }
        @match visit.asked("done") {
            Some("enabled") => {
                p.done role="status" {
                    "It is enabled. " a href=(skipped(&visit, id)) { "Send again what was skipped meanwhile…" }
                }
            }
            Some("disabled") => {
                p.done role="status" {
                    "It is disabled by operators: nothing is sent to it until they or its owner enable it."
                }
            }
            _ => {}
        }
        (shell::section("state", "State", &state(&visit, &found, told, now)))
        (acts(&visit, &found))
        (shell::section("sent", "Newest deliveries", &newest(&visit, id, &sent, now)))
        (shell::section("document", "As operators' programs see it", &document(&visit, &found)))
        (shell::command(&format!("mws admin deliveries list --endpoint {id}")))
    };
    Ok(visit.whole(&format!("Endpoint {id}"), &main))
}

/// Returns the link to the page that counts what was skipped while the endpoint was disabled, and sends it again.
fn skipped(visit: &Visit, id: EndpointId) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("endpoint_id", &id.to_string()).append_pair("status", "skipped");
    query.extend_pairs(visit.asked("since").map(|since| ("since", since)));
    format!("/console/unsent?{}", query.finish())
}

fn document(visit: &Visit, found: &EndpointOf) -> Markup {
    if !visit.sees_payloads() {
        return html! { p { (hidden()) } };
    }
    shell::document(&json_of(&as_programs_see(found.clone())))
}

async fn find(visit: &Visit) -> Answer<EndpointOf> {
    let id: EndpointId = visit.own_id(Code::WebhookNotFound)?;
    let found = endpoints::every(&mut *visit.conn().await?, Some(id), None, None, 1).await?.pop();
    found.ok_or_else(|| missing(id))
}

/// Returns the endpoint that the page is about, unless it was removed.
async fn find_kept(visit: &Visit) -> Answer<EndpointOf> {
    let found = find(visit).await?;
    if found.deleted_at.is_some() {
        return Err(missing(found.endpoint.id));
    }
    Ok(found)
}

fn missing(id: EndpointId) -> ApiError {
    ApiError::new(Code::WebhookNotFound, format!("Nothing has the id `{id}`."))
}

/// The endpoint's state, and what is wrong where its receiver's clock is so far off that it refuses signatures.
fn state(visit: &Visit, found: &EndpointOf, told: Option<ReceiverClock>, now: DateTime<Utc>) -> Markup {
    let off = told.map(|told| told.ahead_seconds).filter(|ahead| receiver_clock::refuses(*ahead));
    html! {
        (facts(visit, found, told, now))
        @if let Some(ahead) = off {
            p.fault {
                "This receiver's clock is " (clock(ahead)) ". If it checks the time of signatures, it refuses all that are more than "
                (DEFAULT_TOLERANCE_S / 60) " minutes from its own. Its owner sets the clock, best by NTP."
            }
        }
    }
}

fn facts(visit: &Visit, found: &EndpointOf, told: Option<ReceiverClock>, now: DateTime<Utc>) -> Markup {
    let endpoint = &found.endpoint;
    let kinds = endpoint.kinds.as_ref().map_or_else(|| "all".to_owned(), |kinds| kinds.join(", "));
    shell::facts(&[
        ("State", standing(found)),
        ("URL", html! { (endpoint_url(visit, &endpoint.url)) }),
        ("Account", link("accounts", found.account_id)),
        ("Failures in a row", failures(found)),
        ("Last success", time_or(endpoint.last_success_at, now, "never")),
        ("Disabled", time_or(endpoint.disabled_at, now, "no")),
        ("Receiver's clock", read_clock(told, now)),
        ("Events", html! { (endpoint.event_types.join(", ")) }),
        ("Kinds of jobs", html! { (kinds) }),
        ("Description", theirs(visit, endpoint.description.as_ref())),
        ("Made", time(endpoint.created_at, now)),
        ("Changed", time(endpoint.updated_at, now)),
    ])
}

fn read_clock(told: Option<ReceiverClock>, now: DateTime<Utc>) -> Markup {
    html! {
        @match told {
            Some(told) => { (clock(told.ahead_seconds)) ", by its answer of " (time(told.at, now)) }
            None => { "–" }
        }
    }
}

fn acts(visit: &Visit, found: &EndpointOf) -> Markup {
    let id = found.endpoint.id;
    html! {
        @if visit.may_act() && found.deleted_at.is_none() {
            p.acts {
                a.button href={ "/console/endpoints/" (id) "/ping" } { "Send a ping…" }
                a.button href={ "/console/endpoints/" (id) "/change" } {
                    @if found.endpoint.enabled { "Disable…" } @else { "Enable…" }
                }
                @if is_off_by_others(found) {
                    a.button href={ "/console/endpoints/" (id) "/change?to=disabled" } { "Keep it disabled…" }
                }
            }
        }
    }
}

/// Whether it is disabled, and not by an operator.
fn is_off_by_others(found: &EndpointOf) -> bool {
    !found.endpoint.enabled && found.endpoint.disabled_reason != Some(DisabledReason::Operator)
}

fn newest(visit: &Visit, id: EndpointId, sent: &Listed, now: DateTime<Utc>) -> Markup {
    html! {
        @if sent.rows.is_empty() { p.soft { "Nothing was sent yet." } } @else { (rows(sent, now)) }
        p {
            a href={ "/console/deliveries?endpoint_id=" (id) } { "All of its deliveries" } " · "
            a href={ "/console/deliveries?endpoint_id=" (id) "&status=failed" } { "those that failed" }
            @if visit.may_read() { " · " a href={ "/console/unsent?endpoint_id=" (id) } { "Send again what did not arrive…" } }
        }
    }
}

/// The page that asks before an endpoint is enabled or disabled.
pub(super) async fn confirm(visit: Visit) -> Answer<Response> {
    let found = find_kept(&visit).await?;
    let (id, url) = (found.endpoint.id, shown_url(&found.endpoint.url));
    let is_kept_off = !found.endpoint.enabled && visit.asked("to") == Some("disabled");
    let (verb, value) = if found.endpoint.enabled || is_kept_off { ("Disable", "no") } else { ("Enable", "yes") };
    let title = if is_kept_off { "Keep it disabled?".to_owned() } else { format!("{verb} it?") };
    let main = html! {
        h1 { (title) }
        p { "The endpoint " (link("endpoints", id)) " of " (link("accounts", found.account_id)) ": " (url) }
        @if found.endpoint.enabled {
            p { "Nothing is sent to it until it is enabled: events are recorded as skipped, and can be sent again then." }
        } @else if is_kept_off {
            p {
                "It is disabled already. From then on it is so by operators: its owner is told, and it stays disabled "
                "when its account is resumed, until its owner or an operator enables it."
            }
        } @else {
            p {
                "Events that come from now on are sent to it, and its failures in a row are counted anew. What was "
                "skipped stays so until it is sent again."
            }
        }
        @if !is_kept_off && found.endpoint.disabled_reason == Some(DisabledReason::Suspended) {
            p.fault { "Its account is suspended: it is enabled when the account is resumed." }
        }
        p { "The account's audit log says that an operator did it." }
        form method="post" {
            input type="hidden" name="enabled" value=(value);
            div.acts { button { (verb) } a href={ "/console/endpoints/" (id) } { "Leave it" } }
        }
        (shell::command(&format!("mws admin webhooks {} {id}", verb.to_lowercase())))
    };
    Ok(visit.whole(&title, &main))
}

/// Enables an endpoint, or disables it.
pub(super) async fn change(visit: Visit) -> Answer<Response> {
    let id: EndpointId = visit.own_id(Code::WebhookNotFound)?;
    let (enabled, done) = match field(&visit.form, "enabled").as_str() {
        "yes" => (true, "enabled"),
        "no" => (false, "disabled"),
        _ => return Err(ApiError::new(Code::InvalidRequest, "`enabled` must be `yes` or `no`.")),
    };
    let disabled_at = find_kept(&visit).await?.endpoint.disabled_at.filter(|_| enabled);
    change_any_webhook(&visit.app, &visit.caller, id, Some(enabled), After::Nothing).await?;
    let since = disabled_at.map(|at| format!("&since={}", Time(at - LONGEST_WAIT))).unwrap_or_default();
    Ok(leads_to(&format!("/console/endpoints/{id}?done={done}{since}")))
}

/// The page that asks before a ping is sent.
pub(super) async fn confirm_ping(visit: Visit) -> Answer<Response> {
    let found = find_kept(&visit).await?;
    let (id, url) = (found.endpoint.id, shown_url(&found.endpoint.url));
    let main = html! {
        h1 { "Send it a ping?" }
        p { "One signed event of the type " code { "ping" } " is sent to " (url) " of " (link("accounts", found.account_id)) " now." }
        p { "Its result counts neither as failure nor as success, and it is not tried again. An endpoint takes ten pings a minute." }
        @if !found.endpoint.enabled { p { "The endpoint is disabled: the ping is sent all the same, and nothing else is." } }
        form method="post" { div.acts { button { "Send a ping" } a href={ "/console/endpoints/" (id) } { "Leave it" } } }
        (shell::command(&format!("mws admin webhooks ping {id}")))
    };
    Ok(visit.whole("Send it a ping?", &main))
}

/// Sends a ping.
pub(super) async fn ping(visit: Visit) -> Answer<Response> {
    let id: EndpointId = visit.own_id(Code::WebhookNotFound)?;
    let changed = change_any_webhook(&visit.app, &visit.caller, id, None, After::Ping).await?;
    Ok(leads_to(&match changed.ping {
        Some(delivery) => format!("/console/deliveries/{delivery}?done=pinged"),
        None => format!("/console/endpoints/{id}"),
    }))
}
