//! What is said of more jobs than were counted.

use super::*;

/// Of which more wait for a place, or for a time, than were counted.
fn more_unplaced(without_place: i64, put_back: i64) -> Backlog {
    Backlog { without_place, put_back, has_more_unplaced: true, ..backlog(0, 0.0, 0) }
}

#[test]
fn a_count_that_was_cut_is_told_in_whole_thousands() {
    let told = [(0, false), (9_999, false), (10_000, false), (7, true), (999, true), (1_743, true), (10_050, true)];
    let words = ["0", "9999", "10000", "7 or more", "999 or more", "1,000 or more", "10,000 or more"];
    assert_eq!(told.map(|(many, has_more)| or_more(many, has_more)), words);
}

#[test]
fn jobs_that_wait_beyond_what_was_counted_are_told_as_so_many_or_more() {
    let resume = "mws admin reads resume levels";
    let paused = |waits: Backlog| one(Axis::Flow, |all| (all.paused, all.backlogs) = (vec![LEVELS], vec![waits]));
    assert_told(&paused(more_unplaced(10_000, 0)), State::Degraded, "and 10,000 or more jobs wait.", resume);
    assert_told(&paused(more_unplaced(9_000, 999)), State::Degraded, "and 9,000 or more jobs wait.", resume);
    assert_told(&paused(more_unplaced(1, 0)), State::Degraded, "and 1 or more jobs wait.", resume);
    assert_told(&paused(more_unplaced(0, 0)), State::Degraded, "and 0 or more jobs wait.", resume);
    let whole = Backlog { without_place: 10_000, ..backlog(0, 0.0, 0) };
    assert_told(&paused(whole), State::Degraded, "and 10000 jobs wait.", resume);

    let stuck = one(Axis::Flow, |all| {
        all.processes[1].tasks.retain(|task| *task != LEVELS);
        all.backlogs = vec![more_due(backlog(2_000, 1.0, 3))];
    });
    assert_told(&stuck, State::Failing, "and 2,000 or more jobs wait for one", "mws doctor --only engines");
    let mut alone = Snapshot { backlogs: vec![more_unplaced(10_000, 0), backlog(5, 1.0, 0)], ..well() };
    alone.processes.retain(|one| one.service != "worker");
    let said = report(&alone).sentence;
    assert!(said.starts_with("No worker lives, and 10,000 or more jobs wait."), "{said}");

    let (state, sentence, _) = one(Axis::Flow, |all| all.backlogs = vec![more_unplaced(3_000, 0)]);
    let keep_up = "Workers keep up; 3,000 or more jobs wait for a place of their account.";
    assert_eq!((state, sentence.as_str()), (State::Healthy, keep_up));
}

#[test]
fn a_job_that_is_late_is_told_however_many_wait_and_a_count_alone_is_no_trouble() {
    let late = one(Axis::Flow, |all| all.backlogs = vec![more_unplaced(10_000, 0), backlog(1, 600.0, 0)]);
    assert_told(&late, State::Failing, "the oldest of 1 due jobs", "mws doctor");
    let many = one(Axis::Flow, |all| all.backlogs = vec![more_due(backlog(10_000, 119.0, 0))]);
    assert_eq!(many.0, State::Healthy, "two minutes are no stall");
}
