//! The pages of all accounts' endpoints: the state of each, and why it is disabled if it is.

use super::words::{link, or_dash, shown_url, state, time, time_or};
use super::{Visit, shell};
use crate::http::error::{Answer, ApiError, Code};
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, EndpointId};
use domain::series::{FAILURES_THAT_DISABLE, FAILURES_THAT_WARN};
use maud::{Markup, html};
use poem::Response;
use store::Seen;
use store::deliveries::{self, DeliverySearchFilter, SearchScope};
use store::endpoints::{self, EndpointOf};

/// The newest deliveries that an endpoint's page shows.
const NEWEST: i64 = 20;

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["account_id", "cursor"])?;
    let page = visit.page("console endpoints")?;
    let account = visit.id_in::<AccountId>("account_id")?;
    let now = visit.now().await?;
    let before = page.after.map(EndpointId::from);
    let rows = endpoints::every(&mut *visit.conn().await?, None, account, before, page.fetch()).await?;
    let (found, next) = page.cut(Seen { rows, last_seen: None }, |row| row.endpoint.id.uuid());
    let rows = html! { @for one in &found { (row(one, now)) } };
    let columns = ["Endpoint", "Account", "URL", "State", "Failures in a row", "Last success", "Since"];
    let main = html! {
        h1 { "Endpoints" }
        (shell::filters("/endpoints", &shell::text_field(&visit, "account_id", "Account")))
        (shell::section("rows", "Newest first", &html! {
            @if !found.is_empty() { (shell::table("Endpoints", &columns, &rows)) }
            (shell::pages(&visit, found.len(), next.as_deref(), "endpoints"))
        }))
    };
    Ok(visit.whole("Endpoints", &main))
}

fn row(one: &EndpointOf, now: DateTime<Utc>) -> Markup {
    let endpoint = &one.endpoint;
    html! {
        tr {
            td { (link("endpoints", endpoint.id)) }
            td { (link("accounts", one.account_id)) }
            td { (shown_url(&endpoint.url)) }
            td { (standing(one)) }
            td { (failures(one)) }
            td { (time_or(endpoint.last_success_at, now, "never")) }
            td { (time(endpoint.disabled_at.or(one.deleted_at).unwrap_or(endpoint.created_at), now)) }
        }
    }
}

fn standing(one: &EndpointOf) -> Markup {
    if one.deleted_at.is_some() {
        return html! { span.state.plain { "· removed" } };
    }
    html! {
        (state(if one.endpoint.enabled { "enabled" } else { "disabled" }))
        @if let Some(reason) = one.endpoint.disabled_reason { " " span.soft { (reason.name().replace('_', " ")) } }
    }
}

/// Shows an endpoint's consecutive failures, and how many disable it.
fn failures(one: &EndpointOf) -> Markup {
    let many = one.endpoint.consecutive_failures;
    html! {
        span.number { (many) " of " (FAILURES_THAT_DISABLE) }
        @if one.endpoint.enabled && many >= FAILURES_THAT_WARN { " " span.state.warn { "! near its end" } }
    }
}

pub(super) async fn one(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let id: EndpointId = visit.own_id(Code::WebhookNotFound)?;
    let now = visit.now().await?;
    let mut conn = visit.conn().await?;
    let missing = || ApiError::new(Code::WebhookNotFound, format!("Nothing has the id `{id}`."));
    let found = endpoints::every(&mut conn, Some(id), None, None, 1).await?.pop().ok_or_else(missing)?;
    let scope = SearchScope::Endpoints(vec![id]);
    let seen = deliveries::search(&mut conn, &scope, &DeliverySearchFilter::default(), None, NEWEST).await?;
    let sent = deliveries::by_ids(&mut conn, &seen.rows, None).await?;
    let endpoint = &found.endpoint;
    let main = html! {
        h1 { "Endpoint " span.id { (id) } }
        (shell::section("state", "State", &shell::facts(&[
            ("State", standing(&found)),
            ("URL", html! { (shown_url(&endpoint.url)) }),
            ("Account", link("accounts", found.account_id)),
            ("Failures in a row", failures(&found)),
            ("Last success", time_or(endpoint.last_success_at, now, "never")),
            ("Disabled", time_or(endpoint.disabled_at, now, "no")),
            ("Events", html! { (endpoint.event_types.join(", ")) }),
            ("Kinds of jobs", html! { (endpoint.kinds.as_ref().map_or_else(|| "all".to_owned(), |kinds| kinds.join(", "))) }),
            ("Description", or_dash(endpoint.description.as_ref())),
            ("Made", time(endpoint.created_at, now)),
            ("Changed", time(endpoint.updated_at, now)),
        ])))
        (shell::section("sent", "Newest deliveries", &html! {
            @if sent.is_empty() { p.soft { "Nothing was sent yet." } } @else { (super::deliveries::rows(&sent, now)) }
            p { a href={ "/console/deliveries?endpoint_id=" (id) } { "All of its deliveries" } " · "
                a href={ "/console/deliveries?endpoint_id=" (id) "&status=failed" } { "those that failed" } " · "
                a href={ "/console/unsent?endpoint_id=" (id) } { "Send again what did not arrive…" } }
        }))
        (shell::command(&format!("mws admin deliveries list --endpoint {id}")))
    };
    Ok(visit.whole(&format!("Endpoint {id}"), &main))
}
