//! The first page: what needs somebody, then what waits and runs, endpoints in trouble and the fleet.
//!
//! The verdict is the report's (`domain::verdict`), so that the page and `mws health` say the same. A panel that can't
//! be shown says so, and the others are shown.

use super::words::{link, or_dash, state, time};
use super::{Visit, shell};
use crate::http::error::Answer;
use crate::usecases::operator::report::{Verdict, verdict};
use domain::verdict::{Finding, Number, Snapshot, State, span};
use maud::{Markup, html};
use poem::Response;
use store::endpoints;

/// The most endpoints in trouble that are shown.
const MOST_ENDPOINTS: i64 = 10;

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let found = verdict(&visit.app).await;
    let troubled = troubled(&visit).await;
    let main = html! {
        h1 { "Overview" }
        @match &found {
            Ok(found) => { (needs(found)) (queues(&found.snapshot)) }
            Err(refusal) => (shell::section("needs", "Needs you", &shell::broken(refusal))),
        }
        (shell::section("endpoints", "Endpoints disabled for their failures", &troubled.unwrap_or_else(|refusal| shell::broken(&refusal))))
        @if let Ok(found) = &found { (axes(found)) }
        (shell::command("mws health"))
    };
    Ok(visit.whole("Overview", &main))
}

/// Shows the axes that are not healthy, the worst first, each with what to do.
fn needs(found: &Verdict) -> Markup {
    let mut axes: Vec<&Finding> = found.report.axes.iter().filter(|axis| axis.state > State::Healthy).collect();
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.state));
    let body = html! {
        ul.needs {
            @if axes.is_empty() { li.well { p { (state("healthy")) " " (found.report.sentence) } } }
            @for axis in axes {
                li class=(axis.state.name()) {
                    p { (state(axis.state.name())) " " span.soft { (axis.axis.name()) } }
                    p { (axis.sentence) }
                    @if let Some(next) = &axis.next { p { span.soft { "Next: " } code { (next) } } }
                }
            }
        }
    };
    shell::section("needs", "Needs you", &body)
}

/// Shows the five axes with the numbers behind them.
fn axes(found: &Verdict) -> Markup {
    let rows = html! {
        @for axis in &found.report.axes {
            tr {
                td { (axis.axis.name()) }
                td { (state(axis.state.name())) }
                td { (axis.sentence) }
                td { @for number in &axis.numbers { div { span.soft { (number.name.replace('_', " ")) " " } (value(number)) } } }
            }
        }
    };
    shell::section(
        "axes",
        "What the verdict goes by",
        &shell::table("Axes", &["Axis", "State", "Sentence", "Numbers"], &rows),
    )
}

fn value(number: &Number) -> Markup {
    let shown = match number.unit {
        "s" => span(number.value),
        "" => format!("{:.0}", number.value),
        unit => format!("{:.1} {unit}", number.value),
    };
    html! { span.number { (shown) } }
}

/// Shows the waiting and running jobs, by task.
fn queues(snapshot: &Snapshot) -> Markup {
    let can_run =
        |task| snapshot.processes.iter().filter(|one| one.silent_seconds < 30.0 && one.tasks.contains(&task)).count();
    let rows = html! {
        @for task in domain::task::Task::ALL {
            @let backlog = snapshot.backlogs.iter().find(|backlog| backlog.task == task);
            tr {
                td { @match task.read() {
                    Some(read) => { a href={ "/console/jobs?read=" (read) } { (task) } }
                    None => { a href={ "/console/jobs?kind=" (task) } { (task) } }
                } }
                td { @if snapshot.paused.contains(&task) { (state("paused")) } @else { (state("live")) } }
                td.number { (backlog.map_or(0, |backlog| backlog.due)) }
                td.number { (or_dash(backlog.filter(|backlog| backlog.due > 0).map(|backlog| span(backlog.oldest_due_seconds)))) }
                td.number { (backlog.map_or(0, |backlog| backlog.without_place)) }
                td.number { (backlog.map_or(0, |backlog| backlog.running)) }
                td.number { (can_run(task)) }
            }
        }
    };
    let columns = ["Task", "State", "Due", "Oldest", "Waiting for a place", "Running", "Workers that can"];
    shell::section("queues", "Work", &shell::table("Work by task", &columns, &rows))
}

async fn troubled(visit: &Visit) -> Answer<Markup> {
    let now = visit.now().await?;
    let mut conn = visit.conn().await?;
    let mut rows = Vec::new();
    for id in endpoints::failed_lately(&mut conn, MOST_ENDPOINTS).await? {
        rows.extend(endpoints::every(&mut conn, Some(id), None, None, 1).await?);
    }
    if rows.is_empty() {
        return Ok(html! { p.soft { "None." } });
    }
    let rows = html! {
        @for row in &rows {
            tr {
                td { (link("endpoints", row.endpoint.id)) }
                td { (link("accounts", row.account_id)) }
                td { (super::words::shown_url(&row.endpoint.url)) }
                td { (super::words::time_or(row.endpoint.disabled_at, now, "–")) }
                td { @if let Some(at) = row.endpoint.last_success_at { (time(at, now)) } @else { span.soft { "never" } } }
            }
        }
    };
    Ok(shell::table("Endpoints in trouble", &["Endpoint", "Account", "URL", "Disabled", "Last success"], &rows))
}
