//! Signs of life of a process: when each of its loops last went round, and how its duties last went.
//!
//! The queue and the scheduler leave signs, `health` reads them. They are kept in memory, by the host's monotonic
//! clock: they are about this process alone, and can be shown without a database.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// A queue's loop that has not gone round for this long hangs: it goes round every five seconds at least.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// The signs of a process. Cheap to clone; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Signs(Arc<Mutex<SignState>>);

#[derive(Debug, Default)]
struct SignState {
    loops: Vec<Arc<Mutex<Instant>>>,
    duties: BTreeMap<&'static str, Duty>,
    notes: BTreeMap<&'static str, Value>,
}

#[derive(Debug)]
struct Duty {
    every: Duration,
    since: Instant,
    succeeded: Option<Instant>,
    failing: bool,
}

/// The last sign of life of one loop.
#[derive(Debug, Clone)]
pub struct Beat(Arc<Mutex<Instant>>);

impl Beat {
    /// A sign of life: call it each time the loop goes round.
    pub fn touch(&self, now: Instant) {
        *held(&self.0) = now;
    }
}

/// The state of the queue's loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loops {
    /// This process has none.
    None,
    /// Each has gone round within the last 30 seconds.
    Recent,
    /// One has not gone round for 30 seconds or more.
    Silent,
}

impl Loops {
    /// Its name in `/readyz`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Recent => "ok",
            Self::Silent => "silent",
        }
    }
}

impl Signs {
    /// Registers a loop that begins now. Returns where it leaves its signs.
    pub fn begin_loop(&self, now: Instant) -> Beat {
        let last = Arc::new(Mutex::new(now));
        held(&self.0).loops.push(Arc::clone(&last));
        Beat(last)
    }

    /// Returns the state of the loops.
    pub fn loops(&self, now: Instant) -> Loops {
        let state = held(&self.0);
        match state.loops.iter().map(|last| now.saturating_duration_since(*held(last))).max() {
            None => Loops::None,
            Some(longest) if longest < LONGEST_SILENCE => Loops::Recent,
            Some(_) => Loops::Silent,
        }
    }

    /// Records a run of a duty, which is done at intervals of `every`.
    pub fn duty_ran(&self, name: &'static str, every: Duration, succeeded: bool, now: Instant) {
        let mut state = held(&self.0);
        let duty = state.duties.entry(name).or_insert(Duty { every, since: now, succeeded: None, failing: false });
        duty.failing = !succeeded;
        if succeeded {
            duty.succeeded = Some(now);
        }
    }

    /// Notes something for the operator to know; `null` removes the note.
    pub fn note(&self, name: &'static str, value: Value) {
        let mut state = held(&self.0);
        if value.is_null() {
            state.notes.remove(name);
        } else {
            state.notes.insert(name, value);
        }
    }

    /// Whether this process has duties.
    pub fn has_duties(&self) -> bool {
        !held(&self.0).duties.is_empty()
    }

    /// Returns the duties as `/readyz` shows them: seconds since the last success of each, and the names of those that
    /// fail or are late.
    pub fn duties(&self, now: Instant) -> Value {
        let state = held(&self.0);
        let late = state.duties.iter().filter(|(_, duty)| duty.failing || duty.is_late(now));
        let ages: Map<String, Value> =
            state.duties.iter().map(|(name, duty)| ((*name).to_owned(), json!(duty.age_seconds(now)))).collect();
        json!({ "late": late.map(|(name, _)| *name).collect::<Vec<_>>(), "seconds_since_success": ages })
    }

    /// Returns each duty of this process: its name, the time between runs, and the time since its last success; none
    /// when it never succeeded.
    pub fn every_duty(&self, now: Instant) -> Vec<(&'static str, Duration, Option<Duration>)> {
        let state = held(&self.0);
        let age = |duty: &Duty| duty.succeeded.map(|at| now.saturating_duration_since(at));
        state.duties.iter().map(|(name, duty)| (*name, duty.every, age(duty))).collect()
    }

    /// Returns the notes of [`Signs::note`].
    pub fn notes(&self) -> Map<String, Value> {
        held(&self.0).notes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }
}

impl Duty {
    fn is_late(&self, now: Instant) -> bool {
        let waits = now.saturating_duration_since(self.succeeded.unwrap_or(self.since));
        waits > (self.every * 5).max(LONGEST_SILENCE)
    }

    /// Seconds since the last success; none when there was none.
    fn age_seconds(&self, now: Instant) -> Option<u64> {
        self.succeeded.map(|at| now.saturating_duration_since(at).as_secs())
    }
}

fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // The data is consistent after every change: a panic elsewhere is no reason to stop.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(begun: Instant, seconds: u64) -> Instant {
        begun + Duration::from_secs(seconds)
    }

    #[test]
    fn a_loop_that_no_longer_goes_round_is_noticed_and_one_that_goes_on_is_not() {
        let (signs, now) = (Signs::default(), Instant::now());
        assert_eq!(signs.loops(now), Loops::None);
        let (one, other) = (signs.begin_loop(now), signs.begin_loop(now));
        one.touch(after(now, 20));
        other.touch(after(now, 20));
        one.touch(after(now, 40));
        assert_eq!(signs.loops(after(now, 40)), Loops::Recent);
        assert_eq!(signs.loops(after(now, 51)), Loops::Silent);
        other.touch(after(now, 51));
        assert_eq!(signs.loops(after(now, 51)), Loops::Recent);
    }

    #[test]
    fn a_duty_that_fails_or_stays_away_is_named() {
        let (signs, now) = (Signs::default(), Instant::now());
        let every = Duration::from_secs(10);
        signs.duty_ran("prune", every, true, now);
        signs.duty_ran("fold", every, false, now);
        assert_eq!(signs.duties(now)["late"], json!(["fold"]));
        let later = after(now, 51);
        signs.duty_ran("fold", every, true, later);
        let told = json!({ "late": ["prune"], "seconds_since_success": { "fold": 0, "prune": 51 } });
        assert_eq!(signs.duties(later), told);
    }
}
