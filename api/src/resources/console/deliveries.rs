//! The list of deliveries of all accounts, with the filters that the operators' route has.

use super::filtered::or_refused;
use super::jobs::moment;
use super::shell::{Fit, instead};
use super::words::{link, or_dash, state, time, time_or};
use super::{Visit, json, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::resources::webhooks::deliveries::page_of;
use chrono::{DateTime, Utc};
use domain::event::EventType;
use domain::ids::{AccountId, DeliveryId, EndpointId, JobId};
use domain::series::DeliveryStatus;
use maud::{Markup, html};
use poem::Response;
use sqlx::PgConnection;
use store::deliveries::{self, DeliveryFilter, DeliveryRow, DeliverySearchFilter, SearchScope, SentAgain};
use store::endpoints;

const FILTERS: [&str; 11] = [
    "status",
    "event_type",
    "http_status",
    "error",
    "account_id",
    "endpoint_id",
    "job_id",
    "since",
    "until",
    "cursor",
    "format",
];

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&FILTERS)?;
    let shown = list(&visit).await;
    or_refused(visit, shown, "Deliveries", "/deliveries", fields)
}

async fn list(visit: &Visit) -> Answer<Response> {
    let page = visit.page("operator deliveries")?;
    let every = search_filter(visit)?;
    let now = visit.now().await?;
    let mut conn = visit.conn().await?;
    let scope = search_scope(visit, &mut conn).await?;
    if visit.wants_json()? {
        let mut list = page_of(&mut conn, page, &scope, &every).await?;
        if !visit.sees_payloads() {
            for delivery in &mut list.data {
                delivery.hide_payloads();
            }
        }
        return Ok(json(&json_of(&list)));
    }
    let seen = deliveries::search(&mut conn, &scope, &every, page.after.map(DeliveryId::from), page.fetch()).await?;
    let (ids, next) = page.cut(seen, |id| id.uuid());
    let found = listed(&mut conn, &ids).await?;
    let main = html! {
        h1 { "Deliveries" }
        (shell::filters("/deliveries", &fields(visit)))
        (shell::newest(visit, &html! {
            @if !found.rows.is_empty() { (rows(&found, now)) }
            (shell::pages(visit, found.rows.len(), next.as_deref(), "deliveries"))
        }))
        @if visit.may_read() {
            p { a href={ "/console/unsent?" (same_endpoints(visit)) } { "Send again all that did not arrive…" } }
        }
        (shell::command(&command(visit)))
    };
    Ok(visit.whole("Deliveries", &main))
}

fn search_filter(visit: &Visit) -> Answer<DeliverySearchFilter> {
    let status = |text: &str| text.parse::<i16>().ok().filter(|status| (100..=599).contains(status));
    let filter = DeliveryFilter {
        status: visit.word("status", DeliveryStatus::from_name)?,
        event_type: visit.word("event_type", EventType::from_name)?,
        http_status: visit.word("http_status", status)?,
        since: moment(visit, "since")?,
        until: moment(visit, "until")?,
    };
    Ok(DeliverySearchFilter { filter, error: visit.asked("error").map(str::to_owned) })
}

/// Returns the query that leads to deliveries to the account or the endpoint that this page is asked for.
pub(super) fn same_endpoints(visit: &Visit) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(["account_id", "endpoint_id"].iter().filter_map(|name| Some((*name, visit.asked(name)?))));
    query.finish()
}

const COLUMNS: [(&str, Fit); 9] = [
    ("Delivery", Fit::Any),
    ("Event", Fit::Medium),
    ("Status", Fit::Any),
    ("Began", Fit::Any),
    ("Endpoint", Fit::Medium),
    ("Account", Fit::Wide),
    ("Attempts", Fit::Wide),
    ("Last answer", Fit::Medium),
    ("Next attempt", Fit::Wide),
];

/// Deliveries of a list, with what stands for those that failed or were skipped.
pub(super) struct Listed {
    pub(super) rows: Vec<DeliveryRow>,
    again: Vec<SentAgain>,
}

/// Returns the deliveries with these ids as lists show them.
pub(super) async fn listed(conn: &mut PgConnection, ids: &[DeliveryId]) -> Answer<Listed> {
    let rows = deliveries::by_ids(conn, ids, None).await?;
    let again = deliveries::sent_again(conn, ids).await?;
    Ok(Listed { rows, again })
}

/// Returns deliveries as a table.
pub(super) fn rows(found: &Listed, now: DateTime<Utc>) -> Markup {
    let rows = html! {
        @for one in &found.rows {
            tr {
                td { (link("deliveries", one.id)) }
                td.medium { (one.event_type) }
                td {
                    (state(one.status.name()))
                    @if let Some(again) = found.again.iter().find(|again| again.failed == one.id) {
                        (sent_again(again))
                    }
                    (instead(Fit::Medium, "Event", &html! { (one.event_type) }))
                    (instead(Fit::Medium, "Last answer", &answer(one)))
                }
                td { (time(one.created_at, now)) }
                td.medium { (link("endpoints", one.endpoint_id)) }
                td.wide { (link("accounts", one.account_id)) }
                td.number.wide { (one.attempt_count) }
                td.medium { (answer(one)) }
                td.wide { (next_attempt(one.status, one.next_attempt_at, now, "–")) }
            }
        }
    };
    shell::fitted_table("Deliveries", &COLUMNS, &rows)
}

/// Shows when the next attempt of a delivery is: since when it is due, or now where one is under way, which has no
/// time. Where none follows, this word.
pub(super) fn next_attempt(
    status: DeliveryStatus,
    at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
    none: &str,
) -> Markup {
    match at {
        None if status == DeliveryStatus::Pending => html! { "now" },
        Some(at) if at <= now => html! { "due since " (time(at, now)) },
        at => time_or(at, now, none),
    }
}

/// Says that a delivery was sent again, as which one, and what came of that.
fn sent_again(again: &SentAgain) -> Markup {
    let came = match again.status {
        DeliveryStatus::Succeeded => "arrived",
        DeliveryStatus::Pending => "under way",
        DeliveryStatus::Failed | DeliveryStatus::Skipped | DeliveryStatus::Cancelled => "did not arrive",
    };
    html! { div.soft { "sent again, " (came) ": " (link("deliveries", again.stands_in)) } }
}

fn answer(one: &DeliveryRow) -> Markup {
    html! { (or_dash(one.response_status)) " " (shell::code_or_dash(one.error.as_deref())) }
}

fn fields(visit: &Visit) -> Markup {
    let types = EventType::SUBSCRIBABLE.into_iter().chain([EventType::Ping]).map(EventType::name);
    html! {
        (shell::choice(visit, "status", "Status", DeliveryStatus::ALL.iter().map(|status| status.name())))
        (shell::choice(visit, "event_type", "Event", types))
        (shell::text_field(visit, "http_status", "HTTP status"))
        (shell::text_field(visit, "error", "Error"))
        (shell::text_field(visit, "account_id", "Account"))
        (shell::text_field(visit, "endpoint_id", "Endpoint"))
        (shell::text_field(visit, "job_id", "Job"))
        (shell::moment_field(visit, "since", "Since (RFC 3339)", visit.asked("since").unwrap_or_default()))
        (shell::moment_field(visit, "until", "Until", visit.asked("until").unwrap_or_default()))
    }
}

async fn search_scope(visit: &Visit, conn: &mut PgConnection) -> Answer<SearchScope> {
    let account = visit.id_in::<AccountId>("account_id")?;
    let endpoint = visit.id_in::<EndpointId>("endpoint_id")?;
    match (account, endpoint, visit.id_in::<JobId>("job_id")?) {
        (None, None, None) => Ok(SearchScope::All),
        (Some(account), None, None) => Ok(SearchScope::Endpoints(endpoints::of_account(conn, account).await?)),
        (None, Some(endpoint), None) => Ok(SearchScope::Endpoints(vec![endpoint])),
        (None, None, Some(job)) => Ok(SearchScope::Job(job)),
        _ => Err(ApiError::new(Code::InvalidRequest, "Give one of account, endpoint and job.")),
    }
}

fn command(visit: &Visit) -> String {
    let flags = [
        ("status", "--status"),
        ("event_type", "--type"),
        ("http_status", "--http-status"),
        ("error", "--error"),
        ("account_id", "--account"),
        ("endpoint_id", "--endpoint"),
        ("job_id", "--job"),
    ];
    super::words::command("mws admin deliveries list", visit, &flags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    #[test]
    fn the_next_attempt_of_what_is_pending_is_now_due_or_later() {
        let now = DateTime::<Utc>::UNIX_EPOCH;
        let shown = |status, at: Option<i64>| {
            next_attempt(status, at.map(|seconds| now + TimeDelta::seconds(seconds)), now, "none").0
        };
        assert_eq!(shown(DeliveryStatus::Pending, None), "now", "an attempt is under way");
        assert!(shown(DeliveryStatus::Pending, Some(-5)).starts_with("due since <time"));
        assert!(shown(DeliveryStatus::Pending, Some(60)).contains(">in 60 s<"));
        assert!(shown(DeliveryStatus::Failed, None).contains(">none<"));
    }
}
