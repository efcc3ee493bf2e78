//! The first page: what needs somebody or soon will, the last day by the hour, then what waits and runs, endpoints in
//! trouble and the fleet.
//!
//! The verdict is the report's (`domain::verdict`), so that the page and `mws health` say the same. A panel that can't
//! be shown says so, and the others are shown.

use super::notices::{Notices, notices};
use super::shell::Fit;
use super::spark::{Colour, SLOTS, bars, pairs};
use super::words::{link, linked, linked_in_cell, minutes, or_dash, state, taken_by, time};
use super::{Visit, hours, shell};
use crate::http::error::Answer;
use crate::usecases::operator::report::{self, Verdict, verdict};
use domain::ids::EndpointId;
use domain::minutes::Minutes;
use domain::operator::OperatorRole;
use domain::verdict::{Axis, Backlog, Ended, Finding, Number, Report, Snapshot, State, or_more, span};
use maud::{Markup, html};
use poem::Response;
use store::endpoints;
use store::verdict::{HourRow, LOOKED_AT_A_SLOT, TaskSlot, by_slot};

/// The most endpoints in trouble that are shown.
const MOST_ENDPOINTS: i64 = 10;

/// The columns of endpoints in trouble.
const TROUBLED: [(&str, Fit); 5] = [
    ("Endpoint", Fit::Any),
    ("Account", Fit::Medium),
    ("URL", Fit::Medium),
    ("Disabled", Fit::Any),
    ("Last success", Fit::Wide),
];

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let found = verdict(&visit.app).await;
    let unwell = found.as_ref().map(unhealthy).unwrap_or_default();
    let is_told = |id: EndpointId| unwell.iter().any(|axis| names(axis, &id.to_string()));
    let soon = notices(&visit, is_told).await;
    let hours = report::hours(&visit.app).await;
    let by_hour = hours.as_ref().map_or_else(shell::broken, |found| hours::show(found));
    let slots = slots(&visit).await;
    let troubled = show_troubled(&visit).await;
    let main = html! {
        h1 { "Overview" }
        @match &found {
            Ok(found) => (needs(&visit, &found.report, &unwell, &soon)),
            Err(refusal) => (shell::section("needs", "Needs you", &html! {
                (shell::broken(refusal))
                ul.needs { (cards(&soon, false)) }
            })),
        }
        (shell::section("hours", "The last day, hour by hour", &by_hour))
        @if let Ok(found) = &found { (queues(&found.snapshot, &slots)) }
        (shell::section(
            "endpoints",
            "Endpoints disabled for their failures",
            &troubled.unwrap_or_else(|refusal| shell::broken(&refusal)),
        ))
        @if let Ok(found) = &found {
            @let by_hour = hours.as_deref().map_or(&[][..], Vec::as_slice);
            (axes(found, visit.seat.role, by_hour, slots.as_deref().unwrap_or_default()))
        }
        (shell::command("mws health"))
    };
    Ok(visit.whole("Overview", &main))
}

/// Returns the axes that are not healthy, the worst first.
fn unhealthy(found: &Verdict) -> Vec<&Finding> {
    let mut axes: Vec<&Finding> = found.report.axes.iter().filter(|axis| axis.state > State::Healthy).collect();
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.state));
    axes
}

/// Returns whether a trouble of an axis is told with this id.
fn names(axis: &Finding, id: &str) -> bool {
    axis.sentence.contains(id) || axis.also.iter().any(|trouble| trouble.sentence.contains(id))
}

/// Shows the axes that are not healthy, each with all its troubles and what to do, and then what soon will not be. What
/// is near for endpoints stands with the axis of deliveries, if that is shown.
fn needs(visit: &Visit, report: &Report, axes: &[&Finding], soon: &Answer<Notices>) -> Markup {
    let has_deliveries = axes.iter().any(|axis| axis.axis == Axis::Delivery);
    let body = html! {
        ul.needs {
            @if axes.is_empty() { li.well { p { (state("healthy")) " " (report.sentence) } } }
            @for axis in axes {
                li class=(axis.state.name()) {
                    p { (state(axis.state.name())) " " span.soft { (axis.axis.name()) } }
                    p { (linked(&axis.sentence, visit.seat.role)) }
                    @if let Some(next) = &axis.next { p { span.soft { "Next: " } code { (next) } } }
                    @for trouble in &axis.also {
                        p { (linked(&trouble.sentence, visit.seat.role)) }
                        p { span.soft { "Next: " } code { (trouble.next) } }
                    }
                    @if axis.axis == Axis::Execution && visit.may_read() { p { a href="/console/errors" { "How jobs of a day failed" } } }
                    @if axis.axis == Axis::Delivery {
                        @for notice in soon.iter().flat_map(|soon| &soon.endpoints) { (notice.told()) }
                    }
                }
            }
            (cards(soon, has_deliveries))
        }
    };
    shell::section("needs", "Needs you", &body)
}

/// Shows what is near, each kind as a card; without endpoints if they are shown elsewhere.
fn cards(soon: &Answer<Notices>, without_endpoints: bool) -> Markup {
    html! {
        @match soon {
            Ok(soon) => {
                @if !without_endpoints { @for notice in &soon.endpoints { (notice.card()) } }
                @for notice in &soon.others { (notice.card()) }
            }
            Err(refusal) => { li { (shell::broken(refusal)) } }
        }
    }
}

/// Shows the five axes with all their troubles, the numbers behind them, and how they came about.
fn axes(found: &Verdict, role: OperatorRole, hours: &[HourRow], slots: &[TaskSlot]) -> Markup {
    let rows = html! {
        @for axis in &found.report.axes {
            tr {
                td { (axis.axis.name()) }
                td { (state(axis.state.name())) }
                td.long {
                    div { (linked_in_cell(&axis.sentence, role)) }
                    @for trouble in &axis.also { div { (linked_in_cell(&trouble.sentence, role)) } }
                }
                td.medium {
                    @for number in &axis.numbers {
                        div { span.soft { (number.name.replace('_', " ")) " " } (value(number)) }
                    }
                    (lately(axis.axis, hours, slots))
                }
            }
        }
    };
    let columns = [("Axis", Fit::Any), ("State", Fit::Any), ("Sentence", Fit::Any), ("Numbers", Fit::Medium)];
    shell::section("axes", "What the verdict goes by", &shell::fitted_table("Axes", &columns, &rows))
}

/// Draws how it stood with an axis lately, of what other parts of the page look at anyway. Of money and of what runs
/// nothing is kept.
fn lately(axis: Axis, hours: &[HourRow], slots: &[TaskSlot]) -> Markup {
    let of_day =
        |of: fn(&HourRow) -> i64, one: &str, several: &str| bars(&hours::counts(hours, of), Colour::Bad, one, several);
    let (title, drawn) = match axis {
        Axis::Flow if !slots.is_empty() => ("Started and ended, last hour", last_hour(slots, |_| true)),
        Axis::Execution if !hours.is_empty() => {
            ("Failed, by the hour", of_day(|row| row.failed, "failed job", "failed jobs"))
        }
        Axis::Delivery if !hours.is_empty() => {
            ("Troubled, by the hour", of_day(|row| row.troubled, "troubled delivery", "troubled deliveries"))
        }
        _ => return html! {},
    };
    html! { div { span.soft { (title) } (drawn) } }
}

fn value(number: &Number) -> Markup {
    let shown = match number.unit {
        "s" => span(number.value),
        "" => format!("{:.0}", number.value),
        unit => format!("{:.1} {unit}", number.value),
    };
    html! { span.number { (shown) } }
}

async fn slots(visit: &Visit) -> Answer<Vec<TaskSlot>> {
    Ok(by_slot(&mut *visit.conn().await?).await?)
}

/// Draws the jobs in these slots that were started and that ended in the last hour.
fn last_hour(slots: &[TaskSlot], is_shown: impl Fn(&TaskSlot) -> bool) -> Markup {
    let counts = |of: fn(&TaskSlot) -> i64| -> [u32; SLOTS] {
        std::array::from_fn(|place| {
            let shown = slots.iter().filter(|one| usize::try_from(one.ago) == Ok(SLOTS - 1 - place) && is_shown(one));
            u32::try_from(shown.map(of).sum::<i64>()).unwrap_or(u32::MAX)
        })
    };
    pairs(&counts(|one| one.started), &counts(|one| one.ended))
}

/// Shows the waiting and running jobs, by task, with what was started and ended in the last hour.
fn queues(snapshot: &Snapshot, slots: &Answer<Vec<TaskSlot>>) -> Markup {
    let can_run = |task| snapshot.processes.iter().filter(|one| one.can_run(task)).count();
    let none = || or_more(0, false);
    let rows = html! {
        @for task in domain::task::Task::ALL {
            @let backlog = snapshot.backlogs.iter().find(|backlog| backlog.task == task);
            @let is_paused = snapshot.paused.contains(&task);
            @let moves = backlog.filter(|_| !is_paused && can_run(task) > 0);
            tr {
                td { @match task.read() {
                    Some(read) => { a href={ "/console/jobs?read=" (read) } { (task) } }
                    None => { a href={ "/console/jobs?kind=" (task) } { (task) } }
                } }
                td { @if is_paused { (state("paused")) } @else { (taken_by(can_run(task) > 0)) } }
                td.number { (backlog.map_or_else(none, |one| or_more(one.due, one.has_more_due))) }
                td.number.medium {
                    (or_dash(backlog.filter(|backlog| backlog.due > 0).map(|backlog| span(backlog.oldest_due_seconds))))
                }
                td.number.medium {
                    (backlog.map_or_else(none, |one| or_more(one.without_place, one.has_more_unplaced)))
                }
                td.number.wide { (backlog.map_or_else(none, |one| or_more(one.put_back, one.has_more_unplaced))) }
                td.number { (backlog.map_or(0, |backlog| backlog.running)) }
                td.number.wide { (or_dash(moves.and_then(|backlog| empty_in(backlog, &snapshot.ended)))) }
                td.number.medium { (can_run(task)) }
                td.medium {
                    @if let Ok(slots) = slots { (last_hour(slots, |one| one.task == task.name())) }
                    @else { span.soft { "–" } }
                }
            }
        }
    };
    let columns = [
        ("Task", Fit::Any),
        ("State", Fit::Any),
        ("Due", Fit::Any),
        ("Oldest", Fit::Medium),
        ("Waiting for a place", Fit::Medium),
        ("Put back", Fit::Wide),
        ("Running", Fit::Any),
        ("Empty in", Fit::Wide),
        ("Workers that can", Fit::Medium),
        ("Started and ended, last hour", Fit::Medium),
    ];
    let body = html! {
        (shell::fitted_table("Work by task", &columns, &rows))
        (cost(&snapshot.backlogs))
        @match slots {
            Ok(_) => {
                p.soft.medium {
                    "The last column has two bars for each five minutes: jobs that were started, and jobs that ended. "
                    "Of each five minutes the newest " (LOOKED_AT_A_SLOT) " of both are looked at."
                }
            }
            Err(refusal) => { (shell::broken(refusal)) }
        }
    };
    shell::section("queues", "Work", &body)
}

/// Says what the jobs that wait will cost at most: what is held for them. Where not all are counted, it is more.
fn cost(backlogs: &[Backlog]) -> Markup {
    let sum = |of: fn(&Backlog) -> i64| backlogs.iter().map(of).sum::<i64>();
    let held = Minutes::from_hundredths(sum(|one| one.held.hundredths()));
    html! {
        @if held > Minutes::ZERO {
            p { "What waits costs " @if backlogs.iter().any(Backlog::has_more) { "more than " } @else { "at most " } (minutes(held)) ": so much is held for it." }
        }
    }
}

/// Returns how long it takes until a task's waiting jobs have ended, if no others come: at the pace of the time within
/// the last 15 minutes in which any of its jobs ran. None where none wait, or too few ended to tell. What was put back
/// is not counted: it waits for a time. Where more may wait than were counted, it takes longer.
fn empty_in(backlog: &Backlog, ended: &Ended) -> Option<String> {
    let per_second = ended.by_task.iter().find(|one| one.task == backlog.task.name())?.per_second()?;
    let waiting = u32::try_from(backlog.due + backlog.without_place).ok().filter(|waiting| *waiting > 0)?;
    let than = if backlog.has_more() { "more than" } else { "about" };
    Some(format!("{than} {}", span(f64::from(waiting) / per_second)))
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
                td.wide {
                    @if let Some(at) = row.endpoint.last_success_at { (time(at, now)) }
                    @else { span.soft { "never" } }
                }
            }
        }
    };
    Ok(shell::fitted_table("Endpoints in trouble", &TROUBLED, &rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::read::Read;
    use domain::task::Task;
    use domain::verdict::EndedTask;

    fn backlog(due: i64, without_place: i64) -> Backlog {
        let (task, held) = (Task::Read(Read::Beats), Minutes::from_hundredths(10 * (due + without_place)));
        let (put_back, next_due_at) = (7, None);
        Backlog {
            task,
            due,
            oldest_due_seconds: 5.0,
            without_place,
            put_back,
            next_due_at,
            running: 1,
            held,
            has_more_due: false,
            has_more_unplaced: false,
        }
    }

    /// Of which more wait than were counted, with a place or without one.
    fn cut(due: i64, without_place: i64) -> [Backlog; 2] {
        let all = backlog(due, without_place);
        [Backlog { has_more_due: true, ..all }, Backlog { has_more_unplaced: true, ..all }]
    }

    fn ended(task: &str, many: i64, ran: i64, busy_seconds: f64) -> Ended {
        let by_task = vec![EndedTask { task: task.to_owned(), many, ran, busy_seconds }];
        Ended { by_task, ..Ended::default() }
    }

    #[test]
    fn a_backlog_is_told_when_it_will_be_gone_at_the_pace_at_which_jobs_end() {
        // 45 ran one each twenty seconds: 30 more take ten minutes.
        let told = |ended: &Ended| empty_in(&backlog(20, 10), ended);
        assert_eq!(told(&ended("beats", 45, 45, 900.0)), Some(format!("about {}", span(600.0))));
        // The read was paused, or had no worker, for all but two minutes.
        assert_eq!(told(&ended("beats", 12, 12, 120.0)), Some(format!("about {}", span(300.0))));
        // A thousand that waited were cancelled meanwhile, which is no work.
        assert_eq!(told(&ended("beats", 1_012, 12, 120.0)), Some(format!("about {}", span(300.0))));
        for more in cut(20, 10) {
            let many = empty_in(&more, &ended("beats", 900, 900, 900.0)).unwrap_or_default();
            assert!(many.starts_with("more than "), "{many}");
        }
    }

    #[test]
    fn what_waits_costs_what_is_held_for_it() {
        let told = |backlogs: &[Backlog]| cost(backlogs).0;
        let said = told(&[backlog(20, 10), backlog(1, 0)]);
        assert!(said.contains("costs at most <span class=\"number\">3.10</span> minutes"), "{said}");
        for more in cut(20, 10) {
            assert!(told(&[backlog(1, 0), more]).contains("costs more than "), "not all are counted: {more:?}");
        }
        assert_eq!(told(&[backlog(0, 0)]), "");
    }

    #[test]
    fn nothing_is_told_where_none_wait_or_too_little_is_known() {
        for (backlog, ended) in [
            (backlog(0, 0), ended("beats", 45, 45, 900.0)),
            (backlog(20, 0), ended("levels", 45, 45, 900.0)),
            (backlog(20, 0), ended("beats", 9, 9, 900.0)),
            (backlog(20, 0), ended("beats", 45, 9, 900.0)),
            (backlog(20, 0), ended("beats", 45, 45, 9.0)),
        ] {
            assert_eq!(empty_in(&backlog, &ended), None);
        }
    }
}
