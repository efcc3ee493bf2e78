//! The page of the audit log: what operators did, and what they viewed.

use super::shell::{Fit, instead};
use super::words::{link, or_dash, page_of, short, time};
use super::{Visit, json, shell};
use crate::http::error::Answer;
use crate::http::json::json_of;
use crate::resources::operator::audit::AuditEntry;
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use poem::Response;
use store::Seen;
use store::audit::{self, AuditFilter, AuditRow};

const COLUMNS: [(&str, Fit); 7] = [
    ("Number", Fit::Wide),
    ("When", Fit::Any),
    ("Who", Fit::Any),
    ("What", Fit::Any),
    ("To what", Fit::Medium),
    ("Before and after", Fit::Medium),
    ("Request", Fit::Wide),
];

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["operator", "action", "target", "cursor", "format"])?;
    let page = visit.page("operator audit")?;
    let filter = AuditFilter {
        operator: visit.asked("operator"),
        action: visit.asked("action"),
        target: visit.asked("target"),
        since: None,
        until: None,
    };
    let now = visit.now().await?;
    let rows = audit::list(&mut *visit.conn().await?, filter, page.after, page.fetch()).await?;
    if visit.wants_json()? {
        return Ok(json(&json_of(&page.list(rows, |row| row.id.uuid(), AuditEntry::from))));
    }
    let (found, next) = page.cut(Seen { rows, last_seen: None }, |row| row.id.uuid());
    let rows = html! { @for entry in &found { (row(&visit, entry, now)) } };
    let fields = html! {
        (shell::text_field(&visit, "operator", "Operator"))
        (shell::text_field(&visit, "action", "What"))
        (shell::text_field(&visit, "target", "To what"))
    };
    let flags = [("operator", "--operator"), ("action", "--action"), ("target", "--target")];
    let main = html! {
        h1 { "Audit" }
        (shell::filters("/audit", &fields))
        (shell::newest(&visit, &html! {
            @if !found.is_empty() { (shell::fitted_table("Audit", &COLUMNS, &rows)) }
            (shell::pages(&visit, found.len(), next.as_deref(), "entries"))
        }))
        (shell::command(&super::words::command("mws admin audit", &visit, &flags)))
    };
    Ok(visit.whole("Audit", &main))
}

/// Shows an entry. What narrow windows have no column for stands below the action.
fn row(visit: &Visit, entry: &AuditRow, now: DateTime<Utc>) -> Markup {
    let number = or_dash(entry.number);
    let target = target(visit, &entry.target);
    let change = change(entry);
    let request = html! { span.id title=(entry.request_id) { (short(&entry.request_id)) } };
    html! {
        tr {
            td.number.wide { (number) }
            td { (time(entry.at, now)) }
            td { (entry.operator) " " span.soft { (or_dash(entry.address.as_ref())) } }
            td {
                (entry.action)
                (instead(Fit::Medium, "To what", &target))
                @if has_change(entry) { (instead(Fit::Medium, "Before and after", &change)) }
                (instead(Fit::Wide, "Number", &number))
                (instead(Fit::Wide, "Request", &request))
            }
            td.long.medium { (target) }
            td.medium { (change) }
            td.wide { (request) }
        }
    }
}

/// Shows the target of an action, as a link if it has a page.
fn target(visit: &Visit, target: &str) -> Markup {
    html! { @match page_of(target, visit.seat.role) {
        Some(page) => { (link(page, target)) }
        None => { (target) }
    } }
}

fn has_change(row: &AuditRow) -> bool {
    row.before.is_some() || row.after.is_some()
}

fn change(row: &AuditRow) -> Markup {
    if !has_change(row) {
        return html! { span.soft { "–" } };
    }
    html! {
        details {
            summary { "show" }
            @if let Some(before) = &row.before { pre { (format!("{before:#}")) } }
            @if let Some(after) = &row.after { pre { (format!("{after:#}")) } }
        }
    }
}
