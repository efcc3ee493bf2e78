//! Sending again all that did not arrive: a preview that counts what matches, endpoint by endpoint, and a form that
//! sends it. The preview's link fixes the times, so that what is sent is what was counted, and less if some arrived.

use super::jobs::moment;
use super::words::link;
use super::{Visit, leads_to, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::http::text::Time;
use crate::usecases::operator::deliveries::resend_all;
use chrono::{DateTime, TimeDelta, Utc};
use domain::event::EventType;
use domain::ids::{AccountId, EndpointId};
use domain::series::DeliveryStatus::{self, Failed, Skipped};
use maud::{Markup, html};
use poem::Response;
use store::deliveries::{self, UnsentFilter, UnsentOf};

const FILTERS: [&str; 6] = ["status", "event_type", "http_status", "error", "account_id", "endpoint_id"];
/// How many deliveries are sent by a button alone; for more of them their number has to be typed.
const BY_A_BUTTON: i64 = 1_000;
/// How far back the preview looks, unless it is told.
const USUAL_HOURS: i64 = 24;

/// What was counted.
struct Counted {
    filter: UnsentFilter,
    until: DateTime<Utc>,
    open: Vec<UnsentOf>,
    closed: Vec<UnsentOf>,
}

impl Counted {
    /// How many deliveries can be sent: those to endpoints that are enabled.
    fn total(&self) -> i64 {
        self.open.iter().map(|one| one.count).sum()
    }
}

async fn counted(visit: &Visit) -> Answer<Counted> {
    let known: Vec<&str> = FILTERS.into_iter().chain(["since", "until", "sent", "more"]).collect();
    visit.takes(&known)?;
    let now = visit.now().await?;
    let until = moment(visit, "until")?.unwrap_or(now);
    let http_status = |text: &str| text.parse::<i16>().ok().filter(|status| (100..=599).contains(status));
    let filter = UnsentFilter {
        since: moment(visit, "since")?.unwrap_or(now - TimeDelta::hours(USUAL_HOURS)),
        until: Some(until),
        status: visit.word("status", unarrived)?,
        event_type: visit.word("event_type", EventType::from_name)?,
        http_status: visit.word("http_status", http_status)?,
        error: visit.asked("error").map(str::to_owned),
    };
    let (account, endpoint) = (visit.id_in::<AccountId>("account_id")?, visit.id_in::<EndpointId>("endpoint_id")?);
    let found = deliveries::unsent_of(&mut *visit.conn().await?, account, endpoint, &filter).await?;
    let (open, closed) = found.into_iter().partition(|one| one.enabled);
    Ok(Counted { filter, until, open, closed })
}

fn unarrived(text: &str) -> Option<DeliveryStatus> {
    DeliveryStatus::from_name(text).filter(|status| [Failed, Skipped].contains(status))
}

/// The page that counts.
pub(super) async fn show(visit: Visit) -> Answer<Response> {
    let counted = counted(&visit).await?;
    let main = html! {
        h1 { "Send again what did not arrive" }
        @if let Some(sent) = visit.asked("sent") {
            p.done role="status" { (sent) " were sent again."
                @if visit.asked("more").is_some() { " There are more: send again." }
                " " a href="/console/audit?action=deliveries.resend" { "Who sent what" } }
        }
        (shell::filters("/unsent", &fields(&visit, &counted)))
        (shell::still("found", "What would be sent", &found(&counted)))
        @if visit.may_act() && counted.total() > 0 { (send_form(&visit, &counted)) }
        (shell::command(&command(&visit)))
    };
    Ok(visit.whole("Send again", &main))
}

fn found(counted: &Counted) -> Markup {
    let rows = html! {
        @for one in counted.open.iter().chain(&counted.closed) {
            tr {
                td { (link("endpoints", one.endpoint_id)) }
                td { (link("accounts", one.account_id)) }
                td { (super::words::state(if one.enabled { "enabled" } else { "disabled" })) }
                td.number { (one.count) }
            }
        }
    };
    let closed: i64 = counted.closed.iter().map(|one| one.count).sum();
    html! {
        p { b { (counted.total()) } " deliveries to " b { (counted.open.len()) } " endpoints failed or were skipped between "
            (Time(counted.filter.since)) " and " (Time(counted.until)) ", and were not sent again since." }
        @if closed > 0 { p.fault { (closed) " more were for endpoints that are disabled: nothing is sent to those." } }
        @if counted.open.is_empty() && counted.closed.is_empty() {
            p.empty { "There are none. Look further back, or with fewer filters." }
        } @else {
            (shell::table("Endpoints", &["Endpoint", "Account", "State", "Deliveries"], &rows))
        }
    }
}

fn send_form(visit: &Visit, counted: &Counted) -> Markup {
    let total = counted.total();
    html! {
        p { "Each is sent from its first attempt, the oldest first. Receivers see the same event ids, and are to pass over what they have seen." }
        form method="post" action={ "/console/unsent?" (kept(visit, counted)) } {
            div.acts {
                @if total > BY_A_BUTTON {
                    label for="count" { "To send so many, type their number: " }
                    input #count name="count" inputmode="numeric" autocomplete="off" required;
                }
                button { "Send " (total) " again" }
                a href="/console/deliveries" { "Leave it" }
            }
        }
    }
}

/// The query that asks for the same, whenever it is asked.
fn kept(visit: &Visit, counted: &Counted) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("since", &Time(counted.filter.since).to_string());
    query.append_pair("until", &Time(counted.until).to_string());
    query.extend_pairs(FILTERS.iter().filter_map(|name| Some((*name, visit.asked(name)?))));
    query.finish()
}

/// Sends again what was counted.
pub(super) async fn resend(visit: Visit) -> Answer<Response> {
    let counted = counted(&visit).await?;
    let total = counted.total();
    if total > BY_A_BUTTON && field(&visit.form, "count").trim() != total.to_string() {
        let words = format!("{total} deliveries match now. Go back, and type their number to send so many.");
        return Err(ApiError::new(Code::InvalidRequest, words));
    }
    let all = resend_all(&visit.app, &visit.caller, &counted.open, &counted.filter).await?;
    let sent: u64 = all.endpoints.iter().map(|one| one.resent).sum();
    let more = if all.has_more { "&more=yes" } else { "" };
    Ok(leads_to(&format!("/console/unsent?{}&sent={sent}{more}", kept(&visit, &counted))))
}

fn fields(visit: &Visit, counted: &Counted) -> Markup {
    let types = EventType::SUBSCRIBABLE.into_iter().map(EventType::name);
    html! {
        (shell::choice(visit, "status", "Status", [Failed, Skipped].map(DeliveryStatus::name)))
        (shell::choice(visit, "event_type", "Event", types))
        (shell::text_field(visit, "http_status", "HTTP status"))
        (shell::text_field(visit, "error", "Error"))
        (shell::text_field(visit, "account_id", "Account"))
        (shell::text_field(visit, "endpoint_id", "Endpoint"))
        div { label for="f-since" { "Since (RFC 3339)" }
            input #f-since name="since" value=(Time(counted.filter.since)) autocomplete="off" spellcheck="false"; }
        (shell::text_field(visit, "until", "Until"))
    }
}

fn command(visit: &Visit) -> String {
    let flags = [
        ("status", "--status"),
        ("http_status", "--http-status"),
        ("error", "--error"),
        ("account_id", "--account"),
        ("endpoint_id", "--endpoint"),
    ];
    super::words::command("mws admin deliveries resend --since 24h --dry-run", visit, &flags)
}
