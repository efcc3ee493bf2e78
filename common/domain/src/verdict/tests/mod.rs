//! Each trouble, and the sentence and the command that it comes to.

mod also;
mod backlogs;
mod clocks;
mod fallen;
mod thresholds;

use super::*;
use crate::ids::{AccountId, EndpointId, JobId};
use crate::minutes::Minutes;
use crate::read::Read;
use crate::task::Task;

const LEVELS: Task = Task::Read(Read::Levels);

fn process(service: &str, silent_seconds: f64) -> Process {
    let tasks = if service == "worker" { Task::ALL.to_vec() } else { Vec::new() };
    let (name, service) = (format!("{service}-1"), service.to_owned());
    let lives_seconds = 86_400.0;
    let heard_at = chrono::DateTime::<chrono::Utc>::UNIX_EPOCH + chrono::TimeDelta::minutes(723);
    let (host, version) = ("a".to_owned(), "1".to_owned());
    Process {
        name,
        service,
        host,
        version,
        silent_seconds,
        heard_at,
        lives_seconds,
        claims: 0,
        slots: 4,
        busy: 0,
        tasks,
        successor_left: false,
        clock_ahead_ms: Some(0),
    }
}

/// A process that lives, and that was started so many seconds ago.
fn started(service: &str, lives_seconds: f64) -> Process {
    Process { lives_seconds, ..process(service, 5.0) }
}

fn backlog(due: i64, oldest_due_seconds: f64, running: i64) -> Backlog {
    let (without_place, put_back, next_due_at, held) = (0, 0, None, Minutes::ZERO);
    let (has_more_due, has_more_unplaced, task) = (false, false, LEVELS);
    Backlog {
        task,
        due,
        oldest_due_seconds,
        without_place,
        put_back,
        next_due_at,
        running,
        held,
        has_more_due,
        has_more_unplaced,
    }
}

/// Of which more are due than were counted.
fn more_due(backlog: Backlog) -> Backlog {
    Backlog { has_more_due: true, ..backlog }
}

/// A service that is well.
fn well() -> Snapshot {
    Snapshot {
        processes: vec![process("scheduler", 3.0), process("worker", 5.0)],
        backlogs: vec![backlog(2, 1.0, 3)],
        ended: Ended { succeeded: 40, ..Ended::default() },
        deliveries: Deliveries { attempted: 40, ..Deliveries::default() },
        books: Books { checked_seconds: Some(30.0), ..Books::default() },
        duties: vec![Duty { name: "fold_minutes".to_owned(), every_seconds: 1.0, done_seconds: 2.0 }],
        ..Snapshot::default()
    }
}

/// What became of a service that was well and has one trouble: the axis's state, sentence and command. No other axis is
/// touched by it.
fn one(axis: Axis, trouble: impl FnOnce(&mut Snapshot)) -> (State, String, String) {
    let mut snapshot = well();
    trouble(&mut snapshot);
    let report = report(&snapshot);
    let others: Vec<_> = report.axes.iter().filter(|one| one.axis != axis && one.state != State::Healthy).collect();
    assert!(others.is_empty(), "{others:?}");
    let found = report.axes.into_iter().find(|one| one.axis == axis).expect("the axis");
    assert_eq!(report.state, found.state);
    assert!(found.numbers.len() <= 3);
    (found.state, found.sentence, found.next.unwrap_or_default())
}

#[track_caller]
fn assert_told(told: &(State, String, String), state: State, words: &str, next: &str) {
    assert_eq!((told.0, told.2.as_str()), (state, next), "{told:?}");
    assert!(told.1.contains(words), "{told:?}");
}

#[test]
fn a_service_that_is_well_is_told_so_and_needs_nothing() {
    let report = report(&well());
    assert_eq!(report.state, State::Healthy);
    assert!(report.axes.iter().all(|axis| axis.next.is_none() && axis.state == State::Healthy), "{report:?}");
    let names: Vec<&str> = report.axes.iter().map(|axis| axis.axis.name()).collect();
    assert_eq!(names, ["flow", "execution", "delivery", "money", "liveness"]);
}

#[test]
fn work_without_a_worker_is_failing_on_two_axes() {
    let mut snapshot = well();
    snapshot.processes.retain(|one| one.service != "worker");
    let report = report(&snapshot);
    let states: Vec<&str> = report.axes.iter().map(|axis| axis.state.name()).collect();
    assert_eq!(states, ["failing", "healthy", "healthy", "healthy", "failing"]);
    assert_eq!(report.sentence, "No worker lives, and 2 jobs wait. One more axis is not healthy.");
}

#[test]
fn work_that_does_not_start_is_told_with_its_cause() {
    let stuck = one(Axis::Flow, |all| all.processes[1].tasks.retain(|task| *task != LEVELS));
    assert_told(&stuck, State::Failing, "an engine for `levels`, and 2 jobs wait", "mws doctor --only engines");
    let paused = one(Axis::Flow, |all| all.paused = vec![LEVELS]);
    assert_told(&paused, State::Degraded, "`levels` is paused, and 2 jobs wait", "mws admin reads resume levels");
    let two = one(Axis::Flow, |all| all.paused = vec![Task::Read(Read::Beats), LEVELS]);
    assert_told(&two, State::Degraded, "2 jobs wait. Paused too: `beats`.", "mws admin reads resume levels");
    let idle = one(Axis::Flow, |all| (all.paused, all.backlogs) = (vec![LEVELS], Vec::new()));
    assert_told(&idle, State::Degraded, "new ones are held", "mws admin reads resume levels");
    let full = one(Axis::Flow, |all| {
        all.processes[1].busy = 4;
        all.backlogs = vec![backlog(9, 600.0, 4)];
    });
    assert_told(&full, State::Degraded, "All 4 slots are busy", "mws admin jobs list --status running");
    let only = one(Axis::Flow, |all| {
        (all.processes[1].slots, all.processes[1].busy) = (1, 1);
        all.backlogs = vec![backlog(9, 600.0, 1)];
    });
    assert_told(&only, State::Degraded, "The only slot is busy", "mws admin jobs list --status running");
    let stalled = one(Axis::Flow, |all| all.backlogs = vec![more_due(backlog(LOOKED_AT, 600.0, 0))]);
    assert_told(&stalled, State::Failing, "the oldest of 2,000 or more due jobs", "mws doctor");
    let slow = one(Axis::Flow, |all| all.backlogs = vec![backlog(3, 600.0, 1)]);
    assert_told(&slow, State::Degraded, "due for 10 min", "mws doctor");
    let waits = one(Axis::Flow, |all| all.backlogs = vec![backlog(3, 119.0, 0)]);
    assert_eq!(waits.0, State::Healthy, "two minutes are no stall");
}

#[test]
fn jobs_that_were_put_back_are_told_with_the_time_at_which_they_run_again() {
    let minute = |minute| chrono::DateTime::<chrono::Utc>::UNIX_EPOCH + chrono::TimeDelta::minutes(minute);
    let back = |put_back, at| Backlog { put_back, next_due_at: Some(minute(at)), ..backlog(0, 0.0, 0) };
    let told = |backlogs: Vec<Backlog>| {
        let told = one(Axis::Flow, |all| all.backlogs = backlogs);
        assert_eq!((told.0, told.2.as_str()), (State::Healthy, ""), "{told:?}");
        told.1
    };
    let only = told(vec![back(1, 725)]);
    assert_eq!(only, "No job waits for a worker. One job was put back, and runs again at 12:05:00 UTC.");
    let several = told(vec![Backlog { without_place: 4, ..back(2, 725) }, back(1, 724)]);
    let words = "Workers keep up; 4 jobs wait for a place of their account. \
                 3 jobs were put back, and run again from 12:04:00 UTC on.";
    assert_eq!(several, words);
    let due = told(vec![Backlog { due: 1, oldest_due_seconds: 5.0, ..back(1, 725) }]);
    assert!(due.ends_with("the oldest due job waits for 5 s. One job was put back, and runs again at 12:05:00 UTC."));
    assert_eq!(told(vec![Backlog { without_place: 1, ..backlog(0, 0.0, 0) }]).matches("put back").count(), 0);

    let paused = one(Axis::Flow, |all| (all.paused, all.backlogs) = (vec![LEVELS], vec![back(2, 725)]));
    assert_told(&paused, State::Degraded, "`levels` is paused, and 2 jobs wait", "mws admin reads resume levels");
}

/// Jobs of which some succeeded and others failed with these codes.
fn ended(succeeded: i64, failed: &[(i64, &str)]) -> Ended {
    let failure =
        |(many, code): &(i64, &str)| Failure { code: (*code).to_owned(), task: LEVELS.name().to_owned(), many: *many };
    Ended { succeeded, failures: failed.iter().map(failure).collect(), ..Ended::default() }
}

#[test]
fn jobs_that_fail_by_our_fault_are_told_apart_from_files_that_can_not_be_read() {
    let ours = one(Axis::Execution, |all| all.ended = ended(30, &[(4, "reader_timeout")]));
    let next = "mws admin jobs list --status failed --error reader_timeout --since 1h";
    assert_told(&ours, State::Failing, "12 % of the jobs that ended in 15 minutes failed by our fault: 4 times", next);
    let few = one(Axis::Execution, |all| all.ended = ended(3, &[(3, "internal")]));
    assert_eq!(few.0, State::Degraded);
    let chance = one(Axis::Execution, |all| all.ended.failures = ended(0, &[(2, "internal")]).failures);
    assert_eq!(chance.0, State::Healthy);
    let media = one(Axis::Execution, |all| all.ended = ended(5, &[(20, "media_unreadable")]));
    assert_eq!(media.0, State::Degraded);
    let silent = one(Axis::Execution, |all| all.ended = Ended::default());
    assert_told(&silent, State::Unknown, "none has ended", "mws admin jobs list --status running");
}

#[test]
fn how_many_failed_at_this_hour_a_week_ago_is_told_where_enough_ended_then() {
    let told = |many: i64, failures: &[(i64, &str)]| {
        let week_ago = EndedBefore { ended: many, failed: 3 };
        one(Axis::Execution, |all| all.ended = Ended { week_ago, ..ended(30, failures) }).1
    };
    let said = " At this hour a week ago 10 % of all failed.";
    assert!(told(30, &[(4, "reader_timeout")]).ends_with(&format!(".{said}")), "beside what fails");
    assert_eq!(told(30, &[]), format!("100 % of the jobs that ended in 15 minutes succeeded.{said}"));
    assert_eq!(told(19, &[]), "100 % of the jobs that ended in 15 minutes succeeded.", "too few to tell");
}

#[test]
fn a_kind_of_failure_that_is_new_is_told_and_is_a_trouble_where_it_is_not_the_senders() {
    let newest = JobId::mint();
    let new = |code: &str| {
        let (task, code) = (LEVELS.name().to_owned(), code.to_owned());
        Some(NewFailure { task, code, jobs: 5, payers: 3, newest, first_seconds: 720.0 })
    };
    let said = format!(
        "A kind of failure is new: within 12 min, 5 jobs of `levels` of 3 accounts failed with `internal` in \
         the same way, and none had within a day before; the newest is {newest}."
    );
    let next = format!("mws admin jobs get {newest}");
    let ours = one(Axis::Execution, |all| all.ended.new_failure = new("internal"));
    assert_eq!(ours, (State::Degraded, said.clone(), next));
    let sent = one(Axis::Execution, |all| all.ended.new_failure = new("media_unreadable"));
    assert_told(&sent, State::Healthy, "A kind of failure is new: within 12 min, 5 jobs", "");
    // What is the largest share comes first, with its own command.
    let next = "mws admin jobs list --status failed --error reader_timeout --since 1h";
    let new_failure = new("internal");
    let both = one(Axis::Execution, |all| all.ended = Ended { new_failure, ..ended(30, &[(4, "reader_timeout")]) });
    assert_told(&both, State::Failing, &said, next);
}

#[test]
fn what_a_caller_or_a_provider_does_wrong_is_never_told_as_our_fault() {
    let asked = one(Axis::Execution, |all| all.ended = ended(3, &[(8, "not_supported"), (2, "provider_refused")]));
    assert_eq!(asked.0, State::Healthy, "{asked:?}");
    let next = "mws admin jobs list --status failed --error internal --since 1h";
    let both = one(Axis::Execution, |all| all.ended = ended(20, &[(9, "not_supported"), (4, "internal")]));
    assert_told(&both, State::Failing, "12 % of the jobs that ended in 15 minutes failed by our fault: 4 times", next);
    let next = "mws admin jobs list --status failed --error provider_timeout --since 1h";
    let provider = one(Axis::Execution, |all| all.ended = ended(20, &[(9, "provider_timeout")]));
    assert_told(&provider, State::Degraded, "failed by a provider's fault: 9 times", next);
}

#[test]
fn an_endpoint_that_dies_is_its_owners_matter_and_many_at_once_are_ours() {
    let (endpoint, account) = (EndpointId::mint(), AccountId::mint());
    let next = format!("mws admin deliveries list --endpoint {endpoint}");
    let warned = one(Axis::Delivery, |all| all.deliveries.warned = Some(Troubled { endpoint, failures: 12 }));
    assert_told(&warned, State::Degraded, "failed 12 times in a row", &next);
    let disabled = one(Axis::Delivery, |all| {
        all.deliveries.disabled = Some(Disabled { many: 1, last: endpoint, account });
    });
    let said =
        format!("In a day one endpoint was disabled for failing twenty times in a row: {endpoint} of {account}.");
    assert_told(&disabled, State::Degraded, &said, &next);
    let several = one(Axis::Delivery, |all| {
        all.deliveries.disabled = Some(Disabled { many: 3, last: endpoint, account });
    });
    let said =
        format!("3 endpoints were disabled for failing twenty times in a row, the last {endpoint} of {account}.");
    assert_told(&several, State::Degraded, &said, &next);
    let ours = one(Axis::Delivery, |all| {
        all.deliveries = Deliveries { attempted: 100, troubled: 60, troubled_endpoints: 9, ..Deliveries::default() };
    });
    assert_told(&ours, State::Failing, "60 %", "mws admin deliveries list --status failed --since 1h");
    let few = one(Axis::Delivery, |all| {
        all.deliveries = Deliveries { attempted: 100, troubled: 60, troubled_endpoints: 1, ..Deliveries::default() };
    });
    assert_told(&few, State::Degraded, "at one endpoint", "mws admin deliveries list --since 1h");
    let late = one(Axis::Delivery, |all| all.deliveries.oldest_due_seconds = 90.0);
    assert_told(&late, State::Degraded, "due for 2 min", "mws doctor --only backlog");
    let stalled = one(Axis::Delivery, |all| all.deliveries.oldest_due_seconds = 400.0);
    assert_eq!(stalled.0, State::Failing);
}

#[test]
fn books_that_are_wrong_fail_and_books_that_nobody_looked_at_are_unknown() {
    let wrong = one(Axis::Money, |all| all.books.drifting = 1);
    assert_told(&wrong, State::Failing, "One balance is not what the journal", "mws doctor --only journal");
    let old = one(Axis::Money, |all| all.books.checked_seconds = Some(3_600.0));
    assert_told(&old, State::Unknown, "last checked 60 min ago", "mws doctor --only journal");
    let never = one(Axis::Money, |all| all.books.checked_seconds = None);
    assert_eq!(never.0, State::Unknown);
    let account = AccountId::mint();
    let gone = one(Axis::Money, |all| all.books.out_of_minutes = Some(OutOfMinutes { many: 2, account }));
    let next = format!("mws admin accounts get {account}");
    assert_told(&gone, State::Degraded, "2 accounts have no minutes left", &next);
}

#[test]
fn what_does_not_run_or_runs_late_is_named() {
    let one = |trouble: fn(&mut Snapshot)| one(Axis::Liveness, trouble);
    let alone = one(|all| all.processes.retain(|one| one.service == "worker"));
    assert_told(&alone, State::Failing, "No scheduler lives", "mws doctor --only workers");
    let dead = one(|all| all.processes.push(process("worker", 45.0)));
    assert_told(&dead, State::Degraded, "A worker has not been heard of for 45 s", "mws doctor --only workers");
    assert!(dead.1.contains("none was started in its place"), "{dead:?}");
    assert_eq!(one(|all| all.processes.push(process("worker", 7_200.0))).0, State::Healthy, "that is history");
    let late = one(|all| all.duties[0].done_seconds = 120.0);
    assert_told(&late, State::Degraded, "`fold_minutes` was last done 2 min ago", "mws doctor");
    assert_eq!(one(|all| all.duties[0].done_seconds = 900.0).0, State::Failing);
    let full = one(|all| all.media_free = Some(0.083));
    assert_told(&full, State::Degraded, "nearly full: 8.3 % of it is free", "mws doctor --only disk");
    assert_eq!(one(|all| all.media_free = Some(0.009)).0, State::Failing);
    assert_eq!(one(|all| all.media_free = Some(0.1)).0, State::Healthy);
}

#[test]
fn a_schema_that_is_too_old_and_replicas_that_do_not_follow_are_named() {
    let one = |trouble: fn(&mut Snapshot)| one(Axis::Liveness, trouble);
    let pending = one(|all| all.schema.pending = 2);
    assert_told(&pending, State::Failing, "2 migrations older than this release", "mws migrate");
    let failed = one(|all| {
        let message = "relation \"items\" already exists".to_owned();
        all.schema.failed = Some(FailedMigration { version: 120, message, seconds: 300.0 });
    });
    assert_told(&failed, State::Degraded, "Migration 120 failed 5 min ago", "mws migrate");
    assert!(failed.1.ends_with("\"items\" already exists."), "{failed:?}");

    let follows = |is_connected, lag_seconds, lag_bytes| {
        let name = "b".to_owned();
        Replica { name, is_connected, lag_seconds, lag_bytes }
    };
    let healthy = report(&Snapshot { replicas: vec![follows(true, 60.0, 256 << 20)], ..well() });
    assert_eq!(healthy.state, State::Healthy, "{healthy:?}");
    for (replica, words) in [
        (follows(false, 0.0, 3 << 20), "`b` is not connected, and 3 MiB of log is kept for it"),
        (follows(true, 61.0, 1 << 20), "`b` is 61 s and 1 MiB behind"),
        (follows(true, 0.0, 300 << 20), "`b` is 0 s and 300 MiB behind"),
    ] {
        let found = report(&Snapshot { replicas: vec![follows(true, 0.0, 0), replica], ..well() });
        let axis = found.axes.into_iter().find(|one| one.axis == Axis::Liveness).expect("the axis");
        let told = (axis.state, axis.sentence, axis.next.unwrap_or_default());
        assert_told(&told, State::Degraded, words, "mws doctor --only replicas");
    }
}

/// An invariant whose last check came to this.
fn held(invariant: Invariant, outcome: Outcome, broken: i64) -> Held {
    let sample = if broken > 0 { vec!["job_1".to_owned()] } else { Vec::new() };
    Held { invariant, outcome: Some(outcome), passed_seconds: None, failed_seconds: None, broken, sample }
}

#[test]
fn an_invariant_that_is_broken_fails_its_axis_and_a_check_that_does_not_end_is_told() {
    let next = "mws doctor --only invariants";
    for invariant in Invariant::ALL {
        let broken = one(invariant.axis(), |all| all.invariants = vec![held(invariant, Outcome::Failed, 1)]);
        let words = format!("`{}` does not hold of one row, such as job_1: {}", invariant.name(), invariant.says());
        assert_told(&broken, State::Failing, &words, next);
        let slow = one(invariant.axis(), |all| all.invariants = vec![held(invariant, Outcome::Unfinished, 0)]);
        assert_told(&slow, State::Degraded, "takes too long", next);
    }
    let many = one(Axis::Execution, |all| all.invariants = vec![held(Invariant::Claims, Outcome::Failed, 100)]);
    assert_told(&many, State::Failing, "100 rows or more", next);
    let past = one(Axis::Execution, |all| all.invariants = vec![held(Invariant::Claims, Outcome::Passed, 3)]);
    assert_eq!(past.0, State::Healthy, "what broke it before is history");
    // What fails for another reason keeps its own words.
    let drifts = one(Axis::Money, |all| {
        all.books.drifting = 2;
        all.invariants = vec![held(Invariant::Balances, Outcome::Failed, 2)];
    });
    assert_told(&drifts, State::Failing, "2 balances are not", "mws doctor --only journal");
}
