//! Several troubles of one axis at once: each is told, the worst first.

use super::*;

/// What is told of an axis: its state, and each sentence with its command.
type Told = (State, Vec<(String, String)>);

/// What is told of an axis of a service that was well and has these troubles.
fn all(axis: Axis, troubles: impl FnOnce(&mut Snapshot)) -> Told {
    let mut snapshot = well();
    troubles(&mut snapshot);
    let found = report(&snapshot).axes.into_iter().find(|one| one.axis == axis).expect("the axis");
    let first = (found.sentence, found.next.unwrap_or_default());
    let also = found.also.into_iter().map(|one| (one.sentence, one.next));
    (found.state, std::iter::once(first).chain(also).collect())
}

#[track_caller]
fn assert_all(told: &Told, state: State, wanted: &[(&str, &str)]) {
    assert_eq!((told.0, told.1.len()), (state, wanted.len()), "{told:?}");
    for ((sentence, next), (words, command)) in told.1.iter().zip(wanted) {
        assert!(sentence.contains(words) && next == command, "{words}: {told:?}");
    }
}

#[test]
fn a_disk_that_is_nearly_full_hides_no_process_that_was_killed_and_no_duty_that_is_late() {
    let (disk, workers) = ("mws doctor --only disk", "mws doctor --only workers");
    let killed = |all: &mut Snapshot, done_seconds: f64| {
        all.media_free = Some(0.097);
        all.duties[0].done_seconds = done_seconds;
        all.processes.extend([process("worker", 400.0), process("scheduler", 410.0)]);
    };
    let (full, dead) = (("9.7 % of it is free", disk), ("2 processes have not been heard of", workers));
    let late = ("`fold_minutes` was last done", "mws doctor");
    assert_all(&all(Axis::Liveness, |all| killed(all, 2.0)), State::Degraded, &[full, dead]);
    assert_all(&all(Axis::Liveness, |all| killed(all, 120.0)), State::Degraded, &[full, late, dead]);
    assert_all(&all(Axis::Liveness, |all| killed(all, 900.0)), State::Failing, &[late, full, dead]);
    assert!(report(&well()).axes.iter().all(|axis| axis.also.is_empty()));
}

#[test]
fn what_does_not_live_is_named_and_the_duties_that_it_leaves_are_not() {
    let workers = "mws doctor --only workers";
    let gone = all(Axis::Liveness, |all| all.processes[1].silent_seconds = 400.0);
    let died = ("A worker has not been heard of for 7 min", workers);
    assert_all(&gone, State::Failing, &[("No worker lives.", workers), died]);
    let idle = all(Axis::Liveness, |all| {
        all.processes.retain(|one| one.service == "worker");
        all.duties[0].done_seconds = 900.0;
    });
    assert_all(&idle, State::Failing, &[("No scheduler lives", workers)]);
    let late = all(Axis::Liveness, |all| {
        all.duties[0].done_seconds = 120.0;
        all.duties.push(Duty { name: "rescue_jobs".to_owned(), every_seconds: 2.0, done_seconds: 40.0 });
    });
    let others = ("these are late too: `rescue_jobs`, last done 40 s ago.", "mws doctor");
    assert_all(&late, State::Degraded, &[("`fold_minutes` was last done", "mws doctor"), others]);

    // A service that keeps losing processes is told of unless all of these are named.
    let silent = |silent_seconds| process("worker", silent_seconds);
    let past = || Process { successor_left: true, ..silent(300.0) };
    let keeps = all(Axis::Liveness, |all| all.processes.extend([past(), past(), past(), silent(40.0)]));
    let died = ("A worker has not been heard of for 40 s", workers);
    let again = ("4 workers ended without a word within an hour, the last 40 s ago.", workers);
    assert_all(&keeps, State::Degraded, &[died, again]);
    let open = all(Axis::Liveness, |all| all.processes.extend([silent(40.0), silent(50.0), silent(60.0)]));
    assert_all(&open, State::Degraded, &[("3 processes have not been heard of", workers)]);
}

#[test]
fn a_schema_and_each_replica_are_told_beside_each_other() {
    let database = all(Axis::Liveness, |all| {
        all.schema.pending = 2;
        all.schema.failed = Some(FailedMigration { version: 120, message: "no".to_owned(), seconds: 300.0 });
        let behind = |name: &str, is_connected| Replica {
            name: name.to_owned(),
            is_connected,
            lag_seconds: 0.0,
            lag_bytes: 300 << 20,
        };
        all.replicas = vec![behind("a", true), behind("b", false)];
    });
    let replicas = "mws doctor --only replicas";
    let wanted = [
        ("2 migrations older", "mws migrate"),
        ("Migration 120 failed", "mws migrate"),
        ("`b` is not connected", replicas),
        ("`a` is 0 s and 300 MiB behind", replicas),
    ];
    assert_all(&database, State::Failing, &wanted);
}

#[test]
fn an_engine_that_is_missing_hides_neither_another_one_nor_a_read_that_is_paused() {
    let beats = Task::Read(Read::Beats);
    let of_beats = |due, seconds| Backlog { task: beats, ..backlog(due, seconds, 0) };
    let (engines, resume) = ("mws doctor --only engines", "mws admin reads resume speech");
    let paused = ("`speech` is paused, and new ones are held", resume);
    let missing = all(Axis::Flow, |all| {
        all.processes[1].tasks.retain(|task| ![beats, LEVELS].contains(task));
        all.backlogs.push(of_beats(3, 1.0));
        all.paused = vec![Task::Read(Read::Speech)];
    });
    let levels = ("an engine for `levels`, and 2 jobs wait", engines);
    assert_all(&missing, State::Failing, &[levels, ("an engine for `beats`, and 3 jobs wait", engines), paused]);
    let busy = all(Axis::Flow, |all| {
        all.processes[1].tasks.retain(|task| *task != beats);
        all.processes[1].busy = 4;
        all.backlogs = vec![of_beats(1, 600.0), backlog(9, 600.0, 4)];
        all.paused = vec![Task::Read(Read::Speech)];
    });
    let full = ("All 4 slots are busy, and the oldest job for `levels`", "mws admin jobs list --status running");
    assert_all(&busy, State::Failing, &[("an engine for `beats`, and one job waits", engines), full, paused]);
    // Without a worker no engine is missed.
    let alone = all(Axis::Flow, |all| {
        all.processes.retain(|one| one.service != "worker");
        all.paused = vec![Task::Read(Read::Speech)];
    });
    assert_all(&alone, State::Failing, &[("No worker lives, and 2 jobs wait", "mws doctor --only workers"), paused]);
}

#[test]
fn an_endpoint_that_was_disabled_hides_neither_one_that_is_warned_of_nor_what_waits_or_fails() {
    let (last, endpoint, account) = (EndpointId::mint(), EndpointId::mint(), AccountId::mint());
    let failing = |troubled_endpoints| {
        all(Axis::Delivery, |all| {
            let (disabled, warned) = (Disabled { many: 1, last, account }, Troubled { endpoint, failures: 12 });
            all.deliveries = Deliveries {
                attempted: 100,
                troubled: 60,
                troubled_endpoints,
                disabled: Some(disabled),
                warned: Some(warned),
                oldest_due_seconds: 90.0,
                ..Deliveries::default()
            };
        })
    };
    let command = |id: EndpointId| format!("mws admin deliveries list --endpoint {id}");
    let (of_last, of_warned) = (command(last), command(endpoint));
    let waits = ("has been due for 2 min", "mws doctor --only backlog");
    let disabled = ("one endpoint was disabled", of_last.as_str());
    let warned = ("has failed 12 times in a row", of_warned.as_str());
    let few = ("60 % of the deliveries of an hour fail, at 2 endpoints.", "mws admin deliveries list --since 1h");
    assert_all(&failing(2), State::Degraded, &[waits, disabled, warned, few]);
    let many = ("at 9 endpoints: look at", "mws admin deliveries list --status failed --since 1h");
    assert_all(&failing(9), State::Failing, &[many, waits, disabled, warned]);
}

#[test]
fn jobs_that_fail_by_several_faults_are_told_by_each_and_what_stands_beside_them_once() {
    let failed = |code: &str| format!("mws admin jobs list --status failed --error {code} --since 1h");
    let (ours, theirs, sent) = (failed("internal"), failed("provider_timeout"), failed("media_unreadable"));
    let told = all(Axis::Execution, |all| {
        let week_ago = EndedBefore { ended: 30, failed: 3 };
        let failures = [(30, "media_unreadable"), (10, "internal"), (8, "provider_timeout")];
        all.ended = Ended { week_ago, ..ended(0, &failures) };
        all.invariants = vec![held(Invariant::Claims, Outcome::Failed, 1), held(Invariant::Leases, Outcome::Failed, 1)];
    });
    let wanted = [
        ("by our fault", ours.as_str()),
        ("`claims` does not hold", "mws doctor --only invariants"),
        ("`leases` does not hold", "mws doctor --only invariants"),
        ("by a provider's fault", theirs.as_str()),
        ("for what was sent in", sent.as_str()),
    ];
    assert_all(&told, State::Failing, &wanted);
    let beside = told.1.iter().map(|(sentence, _)| sentence.contains("a week ago"));
    assert_eq!(beside.collect::<Vec<_>>(), [true, false, false, false, false]);
}

#[test]
fn books_that_nobody_looked_at_hide_no_account_without_minutes_and_drift_is_told_once() {
    let account = AccountId::mint();
    let (get, journal) = (format!("mws admin accounts get {account}"), "mws doctor --only journal");
    let old = all(Axis::Money, |all| {
        all.books.checked_seconds = None;
        all.books.out_of_minutes = Some(OutOfMinutes { many: 2, account });
    });
    let gone = ("2 accounts have no minutes left", get.as_str());
    assert_all(&old, State::Degraded, &[gone, ("never checked", journal)]);
    let drifts = all(Axis::Money, |all| {
        all.books.drifting = 2;
        all.invariants =
            vec![held(Invariant::Balances, Outcome::Failed, 2), held(Invariant::Holds, Outcome::Failed, 1)];
    });
    let holds = ("`holds` does not hold", "mws doctor --only invariants");
    assert_all(&drifts, State::Failing, &[("2 balances are not", journal), holds]);
}
