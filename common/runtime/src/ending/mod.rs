//! Ends jobs, in the same way for every cause: a worker's result, a cancellation, a deleted item, a rescued lease.
//!
//! In the caller's transaction, and in a fixed number of statements for a whole batch, it settles or releases holds,
//! stores results, releases owned reads, records events and their deliveries, hands freed places over, and pushes
//! tickets. It returns what must happen after the commit as an `AfterCommit`. It never begins or commits, and never
//! decides an attempt's outcome: the conditional updates of `store::jobs` have done that.

mod events;
mod fronts;
mod products;

pub use fronts::Fronts;
pub use products::{Product, prepare};

use self::events::record_events;
use self::products::keep;
use crate::queue::{self, Queue, Subject, Ticket};
use crate::wake::{Wake, Wakes};
use domain::credits::Credits;
use domain::ids::{AccountId, JobId};
use domain::job::{Fault, JobKind, JobStatus, dated_back};
use domain::minutes::Minutes;
use domain::task::Task;
use sqlx::{PgConnection, PgPool};
use std::collections::BTreeMap;
use store::credentials::Pace;
use store::deliveries::Claim;
use store::events::{OwnAttempts, Recorded, Spread};
use store::jobs::{self, Admitted, EndedJob, Freed, Line};
use store::minutes::{Settlement, Split};
use store::paces::{ASKED_IN_VAIN, Unpaid};
use store::{accounts, paces, renders};
use tokio::time::Instant;

/// What to do once the transaction that ended jobs is committed.
#[derive(Debug, Default)]
#[must_use = "call `run` after the commit, or waiting jobs stay without a place until the scheduler finds them"]
pub struct AfterCommit {
    wakes: Vec<Wake>,
    /// The tickets that were pushed, whose queues are to be woken.
    tickets: Vec<Ticket>,
    /// The deliveries that this process has claimed, to send them now.
    claimed: Vec<Claim>,
    /// Accounts with a free place that no waiting job was found for.
    places_left: Vec<AccountId>,
    /// The jobs that count against their payers, since nobody pays for them.
    unpaid: Vec<Unpaid>,
}

/// Ends a batch of jobs: `ended` is what the conditional update returned, `made` their results. Results of jobs that
/// did not succeed after all, because their item is deleted, are dropped.
pub async fn end_jobs(
    conn: &mut PgConnection,
    ended: &[EndedJob],
    made: &[Product],
    told: &[JobKind],
) -> Result<AfterCommit, sqlx::Error> {
    settle_all(conn, ended, made, told, None, None).await
}

/// Like [`end_jobs`], for a worker's frequent batches, in which `fronts` limits how often accounts' lines are read from
/// their front, and whose first attempts are this process's where `own` takes them.
pub async fn end_batch(
    conn: &mut PgConnection,
    ended: &[EndedJob],
    made: &[Product],
    told: &[JobKind],
    fronts: &Fronts,
    own: OwnAttempts<'_>,
) -> Result<AfterCommit, sqlx::Error> {
    settle_all(conn, ended, made, told, None, Some((fronts, own))).await
}

/// Like [`end_jobs`], for jobs that `account` has stopped. They cost it nothing, so the deliveries go out at `pace`.
pub async fn end_stopped_jobs(
    conn: &mut PgConnection,
    stopped: &[EndedJob],
    account: AccountId,
    pace: Pace,
    told: &[JobKind],
) -> Result<AfterCommit, sqlx::Error> {
    let to_come = stopped.iter().filter(|job| !job.status.is_final()).count();
    settle_all(conn, stopped, &[], told, Some(Spread { account, pace, to_come }), None).await
}

async fn settle_all(
    conn: &mut PgConnection,
    ended: &[EndedJob],
    made: &[Product],
    told: &[JobKind],
    spread: Option<Spread>,
    batch: Option<(&Fronts, OwnAttempts<'_>)>,
) -> Result<AfterCommit, sqlx::Error> {
    let (fronts, own) = batch.unzip();
    let finals: Vec<&EndedJob> = ended.iter().filter(|job| job.status.is_final()).collect();
    keep(conn, &finals, made).await?;
    let renders: Vec<JobId> = finals.iter().filter(|job| job.read.is_none()).map(|job| job.job).collect();
    if !renders.is_empty() {
        renders::release_ownership(conn, &renders).await?;
    }
    let settlements: Vec<Settlement> = finals.iter().map(|job| settlement(job)).collect();
    let began = Instant::now();
    let freed = freed(ended, |account| fronts.is_none_or(|fronts| fronts.may_read(account, began)));
    let admitted = jobs::leave(conn, &settlements, &freed).await?;
    if let Some(fronts) = fronts.filter(|_| freed.iter().any(|freed| freed.line == Line::Front)) {
        fronts.took(settlements.len(), began, Instant::now());
    }
    let Recorded { mut tickets, claimed } = record_events(conn, &finals, told, spread, own).await?;
    tickets.extend(tickets_of(&admitted));
    queue::push(conn, &tickets).await?;

    let mut wakes: Vec<Wake> =
        finals.iter().flat_map(|job| [Wake::JobEnded(job.job), Wake::Events(job.owner)]).collect();
    if finals.len() < ended.len() {
        // Jobs that were put back become due some time.
        wakes.push(Wake::Duties);
    }
    wakes.extend(ended.iter().filter(|job| job.status == JobStatus::Running).map(|job| Wake::StopAsked(job.job)));
    let taken = |payer| admitted.iter().filter(|job| job.payer == payer).count();
    let places_left = freed
        .iter()
        .filter(|freed| i64::try_from(taken(freed.account)).unwrap_or(i64::MAX) < freed.places)
        .map(|freed| freed.account)
        .collect();
    let unpaid = finals.iter().filter_map(|job| unpaid(job)).collect();
    Ok(AfterCommit { wakes, tickets, claimed, places_left, unpaid })
}

/// Returns what a job counts as that nobody pays for; none where it can't count. One that failed by what its account
/// brought about leaves rows, and one for which a provider was asked may be billed to whoever runs the service. One
/// that was stopped counts for its rows when its account stops it (`store::events`).
fn unpaid(job: &EndedJob) -> Option<Unpaid> {
    let kind = job.shown.kind;
    let (weight, is_billed) = match (job.status, &job.shown.error) {
        (JobStatus::Failed, Some(error)) if Fault::counts(&error.code) => (1, Fault::may_be_billed(kind, &error.code)),
        (JobStatus::Cancelled, _) if job.shown.started_at.is_some() => (0, true),
        _ => return None,
    };
    let asks = matches!(kind, JobKind::Generation | JobKind::Dub);
    let weight_if_asked = if asks && is_billed { ASKED_IN_VAIN } else { weight };
    (weight_if_asked > 0).then_some(Unpaid { job: job.job, payer: job.payer, weight, weight_if_asked })
}

/// Returns the places that these jobs gave up, per account, with where each line is to be read from.
fn freed(ended: &[EndedJob], may_read_front: impl Fn(AccountId) -> bool) -> Vec<Freed> {
    let mut freed: BTreeMap<AccountId, (i64, i64)> = BTreeMap::new();
    for job in ended.iter().filter(|job| job.freed_place) {
        let (places, first) = freed.entry(job.payer).or_insert((0, job.seq));
        *places += 1;
        *first = (*first).min(job.seq);
    }
    let freed = freed.into_iter().map(|(account, (places, first))| {
        let line = if may_read_front(account) { Line::Front } else { Line::From(first) };
        Freed { account, places, line }
    });
    freed.collect()
}

impl AfterCommit {
    /// Returns the deliveries that this process has claimed. It is to send them: nobody else does before their leases
    /// end.
    pub fn take_claimed(&mut self) -> Vec<Claim> {
        std::mem::take(&mut self.claimed)
    }

    /// Offers the first attempts of deliveries to `take`, in this process, before the queue is told of them. Those that
    /// `take` refuses stay with the queue.
    pub fn offer_first_attempts(&mut self, mut take: impl FnMut(Subject) -> bool) {
        self.tickets.retain(|ticket| ticket.queue != Queue::WebhookFirst || !take(ticket.subject));
    }

    /// Sends the wake-ups, counts unpaid jobs against their payers, and tries again, under each account's lock, to
    /// find jobs for free places: a dispatch that counted places before this commit may have left one waiting.
    pub async fn run(self, pool: &PgPool, wakes: &Wakes) {
        wakes.tickets(&self.tickets);
        wakes.send(self.wakes);
        // Not in the transaction of the ends, which would wait for others that count against one of the accounts.
        if let Err(error) = count_unpaid(pool, &self.unpaid).await {
            tracing::warn!(error = %error, jobs = self.unpaid.len(), "Unpaid jobs could not be counted.");
        }
        for account in self.places_left {
            if let Err(error) = admit(pool, wakes, account).await {
                tracing::warn!(account.id = %account, error = %error, "Waiting jobs were not admitted; the scheduler will.");
            }
        }
    }

    /// Joins the work after the commit of two batches in one transaction.
    pub fn join(mut self, other: Self) -> Self {
        self.wakes.extend(other.wakes);
        self.tickets.extend(other.tickets);
        self.claimed.extend(other.claimed);
        self.places_left.extend(other.places_left);
        self.unpaid.extend(other.unpaid);
        self
    }
}

/// Counts these jobs against their payers. Where there are none, which is usual, it asks for no connection.
async fn count_unpaid(pool: &PgPool, unpaid: &[Unpaid]) -> sqlx::Result<()> {
    if unpaid.is_empty() {
        return Ok(());
    }
    paces::count_unpaid(&mut *pool.acquire().await?, unpaid).await
}

/// Use case: gives an account's free places to its waiting jobs. Returns how many jobs got one. Where none does, as
/// after most ends, the lock is taken back instead of committed, which would wait for the disk.
pub async fn admit(pool: &PgPool, wakes: &Wakes, account: AccountId) -> sqlx::Result<usize> {
    let mut tx = pool.begin().await?;
    accounts::lock(&mut tx, account).await?;
    let admitted = jobs::admit(&mut tx, account).await?;
    if admitted.is_empty() {
        tx.rollback().await?;
        return Ok(0);
    }
    let tickets = tickets_of(&admitted);
    queue::push(&mut tx, &tickets).await?;
    tx.commit().await?;
    wakes.tickets(&tickets);
    Ok(admitted.len())
}

/// Returns the tickets of these jobs, whose rows have the tickets' ids. The caller pushes them.
pub fn tickets_of(admitted: &[Admitted]) -> Vec<Ticket> {
    let ticket =
        |job: &Admitted| Some(Ticket { id: job.ticket.clone(), ..job_ticket(job.job, job.task()?, job.others) });
    admitted.iter().filter_map(ticket).collect()
}

/// Returns a ticket for a job whose account has `others` more jobs with a place.
pub fn job_ticket(job: JobId, task: Task, others: i64) -> Ticket {
    Ticket::new(Queue::from(task), Subject::Job(job)).dated_back(dated_back(others))
}

fn settlement(job: &EndedJob) -> Settlement {
    let charge = job.charged.unwrap_or(Minutes::ZERO);
    Settlement {
        job: job.job,
        account: job.payer,
        month: job.hold_month,
        held: job.held,
        charged: Split::of(charge, job.held),
        held_credits: job.held_credits,
        charged_credits: job.charged_credits.unwrap_or(Credits::ZERO).min(job.held_credits),
        settles: job.status == JobStatus::Succeeded,
    }
}
