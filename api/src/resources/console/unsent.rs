//! Sending again all that did not arrive: what matches is counted endpoint by endpoint, and then sent; more than a
//! thousand by a bulk operation, which has a page of its own.
//!
//! The page looks at a bounded number of deliveries and shows fifty endpoints. Where that leaves some out, its button
//! counts all that match, and the page that follows has their number and sends them.

use super::bulk::{Bulk, COUNT_ALL, Parts, Period, RefusedForm, done, is_wrong, none, refuse_untyped, why};
use super::shell::Fit;
use super::unsent_counts::{UnsentCounts, count, count_all};
use super::words::{link, quoted, state, word};
use super::{Visit, leads_to, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::http::text::Time;
use crate::usecases::operator::bulk_operations::{BulkAsked, BulkSelection, free_name, start};
use crate::usecases::operator::deliveries::resend_all;
use chrono::{DateTime, Utc};
use domain::bulk::{MOST_NAME_CHARACTERS, PACES};
use domain::event::EventType;
use domain::series::DeliveryStatus::{self, Failed, Skipped};
use maud::{Markup, html};
use poem::Response;

const PAGE: Bulk = Bulk {
    path: "/unsent",
    back: "/console/deliveries",
    title: "Send again what did not arrive",
    counted: "What would be sent",
    verb: "Send",
    filters: &["status", "event_type", "http_status", "error", "account_id", "endpoint_id"],
    results: &["sent", "more", "cursor"],
    fields,
};

const COLUMNS: [(&str, Fit); 4] =
    [("Endpoint", Fit::Any), ("Account", Fit::Medium), ("State", Fit::Any), ("Deliveries", Fit::Any)];

/// The page that counts.
pub(super) async fn show(visit: Visit) -> Answer<Response> {
    PAGE.takes(&visit)?;
    let shown = look(&visit).await;
    PAGE.or_refused(visit, shown)
}

async fn look(visit: &Visit) -> Answer<Response> {
    let counted = count(visit, PAGE.period(visit).await?).await?;
    page(visit, &counted, None).await
}

/// Returns the page of what was counted. `refused`: why the form was refused, if it was; it then stands there as it was
/// sent.
async fn page(visit: &Visit, counted: &UnsentCounts, refused: Option<RefusedForm>) -> Answer<Response> {
    let now = visit.now().await?;
    let free = free_name(&mut *visit.conn().await?, &usual_name(counted.period)).await?;
    let warning = html! {
        p {
            "Each is sent from its first attempt, the oldest first. Receivers see the same event ids, and are to pass "
            "over what they have seen."
        }
        @if counted.is_bulk() {
            p {
                "So many are sent by a bulk operation, up to 500 a second unless you choose a pace. It has a page with "
                "its progress, on which it can be stopped."
            }
        }
    };
    let asked = html! {
        @if counted.is_bulk() {
            (name_field(visit, &free, refused.as_ref()))
            (pace_field(visit, refused.as_ref()))
        }
    };
    let parts = Parts {
        many: counted.total(),
        has_more: counted.has_more,
        done: sent(visit),
        refused,
        found: found(visit, counted),
        warning,
        asked,
        more: html! { p { a href="/console/bulk" { "Bulk operations so far" } } },
        command: command(visit, counted, now, &free),
    };
    Ok(PAGE.page(visit, counted.period, &PAGE.link(visit, counted.period, &[]), &parts))
}

/// The name of an operation that is given none.
fn usual_name(period: Period) -> String {
    format!("What did not arrive from {} to {}", Time(period.since), Time(period.until))
}

/// Shows the field of the operation's name: as it was sent, or with one that is free.
fn name_field(visit: &Visit, free: &str, refused: Option<&RefusedForm>) -> Markup {
    let written = field(&visit.form, "name");
    let name = if written.trim().is_empty() { free } else { written.as_str() };
    html! {
        label for="name" { "Name of the operation: " }
        input.name #name name="name" value=(name) maxlength=(MOST_NAME_CHARACTERS) autocomplete="off" required
            aria-invalid=[is_wrong(refused, "name").then_some("true")];
        (why(refused, "name"))
    }
}

/// Shows the field of the operation's pace, which may be left empty.
fn pace_field(visit: &Visit, refused: Option<&RefusedForm>) -> Markup {
    html! {
        label for="pace" { "Deliveries a second, " (PACES.start()) " to " (PACES.end()) " (empty: up to 500): " }
        input #pace name="pace" type="number" min=(PACES.start()) max=(PACES.end()) autocomplete="off"
            value=(field(&visit.form, "pace")) aria-invalid=[is_wrong(refused, "pace").then_some("true")];
        (why(refused, "pace"))
    }
}

/// Returns the pace that the form asks for; none if its field is empty.
fn pace(visit: &Visit) -> Answer<Option<i16>> {
    let text = field(&visit.form, "pace");
    if text.trim().is_empty() {
        return Ok(None);
    }
    let wrong = |_| ApiError::new(Code::InvalidRequest, "`pace` must be a whole number of deliveries a second.");
    text.trim().parse().map(Some).map_err(wrong)
}

/// What became of the last press of the button.
fn sent(visit: &Visit) -> Markup {
    let Some(sent) = visit.asked("sent") else { return Markup::default() };
    let result = html! {
        @if sent == "0" {
            "Nothing was sent again: what matched was sent by others meanwhile, or there is nothing any more."
        } @else {
            (sent) " " (word(sent == "1", "was", "were")) " sent again." @if visit.asked("more").is_some() { " There are more: send again." }
            " What comes of " (word(sent == "1", "it", "them")) " is awaited, and stands with "
            a href={ "/console/deliveries?" (super::deliveries::same_endpoints(visit)) } { "the newest deliveries" } "."
        }
    };
    done(&result, "deliveries.resend", "Who sent what")
}

fn found(visit: &Visit, counted: &UnsentCounts) -> Markup {
    let rows = html! {
        @for one in &counted.shown {
            tr {
                td { (link("endpoints", one.endpoint_id)) }
                td.medium { (link("accounts", one.account_id)) }
                td { (state(if one.enabled { "enabled" } else { "disabled" })) }
                td.number { (one.count) @if counted.cut == Some(one.endpoint_id) { " or more" } }
            }
        }
    };
    let (total, open) = (counted.total(), counted.open.len());
    let closed: i64 = counted.closed.iter().map(|one| one.count).sum();
    let is_one = |many: bool| many && !counted.has_more;
    html! {
        p {
            @if visit.asked("cursor").is_some() { "On from here, " }
            b { (counted.number(total)) } " " (word(is_one(total == 1), "delivery", "deliveries")) " to "
            b { (counted.number(open)) } " " (word(is_one(open == 1), "endpoint", "endpoints"))
            " failed or " (word(is_one(total == 1), "was", "were")) " skipped between "
            (Time(counted.period.since)) " and " (Time(counted.period.until)) ", and not sent again since."
        }
        @if counted.has_more {
            p { "A page looks at 10,000 that failed or were skipped, the newest of each endpoint. \"Count all that match\" counts the rest." }
        }
        @if closed > 0 {
            p.fault { (counted.number(closed)) " more " (word(is_one(closed == 1), "was", "were"))
                " for endpoints that are disabled: nothing is sent to those." }
        }
        @if !counted.shown.is_empty() { (shell::fitted_table("Endpoints", &COLUMNS, &rows)) }
        @else if !counted.has_more { (none()) }
        (pages(visit, counted))
    }
}

/// Shows the links to the first and the next page of the endpoints. They fix the times, so that pages go together.
fn pages(visit: &Visit, counted: &UnsentCounts) -> Markup {
    let to = |more: &[(&str, String)]| PAGE.link(visit, counted.period, more);
    html! {
        @if visit.asked("cursor").is_some() || counted.next.is_some() {
            nav.pages aria-label="Pages of the list" {
                @if visit.asked("cursor").is_some() { a href=(to(&[])) rel="first" { "First" } }
                @if let Some(next) = counted.next { a href=(to(&[("cursor", next.to_string())])) rel="next" { "Next" } }
            }
        }
    }
}

/// Sends again what was counted, or starts the operation that does.
pub(super) async fn resend(visit: Visit) -> Answer<Response> {
    PAGE.takes(&visit)?;
    let counted = count_all(&visit, PAGE.period(&visit).await?).await?;
    if !field(&visit.form, COUNT_ALL).is_empty() {
        return page(&visit, &counted, Some(all_counted(&counted))).await;
    }
    if let Err(refusal) = refuse_untyped(&visit, counted.total()) {
        return page(&visit, &counted, Some(RefusedForm { refusal, field: "count" })).await;
    }
    if counted.is_bulk() {
        return start_bulk(&visit, &counted).await;
    }
    let all = resend_all(&visit.app, &visit.caller, &counted.open, &counted.selection.filter).await?;
    let sent: u64 = all.endpoints.iter().map(|one| one.resent).sum();
    let mut results = vec![("sent", sent.to_string())];
    results.extend(all.has_more.then(|| ("more", "yes".to_owned())));
    Ok(leads_to(&PAGE.link(&visit, counted.period, &results)))
}

/// Refuses a form that was sent to count all, so that nothing is sent before their number was seen.
fn all_counted(counted: &UnsentCounts) -> RefusedForm {
    let message = format!("{} match, counted now. Nothing was sent yet.", counted.total());
    let field = if counted.is_bulk() { "count" } else { "" };
    RefusedForm { refusal: ApiError::new(Code::InvalidRequest, message), field }
}

/// Starts the operation that sends again what was counted.
async fn start_bulk(visit: &Visit, counted: &UnsentCounts) -> Answer<Response> {
    let named = field(&visit.form, "name");
    let name = if named.trim().is_empty() { usual_name(counted.period) } else { named };
    let started = match pace(visit) {
        Ok(pace) => {
            let asked = BulkAsked { name, selection: BulkSelection::Unsent(counted.selection.clone()), pace };
            start(&visit.app, &visit.caller, &asked).await
        }
        Err(refusal) => Err(refusal),
    };
    let refusal = match started {
        Ok(started) => return Ok(leads_to(&format!("/console/bulk/{}", started.id))),
        Err(refusal) if refusal.code().status().is_client_error() => refusal,
        Err(fault) => return Err(fault),
    };
    let field = match refusal.message() {
        message if refusal.code() == Code::NameTaken || message.starts_with("`name`") => "name",
        message if message.starts_with("`pace`") => "pace",
        _ => "",
    };
    page(visit, counted, Some(RefusedForm { refusal, field })).await
}

fn fields(visit: &Visit) -> Markup {
    let types = EventType::SUBSCRIBABLE.into_iter().map(EventType::name);
    html! {
        (shell::choice(visit, "status", "Status", [Failed, Skipped].map(DeliveryStatus::name)))
        (shell::choice(visit, "event_type", "Event", types))
        (shell::text_field(visit, "http_status", "HTTP status"))
        (shell::text_field(visit, "error", "Error"))
        (shell::text_field(visit, "account_id", "Account"))
        (shell::text_field(visit, "endpoint_id", "Endpoint"))
    }
}

/// Returns the command that counts the same: that of a bulk operation for more than a button sends. Commands take times
/// as how long ago they are.
fn command(visit: &Visit, counted: &UnsentCounts, now: DateTime<Utc>, name: &str) -> String {
    let ago = |time: DateTime<Utc>| (now - time).num_seconds().max(0);
    let until = visit.asked("until").map(|_| format!(" --until {}s", ago(counted.period.until))).unwrap_or_default();
    let since = if visit.asked("since").is_none() && until.is_empty() {
        "24h".to_owned()
    } else {
        // A second that has begun is told as a whole one, so that nothing is left out.
        format!("{}s", ago(counted.period.since) + 1)
    };
    let command = if counted.is_bulk() || counted.has_more {
        format!("mws admin bulk start {} --since {since}{until} --dry-run", quoted(name))
    } else {
        format!("mws admin deliveries resend --since {since}{until} --dry-run")
    };
    let flags = [
        ("status", "--status"),
        ("event_type", "--event-type"),
        ("http_status", "--http-status"),
        ("error", "--error"),
        ("account_id", "--account"),
        ("endpoint_id", "--endpoint"),
    ];
    super::words::command(&command, visit, &flags)
}
