//! The life of one claim: claimed with its ticket in one transaction, worked under a lease, ended in a batch.
//!
//! The handler never fails: whatever happens is an outcome in our tables, or, if this process dies, a lease that ends.
//! `working` has the work done by `read`, `render`, `generation` or `dub`; `translation` has a dub translated by a
//! provider, and `notes` knows which job has asked one. `leases` keeps the claims, and `ends` writes their ends, in
//! batches of `finish`; `held_connection` saves claims and ends the round trips to the pool, `lend` runs jobs beside
//! slots that others hold, `new_item` puts new media into the media store, `paid_time` says how much processor time is
//! paid for, and `numbers` counts all of it.

mod admissions;
mod attempted;
mod dub;
mod ends;
mod finish;
mod generation;
mod held_connection;
mod leases;
pub(crate) mod lend;
mod new_item;
mod notes;
mod numbers;
mod paid_time;
mod read;
mod render;
mod traced;
mod translation;
mod working;

use crate::asking;
use crate::deliver::Deliverer;
use crate::engines::Engines;
use crate::jobs::admissions::Admissions;
use crate::jobs::attempted::{Attempted, deferred};
use crate::jobs::ends::Ends;
use crate::jobs::finish::Finish;
use crate::jobs::held_connection::HeldConnection;
use crate::jobs::leases::Leases;
use crate::jobs::numbers::Running;
use crate::jobs::paid_time::PaidTime;
use crate::outside::WaitLimits;
use crate::renders;
use crate::unpaid::Unpaid;
use domain::credits::Credits;
use domain::ids::{AccountId, JobId};
use domain::minutes::Minutes;
use domain::task::Task;
use futures_util::FutureExt;
use runtime::descriptors;
use runtime::ending::Product;
use runtime::process::Process;
use runtime::queue::{Picker, Queue, Slot, Subject, Taken, Work};
use serde_json::Value;
use sqlx::{Acquire, PgPool};
use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use store::jobs::{self, ClaimAnswer, Claimed, End, Outcome};
use tokio::time::{Instant, timeout};
use tracing::Instrument;

/// The part of every job's deadline that does not depend on its media.
pub(super) const LEAST_TIME: Duration = Duration::from_mins(1);
/// The time of a job beside its model's own, to fetch and store what is paid for: the database may be away meanwhile,
/// and a download may be slow or tried again.
pub(super) const PAID: Duration = Duration::from_mins(10);

/// The parts that the handlers of one process share.
pub struct Worker {
    pub(crate) process: Process,
    pub(crate) engines: Engines,
    leases: Leases,
    /// The connections that claim.
    claims: HeldConnection,
    /// Where jobs wait for providers.
    asking: WaitLimits,
    /// Where large pictures wait to be drawn.
    drawing: WaitLimits,
    picker: Picker,
    ends: Ends,
    admissions: Admissions,
    unpaid: Unpaid,
}

/// How long a job may take to hear that it is handed back, before it is told again.
const HAND_BACK_TIMEOUT: Duration = Duration::from_secs(1);

/// The result of an attempt that succeeded.
pub(crate) struct Done {
    /// Its price in minutes.
    pub charge: Minutes,
    /// Its price in AI credits.
    pub credits: Credits,
    /// The result that `get_jobs` shows.
    pub result: Value,
    /// The products to keep.
    pub made: Vec<Product>,
}

impl Worker {
    /// Starts the renewals and the batches. Jobs of these queues are claimed over `claims`.
    pub fn start(
        process: Process,
        engines: Engines,
        deliverer: Deliverer,
        claims: PgPool,
        queues: Vec<Queue>,
        unpaid: Unpaid,
    ) -> Arc<Self> {
        let leases = Leases::start(&process, Duration::from_secs(process.settings.drain_seconds));
        let named = process.wakes.tickets_of(&queues);
        let picker = Picker::new(queues, named);
        let (ends, admissions) = (Ends::new(process.clone(), deliverer), Admissions::new(process.clone()));
        let needed = process.descriptors_needed + descriptors::of_a_worker(&process.settings);
        let most_asking = descriptors::waiting_jobs(descriptors::limit(), needed);
        let asking = asking::wait_limits(most_asking, &process.shutdown);
        let drawing = renders::drawing_limits(&process.shutdown);
        let claims = HeldConnection::new(claims);
        Arc::new(Self { process, engines, leases, claims, asking, drawing, picker, ends, admissions, unpaid })
    }

    /// Returns how many jobs run here now.
    pub fn busy(&self) -> usize {
        self.leases.count()
    }

    /// Returns the jobs that run here now.
    pub(crate) fn running(&self) -> HashSet<JobId> {
        self.leases.running()
    }

    /// Returns the jobs that are claimed here, also those that wait outside their slots, and who pays for them.
    pub(crate) fn claimed(&self) -> HashMap<JobId, AccountId> {
        self.leases.claimed()
    }

    /// Returns how many jobs run here for each account.
    pub(crate) fn holders(&self) -> HashMap<AccountId, usize> {
        self.leases.holders()
    }

    /// Transaction "claim": picks the next tickets of its queues, at most `slots`, claims the jobs that they name, and
    /// spends them. A kill before its commit leaves tickets, and after it leases that end.
    pub async fn take(self: Arc<Self>, slots: usize) -> sqlx::Result<Taken> {
        let claimed_at = Instant::now();
        let mut conn = self.claims.lend().await?;
        let mut claim = conn.begin().await?;
        let picked = self.picker.pick(&mut claim, slots).await?;
        if picked.tickets.is_empty() || self.process.shutdown.is_cancelled() {
            claim.rollback().await?;
            self.claims.keep(conn);
            return Ok(Taken { work: Vec::new(), next: picked.next });
        }
        let subjects = picked.subjects.iter().filter_map(|subject| match subject {
            Subject::Job(job) => Some(*job),
            _ => None,
        });
        let jobs: Vec<JobId> = subjects.collect();
        let ClaimAnswer { claimed, freed } =
            jobs::claim(&mut claim, &jobs, &self.process.name, &picked.tickets).await?;
        claim.commit().await?;
        self.claims.keep(conn);
        numbers::claimed(jobs.len(), &claimed);
        self.admissions.admit(freed);
        let run = |claimed| Arc::clone(&self).run(claimed, claimed_at);
        Ok(Taken { work: claimed.into_iter().map(run).collect(), next: picked.next })
    }

    /// Claims a job without its ticket, unless another worker has, and takes it to its end in this slot.
    pub async fn claim_and_run(self: Arc<Self>, job: JobId, slot: Slot) {
        if self.process.shutdown.is_cancelled() {
            return;
        }
        let claimed_at = Instant::now();
        match self.claim(job).await {
            Ok(Some(claimed)) => {
                self.run(claimed, claimed_at)(slot.clone()).await;
                // Whoever lends slots hears that this one is free.
                slot.leave();
                slot.tell();
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(job.id = %job, error = %error, "A job has to wait for its ticket."),
        }
    }

    /// Claims a job without its ticket and runs it for at most `most`: one that has not ended by then is handed back.
    /// Returns whether it ended in time.
    pub(crate) async fn try_for(self: Arc<Self>, job: JobId, most: Duration) -> bool {
        let running = Arc::clone(&self).claim_and_run(job, Slot::default());
        let mut running = pin!(running);
        if timeout(most, &mut running).await.is_ok() {
            return true;
        }
        tracing::info!(job.id = %job, "A job that was tried beside the slots is handed back: it takes long.");
        loop {
            // Its claim may have taken long itself, so that its lease is known only now.
            self.leases.hand_back(job);
            if timeout(HAND_BACK_TIMEOUT, &mut running).await.is_ok() {
                return false;
            }
        }
    }

    async fn claim(&self, job: JobId) -> sqlx::Result<Option<Claimed>> {
        let mut conn = self.claims.pool().acquire().await?;
        let ClaimAnswer { mut claimed, freed } = jobs::claim(&mut conn, &[job], &self.process.name, &[]).await?;
        self.admissions.admit(freed);
        Ok(claimed.pop())
    }

    /// Returns the work of a claimed job. Its lease is kept from now on; while the process ends, a job that has not
    /// begun is handed back at once.
    fn run(self: Arc<Self>, claimed: Claimed, claimed_at: Instant) -> Work {
        let lease = self.leases.keep(claimed.job, claimed.claim_no, claimed.payer, claimed_at);
        let running = Running::of(&claimed);
        let (job, payer, claim_no) = (claimed.job, claimed.payer, claimed.claim_no);
        let span = tracing::error_span!("job", job.id = %job, account.id = %payer, claim_no);
        let life = |slot: Slot| async move {
            let traced = self.traced(&claimed).await;
            let paid = PaidTime::of(&claimed, &self.process.settings);
            let processor = paid.bound();
            let attempted = if self.process.shutdown.is_cancelled() {
                Some(Outcome::HandedBack.into())
            } else if let Some(wait) = self.unpaid.deferral(claimed.payer).await {
                tracing::info!(job.id = %claimed.job, "A job is put off: its account has used up a day's unpaid processor time.");
                Some(deferred(wait))
            } else {
                self.attempt(&claimed, &lease, &slot, &processor).instrument(traced.clone()).await
            };
            let Some(attempted) = attempted else {
                tracing::warn!(job.id = %claimed.job, "A job's lease was lost while it ran; its result is dropped.");
                return;
            };
            traced::note(&traced, &attempted);
            let Attempted { outcome, made, error } = attempted;
            let covered = paid.covered(&outcome);
            running.ended(&outcome, error.as_ref());
            let item = claimed.item.as_ref().map(|item| item.id);
            let is_stopped = matches!(outcome, Outcome::Cancelled);
            let is_called_off = is_stopped && claimed.task == Some(Task::Generation);
            let end = End { job: claimed.job, claim_no: claimed.claim_no, item, outcome, error };
            let finishing = runtime::span!(parent: &traced, "finish");
            self.ends.write(Finish { end, made }, &lease, &slot).instrument(finishing).await;
            if is_called_off {
                self.call_off_cancelled().await;
            }
            // A drawing goes on for a moment when its job is stopped, and its slot is not free before that.
            processor.wait_for_own_work().await;
            let beyond = processor.taken().saturating_sub(covered);
            running.took(processor.taken(), beyond);
            if is_stopped {
                self.unpaid.count_stopped(claimed.job, claimed.payer, beyond).await;
            } else {
                self.unpaid.count(claimed.payer, beyond).await;
            }
        };
        Box::new(move |slot| life(slot).instrument(span).boxed())
    }
}
