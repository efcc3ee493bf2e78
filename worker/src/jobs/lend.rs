//! Slots that are lent: one account's long jobs hold all of a process, and another account's job does not wait for
//! them.
//!
//! The queue hands out slots to whoever is next, so that an account that is alone has all of them. When one account
//! holds more than half of them, or none has come free for a while, and a job of another account has waited for two
//! seconds, that job is run beside them: one for an account that runs nothing here, and a few at a time. It is claimed
//! without its ticket, which finds nothing to claim. What accounts hold is thus bounded by the slots, and
//! how long others wait is not theirs to decide.

use crate::jobs::Worker;
use domain::ids::{AccountId, JobId};
use domain::task::Task;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use store::jobs;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::task::TaskTracker;

/// How often it is looked whether somebody waits.
const LOOKS: Duration = Duration::from_secs(1);
/// Slots that are lent at once, at least.
const LEAST: usize = 2;
/// For how long the same jobs hold all slots before some are lent, whoever they are of.
const STANDSTILL: Duration = Duration::from_secs(5);

/// The jobs that run in slots that were lent.
pub(crate) struct Lent {
    running: TaskTracker,
}

impl Lent {
    /// Looks after a process with so many slots, until it is told to end.
    pub(crate) fn start(worker: Arc<Worker>, tasks: Vec<Task>, slots: usize) -> Self {
        let running = TaskTracker::new();
        let lending = running.clone();
        tokio::spawn(async move {
            let mut ticks = interval(LOOKS);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let (mut seen, mut since) = (HashSet::new(), Instant::now());
            loop {
                tokio::select! {
                    _ = ticks.tick() => {}
                    () = worker.process.shutdown.cancelled() => return,
                }
                let left = slots.div_euclid(2).max(LEAST).saturating_sub(lending.len());
                let running = worker.running();
                if !seen.is_subset(&running) {
                    since = Instant::now();
                }
                seen = running;
                let holders = worker.holders();
                if left == 0 || !are_held(&holders, slots, since.elapsed()) {
                    continue;
                }
                let jobs = waiting(&worker, &tasks, &holders, left).await.unwrap_or_else(|error| {
                    tracing::warn!(error = %error, "It was not seen who waits for a slot; looking again.");
                    Vec::new()
                });
                for job in jobs {
                    lend(&lending, &worker, job);
                }
            }
        });
        Self { running }
    }

    /// Waits for jobs that end now, for at most so long.
    pub(crate) async fn end(self, patience: Duration) {
        self.running.close();
        // What is left has no lease any more, or will lose it.
        let _ = timeout(patience, self.running.wait()).await;
    }
}

fn lend(running: &TaskTracker, worker: &Arc<Worker>, job: JobId) {
    let worker = Arc::clone(worker);
    tracing::info!(job.id = %job, "A job is run beside the slots, which another account holds.");
    running.spawn(worker.claim_and_run(job));
}

/// Jobs that wait behind what these accounts hold: at most one an account.
async fn waiting(
    worker: &Worker,
    tasks: &[Task],
    holders: &HashMap<AccountId, usize>,
    most: usize,
) -> sqlx::Result<Vec<JobId>> {
    let holders: Vec<AccountId> = holders.keys().copied().collect();
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    jobs::waiting_for_slots(&mut *worker.process.pool.acquire().await?, tasks, &holders, most).await
}

/// Whether no slot is free, and either one account holds more than half of them or no job has ended for so long.
fn are_held(holders: &HashMap<AccountId, usize>, slots: usize, unchanged: Duration) -> bool {
    let by_one = || holders.values().any(|held| held * 2 > slots);
    holders.values().sum::<usize>() >= slots && (by_one() || unchanged >= STANDSTILL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_lent_when_one_account_holds_more_than_half_of_all_or_none_comes_free() {
        let holders = |held: &[usize]| held.iter().map(|held| (AccountId::mint(), *held)).collect();
        for (held, slots, lends) in [
            (&[1][..], 1, true),
            (&[2], 2, true),
            (&[1, 1], 2, false),
            (&[1], 2, false),
            (&[3, 1], 4, true),
            (&[2, 2], 4, false),
            (&[5, 1, 1, 1], 8, true),
            (&[5], 8, false),
            (&[], 2, false),
        ] {
            let holders = holders(held);
            assert_eq!(are_held(&holders, slots, Duration::ZERO), lends, "{held:?} of {slots}");
            let are_all_held = held.iter().sum::<usize>() >= slots;
            assert_eq!(are_held(&holders, slots, STANDSTILL), are_all_held, "{held:?} of {slots}, unchanged");
        }
    }
}
