//! Judges whether everything runs that must: workers, schedulers, their duties, clocks that agree, and the database's
//! schema and replicas.

use super::fallen::{Fallen, fallen, past, repeated, some_of};
use super::thresholds::{
    DUTY_FAILING_SECONDS, DUTY_FAILING_TURNS, DUTY_LATE_TURNS, FATAL_SKEW_MS, LITTLE_FREE_PERCENT, MOST_SKEW_MS,
    NEARLY_NONE_FREE_PERCENT, SILENT_SECONDS,
};
use super::{Duty, Judged, Number, Process, Snapshot, State, count, counted, database, span};
use std::cmp::Ordering;

/// Returns the live processes of this service.
pub(super) fn living<'a>(snapshot: &'a Snapshot, service: &'a str) -> impl Iterator<Item = &'a Process> {
    let lives = move |one: &&Process| one.service == service && one.silent_seconds < SILENT_SECONDS;
    snapshot.processes.iter().filter(lives)
}

pub(super) fn numbers(snapshot: &Snapshot) -> Vec<Number> {
    let many = |service| i64::try_from(living(snapshot, service).count()).unwrap_or(i64::MAX);
    let late = i64::try_from(late(snapshot).count()).unwrap_or(i64::MAX);
    vec![count("workers", many("worker")), count("schedulers", many("scheduler")), count("late_duties", late)]
}

pub(super) fn judged(snapshot: &Snapshot) -> Judged {
    // A schema that can't be used comes first: processes may be missing because of it.
    if let Some(found) = database::schema(snapshot) {
        return found;
    }
    let none = |service| living(snapshot, service).next().is_none();
    match (none("worker"), none("scheduler")) {
        (true, true) => {
            return Judged::new(State::Failing, "Neither a worker nor a scheduler lives.", "mws doctor --only workers");
        }
        (true, false) => return Judged::new(State::Failing, "No worker lives.", "mws doctor --only workers"),
        (false, true) => {
            let sentence = "No scheduler lives: what crashes is not taken up, and nothing is checked.";
            return Judged::new(State::Failing, sentence, "mws doctor --only workers");
        }
        (false, false) => {}
    }
    if snapshot.clock_skew_ms.abs() > MOST_SKEW_MS {
        let sentence = format!("The api's clock is {} the database's.", skew(snapshot.clock_skew_ms));
        let fatal = snapshot.clock_skew_ms.abs() > FATAL_SKEW_MS;
        let state = if fatal { State::Failing } else { State::Degraded };
        return Judged::new(state, sentence, "mws doctor --only clock");
    }
    let free = snapshot.media_free.map(|free| free * 100.0);
    if let Some(free) = free.filter(|free| *free < f64::from(LITTLE_FREE_PERCENT)) {
        let sentence = format!("The disk that media is kept on is nearly full: {free:.1} % of it is free.");
        let state = if free < f64::from(NEARLY_NONE_FREE_PERCENT) { State::Failing } else { State::Degraded };
        return Judged::new(state, sentence, "mws doctor --only disk");
    }
    if let Some(duty) = late(snapshot).max_by(|one, other| later(one, other)) {
        let sentence = format!(
            "The schedulers' duty `{}` was last done {} ago, and is to be done every {}.",
            duty.name,
            span(duty.done_seconds),
            span(duty.every_seconds)
        );
        let state = if is_failing(duty) { State::Failing } else { State::Degraded };
        return Judged::new(state, sentence, "mws doctor");
    }
    let dead = fallen(&snapshot.processes);
    if let Some(found) = ended_silently(&dead) {
        return found;
    }
    let healthy =
        || Judged::healthy(format!("Workers and schedulers live, and every duty is done in time.{}", past(&dead)));
    database::replicas(snapshot).unwrap_or_else(healthy)
}

/// Judges processes that ended without a word: those whose work does not go on, and those of a service that keeps
/// losing some.
fn ended_silently(dead: &[Fallen<'_>]) -> Option<Judged> {
    let next = "mws doctor --only workers";
    let open: Vec<&Fallen<'_>> = dead.iter().filter(|one| !one.is_past()).collect();
    if let [only] = open.as_slice() {
        let Process { service, name, silent_seconds, .. } = only.process;
        let (silent, so) = (span(*silent_seconds), left_by(only));
        let sentence =
            format!("A {service} has not been heard of for {silent}, did not say that it ended, and {so}: {name}.");
        return Some(Judged::new(State::Degraded, sentence, next));
    }
    if !open.is_empty() {
        let each = |one: &&Fallen<'_>| {
            let Process { service, name, silent_seconds, .. } = one.process;
            format!("{service} {name} for {}, and {}", span(*silent_seconds), left_by(one))
        };
        let named: Vec<String> = open.iter().map(each).collect();
        let sentence = format!(
            "{} processes have not been heard of, and did not say that they ended: {}.",
            named.len(),
            some_of(&named)
        );
        return Some(Judged::new(State::Degraded, sentence, next));
    }
    let (service, many, last) = repeated(dead)?;
    let sentence = format!("{many} {service}s ended without a word within an hour, the last {} ago.", span(last));
    Some(Judged::new(State::Degraded, sentence, next))
}

/// Returns what became of the work of a process that ended without a word, and whose work does not go on.
fn left_by(dead: &Fallen<'_>) -> String {
    if dead.has_successor() {
        format!("of its jobs {} not taken over yet", counted(dead.process.claims, "is", "are"))
    } else {
        "none was started in its place".to_owned()
    }
}

fn late(snapshot: &Snapshot) -> impl Iterator<Item = &Duty> {
    let is_late = |duty: &&Duty| {
        duty.done_seconds > (duty.every_seconds * DUTY_LATE_TURNS).max(SILENT_SECONDS) || is_failing(duty)
    };
    snapshot.duties.iter().filter(is_late)
}

/// Whether a duty was not done for so long that somebody is woken for it.
fn is_failing(duty: &Duty) -> bool {
    duty.done_seconds > DUTY_FAILING_SECONDS + duty.every_seconds * DUTY_FAILING_TURNS
}

/// Compares two duties: one that is failing comes after one that is not, then by the intervals since they were done.
fn later(one: &Duty, other: &Duty) -> Ordering {
    let turns = |duty: &Duty| duty.done_seconds / duty.every_seconds.max(1.0);
    is_failing(one).cmp(&is_failing(other)).then_with(|| turns(one).total_cmp(&turns(other)))
}

#[expect(clippy::cast_precision_loss, reason = "a skew is shown to the second")]
fn skew(ms: i64) -> String {
    format!("{} {}", span(ms.abs() as f64 / 1_000.0), if ms > 0 { "ahead of" } else { "behind" })
}
