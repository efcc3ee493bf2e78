//! The page of all accounts' endpoints: the state of each, and why it is disabled if it is.

use super::filtered::or_refused;
use super::shell::Fit;
use super::words::{endpoint_url, link, state, time, time_or};
use super::{Visit, json, shell};
use crate::http::error::Answer;
use crate::http::json::json_of;
use crate::resources::operator::webhooks::{ListedWebhook, OperatorWebhook, WEBHOOKS};
use crate::usecases::operator::webhooks::ChangedWebhook;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, EndpointId};
use domain::series::{FAILURES_THAT_DISABLE, FAILURES_THAT_WARN};
use maud::{Markup, html};
use poem::Response;
use store::Seen;
use store::endpoints::{self, EndpointOf};

const COLUMNS: [(&str, Fit); 7] = [
    ("Endpoint", Fit::Any),
    ("Account", Fit::Medium),
    ("URL", Fit::Medium),
    ("State", Fit::Any),
    ("Failures in a row", Fit::Any),
    ("Last success", Fit::Wide),
    ("Since", Fit::Wide),
];

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["account_id", "cursor", "format"])?;
    let shown = list(&visit).await;
    or_refused(visit, shown, "Endpoints", "/endpoints", fields)
}

async fn list(visit: &Visit) -> Answer<Response> {
    let page = visit.page(WEBHOOKS)?;
    let account = visit.id_in::<AccountId>("account_id")?;
    let now = visit.now().await?;
    let before = page.after.map(EndpointId::from);
    let rows = endpoints::every(&mut *visit.conn().await?, None, account, before, page.fetch()).await?;
    if visit.wants_json()? {
        let shown = |row| ListedWebhook::of(row, visit.sees_payloads());
        return Ok(json(&json_of(&page.list(rows, |row| row.endpoint.id.uuid(), shown))));
    }
    let (found, next) = page.cut(Seen { rows, last_seen: None }, |row| row.endpoint.id.uuid());
    let rows = html! { @for one in &found { (row(visit, one, now)) } };
    let main = html! {
        h1 { "Endpoints" }
        (shell::filters("/endpoints", &fields(visit)))
        (shell::newest(visit, &html! {
            @if !found.is_empty() { (shell::fitted_table("Endpoints", &COLUMNS, &rows)) }
            (shell::pages(visit, found.len(), next.as_deref(), "endpoints"))
        }))
        (shell::command(&super::words::command("mws admin webhooks list", visit, &[("account_id", "--account")])))
    };
    Ok(visit.whole("Endpoints", &main))
}

/// Returns an endpoint as operators' programs see it: without its URL and its description.
pub(super) fn document(one: EndpointOf) -> OperatorWebhook {
    OperatorWebhook::from(ChangedWebhook { account: one.account_id, endpoint: one.endpoint, ping: None })
}

fn fields(visit: &Visit) -> Markup {
    shell::text_field(visit, "account_id", "Account")
}

fn row(visit: &Visit, one: &EndpointOf, now: DateTime<Utc>) -> Markup {
    let endpoint = &one.endpoint;
    html! {
        tr {
            td { (link("endpoints", endpoint.id)) }
            td.medium { (link("accounts", one.account_id)) }
            td.long.medium { (endpoint_url(visit, &endpoint.url)) }
            td { (standing(one)) }
            td { (failures(one)) }
            td.wide { (time_or(endpoint.last_success_at, now, "never")) }
            td.wide { (time(endpoint.disabled_at.or(one.deleted_at).unwrap_or(endpoint.created_at), now)) }
        }
    }
}

/// Shows whether an endpoint is enabled, and why not if it is not.
pub(super) fn standing(one: &EndpointOf) -> Markup {
    if one.deleted_at.is_some() {
        return html! { span.state.plain { "· removed" } };
    }
    html! {
        (state(if one.endpoint.enabled { "enabled" } else { "disabled" }))
        @if let Some(reason) = one.endpoint.disabled_reason { " " span.soft { (reason.name().replace('_', " ")) } }
    }
}

/// Shows an endpoint's consecutive failures, and how many disable it.
pub(super) fn failures(one: &EndpointOf) -> Markup {
    let many = one.endpoint.consecutive_failures;
    html! {
        span.number { (many) " of " (FAILURES_THAT_DISABLE) }
        @if one.endpoint.enabled && many >= FAILURES_THAT_WARN { " " span.state.warn { "! near its end" } }
    }
}
