//! The page of one endpoint: what was sent to it, what it answered, and forms to change it and to send again.

use super::fields::{choice, described_by, invalid, why};
use super::lists::{pages, refuse_odd_word, rows, text, when};
use super::refusals::Wrong;
use super::webhooks::{because, events};
use super::{PORTAL_PATH, Visit, attempts, leads_to};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::resources::fragments::{Fit, clock, code, facts, fitted_table, instead, or_dash, short, state};
use crate::resources::verifying::verifying;
use domain::portal::PortalPage;
use domain::receiver_clock;
use domain::series::DeliveryStatus;
use domain::signature::DEFAULT_TOLERANCE_S;
use maud::{Markup, html};
use poem::Response;
use poem::http::Method;
use serde_json::{Value, json};

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    let id = visit.id(0)?;
    let endpoint = visit.ask(Method::GET, &format!("/webhooks/{id}"), None).await?;
    let statuses: Vec<&str> = DeliveryStatus::ALL.iter().map(|one| one.name()).collect();
    refuse_odd_word(&visit, "status", &statuses)?;
    refuse_odd_status(visit.asked("http_status"))?;
    let filters = visit.filters(&["status", "http_status", "cursor"]);
    let list = visit.ask(Method::GET, &format!("/webhooks/{id}/deliveries?{filters}"), None).await?;
    let enabled = endpoint["enabled"] == true;
    let main = html! {
        h1 { (text(&endpoint, "url")) }
        (facts_of(&endpoint, enabled))
        (newest_clock(&list))
        (sent_again(&visit))
        (acts(enabled))
        h2 { "Deliveries" }
        (asking(&visit.query, None))
        @if !rows(&list).is_empty() { (deliveries(id, &list)) }
        (pages(&visit, &list, "deliveries", "Send a test event to see the first one."))
    };
    Ok(visit.whole("Endpoint", &main))
}

fn facts_of(endpoint: &Value, enabled: bool) -> Markup {
    facts(&[
        ("Status", state(if enabled { "enabled" } else { "disabled" })),
        ("Events", html! { (events(endpoint)) }),
        ("Description", or_dash(endpoint["description"].as_str())),
        ("Disabled because", or_dash(because(endpoint))),
        ("Last success", when(&endpoint["last_success_at"])),
        ("Failures in a row", html! { (endpoint["consecutive_failures"]) }),
    ])
}

/// Says that the server's clock is off, if it was so in the newest of these answers that tell its time.
fn newest_clock(list: &Value) -> Markup {
    let newest = rows(list).iter().find_map(|one| one["attempts"].as_array()?.iter().rev().find_map(ahead_seconds));
    html! {
        @if let Some(ahead) = newest.filter(|ahead| receiver_clock::refuses(*ahead)) { (servers_clock(ahead, true)) }
    }
}

/// Returns by how many seconds the server's clock was ahead at an attempt; none if its answer does not say.
fn ahead_seconds(attempt: &Value) -> Option<i32> {
    i32::try_from(attempt["clock_ahead_seconds"].as_i64()?).ok()
}

/// Says how far the server's clock was off, and what receivers do where that is more than they allow. After an attempt
/// that failed, it is marked as a fault.
fn servers_clock(ahead: i32, has_failed: bool) -> Markup {
    html! {
        @if receiver_clock::refuses(ahead) {
            p class=[has_failed.then_some("fault")] {
                "Your server's clock was " (clock(ahead)) ". Receivers refuse a signature whose time is more than "
                (DEFAULT_TOLERANCE_S / 60) " minutes from their own: set the clock, best by NTP."
            }
        } @else {
            p.soft { "Your server's clock was " (clock(ahead)) "." }
        }
    }
}

/// Says how many are sent again since the form for that was sent.
fn sent_again(visit: &Visit) -> Markup {
    let Some(many) = visit.asked("resent").and_then(|many| many.parse::<u64>().ok()) else { return html! {} };
    html! {
        p.done role="status" {
            @match many {
                0 => { "Nothing failed since then that was not sent again already." }
                1 => { "One delivery is sent again. It stands in the list below, as pending until your server has answered." }
                many => { (many) " deliveries are sent again. They stand in the list below, as pending until your server has answered." }
            }
            @if visit.asked("more").is_some() { " There are more: send again." }
        }
    }
}

fn acts(enabled: bool) -> Markup {
    html! {
        form.acts method="post" {
            button name="do" value="ping" { "Send a test event" }
            @if enabled {
                button.plain name="do" value="pause" { "Pause" }
            } @else {
                button name="do" value="enable" { "Enable" }
            }
        }
        details {
            summary { "Send what failed again" }
            p { "All that failed or was skipped since then, and was not sent again already." }
            (resend_form("", None))
        }
        details {
            summary { "Delete this endpoint" }
            p { "What waits to be sent to it is not sent any more. Its deliveries stay in the log." }
            form method="post" { button.risky name="do" value="delete" { "Delete" } }
        }
    }
}

/// Shows the form that sends again what failed, with the time that was written into it.
pub(super) fn resend_form(since: &str, wrong: Option<&Wrong>) -> Markup {
    html! {
        form.acts method="post" {
            label for="since" { "Ended since (UTC)" }
            input #since name="since" type="datetime-local" required value=[(!since.is_empty()).then_some(since)]
                aria-invalid=[invalid(wrong, "since")] aria-describedby=[described_by(wrong, "since")];
            button name="do" value="resend" { "Send again" }
            (why(wrong, "since"))
        }
    }
}

/// Shows the filters, with what was asked for.
pub(super) fn asking(query: &[(String, String)], wrong: Option<&Wrong>) -> Markup {
    html! {
        form.filters aria-label="Filter" {
            (choice(query, wrong, "status", "Status", DeliveryStatus::ALL.iter().map(|one| one.name())))
            div { label for="http_status" { "HTTP status" }
                input #http_status name="http_status" inputmode="numeric" value=(field(query, "http_status"))
                    aria-invalid=[invalid(wrong, "http_status")] aria-describedby=[described_by(wrong, "http_status")];
                (why(wrong, "http_status"))
            }
            button { "Show" }
        }
    }
}

fn deliveries(endpoint: &str, list: &Value) -> Markup {
    let body = html! {
        @for one in rows(list) {
            tr {
                td {
                    @let id = text(one, "delivery_id");
                    a.id href={ (PORTAL_PATH) "/webhooks/" (endpoint) "/" (id) } title=(id) { (short(id)) }
                }
                td.medium { (text(one, "event_type")) }
                td { (state(text(one, "status"))) (in_narrow(one)) }
                td.medium { (when(&one["created_at"])) }
                td.number.medium { (one["attempt_count"]) }
                td.medium { (answered(one)) }
                td.medium { (next_attempt(one)) }
            }
        }
    };
    let columns = [
        ("Delivery", Fit::Any),
        ("Event", Fit::Medium),
        ("Status", Fit::Any),
        ("Began", Fit::Medium),
        ("Attempts", Fit::Medium),
        ("Last answer", Fit::Medium),
        ("Next attempt", Fit::Medium),
    ];
    fitted_table("Deliveries", &columns, &body)
}

/// Shows what the columns tell that narrow windows have no room for.
fn in_narrow(one: &Value) -> Markup {
    html! {
        (instead(Fit::Medium, "Event", &html! { (text(one, "event_type")) }))
        (instead(Fit::Medium, "Began", &when(&one["created_at"])))
        (instead(Fit::Medium, "Attempts", &html! { (one["attempt_count"]) }))
        (instead(Fit::Medium, "Last answer", &answered(one)))
        @if is_pending(one) { (instead(Fit::Medium, "Next attempt", &next_attempt(one))) }
    }
}

fn is_pending(one: &Value) -> bool {
    text(one, "status") == "pending"
}

/// Shows when the next attempt is: now where one is under way, which has no time.
fn next_attempt(one: &Value) -> Markup {
    let at = &one["next_attempt_at"];
    if at.is_null() && is_pending(one) {
        html! { "now" }
    } else {
        when(at)
    }
}

/// Shows the HTTP status of an answer, or the error if there was none.
fn answered(one: &Value) -> Markup {
    html! {
        @if let Some(status) = one["response_status"].as_i64() { (status) " " }
        @if let Some(error) = one["error"].as_str() { (code(error)) }
    }
}

/// Does to the endpoint what the pressed button says.
pub(super) async fn change(visit: Visit) -> Answer<Response> {
    let id = visit.id(0)?;
    let (own, here) = (format!("/webhooks/{id}"), format!("{PORTAL_PATH}/webhooks/{id}"));
    match visit.sent("do") {
        "pause" => visit.ask(Method::PATCH, &own, Some(&json!({ "enabled": false }))).await?,
        "enable" => visit.ask(Method::PATCH, &own, Some(&json!({ "enabled": true }))).await?,
        "ping" => visit.ask(Method::PATCH, &own, Some(&json!({ "test": true }))).await?,
        "resend" => {
            let since = since(visit.sent("since"))?;
            let sent = visit.ask(Method::POST, &format!("{own}/deliveries"), Some(&json!({ "since": since }))).await?;
            let more = if sent["has_more"] == true { "&more=yes" } else { "" };
            return Ok(leads_to(&format!("{here}?resent={}{more}", sent["resent"].as_u64().unwrap_or_default())));
        }
        "delete" => {
            visit.ask(Method::DELETE, &own, None).await?;
            return Ok(leads_to(&format!("{PORTAL_PATH}/webhooks")));
        }
        _ => return Err(ApiError::new(Code::InvalidRequest, "This form says nothing that can be done.")),
    };
    Ok(leads_to(&here))
}

/// Refuses what is no HTTP status, in words for whoever fills in the filter.
fn refuse_odd_status(asked: Option<&str>) -> Answer<()> {
    let is_one = |text: &str| text.parse::<u16>().is_ok_and(|status| (100..=599).contains(&status));
    match asked {
        Some(text) if !is_one(text) => {
            Err(ApiError::new(Code::InvalidRequest, "`http_status` must be a number from 100 to 599, such as 404."))
        }
        _ => Ok(()),
    }
}

/// Parses a date and time as browsers send it, as UTC.
fn since(text: &str) -> Answer<String> {
    let known = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];
    let read = known.iter().find_map(|form| chrono::NaiveDateTime::parse_from_str(text, form).ok());
    let wrong =
        || ApiError::new(Code::InvalidRequest, "`since`: give a date and a time, such as 2026-11-27 and 14:30.");
    Ok(read.ok_or_else(wrong)?.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// The page of one delivery: each attempt, with the request and the answer.
pub(super) async fn delivery(visit: Visit) -> Answer<Response> {
    let (endpoint, id) = (visit.id(0)?, visit.id(1)?);
    let found = visit.ask(Method::GET, &format!("/webhooks/{endpoint}/deliveries/{id}"), None).await?;
    let attempts = found["attempts"].as_array().map_or(&[][..], Vec::as_slice);
    let main = html! {
        h1 { (text(&found, "event_type")) }
        (facts(&[
            ("Delivery", html! { span.id { (id) } }),
            ("Status", state(text(&found, "status"))),
            ("Began", when(&found["created_at"])),
            ("Ended", when(&found["finished_at"])),
            ("Next attempt", next_attempt(&found)),
            ("Job", job(&visit, &found)),
            ("Event", html! { span.id { (text(&found, "event_id")) } }),
        ]))
        form.acts method="post" { button { "Send again" } }
        h2 { "Attempts" }
        @if attempts.is_empty() {
            p.empty {
                @match text(&found, "status") {
                    "pending" => { "None was made yet. The next one stands here with what your server answers: load this page again." }
                    _ => { "None was made." }
                }
            }
        }
        @for attempt in attempts { (tried(attempt)) }
        h2 { "What is sent" }
        pre tabindex="0" { (sent(&found["request_body"])) }
        (verifying())
        p { a href={ (PORTAL_PATH) "/webhooks/" (endpoint) } { "Back to the endpoint" } }
    };
    Ok(visit.whole("Delivery", &main))
}

/// Shows the job of a delivery, as a link if the session may see the page of jobs.
fn job(visit: &Visit, delivery: &Value) -> Markup {
    let id = delivery["job_id"].as_str();
    html! {
        @if let Some(id) = id.filter(|_| visit.pass.look.pages.contains(&PortalPage::Jobs)) {
            a.id href={ (PORTAL_PATH) "/jobs/" (id) } { (id) }
        } @else {
            span.id { (or_dash(id)) }
        }
    }
}

/// Returns a body as it was sent: a text as it is, anything else as JSON.
fn sent(body: &Value) -> String {
    body.as_str().map_or_else(|| body.to_string(), str::to_owned)
}

fn tried(attempt: &Value) -> Markup {
    html! {
        section aria-label={ "Attempt " (attempt["attempt"]) } {
            h3 {
                "Attempt " (attempt["attempt"]) ", " (when(&attempt["at"])) ": " (answered(attempt))
                " after " (attempt["duration_ms"]) " ms"
            }
            @if let Some(said) = attempt["error"].as_str().and_then(attempts::words) { p { (said) } }
            @if attempt["request_headers"].is_object() {
                pre tabindex="0" { (headers(&attempt["request_headers"])) }
            }
            @let excerpt = attempt["response_excerpt"].as_str().unwrap_or_default();
            @if attempt["response_headers"].is_object() || !excerpt.is_empty() {
                p.soft { "It answered:" }
                pre tabindex="0" {
                    (headers(&attempt["response_headers"]))
                    @if !excerpt.is_empty() { "\n" (excerpt) }
                }
            }
            @if let Some(ahead) = ahead_seconds(attempt) { (servers_clock(ahead, !attempt["error"].is_null())) }
        }
    }
}

/// Shows headers, a line for each.
fn headers(headers: &Value) -> Markup {
    let all = headers.as_object().into_iter().flatten();
    html! { @for (name, value) in all { (name) ": " (value.as_str().unwrap_or_default()) "\n" } }
}

/// Sends a delivery again, as a new delivery.
pub(super) async fn resend(visit: Visit) -> Answer<Response> {
    let (endpoint, id) = (visit.id(0)?, visit.id(1)?);
    let body = json!({ "delivery_id": id });
    let made = visit.ask(Method::POST, &format!("/webhooks/{endpoint}/deliveries"), Some(&body)).await?;
    let own = made["delivery_id"].as_str().unwrap_or(id);
    Ok(leads_to(&format!("{PORTAL_PATH}/webhooks/{endpoint}/{own}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_attempt_of_a_pending_delivery_without_a_time_is_now() {
        let shown = |status: &str, at: Value| next_attempt(&json!({ "status": status, "next_attempt_at": at })).0;
        assert_eq!(shown("pending", Value::Null), "now");
        assert!(shown("pending", json!("2026-11-29T12:00:00Z")).contains("2026-11-29 12:00:00"));
        assert!(shown("failed", Value::Null).contains('–'));
    }
}
