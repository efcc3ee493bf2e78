//! Judges whether jobs succeed, by those that ended in the last quarter of an hour.
//!
//! A file that can't be read is its sender's fault, as what can't be made is its caller's: if most is so, operators are
//! told, but nothing is failing. Nor is it where a provider fails. A kind of failure that is new and that several
//! accounts have is told before it is a large share of all.

use super::thresholds::{ENOUGH_JOBS, FEW_FAILURES, MOST_FAILED_PERCENT, MOST_UNREADABLE_PERCENT};
use super::{Ended, Failure, NewFailure, Number, Snapshot, State, Trouble, at_least, count, percent, span};
use crate::job::Fault;

/// Those who are at fault for what was sent in.
const SENDERS: [Fault; 2] = [Fault::Media, Fault::Caller];

pub(super) fn numbers(snapshot: &Snapshot) -> Vec<Number> {
    let ended = &snapshot.ended;
    vec![
        count("succeeded", ended.succeeded),
        count("failed_by_media", failed(ended, &SENDERS)),
        count("failed_by_us", failed(ended, &[Fault::Ours])),
    ]
}

/// Returns the troubles, in the order in which operators should repair the causes.
pub(super) fn troubles(snapshot: &Snapshot) -> Vec<Trouble> {
    let ended = &snapshot.ended;
    let mut found = shares(ended);
    let new = ended.new_failure.as_ref();
    if let Some(first) = found.first_mut() {
        first.sentence += &beside(ended);
    } else if let Some(new) = new.filter(|new| !SENDERS.contains(&Fault::of(&new.code))) {
        found.push(Trouble::new(State::Degraded, new_kind(new), format!("mws admin jobs get {}", new.newest)));
    }
    let runs: i64 = snapshot.backlogs.iter().map(|backlog| backlog.running).sum();
    if all(ended) == 0 && runs > 0 {
        let sentence = "Jobs run, and none has ended in 15 minutes.";
        found.push(Trouble::new(State::Unknown, sentence, "mws admin jobs list --status running"));
    }
    found
}

/// Returns what is said where nothing is wrong.
pub(super) fn well(snapshot: &Snapshot) -> String {
    let ended = &snapshot.ended;
    match all(ended) {
        0 => format!("No job has ended in 15 minutes, and none runs.{}", new_too(ended)),
        all => {
            let share = percent(ended.succeeded, all);
            format!("{share:.0} % of the jobs that ended in 15 minutes succeeded.{}", beside(ended))
        }
    }
}

/// Returns the shares that are too large of the jobs that failed: by our fault, a provider's and the senders'.
fn shares(ended: &Ended) -> Vec<Trouble> {
    let all = all(ended);
    let mut found = Vec::new();
    let mut judge = |faults: &[Fault], why: &str, state: State, least: i64, most: f64| {
        let failed = failed(ended, faults);
        let share = percent(failed, all);
        if failed >= least && share > most {
            let (most, next) = most_frequent(ended, faults);
            let sentence = format!("{share:.0} % of the jobs that ended in 15 minutes failed {why}: {most}.");
            found.push(Trouble::new(state, sentence, next));
        }
    };
    let by_us = if all >= ENOUGH_JOBS { State::Failing } else { State::Degraded };
    judge(&[Fault::Ours], "by our fault", by_us, FEW_FAILURES, MOST_FAILED_PERCENT);
    judge(&[Fault::Provider], "by a provider's fault", State::Degraded, FEW_FAILURES, MOST_FAILED_PERCENT);
    if all >= ENOUGH_JOBS {
        judge(&SENDERS, "for what was sent in", State::Degraded, 1, MOST_UNREADABLE_PERCENT);
    }
    found
}

/// Returns how many jobs ended.
fn all(ended: &Ended) -> i64 {
    ended.succeeded + ended.failures.iter().map(|failure| failure.many).sum::<i64>()
}

/// Returns what is told beside how jobs ended, as further sentences.
fn beside(ended: &Ended) -> String {
    format!("{}{}", week_ago(ended), new_too(ended))
}

/// Returns a further sentence on a kind of failure that is new; empty if there is none.
fn new_too(ended: &Ended) -> String {
    ended.new_failure.as_ref().map(|new| format!(" {}", new_kind(new))).unwrap_or_default()
}

/// Returns a sentence on a kind of failure that is new.
fn new_kind(new: &NewFailure) -> String {
    let NewFailure { task, code, jobs, payers, newest, first_seconds } = new;
    let (many, since) = (at_least(*jobs), span(*first_seconds));
    format!(
        "A kind of failure is new: within {since}, {many} jobs of `{task}` of {payers} accounts failed with `{code}` in \
         the same way, and none had within a day before; the newest is {newest}."
    )
}

/// Returns how many failed at this hour a week ago, as a further sentence; empty if too few ended then to tell.
fn week_ago(ended: &Ended) -> String {
    let before = ended.week_ago;
    if before.ended < ENOUGH_JOBS {
        return String::new();
    }
    format!(" At this hour a week ago {:.0} % of all failed.", percent(before.failed, before.ended))
}

fn of<'a>(ended: &'a Ended, faults: &'a [Fault]) -> impl Iterator<Item = &'a Failure> {
    ended.failures.iter().filter(move |failure| faults.contains(&Fault::of(&failure.code)))
}

/// Returns how many jobs failed by the fault of these.
fn failed(ended: &Ended, faults: &[Fault]) -> i64 {
    of(ended, faults).map(|failure| failure.many).sum()
}

/// Returns the most frequent failure by the fault of these, in words, and the command that lists such jobs.
fn most_frequent(ended: &Ended, faults: &[Fault]) -> (String, String) {
    of(ended, faults).next().map_or_else(
        || (String::new(), "mws admin jobs list --status failed --since 1h".to_owned()),
        |most| {
            (
                format!("{} times `{}` of `{}`", most.many, most.code, most.task),
                format!("mws admin jobs list --status failed --error {} --since 1h", most.code),
            )
        },
    )
}
