//! Whether everything that has to run does: workers, schedulers, their duties, and clocks that agree.

use super::{Duty, Judged, Number, Process, Snapshot, State, count, span};
use std::cmp::Ordering;

/// A process that is silent for this long is called dead: it says that it lives every ten seconds.
const SILENT_SECONDS: f64 = 30.0;
/// A dead process is told of for this long. Later it is history, which the fleet's page still has.
const TOLD_SECONDS: f64 = 3_600.0;
/// Clocks further apart than this make times in logs and signatures hard to trust.
const MOST_SKEW_MS: i64 = 1_000;
/// And further than this, receivers refuse our signatures (five minutes), or soon will.
const FATAL_SKEW_MS: i64 = 240_000;
/// A duty is late when it was not done for so many of its turns, and for half a minute.
const TURNS: f64 = 5.0;
/// A duty that was not done for this long fails.
const LONGEST_LATE_SECONDS: f64 = 600.0;

/// The processes of this service that say that they live.
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
    let is_silent = |one: &&Process| (SILENT_SECONDS..TOLD_SECONDS).contains(&one.silent_seconds);
    if let Some(dead) = snapshot.processes.iter().find(is_silent) {
        let (service, name, silent) = (&dead.service, &dead.name, span(dead.silent_seconds));
        let sentence =
            format!("A {service} has not been heard of for {silent}, and did not say that it ended: {name}.");
        return Judged::new(State::Degraded, sentence, "mws doctor --only workers");
    }
    Judged::healthy("Workers and schedulers live, and every duty is done in time.")
}

fn late(snapshot: &Snapshot) -> impl Iterator<Item = &Duty> {
    snapshot.duties.iter().filter(|duty| duty.done_seconds > (duty.every_seconds * TURNS).max(SILENT_SECONDS))
}

/// Which of two is late by more of its turns.
fn later(one: &Duty, other: &Duty) -> Ordering {
    let turns = |duty: &Duty| duty.done_seconds / duty.every_seconds.max(1.0);
    turns(one).total_cmp(&turns(other))
}

#[expect(clippy::cast_precision_loss, reason = "a skew is shown to the second")]
fn skew(ms: i64) -> String {
    format!("{} {}", span(ms.abs() as f64 / 1_000.0), if ms > 0 { "ahead of" } else { "behind" })
}
