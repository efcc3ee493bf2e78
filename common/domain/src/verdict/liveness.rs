//! Judges whether everything runs that must: workers, schedulers, their duties, clocks that agree, and the database's
//! schema and replicas.

use super::fallen::{Fallen, fallen, past, repeated, some_of};
use super::{Duty, Judged, Number, Process, SILENT_SECONDS, Snapshot, State, count, counted, database, span};
use std::cmp::Ordering;

/// Milliseconds by which clocks may differ before times in logs and signatures are hard to trust.
const MOST_SKEW_MS: i64 = 1_000;
/// Milliseconds by which clocks may differ before receivers refuse our signatures, or soon will (at five minutes).
const FATAL_SKEW_MS: i64 = 240_000;
/// The free part of the disk for media below which somebody should look; the alert `MwsDiskFilling` has the same.
const LITTLE_FREE: f64 = 0.1;
/// The free part below which uploads are about to be refused.
const NEARLY_NONE_FREE: f64 = 0.01;
/// The intervals without a run after which a duty is late, but never before `SILENT_SECONDS`.
const TURNS: f64 = 5.0;
/// Seconds after which a late duty is failing; after twice `TURNS` intervals if that is longer.
const LONGEST_LATE_SECONDS: f64 = 600.0;

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
    if let Some(free) = snapshot.media_free.filter(|free| *free < LITTLE_FREE) {
        let sentence = format!("The disk that media is kept on is nearly full: {:.1} % of it is free.", free * 100.0);
        let state = if free < NEARLY_NONE_FREE { State::Failing } else { State::Degraded };
        return Judged::new(state, sentence, "mws doctor --only disk");
    }
    if let Some(duty) = late(snapshot).max_by(|one, other| later(one, other)) {
        let sentence = format!(
            "The schedulers' duty `{}` was last done {} ago, and is to be done every {}.",
            duty.name,
            span(duty.done_seconds),
            span(duty.every_seconds)
        );
        let fails = duty.done_seconds > LONGEST_LATE_SECONDS.max(duty.every_seconds * TURNS * 2.0);
        return Judged::new(if fails { State::Failing } else { State::Degraded }, sentence, "mws doctor");
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
    snapshot.duties.iter().filter(|duty| duty.done_seconds > (duty.every_seconds * TURNS).max(SILENT_SECONDS))
}

/// Compares two duties by the number of intervals since they were last done.
fn later(one: &Duty, other: &Duty) -> Ordering {
    let turns = |duty: &Duty| duty.done_seconds / duty.every_seconds.max(1.0);
    turns(one).total_cmp(&turns(other))
}

#[expect(clippy::cast_precision_loss, reason = "a skew is shown to the second")]
fn skew(ms: i64) -> String {
    format!("{} {}", span(ms.abs() as f64 / 1_000.0), if ms > 0 { "ahead of" } else { "behind" })
}
