//! Logs that a duty fails: at once, then again and again with longer pauses, and once more when it succeeds again.
//!
//! A line for each try would hide everything else; a single line at the first failure is forgotten after a day.

use std::fmt::Display;
use std::time::Duration;
use tokio::time::Instant;

/// The pause before the second line. Each later pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_mins(1);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// What was logged about a duty that fails; empty while it succeeds.
#[derive(Debug, Default)]
pub struct Complaint(Option<Failures>);

#[derive(Debug)]
struct Failures {
    since: Instant,
    times: u64,
    again_at: Instant,
    pause: Duration,
}

impl Complaint {
    /// Notes that the duty has failed. Returns whether it was logged.
    pub fn record_failure(&mut self, duty: &str, error: &dyn Display, now: Instant) -> bool {
        let Some(failing) = &mut self.0 else {
            tracing::warn!(duty, error = %error, "A duty failed; it is tried again.");
            let again_at = now + FIRST_PAUSE;
            self.0 = Some(Failures { since: now, times: 1, again_at, pause: FIRST_PAUSE });
            return true;
        };
        failing.times += 1;
        if now < failing.again_at {
            return false;
        }
        let (failures, seconds) = (failing.times, now.saturating_duration_since(failing.since).as_secs());
        tracing::error!(duty, failures, seconds, error = %error, "A duty goes on failing: nothing of it is done.");
        failing.pause = (failing.pause * 2).min(LONGEST_PAUSE);
        failing.again_at = now + failing.pause;
        true
    }

    /// Notes that the duty has succeeded.
    pub fn record_success(&mut self, duty: &str, now: Instant) {
        if let Some(failing) = self.0.take() {
            let (failures, seconds) = (failing.times, now.saturating_duration_since(failing.since).as_secs());
            tracing::info!(duty, failures, seconds, "A duty succeeds again.");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_again_and_again_and_ever_more_seldom() {
        let (mut complaint, begun) = (Complaint::default(), Instant::now());
        let at = |minute: u64| begun + Duration::from_mins(minute);
        let fails = |minute: &u64| complaint.record_failure("check_ledger", &"statement timeout", at(*minute));
        let told: Vec<u64> = (0..600).filter(fails).collect();
        assert_eq!(told, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363, 423, 483, 543]);
        complaint.record_success("check_ledger", at(600));
        assert!(complaint.record_failure("check_ledger", &"again", at(600)), "the next failure is told at once");
    }
}
