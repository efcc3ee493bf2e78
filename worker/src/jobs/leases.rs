//! The claims of this process: one renewal for all of them every ten seconds, and the reason for which a job stops.
//!
//! A job is told to stop when its claim is lost, when its client cancelled it, or when this process drains. A lease
//! that could not be renewed is given up before it ends on the other side, so that the job's child is dead before
//! another worker starts the same read.

use crate::readers::Progress;
use domain::ids::{AccountId, JobId};
use domain::job::{LEASE, RENEWAL};
use runtime::process::Process;
use runtime::wake::Wake;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use store::jobs::{self, HeldClaim};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// How long before its lease ends a job that can't be renewed is stopped.
const MARGIN: Duration = Duration::from_secs(5);
/// The time limit of a renewal. With the pause before it, it is within the margin, so that a lease is given up in time
/// even when the database never answers.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Why a job was told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The claim is another's, or may be: write nothing.
    Lost,
    /// Its client asked for it.
    Cancelled,
    /// The job is handed back to the queue: this process ends, or the job was only tried for a moment.
    HandBack,
}

/// A claim that is being renewed. Dropping it ends the renewal.
pub struct Lease {
    job: JobId,
    claim_no: i32,
    /// Cancelled when the job is to stop.
    pub stopped: CancellationToken,
    /// The job's progress, as it reports it.
    pub progress: Progress,
    /// Whether the job has left its slot, to wait outside of it.
    pub is_away: Arc<AtomicBool>,
    reason: Arc<OnceLock<Stop>>,
    held: Arc<Held>,
}

impl Lease {
    /// Returns why the job was told to stop, if it was.
    pub fn stop(&self) -> Option<Stop> {
        self.reason.get().copied()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        if held.get(&self.job).is_some_and(|kept| kept.claim_no == self.claim_no) {
            held.remove(&self.job);
        }
    }
}

struct Kept {
    claim_no: i32,
    payer: AccountId,
    renewed_at: Instant,
    stopped: CancellationToken,
    progress: Progress,
    is_away: Arc<AtomicBool>,
    reason: Arc<OnceLock<Stop>>,
}

impl Kept {
    fn stop(&self, why: Stop) {
        // The first reason counts.
        let _ = self.reason.set(why);
        self.stopped.cancel();
    }

    fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
struct Held {
    claims: Mutex<HashMap<JobId, Kept>>,
    /// Set when the drain is over: later claims stop at once.
    drained: AtomicBool,
}

impl Held {
    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, Kept>> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every claim of this process.
#[derive(Clone)]
pub struct Leases(Arc<Held>);

impl Leases {
    /// Starts renewing. When the process is told to end, what still runs after `drain` is told to stop.
    pub fn start(process: &Process, drain: Duration) -> Self {
        let held = Arc::new(Held::default());
        tokio::spawn(renew(process.clone(), Arc::clone(&held)));
        tokio::spawn(listen(process.clone(), Arc::clone(&held)));
        let (shutdown, draining) = (process.shutdown.clone(), Arc::clone(&held));
        tokio::spawn(async move {
            shutdown.cancelled().await;
            sleep(drain).await;
            draining.drained.store(true, Ordering::SeqCst);
            draining.lock().values().for_each(|claim| claim.stop(Stop::HandBack));
        });
        Self(held)
    }

    /// Keeps this claim, made at `claimed_at`, until the lease is dropped.
    pub fn keep(&self, job: JobId, claim_no: i32, payer: AccountId, claimed_at: Instant) -> Lease {
        let claim = Kept {
            claim_no,
            payer,
            renewed_at: claimed_at,
            stopped: CancellationToken::new(),
            progress: Progress::new(),
            is_away: Arc::default(),
            reason: Arc::default(),
        };
        let is_away = Arc::clone(&claim.is_away);
        let (stopped, progress, reason) = (claim.stopped.clone(), claim.progress.clone(), Arc::clone(&claim.reason));
        if self.0.drained.load(Ordering::SeqCst) {
            claim.stop(Stop::HandBack);
        }
        // After a suspended machine wakes, a job may be claimed here again while its older claim still runs.
        if let Some(older) = self.0.lock().insert(job, claim) {
            older.stop(Stop::Lost);
        }
        Lease { job, claim_no, stopped, progress, is_away, reason, held: Arc::clone(&self.0) }
    }

    /// Tells a job to stop, so that this process hands it back.
    pub fn hand_back(&self, job: JobId) {
        if let Some(claim) = self.0.lock().get(&job) {
            claim.stop(Stop::HandBack);
        }
    }

    /// Returns how many jobs run here for each account that pays for some, without those that have left their slots.
    pub fn holders(&self) -> HashMap<AccountId, usize> {
        let mut holders = HashMap::new();
        for claim in self.0.lock().values().filter(|claim| !claim.is_away()) {
            *holders.entry(claim.payer).or_default() += 1;
        }
        holders
    }

    /// Returns the jobs that are claimed here and the accounts that pay for them, also of those that have left their
    /// slots.
    pub fn claimed(&self) -> HashMap<JobId, AccountId> {
        self.0.lock().iter().map(|(job, claim)| (*job, claim.payer)).collect()
    }

    /// Returns the jobs that this process runs, without those that have left their slots.
    pub fn running(&self) -> HashSet<JobId> {
        self.0.lock().iter().filter(|(_, claim)| !claim.is_away()).map(|(job, _)| *job).collect()
    }

    /// Returns the number of these jobs.
    pub fn count(&self) -> usize {
        self.0.lock().values().filter(|claim| !claim.is_away()).count()
    }
}

async fn renew(process: Process, held: Arc<Held>) {
    let mut ticks = interval(RENEWAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            // Between renewals that fail, nothing else gives an expiring lease up.
            () = sleep(Duration::from_secs(1)), if expiring(&held) => {}
        }
        let claims = claims(&held);
        if claims.is_empty() {
            continue;
        }
        let asked_at = Instant::now();
        let renewal = timeout(TIMEOUT, renew_claims(&process, &claims)).await;
        match renewal.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
            Ok(kept) => settle(&held, &claims, &kept, asked_at),
            Err(error) => tracing::warn!(error = %error, "Leases were not renewed; trying again."),
        }
        give_up_expiring(&held);
    }
}

/// What is held now, and how far each has come.
fn claims(held: &Held) -> Vec<HeldClaim> {
    let held = held.lock();
    let claims = held.iter().map(|(job, claim)| HeldClaim {
        job: *job,
        claim_no: claim.claim_no,
        progress: i16::from(claim.progress.percent()),
    });
    claims.collect()
}

async fn renew_claims(process: &Process, claims: &[HeldClaim]) -> sqlx::Result<Vec<jobs::Renewed>> {
    let mut conn = process.pool.acquire().await?;
    jobs::renew(&mut conn, claims).await
}

/// Notes the renewed leases, and stops jobs that were cancelled or whose claims are lost.
fn settle(held: &Held, asked: &[HeldClaim], kept: &[jobs::Renewed], asked_at: Instant) {
    let mut held = held.lock();
    for HeldClaim { job, claim_no, .. } in asked {
        let Some(claim) = held.get_mut(job).filter(|claim| claim.claim_no == *claim_no) else { continue };
        match kept.iter().find(|renewed| renewed.job == *job) {
            Some(renewed) => {
                claim.renewed_at = asked_at;
                if renewed.cancel_requested {
                    claim.stop(Stop::Cancelled);
                }
            }
            None => claim.stop(Stop::Lost),
        }
    }
}

fn is_expiring(claim: &Kept) -> bool {
    claim.renewed_at.elapsed() + MARGIN >= LEASE
}

/// Whether some lease has missed a renewal.
fn expiring(held: &Held) -> bool {
    held.lock().values().any(|claim| claim.renewed_at.elapsed() > RENEWAL + Duration::from_secs(1))
}

fn give_up_expiring(held: &Held) {
    for (job, claim) in held.lock().iter().filter(|(_, claim)| is_expiring(claim)) {
        tracing::warn!(job.id = %job, "A lease could not be renewed in time; its job is stopped here.");
        claim.stop(Stop::Lost);
    }
}

/// Stops a job the moment its client cancels it, rather than at the next renewal.
async fn listen(process: Process, held: Arc<Held>) {
    let mut wakes = process.wakes.subscribe();
    loop {
        match wakes.recv().await {
            Ok(Wake::StopAsked(job)) => {
                if let Some(claim) = held.lock().get(&job) {
                    claim.stop(Stop::Cancelled);
                }
            }
            Ok(_) | Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
            Err(tokio::sync::broadcast::error::RecvError::Closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_whose_job_has_left_its_slot_holds_none_and_has_a_job_here() {
        let (leases, job, payer) = (Leases(Arc::default()), JobId::mint(), AccountId::mint());
        let lease = leases.keep(job, 1, payer, Instant::now());
        assert_eq!(leases.holders(), HashMap::from([(payer, 1)]));
        lease.is_away.store(true, Ordering::Relaxed);
        assert!(leases.holders().is_empty() && leases.running().is_empty());
        assert_eq!(leases.claimed(), HashMap::from([(job, payer)]));
        drop(lease);
        assert!(leases.claimed().is_empty());
    }
}
