//! Lent slots: when one account's long jobs hold all of a process, another account's job does not wait for them.
//!
//! The queue hands out slots to whoever is next, so that an account that is alone has all of them. Where all of them
//! have had their jobs for two seconds, a job of another account runs beside them once it has waited for a fifth of
//! one, in which a worker with a free slot takes it. Where one account holds more than half of them with jobs that keep
//! ending, it does after two seconds. That is one job for each account that runs nothing here, at most as many as there
//! are slots, or four where there are fewer. All of them share the processors.
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
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use runtime::queue::{LentSlots, Queue};
use runtime::wake::QueueWakes;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::jobs::{self, WaitingJob};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_util::task::TaskTracker;

/// The pause between looks for waiting jobs that nothing tells of.
const LOOKS: Duration = Duration::from_secs(1);
/// Slots that are lent at once, at least.
const LEAST: usize = 4;
/// How long a job has a slot before others no longer wait for it.
const LONG: Duration = Duration::from_secs(2);
/// How long a job waits before it is lent a place, where all slots have such jobs.
const SOON: Duration = Duration::from_millis(200);
/// How long it waits where one account holds more than half of them: a slot may come free for it before that.
const BEHIND_ONE: Duration = Duration::from_secs(2);
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
        let lender = Lender {
            worker,
            tasks,
            slots,
            places: LentSlots::new(slots.max(LEAST)),
            running: running.clone(),
            beside: HashMap::new(),
            in_slots: HashMap::new(),
            trial: None,
            tried: HashMap::new(),
        };
        tokio::spawn(lender.go_on());
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
    /// The jobs that are begun beside the slots, until they have ended: who pays, and the task.
    beside: HashMap<JobId, (AccountId, AbortHandle)>,
    /// The jobs that run in the slots, and when each was first seen there.
    in_slots: HashMap<JobId, Instant>,
    /// The job that is tried now: its account, and a task that returns whether it ended in time.
    trial: Option<(AccountId, JoinHandle<bool>)>,
    /// The accounts whose tried jobs did not end in time, and when that was seen.
    tried: HashMap<AccountId, Instant>,
}

impl Lender {
    /// Looks each second, until the process is told to end. While long jobs have all slots it also looks when a job has
    /// waited long enough to be lent a place, and when a lent place was left.
    async fn go_on(mut self) {
        let mut ticks = interval(LOOKS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let queues: Vec<Queue> = self.tasks.iter().copied().map(Queue::from).collect();
        let (tickets, shutdown) = (self.worker.process.wakes.of_queues(&queues), self.worker.process.shutdown.clone());
        let mut soon = soon_after(&tickets);
        loop {
            let is_full = self.long() >= self.slots;
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = ticks.tick() => {}
                () = &mut soon, if is_full => soon = soon_after(&tickets),
                () = self.places.left(), if is_full => {}
            }
            self.look().await;
        }
    }

    async fn look(&mut self) {
        self.note_what_runs();
        self.note_trial().await;
        let (holders, claimed) = (self.worker.holders(), self.worker.claimed());
        let Some(waited) = patience(&holders, self.slots, self.long()) else { return };
        // Their claims are under way.
        let coming = self.beside.iter().filter(|(job, _)| !claimed.contains_key(*job));
        let coming: Vec<AccountId> = coming.map(|(_, (payer, _))| *payer).collect();
        if self.places.free() > 0 {
            let here: Vec<AccountId> = claimed.into_values().chain(coming.iter().copied()).collect();
            self.lend(waited, holders.into_keys().chain(coming).collect(), &here).await;
        } else if self.trial.is_none() {
            let others: Vec<AccountId> = holders.into_keys().chain(self.tried.keys().copied()).chain(coming).collect();
            let mut waiting = self.waiting(waited, &self.asking_nobody(), &others, 1).await;
            if let Some(WaitingJob { job, payer }) = waiting.pop() {
                let trying = self.running.spawn(Arc::clone(&self.worker).try_for(job, TRIED_FOR));
                self.beside.insert(job, (payer, trying.abort_handle()));
                self.trial = Some((payer, trying));
            }
        }
    }

    /// Lends what is free to accounts that have no job here, and then for what asks no provider to those whose jobs
    /// all wait for one: these are no `holders`.
    async fn lend(&mut self, waited: Duration, mut holders: Vec<AccountId>, here: &[AccountId]) {
        let left = self.places.free();
        let mut waiting = self.waiting(waited, &self.tasks, here, left).await;
        if waiting.len() < left {
            holders.extend(waiting.iter().map(|first| first.payer));
            let further = self.waiting(waited, &self.asking_nobody(), &holders, left - waiting.len()).await;
            waiting.extend(further);
        }
        for WaitingJob { job, payer } in waiting {
            let Some(slot) = self.places.take() else { return };
            tracing::info!(job.id = %job, "A job is run beside the slots, which others hold.");
            let running = self.running.spawn(Arc::clone(&self.worker).claim_and_run(job, slot));
            self.beside.insert(job, (payer, running.abort_handle()));
        }
    }

    fn asking_nobody(&self) -> Vec<Task> {
        self.tasks.iter().copied().filter(|task| asks_nobody(*task)).collect()
    }

    /// Returns how many jobs have had their slots for long, as far as was seen.
    fn long(&self) -> usize {
        self.in_slots.values().filter(|since| since.elapsed() >= LONG).count()
    }

    fn note_what_runs(&mut self) {
        self.beside.retain(|_, (_, task)| !task.is_finished());
        let now = Instant::now();
        let running = self.worker.running().into_iter().filter(|job| !self.beside.contains_key(job));
        let in_slots = running.map(|job| (job, self.in_slots.get(&job).copied().unwrap_or(now))).collect();
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

    /// Returns jobs of these tasks that have waited for so long, of other accounts than `but`: one for each account,
    /// `most` at most.
    async fn waiting(&self, waited: Duration, tasks: &[Task], but: &[AccountId], most: usize) -> Vec<WaitingJob> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let pool = &self.worker.process.pool;
        let look = async { jobs::waiting_for_slots(&mut *pool.acquire().await?, waited, tasks, but, most).await };
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

/// Completes when the next ticket of these queues has waited long enough to be lent a place.
fn soon_after(tickets: &QueueWakes) -> BoxFuture<'static, ()> {
    let next = tickets.next();
    async move {
        next.await;
        sleep(SOON).await;
    }
    .boxed()
}

/// Returns how long a job waits before it is lent a place beside these slots, of which so many have long jobs; none
/// where it waits for a slot.
fn patience(holders: &HashMap<AccountId, usize>, slots: usize, long: usize) -> Option<Duration> {
    if long >= slots {
        return Some(SOON);
    }
    let are_held = holders.values().sum::<usize>() >= slots;
    let by_one = holders.values().any(|held| held * 2 > slots);
    (are_held && by_one).then_some(BEHIND_ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lent_soon_beside_long_jobs_and_later_beside_one_account_with_most_slots() {
        let holders = |held: &[usize]| held.iter().map(|held| (AccountId::mint(), *held)).collect();
        for (held, slots, waited) in [
            (&[1][..], 1, Some(BEHIND_ONE)),
            (&[2], 2, Some(BEHIND_ONE)),
            (&[1, 1], 2, None),
            (&[1], 2, None),
            (&[3, 1], 4, Some(BEHIND_ONE)),
            (&[2, 2], 4, None),
            (&[5, 1, 1, 1], 8, Some(BEHIND_ONE)),
            (&[5], 8, None),
            (&[], 2, None),
        ] {
            let holders = holders(held);
            assert_eq!(patience(&holders, slots, 0), waited, "{held:?} of {slots}, all of them short");
            assert_eq!(patience(&holders, slots, slots - 1), waited, "{held:?} of {slots}, one of them short");
            let all = held.iter().sum::<usize>();
            let beside_long = if all == slots { Some(SOON) } else { waited };
            assert_eq!(patience(&holders, slots, all), beside_long, "{held:?} of {slots}, all of them long");
        }
    }
}
