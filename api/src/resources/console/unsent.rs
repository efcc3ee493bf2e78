//! Sending again all that did not arrive: what matches is counted endpoint by endpoint, and then sent; more than a
//! thousand by a bulk operation, which has a page of its own.

use super::bulk::{BY_A_BUTTON, Bulk, Parts, Period, RefusedForm, done, is_wrong, none, refuse_untyped, why};
use super::shell::Fit;
use super::words::{link, quoted, state, word};
use super::{Visit, leads_to, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::http::text::Time;
use crate::usecases::operator::bulk_operations::{BulkAsked, BulkSelection, free_name, start};
use crate::usecases::operator::deliveries::{UnsentSelection, resend_all};
use chrono::{DateTime, Utc};
use domain::bulk::{MOST_NAME_CHARACTERS, PACES};
use domain::event::EventType;
use domain::series::DeliveryStatus::{self, Failed, Skipped};
use maud::{Markup, html};
use poem::Response;
use store::deliveries::{self, UnsentFilter, UnsentOf};

const PAGE: Bulk = Bulk {
    path: "/unsent",
    back: "/console/deliveries",
    title: "Send again what did not arrive",
    counted: "What would be sent",
    verb: "Send",
    filters: &["status", "event_type", "http_status", "error", "account_id", "endpoint_id"],
    results: &["sent", "more"],
    fields,
};

const COLUMNS: [(&str, Fit); 4] =
    [("Endpoint", Fit::Any), ("Account", Fit::Medium), ("State", Fit::Any), ("Deliveries", Fit::Any)];

/// What was counted.
struct UnsentCounts {
    period: Period,
    selection: UnsentSelection,
    open: Vec<UnsentOf>,
    closed: Vec<UnsentOf>,
}

impl UnsentCounts {
    /// How many deliveries can be sent: those to endpoints that are enabled.
    fn total(&self) -> u64 {
        self.open.iter().map(|one| one.count.unsigned_abs()).sum()
    }

    /// Whether a bulk operation sends them.
    fn is_bulk(&self) -> bool {
        self.total() > BY_A_BUTTON
    }
}

async fn count(visit: &Visit) -> Answer<UnsentCounts> {
    let period = PAGE.period(visit).await?;
    let http_status = |text: &str| text.parse::<i16>().ok().filter(|status| (100..=599).contains(status));
    let filter = UnsentFilter {
        since: period.since,
        until: Some(period.until),
        status: visit.word("status", unarrived)?,
        event_type: visit.word("event_type", EventType::from_name)?,
        http_status: visit.word("http_status", http_status)?,
        error: visit.asked("error").map(str::to_owned),
    };
    let (account, endpoint) = (visit.id_in("account_id")?, visit.id_in("endpoint_id")?);
    let found = deliveries::unsent_of(&mut *visit.conn().await?, account, endpoint, &filter).await?;
    let (open, closed) = found.into_iter().partition(|one| one.enabled);
    Ok(UnsentCounts { period, selection: UnsentSelection { account, endpoint, filter }, open, closed })
}

fn unarrived(text: &str) -> Option<DeliveryStatus> {
    DeliveryStatus::from_name(text).filter(|status| [Failed, Skipped].contains(status))
}

/// The page that counts.
pub(super) async fn show(visit: Visit) -> Answer<Response> {
    PAGE.takes(&visit)?;
    let shown = match count(&visit).await {
        Ok(counted) => page(&visit, &counted, None).await,
        Err(refusal) => Err(refusal),
    };
    PAGE.or_refused(visit, shown)
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
        done: sent(visit),
        refused,
        found: found(counted),
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

fn found(counted: &UnsentCounts) -> Markup {
    let rows = html! {
        @for one in counted.open.iter().chain(&counted.closed) {
            tr {
                td { (link("endpoints", one.endpoint_id)) }
                td.medium { (link("accounts", one.account_id)) }
                td { (state(if one.enabled { "enabled" } else { "disabled" })) }
                td.number { (one.count) }
            }
        }
    };
    let closed: i64 = counted.closed.iter().map(|one| one.count).sum();
    html! {
        p {
            b { (counted.total()) } " " (word(counted.total() == 1, "delivery", "deliveries")) " to "
            b { (counted.open.len()) } " " (word(counted.open.len() == 1, "endpoint", "endpoints"))
            " failed or " (word(counted.total() == 1, "was", "were")) " skipped between "
            (Time(counted.period.since)) " and " (Time(counted.period.until)) ", and not sent again since."
        }
        @if closed > 0 {
            p.fault { (closed) " more " (word(closed == 1, "was", "were")) " for endpoints that are disabled: nothing is sent to those." }
        }
        @if counted.open.is_empty() && counted.closed.is_empty() { (none()) } @else {
            (shell::fitted_table("Endpoints", &COLUMNS, &rows))
        }
    }
}

/// Sends again what was counted, or starts the operation that does.
pub(super) async fn resend(visit: Visit) -> Answer<Response> {
    PAGE.takes(&visit)?;
    let counted = count(&visit).await?;
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
    let command = if counted.is_bulk() {
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
