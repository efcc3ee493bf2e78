//! The page of one delivery: the requests and the answers, attempt by attempt, whether the signatures are right, and a
//! form to send it again.

use super::compared::compared;
use super::cures::helps;
use super::deliveries::{listed, next_attempt, rows};
use super::differences::answers;
use super::words::{clock, endpoint_url, exact, hidden, link, or_dash, shown_url, state, time, time_or};
use super::{Visit, leads_to, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::resources::verifying::verifying;
use crate::resources::webhooks::deliveries::DeliveryDetail;
use crate::usecases::webhooks::resend::{By, resend_delivery};
use chrono::{DateTime, Utc};
use domain::attempt_headers::SIGNATURE;
use domain::ids::{AccountId, DeliveryId};
use domain::receiver_clock;
use domain::series::DeliveryStatus;
use domain::signature::{DEFAULT_TOLERANCE_S, verify};
use maud::{Markup, html};
use poem::Response;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sqlx::PgConnection;
use store::deliveries::{self, AttemptRow, DeliveryRow, SentRow};
use store::endpoints::{self, EndpointOf};
use store::webhook_secrets;

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["done"])?;
    let id: DeliveryId = visit.own_id(Code::DeliveryNotFound)?;
    let now = visit.now().await?;
    let (row, endpoint) = find(&visit, id).await?;
    let mut conn = visit.conn().await?;
    let attempts = deliveries::sent_of(&mut conn, id).await?;
    let sees = visit.sees_payloads();
    let body = if sees { deliveries::body_of(&mut conn, id).await? } else { None };
    let repeats = deliveries::repeats(&mut conn, &row).await?;
    let before = if sees { before(&mut conn, &row, &repeats).await? } else { None };
    let repeats = listed(&mut conn, &repeats).await?;
    drop(conn);
    let secrets = if sees { secrets(&visit, row.account_id).await? } else { Vec::new() };
    let main = html! {
        h1 { "Delivery " span.id { (id) } }
        @match visit.asked("done") {
            Some("resent") => { p.done role="status" { "Sent again: this is the new delivery." } }
            Some("pinged") => { p.done role="status" { "The ping is under way: this is its delivery." } }
            _ => {}
        }
        (shell::section("state", "State", &facts(&visit, &row, &endpoint, now)))
        @if let Some(at) = endpoint.deleted_at { (removed(at, now)) } @else if visit.may_act() {
            p.acts { a.button data-key="r" href={ "/console/deliveries/" (id) "/resend" } { "Send again…" } }
        }
        @if let Some((first, before)) = &before {
            (shell::section("compared", "Before and this time", &compared(*first, before, &attempts, body.as_deref())))
        }
        (shell::section("attempts", "Attempts", &tried(&visit, &attempts, row.status, body.as_deref(), &secrets, now)))
        (shell::section("body", "The body that every attempt sends", &if sees { sent_body(body.as_deref()) } else { hidden() }))
        (verifying())
        @if !repeats.rows.is_empty() {
            (shell::section("repeats", "Other deliveries of the same event to this endpoint", &rows(&repeats, now)))
        }
        @if sees {
            @let detail = json_of(&DeliveryDetail::new(row.clone(), attempts.clone(), body.clone()));
            (shell::section("document", "As its account sees it", &shell::document(&detail)))
        }
        (shell::command(&format!("mws admin deliveries get {id}")))
    };
    Ok(visit.whole(&format!("Delivery {id}"), &main))
}

/// Returns the delivery before one that was sent again, with its attempts: the newest older one of `others`, which are
/// of the same event to the same endpoint, newest first. None if this is the first one, or no older one is kept.
async fn before(
    conn: &mut PgConnection,
    row: &DeliveryRow,
    others: &[DeliveryId],
) -> Answer<Option<(DeliveryId, Vec<SentRow>)>> {
    let older = others.iter().find(|other| row.resend_of.is_some() && other.uuid() < row.id.uuid());
    let Some(older) = older.copied() else { return Ok(None) };
    Ok(Some((older, deliveries::sent_of(conn, older).await?)))
}

async fn find(visit: &Visit, id: DeliveryId) -> Answer<(DeliveryRow, EndpointOf)> {
    let mut conn = visit.conn().await?;
    let missing = || ApiError::new(Code::DeliveryNotFound, format!("Nothing has the id `{id}`."));
    let row = deliveries::by_ids(&mut conn, &[id], None).await?.pop().ok_or_else(missing)?;
    let endpoint =
        endpoints::every(&mut conn, Some(row.endpoint_id), None, None, 1).await?.pop().ok_or_else(missing)?;
    Ok((row, endpoint))
}

fn facts(visit: &Visit, row: &DeliveryRow, endpoint: &EndpointOf, now: DateTime<Utc>) -> Markup {
    shell::facts(&[
        ("Status", state(row.status.name())),
        ("Event", html! { (row.event_type) " " code { (row.event_id) } }),
        ("Sent because", html! { (row.trigger.name()) }),
        ("Job", html! { @match row.job_id { Some(job) => { (link("jobs", job)) } None => { "–" } } }),
        ("Endpoint", link("endpoints", row.endpoint_id)),
        ("URL", html! { (endpoint_url(visit, &endpoint.endpoint.url)) }),
        ("Account", link("accounts", row.account_id)),
        ("Repeats", html! { @match row.resend_of { Some(first) => { (link("deliveries", first)) } None => { "–" } } }),
        ("Began", time(row.created_at, now)),
        ("Ended", time_or(row.finished_at, now, "not yet")),
        ("Next attempt", next_attempt(row.status, row.next_attempt_at, now, "none")),
        ("Trace", html! { code { (or_dash(row.traceparent.as_ref())) } }),
    ])
}

fn tried(
    visit: &Visit,
    attempts: &[SentRow],
    status: DeliveryStatus,
    body: Option<&str>,
    secrets: &[SecretString],
    now: DateTime<Utc>,
) -> Markup {
    if attempts.is_empty() {
        let is_awaited = status == DeliveryStatus::Pending;
        let awaited =
            "None yet: a worker makes the first one as soon as it can. It stands here, with what is answered.";
        return html! { p.soft { @if is_awaited { (awaited) } @else { "None was made." } } };
    }
    html! {
        @for (index, sent) in attempts.iter().enumerate() {
            @let attempt = &sent.attempt;
            @let before = index.checked_sub(1).map(|last| &attempts[last]);
            details open[index + 1 == attempts.len()] {
                summary {
                    "Attempt " (attempt.attempt) " · " (state(if attempt.error.is_none() { "succeeded" } else { "failed" }))
                    " · " (time(attempt.at, now)) " · " span.number { (exact(f64::from(attempt.duration_ms) / 1_000.0)) }
                    " · " (or_dash(attempt.response_status)) " " (or_dash(attempt.error.as_ref()))
                }
                @if visit.sees_payloads() { (sent_and_answered(before, sent, body, secrets)) } @else {
                    (timed(attempt))
                    (told_clock(attempt))
                    p { "What was sent and answered: " (hidden()) }
                }
            }
        }
    }
}

/// One attempt in full: what was sent, what came back, how that differs from what came back `before`, and what helps.
fn sent_and_answered(before: Option<&SentRow>, sent: &SentRow, body: Option<&str>, secrets: &[SecretString]) -> Markup {
    let attempt = &sent.attempt;
    html! {
        h3 { "Sent" }
        pre { code {
            "POST " (sent.url_path.as_deref().unwrap_or("?")) " HTTP/1.1\n"
            "host: " (sent.url_host.as_deref().unwrap_or("nothing is known to have been sent")) "\n"
            @for (name, value) in headers(sent.request_headers.as_ref()) { (name) ": " (value) "\n" }
        } }
        (timed(attempt))
        p { b { "Signature: " } (checked(sent.request_headers.as_ref(), body, secrets)) }
        (told_clock(attempt))
        h3 { "Answered" }
        pre { code {
            @match attempt.response_status { Some(status) => { "HTTP/1.1 " (status) "\n" } None => { "No answer.\n" } }
            @if let Some(headers) = &attempt.response_headers { (headers) "\n" }
            @if attempt.response_status.is_some() { "\n" }
            (attempt.response_excerpt.as_deref().unwrap_or_default())
        } }
        @if let Some(changed) = before.and_then(|before| answers(before, sent)) { (changed) }
        @if let Some(error) = &attempt.error { p { b { "What helps: " } (helps(error, attempt)) } }
    }
}

fn timed(attempt: &AttemptRow) -> Markup {
    html! {
        p {
            b { "Where the time went: " } "lookup " (ms(attempt.dns_ms)) " · TCP " (ms(attempt.connect_ms))
            " · TLS " (ms(attempt.tls_ms)) " · first byte after " (ms(attempt.first_byte_ms))
            " · all of it " (ms(Some(attempt.duration_ms)))
        }
    }
}

/// How far the receiver's clock was off when it answered; nothing if its answer does not say.
fn told_clock(attempt: &AttemptRow) -> Markup {
    let Some(ahead) = attempt.clock_ahead_seconds else { return html! {} };
    html! {
        @if receiver_clock::refuses(ahead) {
            p class=[attempt.error.is_some().then_some("fault")] {
                "The receiver's clock was " (clock(ahead)) ". Receivers refuse a signature whose time is more than "
                (DEFAULT_TOLERANCE_S / 60) " minutes from their own."
            }
        } @else {
            p.soft { "The receiver's clock was " (clock(ahead)) "." }
        }
    }
}

/// A step that did not end, or that there was none of, is a dash.
fn ms(step: Option<i32>) -> String {
    step.map_or_else(|| "–".to_owned(), |ms| format!("{ms} ms"))
}

fn headers(headers: Option<&Value>) -> Vec<(&str, &str)> {
    let all = headers.and_then(Value::as_object).into_iter().flatten();
    all.map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default())).collect()
}

/// Shows whether a request is signed with a secret of the account that verifies now.
fn checked(headers: Option<&Value>, body: Option<&str>, secrets: &[SecretString]) -> Markup {
    let header = headers.and_then(|headers| headers.get(SIGNATURE)).and_then(Value::as_str);
    let (Some(header), Some(body)) = (header, body) else {
        return html! { span.soft { "nothing is kept that could be checked." } };
    };
    let at = header.strip_prefix("t=").and_then(|rest| rest.split(',').next()?.parse::<i64>().ok()).unwrap_or_default();
    let made = |secret: &SecretString| {
        verify(header, body.as_bytes(), &[secret.expose_secret()], at, DEFAULT_TOLERANCE_S).is_ok()
    };
    let which = secrets.iter().position(made);
    html! {
        @match which {
            Some(0) => { (state("genuine")) ": made with the account's current secret." }
            Some(_) => { (state("genuine")) ": made with the secret before the current one, which still verifies." }
            None => { (state("unknown")) ": made with none of the secrets that verify now: it was rotated since." }
        }
        " What is signed: " code { (at) ".<body>" } ", HMAC-SHA256 with the whole secret. A receiver refuses it when its clock is more than "
        (DEFAULT_TOLERANCE_S) " s from " code { "t" } "."
    }
}

fn sent_body(body: Option<&str>) -> Markup {
    html! { @match body {
        Some(body) => { pre { code data-copy="" { (body) } } }
        None => { p.soft { "It is no longer kept." } }
    } }
}

/// Returns the account's secrets that verify now, the current one first; the deployment's if the account has none. They
/// are compared with signatures, and never shown.
async fn secrets(visit: &Visit, account: AccountId) -> Answer<Vec<SecretString>> {
    let sealed = webhook_secrets::verifying(&mut *visit.conn().await?, account).await?;
    if sealed.is_empty() {
        return Ok(visit.app.process.settings.default_webhook_secret.clone().into_iter().collect());
    }
    let purpose = webhook_secrets::purpose(account);
    Ok(sealed.iter().filter_map(|sealed| visit.app.sealer.open_text(sealed, &purpose).ok()).collect())
}

/// Says why nothing is sent again to an endpoint that was removed at this time.
fn removed(at: DateTime<Utc>, now: DateTime<Utc>) -> Markup {
    html! { p { "The endpoint was removed " (time(at, now)) ": this delivery can't be sent again." } }
}

/// The page that asks before a delivery is sent again.
pub(super) async fn confirm(visit: Visit) -> Answer<Response> {
    let id: DeliveryId = visit.own_id(Code::DeliveryNotFound)?;
    let (row, endpoint) = find(&visit, id).await?;
    if let Some(at) = endpoint.deleted_at {
        let now = visit.now().await?;
        let main = html! {
            h1 { "It can't be sent again" }
            (removed(at, now))
            p { a href={ "/console/deliveries/" (id) } { "Back to the delivery" } }
        };
        return Ok(visit.whole("It can't be sent again", &main));
    }
    let main = html! {
        h1 { "Send it again?" }
        p {
            "The event " code { (row.event_id) } " is sent to " (shown_url(&endpoint.endpoint.url)) " of "
            (link("accounts", row.account_id)) " again, from the first attempt."
        }
        p {
            "Its receiver sees the same event id, and is to pass over what it has seen. A delivery that is still "
            "pending is cancelled for this one."
        }
        @if endpoint.endpoint.enabled {
            form method="post" { div.acts { button { "Send again" } a href={ "/console/deliveries/" (id) } { "Leave it" } } }
        } @else {
            p.fault { "The endpoint is disabled: nothing is sent to it. Enable it first: " (link("endpoints", row.endpoint_id)) }
            p { a href={ "/console/deliveries/" (id) } { "Back to the delivery" } }
        }
        (shell::command(&format!("mws admin deliveries resend {id}")))
    };
    Ok(visit.whole("Send it again?", &main))
}

/// Sends a delivery again.
pub(super) async fn resend(visit: Visit) -> Answer<Response> {
    let id: DeliveryId = visit.own_id(Code::DeliveryNotFound)?;
    let (row, endpoint) = find(&visit, id).await?;
    // It was removed after the page with the button was shown: the page says so now.
    if endpoint.deleted_at.is_some() {
        return confirm(visit).await;
    }
    let by = By::Operator(&visit.caller);
    let new = resend_delivery(&visit.app, row.account_id, row.endpoint_id, id, by).await?;
    Ok(leads_to(&format!("/console/deliveries/{}?done=resent", new.id)))
}
