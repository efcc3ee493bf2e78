//! Spares the duties their looks each second while nothing happens and nothing becomes due.
//!
//! A duty that acts within seconds finds something for one of three reasons: somebody did something, which is told
//! (`runtime::wake`); a time has come, which is known before; or a process was killed in between. So while nothing was
//! told for a while, and until the next known time, such a duty rests for ten seconds after a run that found nothing:
//! the third reason remains, and waits so long. What is deleted when it is some days old can wait too: those duties run
//! a third as often. Where processes are not told, or it can't be seen what becomes due, all duties run as often as
//! ever.

use runtime::process::Process;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::due;
use tokio::time::{Instant, sleep};

/// How long a duty that is done every few seconds rests while the service is quiet, and how far ahead is looked.
const QUIET_REST: Duration = Duration::from_secs(10);
/// How long before the last look's end the next one is made.
const EARLY: Duration = Duration::from_secs(1);
/// The time that the duties have for what has become due, before the next look may let them rest: longer than the
/// longest pause between their runs.
const TIME_TO_ACT: Duration = Duration::from_secs(6);

/// Returns how long a duty rests while the service is quiet that is done at intervals of `every` otherwise.
pub(crate) fn quiet_rest(duty: &str, every: Duration) -> Duration {
    if duty.starts_with("prune") { every * 3 } else { every.max(QUIET_REST) }
}

/// Until when nothing becomes due; none where that is not known. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Foresight(Arc<Mutex<Option<Instant>>>);

impl Foresight {
    /// Whether a duty is left out now that found nothing when it ran at `ran_at` (none where it has not run, or put
    /// something right). It may rest for `rest` while the service is quiet.
    pub(crate) fn lets_rest(&self, is_quiet: bool, rest: Duration, ran_at: Option<Instant>, now: Instant) -> bool {
        let until = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        is_quiet && ran_at.is_some_and(|ran_at| now < ran_at + rest) && until.is_some_and(|until| now < until)
    }

    /// Looks what becomes due, again and again, until the process ends.
    pub(crate) async fn keep_looking(self, process: Process) {
        loop {
            let began = Instant::now();
            // After a failure what was known before ends by itself, and the duties run as often as ever.
            let pause = next(&process).await.map_or(QUIET_REST, |found| self.note(began, found));
            tokio::select! {
                () = sleep(pause) => {}
                () = process.shutdown.cancelled() => return,
            }
        }
    }

    /// Notes that at `looked` the next thing was to become due so much later; none when that was beyond `QUIET_REST`.
    /// Returns how long to wait before the next look.
    fn note(&self, looked: Instant, due: Option<Duration>) -> Duration {
        let known = due.unwrap_or(QUIET_REST).min(QUIET_REST);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(looked + known);
        due.map_or(QUIET_REST.saturating_sub(EARLY), |_| known + TIME_TO_ACT)
    }
}

async fn next(process: &Process) -> sqlx::Result<Option<Duration>> {
    let mut conn = process.pool.acquire().await?;
    let seconds = due::next(&mut conn, QUIET_REST.as_secs_f64()).await?;
    Ok(seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duties_rest_while_all_is_quiet_and_until_the_next_thing_is_due() {
        let (foresight, begun, second) = (Foresight::default(), Instant::now(), Duration::from_secs(1));
        let rests =
            |is_quiet, after: u32| foresight.lets_rest(is_quiet, QUIET_REST, Some(begun), begun + second * after);
        assert!(!rests(true, 1), "nobody has looked what becomes due");
        assert_eq!(foresight.note(begun, None), second * 9, "it is known without a gap");
        assert!(rests(true, 1) && rests(true, 9) && !rests(true, 10));
        assert!(!rests(false, 1), "something happens");
        assert!(!foresight.lets_rest(true, second * 3, Some(begun), begun + second * 3), "it has rested");
        assert!(!foresight.lets_rest(true, QUIET_REST, None, begun + second), "it found something to do");
        assert_eq!(foresight.note(begun, Some(second * 3)), second * 9);
        assert!(rests(true, 2) && !rests(true, 3) && !rests(true, 8), "until it was acted on");
    }

    #[test]
    fn what_is_deleted_by_its_age_rests_longer_and_what_is_seldom_done_is_done_as_often_as_ever() {
        let seconds = Duration::from_secs;
        assert_eq!(quiet_rest("reissue_jobs", seconds(1)), seconds(10));
        assert_eq!(quiet_rest("measure_queues", seconds(15)), seconds(15));
        assert_eq!(quiet_rest("prune", seconds(30)), seconds(90));
    }
}
