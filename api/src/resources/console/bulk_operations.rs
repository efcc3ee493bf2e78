//! The pages of bulk operations: all of them, newest first, with how far each is; and one, with the button that stops
//! it. The page `unsent` starts them.

use super::filtered::or_refused;
use super::shell::{Fit, instead};
use super::words::{link, minutes, or_dash, state, time, time_or, word};
use super::{Visit, json, leads_to, shell};
use crate::http::error::{Answer, Code};
use crate::http::json::json_of;
use crate::http::text::Time;
use crate::resources::operator::bulk_operations::{BulkOperationAnswer, skipped_for};
use crate::usecases::operator::{bulk_operations as acts, missing};
use chrono::{DateTime, Utc};
use domain::bulk::{BulkKind, BulkState};
use domain::ids::BulkOperationId;
use domain::minutes::Minutes;
use maud::{Markup, html};
use poem::Response;
use store::Seen;
use store::bulk_operations::{self, BulkFilter, BulkOperation};

const COLUMNS: [(&str, Fit); 6] = [
    ("Operation", Fit::Any),
    ("Name", Fit::Any),
    ("State", Fit::Any),
    ("Progress", Fit::Medium),
    ("Started", Fit::Wide),
    ("By", Fit::Wide),
];

/// The list.
pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["state", "cursor", "format"])?;
    let shown = list(&visit).await;
    or_refused(visit, shown, "Bulk operations", "/bulk", fields)
}

async fn list(visit: &Visit) -> Answer<Response> {
    let page = visit.page("operator bulk operations")?;
    let filter = BulkFilter { state: visit.word("state", BulkState::from_name)?, ..BulkFilter::default() };
    let now = visit.now().await?;
    let rows = bulk_operations::list(&mut *visit.conn().await?, filter, page.after, page.fetch()).await?;
    if visit.wants_json()? {
        return Ok(json(&json_of(&page.list(rows, |row| row.id.uuid(), BulkOperationAnswer::from))));
    }
    let (found, next) = page.cut(Seen { rows, last_seen: None }, |row| row.id.uuid());
    let rows = html! { @for one in &found { (row(one, now)) } };
    let main = html! {
        h1 { "Bulk operations" }
        (shell::filters("/bulk", &fields(visit)))
        (shell::newest(visit, &html! {
            @if !found.is_empty() { (shell::fitted_table("Bulk operations", &COLUMNS, &rows)) }
            (shell::pages(visit, found.len(), next.as_deref(), "bulk operations"))
        }))
        p { a href="/console/unsent" { "Send again what did not arrive…" } " " a href="/console/rerun" { "Run failed reads again…" } }
        (shell::command(&super::words::command("mws admin bulk list", visit, &[("state", "--state")])))
    };
    Ok(visit.whole("Bulk operations", &main))
}

fn fields(visit: &Visit) -> Markup {
    shell::choice(visit, "state", "State", BulkState::ALL.iter().map(|state| state.name()))
}

fn row(one: &BulkOperation, now: DateTime<Utc>) -> Markup {
    html! {
        tr {
            td { (link("bulk", one.id)) }
            td.long { (one.name) }
            td { (state(one.state.name())) (instead(Fit::Medium, "Progress", &progress(one))) }
            td.medium { (progress(one)) }
            td.wide { (time(one.created_at, now)) }
            td.wide { (one.operator) }
        }
    }
}

/// Whether it runs failed reads again; else it sends deliveries again.
fn is_reads(one: &BulkOperation) -> bool {
    one.kind == BulkKind::RerunReads
}

/// Shows how many of those that were counted the operation has sent, and how many it has skipped.
fn progress(one: &BulkOperation) -> Markup {
    html! {
        span.number { (one.done) } " " (if is_reads(one) { "started" } else { "sent" })
        @if one.skipped > 0 { " and " span.number { (one.skipped) } " skipped" }
        " of " span.number { (one.total) }
    }
}

async fn find(visit: &Visit) -> Answer<BulkOperation> {
    let id: BulkOperationId = visit.own_id(Code::BulkOperationNotFound)?;
    let found = bulk_operations::by_id(&mut *visit.conn().await?, id).await?;
    found.ok_or_else(|| missing(Code::BulkOperationNotFound, id))
}

/// One operation.
pub(super) async fn one(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let one = find(&visit).await?;
    let now = visit.now().await?;
    let may_stop = visit.may_act() && one.state == BulkState::Running;
    let verb = if may_stop { "stop" } else { "get" };
    let main = html! {
        h1 { (one.name) }
        (shell::section("progress", "Progress", &html! {
            p {
                (state(one.state.name())) " " (progress(&one)) " "
                (if is_reads(&one) {
                    word(one.total == 1, "failed read", "failed reads")
                } else {
                    word(one.total == 1, "delivery", "deliveries")
                })
            }
            p { progress value=(one.done + one.skipped) max=(one.total.max(1)) aria-label="How far it is" {} }
            p { (awaited(&one)) }
            (rest(&one))
            (shell::facts(&counts(&one, now)))
        }))
        (shell::still("asked", if is_reads(&one) { "What is run again" } else { "What is sent again" }, &shell::facts(&asked(&one, now))))
        @if may_stop {
            p { "What it has " (if is_reads(&one) { "started goes on" } else { "sent stays sent" }) ". The rest can be done by another operation." }
            form method="post" { div.acts { button { "Stop it" } a href="/console/bulk" { "Leave it" } } }
        }
        (shell::section("document", "As operators' programs see it", &shell::document(&json_of(&BulkOperationAnswer::from(one.clone())))))
        (shell::command(&format!("mws admin bulk {verb} {}", one.id)))
    };
    Ok(visit.whole(&one.name, &main))
}

/// Says how the rest of an operation that was stopped can be done; nothing where there is none.
fn rest(one: &BulkOperation) -> Markup {
    let is_left = one.state == BulkState::Stopped && one.done + one.skipped < one.total;
    html! {
        @if is_left { p { "The rest can be done by another operation: " a href=(what_is_left(one)) { "what is left now" } "." } }
    }
}

/// Returns the link to the page that counts what matches the same filters still, and starts an operation of it.
fn what_is_left(one: &BulkOperation) -> String {
    let filters = [
        ("since", Some(Time(one.since).to_string())),
        ("until", Some(Time(one.until).to_string())),
        ("account_id", one.account_id.map(|id| id.to_string())),
        ("endpoint_id", one.endpoint_id.map(|id| id.to_string())),
        ("status", one.status.map(|status| status.name().to_owned())),
        ("event_type", one.event_type.map(|event| event.name().to_owned())),
        ("http_status", one.http_status.map(|status| status.to_string())),
        ("error", one.error.clone()),
        ("read", one.read.map(|read| read.name().to_owned())),
        ("error_code", one.error_code.clone()),
    ];
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(filters.into_iter().filter_map(|(name, value)| Some((name, value?))));
    format!("/console/{}?{}", if is_reads(one) { "rerun" } else { "unsent" }, query.finish())
}

/// Says what is awaited of an operation, and where what comes of it is seen.
fn awaited(one: &BulkOperation) -> Markup {
    if is_reads(one) {
        let account = one.account_id.map(|id| format!("?account_id={id}")).unwrap_or_default();
        return html! {
            @match (one.state, one.done + one.skipped) {
                _ if one.total == 0 => { "Nothing matched when it was started: nothing is awaited." }
                (BulkState::Running, 0) => { "Nothing was started yet: an api begins within seconds, and this page says how far it is." }
                _ => { "What comes of what was started stands with " a href={ "/console/jobs" (account) } { "the newest jobs" } "." }
            }
        };
    }
    let query = match (one.endpoint_id, one.account_id) {
        (Some(endpoint), _) => format!("?endpoint_id={endpoint}"),
        (None, Some(account)) => format!("?account_id={account}"),
        (None, None) => String::new(),
    };
    html! {
        @match (one.state, one.done + one.skipped) {
            _ if one.total == 0 => { "Nothing matched when it was started: nothing is awaited." }
            (BulkState::Running, 0) => { "Nothing was sent yet: a scheduler begins within seconds, and this page says how far it is." }
            _ => { "What receivers answer to what was sent stands with " a href={ "/console/deliveries" (query) } { "the newest deliveries" } "." }
        }
    }
}

fn counts(one: &BulkOperation, now: DateTime<Utc>) -> [(&'static str, Markup); 7] {
    let held = one.minutes.map(|held| minutes(Minutes::from_hundredths(held)));
    [
        (if is_reads(one) { "Started again" } else { "Sent again" }, html! { (one.done) }),
        ("Was held for them", held.unwrap_or_else(|| html! { span.soft { "nothing: sending costs nothing" } })),
        ("Skipped", html! { (one.skipped) " " span.soft { (skipped_why(one)) } }),
        ("Started", time(one.created_at, now)),
        ("By", html! { (one.operator) }),
        ("Ended", time_or(one.ended_at, now, "not yet")),
        ("Stopped by", or_dash(one.stopped_by.as_ref())),
    ]
}

/// Says why some were skipped: of deliveries why it can be, of reads the reasons with their numbers.
fn skipped_why(one: &BulkOperation) -> String {
    if !is_reads(one) {
        return "sent by others meanwhile, or for endpoints that are off".to_owned();
    }
    let each = skipped_for(&one.skips);
    each.iter().map(|one| format!("{} {}", one.count, one.reason.0)).collect::<Vec<_>>().join(", ")
}

fn asked(one: &BulkOperation, now: DateTime<Utc>) -> [(&'static str, Markup); 11] {
    let any = || html! { span.soft { "any" } };
    [
        ("Since", time(one.since, now)),
        ("Until", time(one.until, now)),
        ("Account", one.account_id.map_or_else(any, |id| link("accounts", id))),
        ("Endpoint", one.endpoint_id.map_or_else(any, |id| link("endpoints", id))),
        ("Status", one.status.map_or_else(any, |status| state(status.name()))),
        ("Event", one.event_type.map_or_else(any, |event| html! { (event.name()) })),
        ("HTTP status", one.http_status.map_or_else(any, |status| html! { (status) })),
        ("Read", one.read.map_or_else(any, |read| html! { (read.name()) })),
        ("Error code", one.error_code.as_ref().map_or_else(any, |code| html! { (code) })),
        ("Error", one.error.as_ref().map_or_else(any, |error| html! { (error) })),
        ("Pace", one.pace.map_or_else(|| html! { "up to 500 a second" }, |pace| html! { (pace) " a second" })),
    ]
}

/// Stops it.
pub(super) async fn stop(visit: Visit) -> Answer<Response> {
    let id: BulkOperationId = visit.own_id(Code::BulkOperationNotFound)?;
    acts::stop(&visit.app, &visit.caller, id).await?;
    Ok(leads_to(&format!("/console/bulk/{id}")))
}
