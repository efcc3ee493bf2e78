//! Processes that ended without a word, because they were killed or their hosts died: which of them still matter, and
//! which have a successor that goes on with their work.

use super::Process;
use super::thresholds::{END_TOLD_SECONDS, ENDS_GO_ON_SECONDS, REPEATED_ENDS, SILENT_SECONDS};

/// The most processes that a sentence names.
const MOST_NAMED: usize = 5;

/// A process that fell silent within an hour and did not report its end.
#[derive(Debug, Clone, Copy)]
pub struct Fallen<'a> {
    /// The process.
    pub process: &'a Process,
    /// The process of its service that was started in its place, and can do all that it did. `None` where there is none
    /// or where that one has stopped normally.
    pub successor: Option<&'a Process>,
}

impl Fallen<'_> {
    /// Returns whether another process was started in its place. That one may have stopped normally since: who stops a
    /// process has decided so, and the end of the first is no news then.
    pub const fn has_successor(&self) -> bool {
        self.successor.is_some() || self.process.successor_left
    }

    /// Returns whether its work goes on: it has a successor, and none of its jobs is still counted as its own.
    pub const fn is_past(&self) -> bool {
        self.has_successor() && self.process.claims == 0
    }
}

/// Returns the processes that fell silent within an hour, the last one first. Each started process is the successor of
/// one of them: of one that fell silent before it started, and all of whose tasks it can do. One of the same host comes
/// first: what restarts a process there restarts that process, and another host's stays without.
pub fn fallen(processes: &[Process]) -> Vec<Fallen<'_>> {
    fallen_within(processes, END_TOLD_SECONDS)
}

/// Returns the names of the processes that fell silent and whose work goes on: those of `fallen`, and earlier ones,
/// whose successors are found in the same way.
pub fn taken_over(processes: &[Process]) -> Vec<&str> {
    let all = fallen_within(processes, f64::INFINITY).into_iter();
    let earlier = all.filter(|one| one.process.silent_seconds >= END_TOLD_SECONDS);
    let past = fallen(processes).into_iter().chain(earlier).filter(Fallen::is_past);
    past.map(|one| one.process.name.as_str()).collect()
}

/// Returns the processes that fell silent within so many seconds, as `fallen` does.
fn fallen_within(processes: &[Process], seconds: f64) -> Vec<Fallen<'_>> {
    let is_told = |one: &&Process| (SILENT_SECONDS..seconds).contains(&one.silent_seconds);
    let mut silent: Vec<&Process> = processes.iter().filter(is_told).collect();
    silent.sort_by(|one, other| one.silent_seconds.total_cmp(&other.silent_seconds));
    // Whoever can follow on a later end can follow on an earlier one too, so that the later ones choose first. Each
    // takes the one that can do the least, and leaves to others those that can do more.
    let mut free: Vec<&Process> = processes.iter().collect();
    let mut found: Vec<Fallen<'_>> = silent.into_iter().map(|process| Fallen { process, successor: None }).collect();
    for on_any_host in [false, true] {
        for one in found.iter_mut().filter(|one| !one.has_successor()) {
            let may_follow =
                |next: &Process| follows(next, one.process) && (on_any_host || next.host == one.process.host);
            let able = free.iter().enumerate().filter(|(_, next)| may_follow(next));
            if let Some(place) = able.min_by_key(|(_, next)| next.tasks.len()).map(|(place, _)| place) {
                one.successor = Some(free.swap_remove(place));
            }
        }
    }
    found
}

/// Returns the name of the process that fell silent and in whose place the process of this name was started; `None` if
/// it was started in nobody's place.
pub fn predecessor<'a>(processes: &'a [Process], name: &str) -> Option<&'a str> {
    let mut found = fallen(processes).into_iter();
    let followed = found.find(|one| one.successor.is_some_and(|next| next.name == name));
    followed.map(|one| one.process.name.as_str())
}

/// Returns the first few of these words, and how many more there are.
pub fn some_of(words: &[String]) -> String {
    let first = words.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    match words.len().saturating_sub(MOST_NAMED) {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}

/// Returns whether a process was started after another fell silent, and can do all that the other did.
fn follows(one: &Process, other: &Process) -> bool {
    one.service == other.service
        && one.lives_seconds < other.silent_seconds
        && other.tasks.iter().all(|task| one.tasks.contains(task))
}

/// Returns the services whose processes keep ending without a word, each with their number and the seconds since the
/// last one.
pub(super) fn repeated<'a>(found: &[Fallen<'a>]) -> Vec<(&'a str, usize, f64)> {
    let mut services: Vec<(&str, usize, f64)> = Vec::new();
    // The last one of each service comes first.
    for Fallen { process, .. } in found {
        if let Some(known) = services.iter_mut().find(|known| known.0 == process.service) {
            known.1 += 1;
        } else {
            services.push((process.service.as_str(), 1, process.silent_seconds));
        }
    }
    services.retain(|(_, many, last)| *many >= REPEATED_ENDS && *last < ENDS_GO_ON_SECONDS);
    services
}

/// Returns a sentence on those whose work goes on, which begins with a space; empty if there are none.
pub fn past(found: &[Fallen<'_>]) -> String {
    let mut past = found.iter().filter(|one| one.is_past());
    let Some(last) = past.next() else { return String::new() };
    let at = last.process.heard_at.format("%H:%M");
    match past.count() {
        0 => format!(" One process ended without a word at {at} UTC; its work was taken over."),
        more => {
            format!(" {} processes ended without a word, the last at {at} UTC; their work was taken over.", more + 1)
        }
    }
}
