//! The dispatch use case: a call's jobs, holds, journal entries, tickets and stored answer are written in one
//! transaction, or none of them (decisions.md, "Truth and tickets").
//!
//! An attempt goes through these steps once: `look` reads the state outside any lock and names candidates for jobs;
//! then, in lock order, one transaction reserves the idempotency key, takes the rows of the candidates, locks the
//! account, decides by its balance, writes, and stores the answer. If another call took the key or a row meanwhile, the
//! next attempt begins with a new look. `reads` and `making` have the steps that differ, `domain::plan` the rules,
//! `store` the SQL; only this file has the order of steps and locks. The number of statements does not depend on the
//! number of reads.

mod dub;
mod error;
mod generation;
mod making;
mod ownership;
mod reads;
mod render;

use crate::http::rate::{self, kept_byte_us};
use domain::ids::{AccountId, BulkOperationId, JobId};
use domain::minutes::Minutes;
use domain::plan::{self, Answer, Candidate, Start};
pub use dub::{DubRequest, is_full_of_dubs};
pub use error::DispatchError;
use futures_util::future::BoxFuture;
pub use generation::GenerationRequest;
pub use making::{Held, Make, Making, Order, Standing, Unmade};
use ownership::{Decided, Ownership, budget};
pub use reads::{DispatchRequest, Prepared, PreparedItem};
pub use render::RenderRequest;
use runtime::config::Settings;
use runtime::ending::job_ticket;
use runtime::own_connections::OwnConnection;
use runtime::process::Process;
use runtime::queue::Ticket;
use serde_json::{Value, json};
use sqlx::PgConnection;
use store::audit;
use store::idempotency::{self, Key, KeyLife, Stored};
use store::jobs::{self, Call, Owners};
use store::minutes::{self, Balance};
use store::paces::{PaceWait, Paced};
use store::terms::{self, Terms};
use store::usage;
use tracing::field::Empty;
use tracing::{Instrument, Span};

/// How often a call is attempted while other calls keep taking its key or rows.
const MAX_ATTEMPTS: usize = 5;

/// What a call asks for: reads of items, or one render, generation or dub.
pub trait Work: Sync {
    /// The state before any lock.
    type Looked: Send + Sync;
    /// The result of the call.
    type Answered: Send;

    /// The account that pays, the one that owns the workspace, and the workspace.
    fn owners(&self) -> Owners;

    /// The call that its jobs belong to.
    fn call(&self) -> &Call;

    /// The idempotency key, if one was sent.
    fn key(&self) -> Option<&Key>;

    /// Reads the state, names candidates for jobs, and then asks the terms of the call.
    fn look(
        &self,
        conn: &mut PgConnection,
        settings: &Settings,
    ) -> impl Future<Output = sqlx::Result<(Self::Looked, Terms)>> + Send;

    /// The candidates for jobs, in the order asked: one for each read, or one render. Empty when none is needed.
    fn candidates(looked: &Self::Looked) -> &[Candidate];

    /// Claims the rows of the candidates. Returns none where another call has claimed one since the look; but except at
    /// the first attempt, reads that others have claimed are joined.
    fn claim_ownership(
        &self,
        conn: &mut PgConnection,
        candidates: &[Candidate],
        is_first: bool,
    ) -> impl Future<Output = Result<Option<Ownership>, DispatchError>> + Send;

    /// Locks the account that pays, once the rows are claimed. Returns what the call owns; none where another call or
    /// job has taken some of it since.
    fn lock_payer(
        &self,
        conn: &mut PgConnection,
        candidates: &[Candidate],
        owned: Ownership,
    ) -> impl Future<Output = Result<Option<Ownership>, DispatchError>> + Send;

    /// The result of the call, with one answer for each candidate.
    fn answer(&self, looked: &Self::Looked, answers: &[Answer], balance: Balance) -> Self::Answered;
}

/// The outcome of a dispatch.
#[derive(Debug)]
pub enum Dispatched<Answered = Prepared> {
    /// The result of the call, with the balance after it.
    Answered(Answered),
    /// The bytes answered to the first call with this key.
    Replayed(String),
    /// The key was used for another request.
    KeyReused,
    /// The account is too far ahead in jobs that were stopped or failed, unpaid processor time or kept answers: it must
    /// wait.
    TooSoon(PaceWait),
}

/// What is written in the dispatch's transaction beside the jobs, once it is decided which start.
enum CommitHook<'a, Answered> {
    /// The bytes to answer with, which are stored under the idempotency key, if there is one.
    Answer(&'a (dyn Fn(&Answered) -> String + Sync)),
    /// A row of the operators' audit log.
    Note(&'a (dyn Fn(&Answered) -> audit::Entry + Sync)),
    /// The step of a bulk operation that the job is.
    Step(&'a BulkStep),
}

/// A step of an operators' bulk operation: one job that is run again.
#[derive(Debug, Clone, Copy)]
pub struct BulkStep {
    /// The operation.
    pub operation: BulkOperationId,
    /// The job that it has behind it before the step; none before its first one.
    pub from: Option<JobId>,
    /// The job that is run again, which it has behind it then.
    pub to: JobId,
}

/// Runs the use case. `compose` makes the bytes to answer with, which are stored under the idempotency key.
pub fn dispatch<'a, W: Work>(
    process: &'a Process,
    work: &'a W,
    compose: &'a (dyn Fn(&W::Answered) -> String + Sync),
) -> BoxFuture<'a, Result<Dispatched<W::Answered>, DispatchError>> {
    Box::pin(run(process, work, CommitHook::Answer(compose)))
}

/// Runs the use case for an operator. If anything starts, `note` makes the row of the audit log.
pub fn dispatch_noted<'a, W: Work>(
    process: &'a Process,
    work: &'a W,
    note: &'a (dyn Fn(&W::Answered) -> audit::Entry + Sync),
) -> BoxFuture<'a, Result<Dispatched<W::Answered>, DispatchError>> {
    Box::pin(run(process, work, CommitHook::Note(note)))
}

/// Runs the use case for a step of a bulk operation. If anything starts, the operation counts it in the same
/// transaction; where it does not run any more or is at another place, nothing starts: [`DispatchError::Contended`].
pub fn dispatch_step<'a, W: Work>(
    process: &'a Process,
    work: &'a W,
    step: &'a BulkStep,
) -> BoxFuture<'a, Result<Dispatched<W::Answered>, DispatchError>> {
    Box::pin(run(process, work, CommitHook::Step(step)))
}

/// Returns what a call would start and hold, without starting it (`dry_run`).
///
/// It looks and decides like a call, by the balance of this moment, but takes, locks and writes nothing: a later call
/// may be decided otherwise. What is stored under an idempotency key is not answered, since nothing is repeated.
pub async fn estimate<W: Work>(process: &Process, work: &W) -> Result<W::Answered, DispatchError> {
    let settings = &process.settings;
    let mut conn = process.conn().await?;
    let (looked, _) = work.look(&mut conn, settings).await?;
    let balance = balance(&mut conn, work.owners(), settings.monthly_minutes).await?;
    let decided = plan::decide(W::candidates(&looked).to_vec(), &mut budget(&balance), &settings.rates);
    let answers: Vec<Answer> = decided
        .into_iter()
        .map(|decided| match decided {
            Ok(start) => Answer::Startable { estimate: start.held() },
            Err(reason) => Answer::Not(reason),
        })
        .collect();
    Ok(work.answer(&looked, &answers, balance))
}

async fn run<W: Work>(
    process: &Process,
    work: &W,
    hook: CommitHook<'_, W::Answered>,
) -> Result<Dispatched<W::Answered>, DispatchError> {
    let settings = &process.settings;
    for attempt in 0..MAX_ATTEMPTS {
        let mut conn = process.conn().await?;
        let (looked, terms) = work.look(&mut conn, settings).await?;
        if let Some((key, stored)) = work.key().zip(terms.stored) {
            return Ok(answered_already(key, stored));
        }
        if W::candidates(&looked).is_empty() {
            let balance = balance(&mut conn, work.owners(), settings.monthly_minutes).await?;
            return Ok(Dispatched::Answered(work.answer(&looked, &[], balance)));
        }
        // An operator's retry does not count against the account.
        if let (CommitHook::Answer(_), Some(longest)) = (&hook, terms.wait) {
            return Ok(Dispatched::TooSoon(longest));
        }
        let mut conn = process.in_turn(conn, work.owners().payer).await?;
        let holding = runtime::span!("hold", mws.jobs.started = Empty, mws.minutes.held = Empty);
        let committing = commit(process, &mut conn, work, &looked, &hook, attempt == 0);
        if let Some(answered) = committing.instrument(holding).await? {
            return Ok(Dispatched::Answered(answered));
        }
    }
    Err(DispatchError::Contended)
}

/// The dispatch's transaction. None where another call took the key or a row since the look.
async fn commit<W: Work>(
    process: &Process,
    conn: &mut OwnConnection,
    work: &W,
    looked: &W::Looked,
    hook: &CommitHook<'_, W::Answered>,
    is_first: bool,
) -> Result<Option<W::Answered>, DispatchError> {
    let settings = &process.settings;
    let mut tx = conn.begin_in_turn().await?;
    if let Some(key) = work.key()
        && !idempotency::reserve(&mut tx, key, work.call().id, KeyLife::OfItsJobs).await?
    {
        return Ok(None);
    }
    let candidates = W::candidates(looked);
    let Some(claimed) = work.claim_ownership(&mut tx, candidates, is_first).await? else { return Ok(None) };
    let Some(owned) = work.lock_payer(&mut tx, candidates, claimed).await? else { return Ok(None) };
    // A statement of its own: what it counts must be seen once the lock is held, which lasts until the end.
    let folded = minutes::fold(&mut tx, work.owners().payer, settings.monthly_minutes).await?;
    let mut balance = folded.ok_or(DispatchError::NoAccount)?;
    let Decided { answers, starts, given_back } = owned.decide(&balance, &settings.rates);
    if starts.is_empty() {
        // The rollback frees the rows that were taken; an answer that starts nothing is not stored.
        tx.rollback().await?;
        return Ok(Some(work.answer(looked, &answers, balance)));
    }
    given_back.write(&mut tx).await?;
    let tickets = write(&mut tx, work.owners(), work.call(), &balance, &starts).await?;
    charge(&mut balance, &starts);
    Span::current().record("mws.jobs.started", i64::try_from(starts.len()).unwrap_or(i64::MAX));
    Span::current().record("mws.minutes.held", starts.iter().map(Start::held).sum::<Minutes>().as_f64());
    let answered = work.answer(looked, &answers, balance);
    match (hook, work.key()) {
        (CommitHook::Answer(compose), Some(key)) => {
            idempotency::answer(&mut tx, key, &compose(&answered), kept_byte_us(settings)).await?;
        }
        (CommitHook::Answer(_), None) => {}
        (CommitHook::Note(note), _) => audit::record(&mut tx, &note(&answered)).await.map(|_| ())?,
        (CommitHook::Step(step), _) => {
            if !jobs::advance_reruns(&mut tx, step.operation, step.from, step.to, true, None).await? {
                return Ok(None);
            }
        }
    }
    note_rerun(&mut tx, work.call(), &starts).await?;
    tx.commit().await?;
    process.wakes.tickets(&tickets);
    Ok(Some(answered))
}

/// Writes the row of the operators' audit log of a call that an operator has made for its account.
async fn note_rerun(conn: &mut PgConnection, call: &Call, starts: &[Start]) -> sqlx::Result<()> {
    let Some(entry) = call.rerun.as_ref().and_then(|rerun| rerun.entry.as_ref()) else { return Ok(()) };
    let mut entry = entry.clone();
    let jobs: Vec<JobId> = starts.iter().map(|start| start.candidate.job).collect();
    if let Some(Value::Object(after)) = &mut entry.after {
        after.insert("job_ids".to_owned(), json!(jobs));
    }
    audit::record(conn, &entry).await?;
    Ok(())
}

/// Returns the terms of a call. They are asked after what the call is about: if that shows what the first call with the
/// key did, that call has committed, and its answer is found.
async fn terms_of<W: Work>(conn: &mut PgConnection, work: &W, settings: &Settings) -> sqlx::Result<Terms> {
    let mut paced = vec![Paced::StoppedJobs, Paced::UnpaidJobsADay, Paced::UnpaidProcessorTime];
    paced.extend(work.key().map(|_| Paced::KeptAnswers));
    terms::terms(conn, work.owners().payer, &rate::most(settings, &paced), work.key()).await
}

/// Returns what is stored under a key: the first answer's bytes, or that the key is of another request. It is never
/// `Answered`.
pub async fn answered_before(process: &Process, key: &Key) -> sqlx::Result<Option<Dispatched<()>>> {
    let stored = idempotency::find(&mut *process.conn().await?, key).await?;
    Ok(stored.map(|stored| answered_already(key, stored)))
}

/// Returns what the key's stored answer is for this call: its own answer, or that the key is of another request.
fn answered_already<A>(key: &Key, Stored { fingerprint, answer, .. }: Stored) -> Dispatched<A> {
    if key.is_of(&fingerprint) { Dispatched::Replayed(answer) } else { Dispatched::KeyReused }
}

async fn balance(conn: &mut PgConnection, owners: Owners, monthly: Minutes) -> Result<Balance, DispatchError> {
    minutes::balance(conn, owners.payer, monthly).await?.ok_or(DispatchError::NoAccount)
}

/// Whether the account has no room for `bytes` more bytes or for one more item, so that nothing new is made for it.
async fn storage_is_full(
    conn: &mut PgConnection,
    account: AccountId,
    settings: &Settings,
    bytes: u64,
) -> sqlx::Result<bool> {
    let kept = usage::of(conn, account).await?;
    Ok(u64::try_from(kept.media_bytes).unwrap_or(0).saturating_add(bytes) > settings.storage_quota_bytes
        || kept.items.unsigned_abs() >= settings.max_items)
}

/// Writes the hold, the jobs and their tickets.
async fn write(
    conn: &mut PgConnection,
    owners: Owners,
    call: &Call,
    balance: &Balance,
    starts: &[Start],
) -> Result<Vec<Ticket>, DispatchError> {
    let tickets: Vec<Option<Ticket>> = (balance.admitted..)
        .zip(starts)
        .map(|(others, start)| start.admitted.then(|| job_ticket(start.candidate.job, start.candidate.task, others)))
        .collect();
    if !jobs::insert(conn, call, owners, balance.month, starts, &tickets).await? {
        return Err(DispatchError::Unaccounted);
    }
    Ok(tickets.into_iter().flatten().collect())
}

/// Subtracts this call's holds from the balance that was read before them.
fn charge(balance: &mut Balance, starts: &[Start]) {
    for start in starts {
        balance.held += start.held_month;
        balance.held_in_all += start.held();
        balance.bought -= start.held_bought;
        balance.credits.held += start.held_credits;
    }
}
