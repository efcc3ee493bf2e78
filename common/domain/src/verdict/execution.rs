//! Judges whether jobs succeed, by those that ended in the last quarter of an hour.
//!
//! A file that can't be read is its sender's fault, as what can't be made is its caller's: if most is so, operators are
//! told, but nothing is failing. Nor is it where a provider fails. A kind of failure that is new and that several
//! accounts have is told before it is a large share of all.

use super::thresholds::{ENOUGH_JOBS, FEW_FAILURES, MOST_FAILED_PERCENT, MOST_UNREADABLE_PERCENT};
use super::{Ended, Failure, Judged, NewFailure, Number, Snapshot, State, at_least, count, percent, span};
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

pub(super) fn judged(snapshot: &Snapshot) -> Judged {
    let ended = &snapshot.ended;
    let all = ended.succeeded + ended.failures.iter().map(|failure| failure.many).sum::<i64>();
    let troubled = |faults: &[Fault], least: i64, most: f64| {
        let failed = failed(ended, faults);
        let share = percent(failed, all);
        (failed >= least && share > most).then_some(share)
    };
    let new = ended.new_failure.as_ref();
    let also = new.map(|new| format!(" {}", new_kind(new))).unwrap_or_default();
    let told = |state, share: f64, why: &str, faults: &[Fault]| {
        let (most, next) = most_frequent(ended, faults);
        let before = week_ago(ended);
        let sentence = format!("{share:.0} % of the jobs that ended in 15 minutes failed {why}: {most}.{before}{also}");
        Judged::new(state, sentence, next)
    };
    if let Some(share) = troubled(&[Fault::Ours], FEW_FAILURES, MOST_FAILED_PERCENT) {
        let state = if all >= ENOUGH_JOBS { State::Failing } else { State::Degraded };
        return told(state, share, "by our fault", &[Fault::Ours]);
    }
    if let Some(share) = troubled(&[Fault::Provider], FEW_FAILURES, MOST_FAILED_PERCENT) {
        return told(State::Degraded, share, "by a provider's fault", &[Fault::Provider]);
    }
    if let Some(share) = troubled(&SENDERS, 1, MOST_UNREADABLE_PERCENT).filter(|_| all >= ENOUGH_JOBS) {
        return told(State::Degraded, share, "for what was sent in", &SENDERS);
    }
    if let Some(new) = new.filter(|new| !SENDERS.contains(&Fault::of(&new.code))) {
        return Judged::new(State::Degraded, new_kind(new), format!("mws admin jobs get {}", new.newest));
    }
    let runs: i64 = snapshot.backlogs.iter().map(|backlog| backlog.running).sum();
    if all == 0 && runs > 0 {
        let sentence = "Jobs run, and none has ended in 15 minutes.";
        return Judged::new(State::Unknown, sentence, "mws admin jobs list --status running");
    }
    Judged::healthy(if all == 0 {
        format!("No job has ended in 15 minutes, and none runs.{also}")
    } else {
        let share = percent(ended.succeeded, all);
        format!("{share:.0} % of the jobs that ended in 15 minutes succeeded.{}{also}", week_ago(ended))
    })
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
