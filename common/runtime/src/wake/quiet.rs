//! Whether the service is quiet: for a while this process has heard of nothing, although it listens.
//!
//! What is begun, ended, stopped, resumed or put off is told to all processes. So while nobody tells anything there is
//! no news to ask the database for every second. What a process did and could not tell, because it was killed between
//! its commit and its notification, is then found some seconds later.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long nothing must have been heard. It is longer than an attempt to send a webhook usually may take: ten seconds.
const SILENCE: Duration = Duration::from_secs(20);
/// The pause between polls of a queue while the service is quiet.
const QUIET_POLL: Duration = Duration::from_secs(5);

/// When something was last heard; none while this process does not listen. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct LastHeard(Arc<Mutex<Option<Instant>>>);

impl LastHeard {
    /// Records that this process listens from now on.
    pub(super) fn begin_listening(&self, now: Instant) {
        *self.lock() = Some(now);
    }

    /// Records that the listening connection is lost.
    pub(super) fn end_listening(&self) {
        *self.lock() = None;
    }

    /// Records that something happened, here or elsewhere.
    pub(super) fn note(&self, now: Instant) {
        if let Some(last) = &mut *self.lock() {
            *last = now;
        }
    }

    /// Whether nothing has happened for a while, as far as this process can know.
    pub(super) fn is_quiet(&self, now: Instant) -> bool {
        self.lock().is_some_and(|last| now.saturating_duration_since(last) >= SILENCE)
    }

    /// Returns the pause before a queue is polled again, which is `usual` unless the service is quiet.
    pub(super) fn pause(&self, usual: Duration, now: Instant) -> Duration {
        if self.is_quiet(now) { QUIET_POLL.max(usual) } else { usual }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_listens_knows_that_it_is_quiet_and_polls_less_often_until_something_is_heard() {
        let (heard, begun, usual) = (LastHeard::default(), Instant::now(), Duration::from_secs(1));
        heard.note(begun);
        assert!(!heard.is_quiet(begun + SILENCE * 9), "nothing is told where the database can't notify");
        heard.begin_listening(begun);
        let before = SILENCE.saturating_sub(Duration::from_millis(1));
        assert!(!heard.is_quiet(begun + before) && heard.is_quiet(begun + SILENCE));
        assert_eq!(heard.pause(usual, begun + before), usual);
        assert_eq!(heard.pause(usual, begun + SILENCE), QUIET_POLL);
        heard.note(begun + SILENCE);
        assert_eq!(heard.pause(usual, begun + SILENCE + before), usual);
        heard.end_listening();
        assert!(!heard.is_quiet(begun + SILENCE * 9), "the listening connection is lost");
    }
}
