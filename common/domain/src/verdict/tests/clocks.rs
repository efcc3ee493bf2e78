//! Clocks that are off, of whichever process.

use super::{Axis, Clock, State, assert_told, one};

const NEXT: &str = "mws doctor --only clock";

fn clock(whose: &str, ahead_ms: i64) -> Clock {
    Clock { whose: whose.to_owned(), ahead_ms }
}

/// What becomes of a service that is well but for these clocks.
fn told(clocks: &[Clock]) -> (State, String, String) {
    one(Axis::Liveness, |all| all.clocks = clocks.to_vec())
}

#[test]
fn a_clock_that_is_off_is_told_with_whose_it_is_and_one_that_is_far_off_fails_the_axis() {
    assert_eq!(told(&[clock("worker a", 1_000), clock("api b", -1_000)]).0, State::Healthy, "a second is no matter");
    let behind = told(&[clock("api a", 0), clock("worker b", -5_000)]);
    assert_told(&behind, State::Degraded, "The clock of worker b is 5 s behind the database's.", NEXT);
    let ahead = told(&[clock("scheduler c", 600_000)]);
    assert_told(&ahead, State::Failing, "The clock of scheduler c is 10 min ahead of the database's.", NEXT);
    assert_eq!([240_000, 240_001].map(|ms| told(&[clock("api a", ms)]).0), [State::Degraded, State::Failing]);
    assert_eq!(told(&[clock("api a", i64::MIN)]).0, State::Failing);
}

#[test]
fn several_clocks_are_one_trouble_with_the_worst_first() {
    let several = told(&[clock("api a", 2_000), clock("worker b", -600_000), clock("worker c", 30)]);
    let words = "2 clocks differ from the database's: worker b is 10 min behind; api a is 2 s ahead.";
    assert_told(&several, State::Failing, words, NEXT);
}
