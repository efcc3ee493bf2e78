//! Lent slots: when one account's long jobs hold all of a process, another account's job does not wait for them.
//!
//! The queue hands out slots to whoever is next, so that an account that is alone has all of them. When one account
//! holds more than half of them, or none has come free for five seconds, and a job of another account has waited for
//! two, that job runs beside the slots: one for each account that runs nothing here, at most as many as there are
//! slots, or four where there are fewer. All of them share the processors.
//!
//! Where all of that is held too, by as many accounts, jobs of accounts that run nothing here are tried in turn, one at
//! a time and for 15 seconds each. A short job ends in that time; a long one is handed back to wait for a slot, and its
//! account is not tried again for two hours. Generations and dubs are not tried, since a request to a provider can't be
//! handed back. So a short read or render waits at most 15 seconds for each account before it, whatever the others
//! hold.
//!
//! All of that is for accounts that run nothing here. One that runs a job here, in a slot or beside, is lent no other
//! place, also where some are free: its next job waits for a slot, or until its own has ended. One whose jobs all wait
//! for providers outside their slots is lent a place for a read or a render, and none for a further generation or dub.
//!
//! A lent job leaves its place while it waits for a provider, as it would leave a slot, and takes one again to go on.
//!
//! A job in a lent slot is claimed without its ticket, which then finds nothing to claim.

use crate::jobs::Worker;
use domain::ids::{AccountId, JobId};
use domain::task::Task;
use runtime::queue::LentSlots;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use store::jobs::{self, WaitingJob};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::task::TaskTracker;

/// The pause between checks for waiting jobs.
const LOOKS: Duration = Duration::from_secs(1);
/// Slots that are lent at once, at least.
const LEAST: usize = 4;
/// How long the same jobs hold all slots before some are lent, whichever accounts they belong to.
const STANDSTILL: Duration = Duration::from_secs(5);
/// How long a job is tried where nothing is left to lend.
const TRIED_FOR: Duration = Duration::from_secs(15);
/// How long an account is not tried again after a job that did not end in time, which then waits behind newer jobs.
const TRIED_AGAIN: Duration = Duration::from_hours(2);

/// The jobs that run beside a process's slots.
pub(crate) struct Lent {
    running: TaskTracker,
}

impl Lent {
    /// Lends slots in a process of `slots` slots, until it is told to end.
    pub(crate) fn start(worker: Arc<Worker>, tasks: Vec<Task>, slots: usize) -> Self {
        let running = TaskTracker::new();
        let mut lender = Lender {
            worker,
            tasks,
            slots,
            places: LentSlots::new(slots.max(LEAST)),
            running: running.clone(),
            beside: HashSet::new(),
            in_slots: HashSet::new(),
            since: Instant::now(),
            trial: None,
            tried: HashMap::new(),
        };
        tokio::spawn(async move {
            let mut ticks = interval(LOOKS);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let shutdown = lender.worker.process.shutdown.clone();
            while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
                lender.look().await;
            }
        });
        Self { running }
    }

    /// Waits for lent jobs to end, up to `patience`.
    pub(crate) async fn end(self, patience: Duration) {
        self.running.close();
        // Jobs that still run have no lease any more, or will lose it.
        let _ = timeout(patience, self.running.wait()).await;
    }
}

/// Lends slots, and knows what is lent now.
struct Lender {
    worker: Arc<Worker>,
    tasks: Vec<Task>,
    slots: usize,
    /// The slots that are lent.
    places: LentSlots,
    running: TaskTracker,
    /// The jobs that were begun beside the slots.
    beside: HashSet<JobId>,
    /// The jobs that run in the slots.
    in_slots: HashSet<JobId>,
    /// When a job in a slot last ended.
    since: Instant,
    /// The job that is tried now: its account, and a task that returns whether it ended in time.
    trial: Option<(AccountId, JoinHandle<bool>)>,
    /// The accounts whose tried jobs did not end in time, and when that was seen.
    tried: HashMap<AccountId, Instant>,
}

impl Lender {
    async fn look(&mut self) {
        self.note_what_runs();
        self.note_trial().await;
        let holders = self.worker.holders();
        if !are_held(&holders, self.slots, self.since.elapsed()) {
            return;
        }
        if self.places.free() > 0 {
            let here: Vec<AccountId> = self.worker.claimed().into_values().collect();
            self.lend(holders.into_keys().collect(), &here).await;
        } else if self.trial.is_none() {
            let others: Vec<AccountId> = holders.keys().chain(self.tried.keys()).copied().collect();
            if let Some(WaitingJob { job, payer }) = self.waiting(&self.asking_nobody(), &others, 1).await.pop() {
                self.beside.insert(job);
                self.trial = Some((payer, self.running.spawn(Arc::clone(&self.worker).try_for(job, TRIED_FOR))));
            }
        }
    }

    /// Lends what is free to accounts that have no job here, and then for what asks no provider to those whose jobs
    /// all wait for one: these are no `holders`.
    async fn lend(&mut self, mut holders: Vec<AccountId>, here: &[AccountId]) {
        let left = self.places.free();
        let mut waiting = self.waiting(&self.tasks, here, left).await;
        if waiting.len() < left {
            holders.extend(waiting.iter().map(|first| first.payer));
            let further = self.waiting(&self.asking_nobody(), &holders, left - waiting.len()).await;
            waiting.extend(further);
        }
        for WaitingJob { job, .. } in waiting {
            let Some(slot) = self.places.take() else { return };
            tracing::info!(job.id = %job, "A job is run beside the slots, which others hold.");
            self.beside.insert(job);
            self.running.spawn(Arc::clone(&self.worker).claim_and_run(job, slot));
        }
    }

    fn asking_nobody(&self) -> Vec<Task> {
        self.tasks.iter().copied().filter(|task| asks_nobody(*task)).collect()
    }

    fn note_what_runs(&mut self) {
        let (running, claimed) = (self.worker.running(), self.worker.claimed());
        self.beside.retain(|job| claimed.contains_key(job));
        let in_slots = running.difference(&self.beside).copied().collect();
        if !self.in_slots.is_subset(&in_slots) {
            self.since = Instant::now();
        }
        self.in_slots = in_slots;
    }

    async fn note_trial(&mut self) {
        self.tried.retain(|_, at| at.elapsed() < TRIED_AGAIN);
        if let Some((account, ended)) = self.trial.take_if(|(_, ended)| ended.is_finished())
            && !ended.await.unwrap_or(false)
        {
            self.tried.insert(account, Instant::now());
        }
    }

    /// Returns waiting jobs of these tasks, of other accounts than `but`: one for each account, `most` at most.
    async fn waiting(&self, tasks: &[Task], but: &[AccountId], most: usize) -> Vec<WaitingJob> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let pool = &self.worker.process.pool;
        let look = async { jobs::waiting_for_slots(&mut *pool.acquire().await?, tasks, but, most).await };
        look.await.unwrap_or_else(|error| {
            tracing::warn!(error = %error, "It was not seen who waits for a slot; looking again.");
            Vec::new()
        })
    }
}

/// Whether no job of this task asks a provider, so that each may be handed back after a while.
fn asks_nobody(task: Task) -> bool {
    match task {
        Task::Read(_) | Task::Render => true,
        Task::Generation | Task::Dub => false,
    }
}

/// Whether no slot is free, and one account holds more than half of them or no job has ended for long enough.
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
