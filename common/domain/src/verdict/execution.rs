//! Judges whether jobs succeed, by those that ended in the last quarter of an hour.
//!
//! A file that can't be read is its sender's fault: if most can't be read, operators are told, but nothing is failing.

use super::{Judged, Number, Snapshot, State, count, percent};

/// The fewest ended jobs that make a share meaningful.
const ENOUGH: i64 = 20;
/// Fewer failures than this may be coincidence.
const FEW: i64 = 3;
/// The largest acceptable share of jobs that failed by our fault, in percent.
const MOST_OF_OURS: f64 = 10.0;
/// If a larger share of files than this can't be read, in percent, a decoder may be broken.
const MOST_OF_MEDIA: f64 = 50.0;

pub(super) fn numbers(snapshot: &Snapshot) -> Vec<Number> {
    let ended = &snapshot.ended;
    vec![
        count("succeeded", ended.succeeded),
        count("failed_by_media", ended.failed_by_media),
        count("failed_by_us", ended.failed_by_us),
    ]
}

pub(super) fn judged(snapshot: &Snapshot) -> Judged {
    let ended = &snapshot.ended;
    let all = ended.succeeded + ended.failed_by_media + ended.failed_by_us;
    let most = ended.most.as_ref().map(|most| format!("{} times `{}` of `{}`", most.many, most.code, most.task));
    let most = most.unwrap_or_default();
    let next = ended.most.as_ref().map_or_else(
        || "mws admin jobs list --status failed --since 1h".to_owned(),
        |most| format!("mws admin jobs list --status failed --error {} --since 1h", most.code),
    );
    let ours = percent(ended.failed_by_us, all);
    if ended.failed_by_us >= FEW && ours > MOST_OF_OURS {
        let sentence = format!("{ours:.0} % of the jobs that ended in 15 minutes failed by our fault: {most}.");
        return Judged::new(if all >= ENOUGH { State::Failing } else { State::Degraded }, sentence, next);
    }
    let media = percent(ended.failed_by_media, all);
    if all >= ENOUGH && media > MOST_OF_MEDIA {
        let sentence =
            format!("{media:.0} % of the jobs that ended in 15 minutes failed for what was sent in: {most}.");
        return Judged::new(State::Degraded, sentence, next);
    }
    let runs: i64 = snapshot.backlogs.iter().map(|backlog| backlog.running).sum();
    if all == 0 && runs > 0 {
        let sentence = "Jobs run, and none has ended in 15 minutes.";
        return Judged::new(State::Unknown, sentence, "mws admin jobs list --status running");
    }
    Judged::healthy(if all == 0 {
        "No job has ended in 15 minutes, and none runs.".to_owned()
    } else {
        format!("{:.0} % of the jobs that ended in 15 minutes succeeded.", percent(ended.succeeded, all))
    })
}
