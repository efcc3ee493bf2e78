//! The page of the audit log: what operators did, and what they viewed.

use super::shell::{Fit, instead};
use super::words::{link, or_dash, page_of, short, time};
use super::{Visit, json, shell};
use crate::http::error::Answer;
use crate::http::json::json_of;
use crate::resources::operator::audit::AuditEntry;
use maud::{Markup, html};
use poem::Response;
use store::Seen;
use store::audit::{self, AuditFilter, AuditRow};

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
    let rows = html! {
        @for one in &found {
            tr {
                td.number.wide { (or_dash(one.number)) }
                td { (time(one.at, now)) }
                td { (one.operator) " " span.soft { (or_dash(one.address.as_ref())) } }
                td {
                    (one.action)
                    (instead(Fit::Medium, "To what", &target(&visit, &one.target)))
                    @if has_change(one) { (instead(Fit::Medium, "Before and after", &change(one))) }
                    (instead(Fit::Wide, "Number", &or_dash(one.number)))
                    (instead(Fit::Wide, "Request", &html! { span.id title=(one.request_id) { (short(&one.request_id)) } }))
                }
                td.long.medium { (target(&visit, &one.target)) }
                td.medium { (change(one)) }
                td.wide { span.id title=(one.request_id) { (short(&one.request_id)) } }
            }
        }
    };
    let columns = [
        ("Number", Fit::Wide),
        ("When", Fit::Any),
        ("Who", Fit::Any),
        ("What", Fit::Any),
        ("To what", Fit::Medium),
        ("Before and after", Fit::Medium),
        ("Request", Fit::Wide),
    ];
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
            @if !found.is_empty() { (shell::fitted_table("Audit", &columns, &rows)) }
            (shell::pages(&visit, found.len(), next.as_deref(), "entries"))
        }))
        (shell::command(&super::words::command("mws admin audit", &visit, &flags)))
    };
    Ok(visit.whole("Audit", &main))
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
