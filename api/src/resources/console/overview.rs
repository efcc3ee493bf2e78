//! The first page: what needs somebody or soon will, the last day by the hour, then what waits and runs, endpoints in
//! trouble and the fleet.
//!
//! The verdict is the report's (`domain::verdict`), so that the page and `mws health` say the same. A panel that can't
//! be shown says so, and the others are shown.

use super::notices;
use super::shell::Fit;
use super::spark::{Colour, HOURS, bars};
use super::words::{link, or_dash, state, time};
use super::{Visit, shell};
use crate::http::error::Answer;
use crate::usecases::operator::report::{Verdict, verdict};
use domain::verdict::{Backlog, Ended, Finding, LOOKED_AT, Number, Snapshot, State, span};
use maud::{Markup, html};
use poem::Response;
use store::endpoints;
use store::verdict::{HourRow, by_hour};

/// The most endpoints in trouble that are shown.
const MOST_ENDPOINTS: i64 = 10;
/// The seconds in which the snapshot's jobs ended.
const PACE_SECONDS: f64 = 900.0;

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let found = verdict(&visit.app).await;
    let soon = notices::items(&visit).await.unwrap_or_else(|refusal| html! { li { (shell::broken(&refusal)) } });
    let hours = hours(&visit).await.unwrap_or_else(|refusal| shell::broken(&refusal));
    let troubled = show_troubled(&visit).await;
    let main = html! {
        h1 { "Overview" }
        @match &found {
            Ok(found) => (needs(found, &soon)),
            Err(refusal) => (shell::section("needs", "Needs you", &html! { (shell::broken(refusal)) ul.needs { (soon) } })),
        }
        (shell::section("hours", "The last day, hour by hour", &hours))
        @if let Ok(found) = &found { (queues(&found.snapshot)) }
        (shell::section("endpoints", "Endpoints disabled for their failures", &troubled.unwrap_or_else(|refusal| shell::broken(&refusal))))
        @if let Ok(found) = &found { (axes(found)) }
        (shell::command("mws health"))
    };
    Ok(visit.whole("Overview", &main))
}

/// Shows the axes that are not healthy, the worst first, each with what to do; and then what soon will not be.
fn needs(found: &Verdict, soon: &Markup) -> Markup {
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
            (soon)
        }
    };
    shell::section("needs", "Needs you", &body)
}

/// Shows the jobs that ended and failed, and the deliveries that were attempted and failed, in each hour of a day.
async fn hours(visit: &Visit) -> Answer<Markup> {
    let found = by_hour(&mut *visit.conn().await?).await?;
    let counts = |of: fn(&HourRow) -> i64| -> [u32; HOURS] {
        std::array::from_fn(|hour| found.get(hour).map_or(0, |row| u32::try_from(of(row)).unwrap_or(u32::MAX)))
    };
    let jobs_are_cut = found.iter().any(|row| row.has_more_jobs);
    let deliveries_are_cut = found.iter().any(|row| row.has_more_deliveries);
    let rows = html! {
        (hourly("Jobs that ended", Colour::Plain, &counts(|row| row.ended), jobs_are_cut))
        (hourly("Jobs that failed", Colour::Bad, &counts(|row| row.failed), jobs_are_cut))
        (hourly("Deliveries that were attempted", Colour::Plain, &counts(|row| row.attempted), deliveries_are_cut))
        (hourly("Deliveries whose last attempt failed", Colour::Bad, &counts(|row| row.troubled), deliveries_are_cut))
    };
    let columns =
        [("What", Fit::Any), ("By hour", Fit::Any), ("In the last hour", Fit::Any), ("In the day", Fit::Medium)];
    Ok(html! {
        (shell::fitted_table("Hours", &columns, &rows))
        @if jobs_are_cut || deliveries_are_cut {
            p.soft { "Of each hour the newest " (LOOKED_AT) " are looked at: where there were more, so many are counted." }
        }
    })
}

/// Shows a row of the hours. `is_cut`: of an hour at least not all were looked at.
fn hourly(what: &str, colour: Colour, counts: &[u32; HOURS], is_cut: bool) -> Markup {
    let sum: u64 = counts.iter().copied().map(u64::from).sum();
    html! {
        tr {
            td { (what) }
            td { (bars(counts, colour, "of these", "of these")) }
            td.number { (counts[HOURS - 1]) }
            td.number.medium { (sum) @if is_cut { " or more" } }
        }
    }
}

/// Shows the five axes with the numbers behind them.
fn axes(found: &Verdict) -> Markup {
    let rows = html! {
        @for axis in &found.report.axes {
            tr {
                td { (axis.axis.name()) }
                td { (state(axis.state.name())) }
                td.long { (axis.sentence) }
                td.medium { @for number in &axis.numbers { div { span.soft { (number.name.replace('_', " ")) " " } (value(number)) } } }
            }
        }
    };
    let columns = [("Axis", Fit::Any), ("State", Fit::Any), ("Sentence", Fit::Any), ("Numbers", Fit::Medium)];
    shell::section("axes", "What the verdict goes by", &shell::fitted_table("Axes", &columns, &rows))
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
                td.number.medium { (or_dash(backlog.filter(|backlog| backlog.due > 0).map(|backlog| span(backlog.oldest_due_seconds)))) }
                td.number.medium { (backlog.map_or(0, |backlog| backlog.without_place)) }
                td.number { (backlog.map_or(0, |backlog| backlog.running)) }
                td.number.wide { (or_dash(backlog.and_then(|backlog| empty_in(backlog, &snapshot.ended)))) }
                td.number.medium { (can_run(task)) }
            }
        }
    };
    let columns = [
        ("Task", Fit::Any),
        ("State", Fit::Any),
        ("Due", Fit::Any),
        ("Oldest", Fit::Medium),
        ("Waiting for a place", Fit::Medium),
        ("Running", Fit::Any),
        ("Empty in", Fit::Wide),
        ("Workers that can", Fit::Medium),
    ];
    shell::section("queues", "Work", &shell::fitted_table("Work by task", &columns, &rows))
}

/// Returns when a task's waiting jobs will have ended at the pace of the last 15 minutes, if no others come; none where
/// none wait, or none ended. Of many only so many are looked at: it takes longer then.
fn empty_in(backlog: &Backlog, ended: &Ended) -> Option<String> {
    let number = |many: i64| f64::from(u32::try_from(many).unwrap_or(u32::MAX));
    let ended = ended.by_task.iter().find(|one| one.task == backlog.task.name())?.many;
    let waiting = backlog.due + backlog.without_place;
    if waiting <= 0 || ended <= 0 {
        return None;
    }
    let than = if backlog.due.max(backlog.without_place) >= LOOKED_AT { "more than" } else { "about" };
    Some(format!("{than} {}", span(number(waiting) * PACE_SECONDS / number(ended))))
}

async fn show_troubled(visit: &Visit) -> Answer<Markup> {
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
                td.medium { (link("accounts", row.account_id)) }
                td.long.medium { (super::words::endpoint_url(visit, &row.endpoint.url)) }
                td { (super::words::time_or(row.endpoint.disabled_at, now, "–")) }
                td.wide { @if let Some(at) = row.endpoint.last_success_at { (time(at, now)) } @else { span.soft { "never" } } }
            }
        }
    };
    let columns = [
        ("Endpoint", Fit::Any),
        ("Account", Fit::Medium),
        ("URL", Fit::Medium),
        ("Disabled", Fit::Any),
        ("Last success", Fit::Wide),
    ];
    Ok(shell::fitted_table("Endpoints in trouble", &columns, &rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::read::Read;
    use domain::task::Task;
    use domain::verdict::EndedTask;

    #[test]
    fn a_backlog_is_told_when_it_will_be_gone_at_the_pace_of_now() {
        let backlog = |due, without_place| Backlog {
            task: Task::Read(Read::Beats),
            due,
            oldest_due_seconds: 5.0,
            without_place,
            running: 1,
        };
        let ended = |task: &str, many| {
            let by_task = vec![EndedTask { task: task.to_owned(), many }];
            Ended { by_task, ..Ended::default() }
        };
        let told = empty_in(&backlog(20, 10), &ended("beats", 45));
        assert_eq!(told, Some(format!("about {}", span(600.0))));
        let many = empty_in(&backlog(LOOKED_AT, 0), &ended("beats", 900)).unwrap_or_default();
        assert!(many.starts_with("more than "), "{many}");
        for (backlog, ended) in [
            (backlog(0, 0), ended("beats", 45)),
            (backlog(20, 0), ended("beats", 0)),
            (backlog(20, 0), ended("levels", 45)),
        ] {
            assert_eq!(empty_in(&backlog, &ended), None);
        }
    }
}
