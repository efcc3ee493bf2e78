//! The page of the processes and what each can run, of their releases and the schema, of the reads and whether they are
//! paused, of the schedulers' duties, of the invariants that they check, and of what is deleted next and how
//! large tables are.

use super::releases::releases;
use super::shell::{Fit, instead};
use super::words::{or_dash, state, taken_by, time, time_or, word};
use super::{Visit, leads_to, retained, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::usecases::operator::reads::pause_or_resume_read;
use crate::usecases::operator::retention::retention;
use chrono::{DateTime, Utc};
use domain::read::Read;
use domain::task::Task;
use domain::verdict::thresholds::SILENT_SECONDS;
use domain::verdict::{COUNTED_OF_A_TASK, Held, Process, clock_off_by, or_more, span, taken_over};
use maud::{Markup, html};
use poem::Response;
use store::inspect;
use store::invariants;
use store::reads::{self, Begun, KindRow};
use store::verdict::{self, DutyTold, ProcessRow};

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let now = visit.now().await?;
    // The rest is shown where a migration has locked a table of these: this page is looked at meanwhile.
    let retained = retention(&visit.app).await.ok();
    let mut conn = visit.conn().await?;
    let mut processes = verdict::processes(&mut conn).await?;
    let workers_and_schedulers = verdict::fleet(&mut conn).await?;
    let past = taken_over(&workers_and_schedulers);
    // Those that need somebody stand on top, however many there are.
    processes.sort_by_key(|one| !is_silent(one, &past) && clock_off(one).is_none());
    let kinds = reads::list(&mut conn).await?;
    let duties = verdict::reported(&mut conn).await?;
    let held = invariants::last(&mut conn).await?;
    let applied = inspect::schema_version(&mut conn).await?;
    let schema = verdict::schema(&mut conn).await?;
    let ran = releases(env!("CARGO_PKG_VERSION"), &visit.app.process.name, &processes, applied, &schema);
    let main = html! {
        h1 { "Fleet" }
        (shell::section("processes", "Processes", &living(&processes, &past, now)))
        (shell::section("releases", "Releases and the schema", &ran))
        (shell::section("reads", "Reads", &paused(&visit, &kinds, &workers_and_schedulers, now)))
        (shell::section("duties", "Duties of the schedulers", &done(&duties)))
        (shell::section("invariants", "Invariants", &checked(&held)))
        (retained::shown(retained.as_ref(), now))
        (shell::commands(&["mws top", "mws admin reads list", "mws doctor --only invariants", "mws admin retention"]))
    };
    Ok(visit.whole("Fleet", &main))
}

/// Whether a process has not been heard of for so long that it counts as dead, and nobody went on with its work. An api
/// says that it lives only when it is asked.
fn is_silent(one: &ProcessRow, past: &[&str]) -> bool {
    one.service != "api" && one.silent_seconds >= SILENT_SECONDS && !past.contains(&one.name.as_str())
}

/// By how much the clock of a process is off that lives; `None` if it is not.
fn clock_off(one: &ProcessRow) -> Option<String> {
    one.clock_ahead_ms.filter(|_| one.silent_seconds < SILENT_SECONDS).and_then(clock_off_by)
}

/// Shows the processes. `past`: the names of those that fell silent, and whose work others went on with.
fn living(processes: &[ProcessRow], past: &[&str], now: DateTime<Utc>) -> Markup {
    if processes.is_empty() {
        return html! { p.empty { "No process has said that it lives. Start a worker and a scheduler, or all in one: " code { "mws up" } } };
    }
    let rows = html! {
        @for one in processes {
            @let is_past = past.contains(&one.name.as_str());
            tr {
                td { (one.service) (instead(Fit::Wide, "Name", &html! { (one.name) })) }
                td {
                    @if one.service == "api" { span.soft { "when asked" } }
                    @else if is_past { (state("ended")) div.soft { "its work was taken over" } }
                    @else { (state(if is_silent(one, past) { "silent" } else { "live" })) }
                    @if let Some(by) = clock_off(one) { div.warn { span aria-hidden="true" { "! " } "clock " (by) } }
                }
                td.number { (span(one.silent_seconds)) " ago" }
                td.number { @if is_past { span.soft { "–" } } @else { (one.busy) " of " (one.slots) } }
                td.medium { (one.tasks.join(", ")) }
                td.medium { (one.version) }
                td.long.wide { (one.host) }
                td.wide { (time(one.started_at, now)) }
                td.id.long.wide { (one.name) }
            }
        }
    };
    let columns = [
        ("Service", Fit::Any),
        ("State", Fit::Any),
        ("Last heard", Fit::Any),
        ("Busy", Fit::Any),
        ("Can run", Fit::Medium),
        ("Version", Fit::Medium),
        ("Host", Fit::Wide),
        ("Began", Fit::Wide),
        ("Name", Fit::Wide),
    ];
    shell::fitted_table("Processes", &columns, &rows)
}

/// Shows the reads, each with whether it is paused and whether one of the fleet can run it.
fn paused(visit: &Visit, kinds: &[KindRow], fleet: &[Process], now: DateTime<Utc>) -> Markup {
    let can_run = |read| fleet.iter().any(|one| one.can_run(Task::Read(read)));
    let rows = html! {
        @for kind in kinds {
            tr {
                td { (kind.read) }
                td { @match kind.paused_at {
                    Some(at) => { (state("paused")) " since " (time(at, now)) }
                    None => { (taken_by(can_run(kind.read))) }
                } }
                td.medium { (or_dash(kind.engine.as_ref())) " " (or_dash(kind.engine_version.as_ref())) }
                td.wide { (time_or(kind.engine_seen_at, now, "never")) }
                td.number.medium { (waiting(kind)) }
                @if visit.may_act() {
                    td { a href={ "/console/reads/" (kind.read) } { @if kind.paused_at.is_some() { "Resume…" } @else { "Pause…" } } }
                }
            }
        }
    };
    let columns = [
        ("Read", Fit::Any),
        ("State", Fit::Any),
        ("Engine", Fit::Medium),
        ("Seen", Fit::Wide),
        ("Waiting jobs", Fit::Medium),
        ("Change", Fit::Any),
    ];
    shell::fitted_table("Reads", &columns[..columns.len() - usize::from(!visit.may_act())], &rows)
}

fn done(duties: &[DutyTold]) -> Markup {
    if duties.is_empty() {
        return html! { p.empty { "No scheduler has told of its duties within two minutes. What is there: " code { "mws doctor --only workers" } } };
    }
    let rows = html! {
        @for duty in duties {
            tr {
                td { (duty.duty) }
                td.number { (every(duty.every_seconds)) }
                td.number { (or_dash(duty.done_seconds.map(|age| format!("{} ago", span(age))))) }
            }
        }
    };
    shell::table("Duties", &["Duty", "Every", "Last done"], &rows)
}

fn every(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds} s") } else { span(seconds) }
}

/// Shows what must hold of the rows at every moment, and what the schedulers' checks found.
fn checked(held: &[Held]) -> Markup {
    let ago = |seconds: Option<f64>| seconds.map_or("never".to_owned(), |age| format!("{} ago", span(age.max(0.0))));
    let broke =
        |one: &Held| html! { (one.broken) " " (word(one.broken == 1, "row", "rows")) ": " (one.sample.join(", ")) };
    let rows = html! {
        @for one in held {
            tr {
                td { (one.invariant.name()) }
                td { @match one.outcome { Some(outcome) => { (state(outcome.name())) } None => { span.soft { "not checked yet" } } } }
                td.long {
                    (one.invariant.says())
                    (instead(Fit::Medium, "Passed", &html! { (ago(one.passed_seconds)) }))
                    @if one.broken > 0 { (instead(Fit::Medium, "Broken by", &broke(one))) }
                }
                td.number.medium { (ago(one.passed_seconds)) }
                td.number.medium { (ago(one.failed_seconds)) }
                td.long.medium { @if one.broken > 0 { (broke(one)) } @else { span.soft { "–" } } }
                td.wide { (one.invariant.covers()) }
            }
        }
    };
    let columns = [
        ("Rule", Fit::Any),
        ("Last check", Fit::Any),
        ("What must hold", Fit::Any),
        ("Passed", Fit::Medium),
        ("Failed", Fit::Medium),
        ("Rows that broke it", Fit::Medium),
        ("Looks at", Fit::Wide),
    ];
    shell::fitted_table("Invariants", &columns, &rows)
}

async fn kind(visit: &Visit) -> Answer<KindRow> {
    let missing = || ApiError::new(Code::ReadNotFound, "There is no such read.");
    let read = Read::from_name(&visit.id).ok_or_else(missing)?;
    let kinds = reads::list(&mut *visit.conn().await?).await?;
    kinds.into_iter().find(|kind| kind.read == read).ok_or_else(missing)
}

/// Returns how many jobs of a read wait, in words: of more than are counted, how many there are at least.
fn waiting(kind: &KindRow) -> String {
    or_more(kind.waiting.min(COUNTED_OF_A_TASK), kind.waiting > COUNTED_OF_A_TASK)
}

/// The page that asks before a read is paused or resumed.
pub(super) async fn confirm(visit: Visit) -> Answer<Response> {
    let kind = kind(&visit).await?;
    let (verb, value) = if kind.paused_at.is_some() { ("Resume", "no") } else { ("Pause", "yes") };
    let title = format!("{verb} {}?", kind.read);
    let main = html! {
        h1 { (title) }
        @if kind.paused_at.is_some() {
            p { "Its waiting jobs go on, and calls for it start jobs again." }
        } @else {
            p {
                "No job of it begins, for any account. Those that run go on, those that wait give their places to "
                "others, and calls for it are answered " code { "held" } ". Nothing is cancelled and nothing is charged."
            }
        }
        p { (waiting(&kind)) " " (word(kind.waiting == 1, "job of it waits.", "jobs of it wait.")) }
        form method="post" { input type="hidden" name="paused" value=(value);
            div.acts { button { (verb) } a href="/console/fleet" { "Leave it" } } }
        (shell::command(&format!("mws admin reads {} {}", verb.to_lowercase(), kind.read)))
    };
    Ok(visit.whole(&title, &main))
}

/// Pauses a read, or resumes it.
pub(super) async fn change(visit: Visit) -> Answer<Response> {
    let kind = kind(&visit).await?;
    let begun = match field(&visit.form, "paused").as_str() {
        "yes" => Begun::Paused,
        "no" => Begun::Resumed,
        _ => return Err(ApiError::new(Code::InvalidRequest, "`paused` must be `yes` or `no`.")),
    };
    pause_or_resume_read(&visit.app, &visit.caller, kind.read, begun).await?;
    Ok(leads_to("/console/fleet"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_of_a_read_is_told_as_it_was_counted() {
        let told = [0, 1, 10_000, 10_001].map(|many| {
            let (paused_at, engine, engine_version, engine_seen_at) = (None, None, None, None);
            waiting(&KindRow { read: Read::Beats, paused_at, engine, engine_version, engine_seen_at, waiting: many })
        });
        assert_eq!(told, ["0", "1", "10000", "10,000 or more"]);
    }
}
