//! Judges whether work starts: due jobs are claimed within two minutes, or the verdict says why they are not.

use super::thresholds::JOB_WAITS_SECONDS;
use super::{Backlog, Number, Process, Snapshot, State, Trouble, count, liveness, number, or_more, span};
use crate::task::Task;

pub(super) fn numbers(snapshot: &Snapshot) -> Vec<Number> {
    vec![
        number("oldest_due", oldest(snapshot).map_or(0.0, |backlog| backlog.oldest_due_seconds), "s"),
        count("due", snapshot.backlogs.iter().map(|backlog| backlog.due).sum()),
        count("running", snapshot.backlogs.iter().map(|backlog| backlog.running).sum()),
    ]
}

/// Returns the troubles, in the order in which operators should repair the causes.
pub(super) fn troubles(snapshot: &Snapshot) -> Vec<Trouble> {
    let waiting: i64 = snapshot.backlogs.iter().map(Backlog::waiting).sum();
    let workers: Vec<&Process> = liveness::living(snapshot, "worker").collect();
    let mut found = if !workers.is_empty() {
        held_up(snapshot, &workers)
    } else if waiting > 0 {
        let wait = jobs_wait(waiting, snapshot.backlogs.iter().any(Backlog::has_more));
        let sentence = format!("No worker lives, and {wait}.");
        vec![Trouble::new(State::Failing, sentence, "mws doctor --only workers")]
    } else {
        Vec::new()
    };
    let paused_most = snapshot.paused.iter().max_by_key(|task| held(snapshot, **task));
    found.extend(paused_most.map(|task| paused(snapshot, *task)));
    found
}

/// Returns what is said where nothing is wrong.
pub(super) fn well(snapshot: &Snapshot) -> String {
    format!("{}{}", keep_up(snapshot), put_back(snapshot))
}

/// Returns what keeps jobs waiting that nobody holds back, though workers live: each engine that none of them has, and
/// one task that they don't keep up with.
fn held_up(snapshot: &Snapshot, workers: &[&Process]) -> Vec<Trouble> {
    let can_run = |task: Task| snapshot.processes.iter().any(|one| one.can_run(task));
    let due = waits(snapshot).filter(|backlog| !is_paused(snapshot, backlog.task));
    let (able, stuck): (Vec<&Backlog>, Vec<&Backlog>) = due.partition(|backlog| can_run(backlog.task));
    let mut found: Vec<Trouble> = stuck.into_iter().map(without_engine).collect();
    let slots = workers.iter().map(|worker| (worker.slots, worker.busy));
    let stalled = able.into_iter().find(|backlog| is_late(backlog));
    found.extend(stalled.map(|stalled| late(snapshot, stalled, slots)));
    found
}

fn without_engine(stuck: &Backlog) -> Trouble {
    let (waits, task) = (jobs_wait(stuck.due, stuck.has_more_due), stuck.task);
    let sentence = format!("No worker that lives has an engine for `{task}`, and {waits} for one.");
    Trouble::new(State::Failing, sentence, "mws doctor --only engines")
}

/// Returns the sentence on workers that keep up.
fn keep_up(snapshot: &Snapshot) -> String {
    let without_place: i64 = snapshot.backlogs.iter().map(|backlog| backlog.without_place).sum();
    match oldest(snapshot) {
        None if without_place == 0 => "No job waits for a worker.".to_owned(),
        None => {
            let wait = jobs_wait(without_place, has_more_unplaced(snapshot));
            format!("Workers keep up; {wait} for a place of their account.")
        }
        Some(backlog) => format!("Workers keep up: the oldest due job waits for {}.", span(backlog.oldest_due_seconds)),
    }
}

/// Returns a sentence on the jobs that were put back and are due later, which begins with a space; empty if there are
/// none.
fn put_back(snapshot: &Snapshot) -> String {
    let Some(next) = snapshot.backlogs.iter().filter_map(|backlog| backlog.next_due_at).min() else {
        return String::new();
    };
    let many: i64 = snapshot.backlogs.iter().map(|backlog| backlog.put_back).sum();
    let at = next.format("%H:%M:%S");
    let has_more = has_more_unplaced(snapshot);
    if many == 1 && !has_more {
        format!(" One job was put back, and runs again at {at} UTC.")
    } else {
        format!(" {} jobs were put back, and run again from {at} UTC on.", or_more(many, has_more))
    }
}

/// Judges jobs that have been due too long although a worker could run them.
fn late(snapshot: &Snapshot, stalled: &Backlog, slots: impl Iterator<Item = (i64, i64)>) -> Trouble {
    let (all, busy) = slots.fold((0, 0), |sum, (slots, busy)| (sum.0 + slots, sum.1 + busy));
    let (task, waited) = (stalled.task, span(stalled.oldest_due_seconds));
    if busy >= all {
        let slots = if all == 1 { "The only slot is".to_owned() } else { format!("All {all} slots are") };
        let sentence = format!("{slots} busy, and the oldest job for `{task}` has been due for {waited}.");
        return Trouble::new(State::Degraded, sentence, "mws admin jobs list --status running");
    }
    let runs: i64 = snapshot.backlogs.iter().map(|backlog| backlog.running).sum();
    let sentence = format!(
        "Workers have free slots, and the oldest of {} due jobs for `{task}` has been due for {waited}.",
        or_more(stalled.due, stalled.has_more_due)
    );
    // If no job is running, nothing is being claimed at all.
    Trouble::new(if runs == 0 { State::Failing } else { State::Degraded }, sentence, "mws doctor")
}

/// How many jobs of a task wait, and whether more may.
fn held(snapshot: &Snapshot, task: Task) -> (i64, bool) {
    let backlog = snapshot.backlogs.iter().find(|backlog| backlog.task == task);
    backlog.map_or((0, false), |backlog| (backlog.waiting(), backlog.has_more()))
}

/// Returns how many jobs wait, in words. `has_more`: there may be more than were counted.
fn jobs_wait(many: i64, has_more: bool) -> String {
    if many == 1 && !has_more { "one job waits".to_owned() } else { format!("{} jobs wait", or_more(many, has_more)) }
}

/// Whether more jobs without a place may wait than were counted, of any task.
fn has_more_unplaced(snapshot: &Snapshot) -> bool {
    snapshot.backlogs.iter().any(|backlog| backlog.has_more_unplaced)
}

/// What the operator holds back: of several tasks the one for which most jobs wait.
fn paused(snapshot: &Snapshot, task: Task) -> Trouble {
    let waits = match held(snapshot, task) {
        (0, false) => "new ones are held".to_owned(),
        (many, has_more) => jobs_wait(many, has_more),
    };
    let others: Vec<String> =
        snapshot.paused.iter().filter(|other| **other != task).map(|other| format!("`{other}`")).collect();
    let also = if others.is_empty() { String::new() } else { format!(" Paused too: {}.", others.join(", ")) };
    let sentence = format!("The read `{task}` is paused, and {waits}.{also}");
    Trouble::new(State::Degraded, sentence, format!("mws admin reads resume {task}"))
}

fn waits(snapshot: &Snapshot) -> impl Iterator<Item = &Backlog> {
    snapshot.backlogs.iter().filter(|backlog| backlog.due > 0)
}

fn oldest(snapshot: &Snapshot) -> Option<&Backlog> {
    waits(snapshot).max_by(|one, other| one.oldest_due_seconds.total_cmp(&other.oldest_due_seconds))
}

fn is_late(backlog: &Backlog) -> bool {
    backlog.oldest_due_seconds > JOB_WAITS_SECONDS
}

fn is_paused(snapshot: &Snapshot, task: Task) -> bool {
    snapshot.paused.contains(&task)
}
