//! Judges whether everything runs that must: workers, schedulers, their duties, clocks that agree, and the database's
//! schema and replicas.

use super::clocks::clocks_off;
use super::fallen::{Fallen, fallen, past, repeated, some_of};
use super::thresholds::{
    DUTY_FAILING_SECONDS, DUTY_FAILING_TURNS, DUTY_LATE_TURNS, LITTLE_FREE_PERCENT, NEARLY_NONE_FREE_PERCENT,
    SILENT_SECONDS,
};
use super::{Duty, Number, Process, Snapshot, State, Trouble, count, counted, database, span};
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

/// Returns the troubles, in the order in which operators should repair the causes.
pub(super) fn troubles(snapshot: &Snapshot) -> Vec<Trouble> {
    // A schema that can't be used comes first: processes may be missing because of it.
    let mut found = database::schema(snapshot);
    found.extend(missing(snapshot));
    found.extend(clocks(snapshot));
    found.extend(disk(snapshot));
    found.extend(late_duties(snapshot));
    found.extend(ended_silently(&fallen(&snapshot.processes)));
    found.extend(database::replicas(snapshot));
    found
}

/// Returns what is said where nothing is wrong.
pub(super) fn well(snapshot: &Snapshot) -> String {
    format!("Workers and schedulers live, and every duty is done in time.{}", past(&fallen(&snapshot.processes)))
}

/// Judges whether each service has a process that lives.
fn missing(snapshot: &Snapshot) -> Option<Trouble> {
    let none = |service| living(snapshot, service).next().is_none();
    let sentence = match (none("worker"), none("scheduler")) {
        (true, true) => "Neither a worker nor a scheduler lives.",
        (true, false) => "No worker lives.",
        (false, true) => "No scheduler lives: what crashes is not taken up, and nothing is checked.",
        (false, false) => return None,
    };
    Some(Trouble::new(State::Failing, sentence, "mws doctor --only workers"))
}

/// Judges the clocks of all processes, so that the verdict is the same whichever api is asked.
fn clocks(snapshot: &Snapshot) -> Option<Trouble> {
    let (state, sentence) = clocks_off(&snapshot.clocks)?;
    Some(Trouble::new(state, sentence, "mws doctor --only clock"))
}

fn disk(snapshot: &Snapshot) -> Option<Trouble> {
    let free = snapshot.media_free.map(|free| free * 100.0).filter(|free| *free < f64::from(LITTLE_FREE_PERCENT))?;
    let sentence = format!("The disk that media is kept on is nearly full: {free:.1} % of it is free.");
    let state = if free < f64::from(NEARLY_NONE_FREE_PERCENT) { State::Failing } else { State::Degraded };
    Some(Trouble::new(state, sentence, "mws doctor --only disk"))
}

/// Judges the duties: the one that is the latest, and then the other ones that are late. Where no scheduler lives all
/// soon are late, and that none lives has been told.
fn late_duties(snapshot: &Snapshot) -> Vec<Trouble> {
    if living(snapshot, "scheduler").next().is_none() {
        return Vec::new();
    }
    let told = |duty: &Duty, sentence: String| {
        let state = if is_failing(duty) { State::Failing } else { State::Degraded };
        Trouble::new(state, sentence, "mws doctor")
    };
    let mut late: Vec<&Duty> = late(snapshot).collect();
    late.sort_by(|one, other| later(one, other));
    let Some(latest) = late.pop() else { return Vec::new() };
    let (name, done, every) = (&latest.name, span(latest.done_seconds), span(latest.every_seconds));
    let sentence = format!("The schedulers' duty `{name}` was last done {done} ago, and is to be done every {every}.");
    let mut found = vec![told(latest, sentence)];
    if let Some(next) = late.last() {
        let each = |duty: &&Duty| format!("`{}`, last done {} ago", duty.name, span(duty.done_seconds));
        let others: Vec<String> = late.iter().rev().map(each).collect();
        found.push(told(next, format!("Of the schedulers' duties, these are late too: {}.", some_of(&others))));
    }
    found
}

/// Judges processes that ended without a word: those whose work does not go on, and the services that keep losing some,
/// where not all of these are named already.
fn ended_silently(dead: &[Fallen<'_>]) -> Vec<Trouble> {
    let open: Vec<&Fallen<'_>> = dead.iter().filter(|one| !one.is_past()).collect();
    let named = |service: &str| open.iter().filter(|one| one.process.service == service).count();
    let keeps_ending =
        repeated(dead).into_iter().filter(|(service, many, _)| *many > named(service)).map(|(service, many, last)| {
            format!("{many} {service}s ended without a word within an hour, the last {} ago.", span(last))
        });
    let told = |sentence: String| Trouble::new(State::Degraded, sentence, "mws doctor --only workers");
    unheard(&open).into_iter().chain(keeps_ending).map(told).collect()
}

/// Returns a sentence on processes that ended without a word and whose work does not go on; `None` if there are none.
fn unheard(open: &[&Fallen<'_>]) -> Option<String> {
    if let [only] = open {
        let Process { service, name, silent_seconds, .. } = only.process;
        let (silent, so) = (span(*silent_seconds), left_by(only));
        return Some(format!(
            "A {service} has not been heard of for {silent}, did not say that it ended, and {so}: {name}."
        ));
    }
    let each = |one: &&Fallen<'_>| {
        let Process { service, name, silent_seconds, .. } = one.process;
        format!("{service} {name} for {}, and {}", span(*silent_seconds), left_by(one))
    };
    let named: Vec<String> = open.iter().map(each).collect();
    let (many, some) = (named.len(), some_of(&named));
    let sentence = format!("{many} processes have not been heard of, and did not say that they ended: {some}.");
    (many > 0).then_some(sentence)
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
