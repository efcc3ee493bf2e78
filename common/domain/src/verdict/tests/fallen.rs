//! Processes that were killed, and when that is past.

use super::*;

/// The verdict on liveness of a service that was well and in which these processes were then started or ended.
fn after(processes: impl IntoIterator<Item = Process>) -> (State, String, String) {
    one(Axis::Liveness, |all| all.processes.extend(processes))
}

#[test]
fn a_process_that_was_killed_is_past_as_soon_as_another_goes_on_with_its_work() {
    let next = "mws doctor --only workers";
    let past = after([process("worker", 600.0), started("worker", 590.0)]);
    assert_eq!((past.0, past.2.as_str()), (State::Healthy, ""));
    assert!(past.1.ends_with(" One process ended without a word at 12:03 UTC; its work was taken over."), "{past:?}");
    let older = after([process("worker", 600.0), started("worker", 610.0)]);
    assert_told(&older, State::Degraded, "none was started in its place", next);
    let other = after([process("worker", 600.0), started("scheduler", 590.0)]);
    assert_told(&other, State::Degraded, "none was started in its place", next);
    let levels_only = |one: Process| Process { tasks: vec![LEVELS], ..one };
    let lesser = after([process("worker", 600.0), levels_only(started("worker", 590.0))]);
    assert_told(&lesser, State::Degraded, "none was started in its place", next);
    assert_eq!(after([levels_only(process("worker", 600.0)), started("worker", 590.0)]).0, State::Healthy);
    // Who can do less follows on who did less, so that both have a successor.
    let unlike = [levels_only(process("worker", 500.0)), process("worker", 600.0)];
    let both = after(unlike.into_iter().chain([started("worker", 390.0), levels_only(started("worker", 400.0))]));
    assert_eq!(both.0, State::Healthy, "{both:?}");
    let held = |claims| after([Process { claims, ..process("worker", 40.0) }, started("worker", 35.0)]);
    assert_told(&held(1), State::Degraded, "of its jobs one is not taken over yet", next);
    assert_told(&held(3), State::Degraded, "of its jobs 3 are not taken over yet", next);

    // One successor is no more than one process's; a successor that died too has one of its own.
    let two = [process("worker", 600.0), process("worker", 500.0)];
    assert_eq!(after(two.clone().into_iter().chain([started("worker", 400.0)])).0, State::Degraded);
    let both = after(two.into_iter().chain([started("worker", 400.0), started("worker", 590.0)]));
    assert_eq!(both.0, State::Healthy);
    assert!(both.1.ends_with(" 2 processes ended without a word, the last at 12:03 UTC; their work was taken over."));
    let died = Process { lives_seconds: 1_190.0, ..process("worker", 700.0) };
    let line = [process("worker", 1_200.0), died.clone(), started("worker", 690.0)];
    assert_eq!(after(line).0, State::Healthy);

    // What happens again and again is not past.
    let third = Process { lives_seconds: 690.0, ..process("worker", 300.0) };
    let line = [process("worker", 1_200.0), died, third, started("worker", 290.0)];
    assert_told(
        &after(line),
        State::Degraded,
        "3 workers ended without a word within an hour, the last 5 min ago",
        next,
    );
}

#[test]
fn all_that_were_killed_are_named_and_a_successor_is_first_that_of_its_own_host() {
    let next = "mws doctor --only workers";
    let two = after([process("worker", 40.0), Process { claims: 2, ..process("scheduler", 50.0) }]);
    let words = "2 processes have not been heard of, and did not say that they ended: \
                 worker worker-1 for 40 s, and none was started in its place; \
                 scheduler scheduler-1 for 50 s, and none was started in its place.";
    assert_told(&two, State::Degraded, words, next);
    let many = after((0..7).map(|_| process("worker", 60.0)));
    assert_told(&many, State::Degraded, "7 processes have not been heard of", next);
    assert!(many.1.ends_with("; and 2 more."), "{many:?}");
    assert_eq!(many.1.matches("worker worker-1").count(), 5, "{many:?}");

    // The worker of host a was started again, and that of host b, which was killed later, was not.
    let on = |host: &str, one: Process| Process { name: host.to_owned(), host: host.to_owned(), ..one };
    let killed = || [on("a", process("worker", 600.0)), on("b", process("worker", 500.0))];
    let told = after(killed().into_iter().chain([on("a", started("worker", 400.0))]));
    assert_told(&told, State::Degraded, "none was started in its place: b.", next);
    // Where it has none on its own host, one on another host goes on with its work.
    let other =
        after(killed().into_iter().chain([on("a", started("worker", 400.0)), on("c", started("worker", 300.0))]));
    assert_eq!(other.0, State::Healthy, "{other:?}");
}

#[test]
fn a_process_that_was_killed_stays_past_when_its_successor_stops_normally() {
    let next = "mws doctor --only workers";
    let named = |name: &str, one: Process| Process { name: name.to_owned(), ..one };
    let before = [named("a", process("worker", 600.0)), named("b", started("worker", 590.0)), process("worker", 5.0)];
    assert_eq!((predecessor(&before, "b"), predecessor(&before, "worker-1")), (Some("a"), None));
    // When it stops it is no process any more, and has told that it went on with the work of the first.
    let left = || Process { successor_left: true, ..process("worker", 600.0) };
    let past = after([left()]);
    assert_eq!((past.0, past.2.as_str()), (State::Healthy, ""), "{past:?}");
    assert!(past.1.ends_with(" One process ended without a word at 12:03 UTC; its work was taken over."), "{past:?}");
    let held = after([Process { claims: 1, ..left() }]);
    assert_told(&held, State::Degraded, "of its jobs one is not taken over yet", next);
    // Who is started later goes on with the work of another one.
    let later = Process { successor_left: true, ..process("worker", 500.0) };
    assert_eq!(after([process("worker", 600.0), later, started("worker", 400.0)]).0, State::Healthy);
    let many = [left(), left(), Process { successor_left: true, ..process("worker", 300.0) }];
    assert_told(&after(many), State::Degraded, "3 workers ended without a word within an hour", next);
}

#[test]
fn the_work_of_a_killed_process_is_taken_over_however_long_ago_that_was() {
    let named = |name: &str, one: Process| Process { name: name.to_owned(), ..one };
    for silent in [40.0, 600.0, 3_599.0, 3_600.0, 400_000.0] {
        // It was started before it was heard of for the last time.
        let lives_seconds = silent + 86_400.0;
        let killed = || named("killed", Process { lives_seconds, ..process("worker", silent) });
        let (next, before) = (started("worker", silent - 10.0), started("worker", silent + 10.0));
        assert_eq!(taken_over(&[killed(), next.clone()]), ["killed"], "{silent}");
        assert!(taken_over(&[killed(), before]).is_empty(), "{silent}: none was started in its place");
        assert!(taken_over(&[Process { claims: 1, ..killed() }, next]).is_empty(), "{silent}: it still has a job");
        assert_eq!(taken_over(&[Process { successor_left: true, ..killed() }]), ["killed"], "{silent}");
    }
    assert!(taken_over(&[process("worker", 5.0), started("worker", 1.0)]).is_empty(), "it lives");
}
