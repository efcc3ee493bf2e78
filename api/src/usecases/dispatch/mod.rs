//! The dispatch use case: what a call asks for becomes jobs, holds, journal entries, tickets and a stored answer in one
//! transaction, or nothing does (decisions.md, "Truth and tickets").
//!
//! An attempt goes forward once: `look` reads what is known outside any lock and names candidates for jobs; then, in
//! lock order, one transaction reserves the idempotency key, takes what the candidates are about, locks the account,
//! decides with what it has left, writes, and stores the answer. Where something has changed hands meanwhile, the next
//! attempt begins with a new look. What is done differently is in `reads` and `making`; rules are `domain::plan`'s,
//! SQL is `store`'s; the order of steps and locks is this file's alone. The number of statements does not depend on
//! the number of reads.

mod dub;
mod error;
mod generation;
mod making;
mod ownership;
mod reads;
mod render;

use crate::http::rate::{self, kept_byte_us};
use domain::ids::AccountId;
use domain::minutes::Minutes;
use domain::plan::{self, Answer, Candidate, Start};
pub use dub::DubRequest;
pub use error::DispatchError;
use futures_util::future::BoxFuture;
pub use generation::GenerationRequest;
pub use making::{Held, Make, Making, Order, Standing, Unmade};
use ownership::{Decided, Ownership, budget};
pub use reads::{DispatchRequest, Prepared, PreparedItem};
pub use render::RenderRequest;
use runtime::config::Settings;
use runtime::ending::job_ticket;
use runtime::process::Process;
use runtime::queue::{self, Ticket};
use sqlx::PgConnection;
use store::accounts;
use store::audit;
use store::idempotency::{self, Key, Stored};
use store::jobs::{self, Call, Owners};
use store::minutes::{self, Balance, Hold, Split, Unfolded};
use store::paces::{self, Wait, What};
use store::usage;
use tracing::field::Empty;
use tracing::{Instrument, Span};

/// How often a call looks, where the key or what it asks for changes hands each time.
const MAX_ATTEMPTS: usize = 4;

/// What a call asks for: reads of items, one render, or one generation.
pub trait Work: Sync {
    /// What is known before any lock.
    type Looked: Send + Sync;
    /// What the call is answered.
    type Answered: Send;

    /// Who pays, who owns, where.
    fn owners(&self) -> Owners;

    /// What its jobs share.
    fn call(&self) -> &Call;

    /// The idempotency key, if one was sent.
    fn key(&self) -> Option<&Key>;

    /// Reads what is known, and names what needs a job.
    fn look(
        &self,
        conn: &mut PgConnection,
        settings: &Settings,
    ) -> impl Future<Output = sqlx::Result<Self::Looked>> + Send;

    /// What needs a job, in the order asked: one for each of many reads, or one render. Empty where all is answered.
    fn candidates(looked: &Self::Looked) -> &[Candidate];

    /// Takes what the candidates are about. None where it has changed hands since the look.
    fn take(
        &self,
        conn: &mut PgConnection,
        candidates: &[Candidate],
    ) -> impl Future<Output = Result<Option<Ownership>, DispatchError>> + Send;

    /// What the call is answered, with one answer for each candidate.
    fn answer(&self, looked: &Self::Looked, answers: &[Answer], balance: Balance) -> Self::Answered;
}

/// What a dispatch came to.
#[derive(Debug)]
pub enum Dispatched<Answered = Prepared> {
    /// What came of it, and the balance after it.
    Answered(Answered),
    /// The bytes answered to the first call with this key.
    Replayed(String),
    /// The key was used for another request.
    KeyReused,
    /// The account has stopped so many jobs that it may start none for a while.
    TooSoon(Wait),
}

/// What is written in the dispatch's transaction, once it is known what it starts, beside the jobs themselves.
enum CommitHook<'a, Answered> {
    /// The bytes that are stored under the idempotency key and answered, if there is one.
    Answer(&'a (dyn Fn(&Answered) -> String + Sync)),
    /// A row of the operators' audit log.
    Note(&'a (dyn Fn(&Answered) -> audit::Entry + Sync)),
}

/// Runs the use case. `compose` makes the bytes that are stored under the idempotency key and answered.
pub fn dispatch<'a, W: Work>(
    process: &'a Process,
    work: &'a W,
    compose: &'a (dyn Fn(&W::Answered) -> String + Sync),
) -> BoxFuture<'a, Result<Dispatched<W::Answered>, DispatchError>> {
    Box::pin(run(process, work, CommitHook::Answer(compose)))
}

/// Runs it for an operator: `note` says what the audit log tells of it, if it starts anything.
pub fn dispatch_noted<'a, W: Work>(
    process: &'a Process,
    work: &'a W,
    note: &'a (dyn Fn(&W::Answered) -> audit::Entry + Sync),
) -> BoxFuture<'a, Result<Dispatched<W::Answered>, DispatchError>> {
    Box::pin(run(process, work, CommitHook::Note(note)))
}

/// What a call would start and hold, without starting it (`dry_run`).
///
/// The same look and decision, by what the account has at this moment; but nothing is taken, locked or written, so that
/// a call after it may be decided otherwise. Idempotency keys are not asked: nothing is to be repeated.
pub async fn estimate<W: Work>(process: &Process, work: &W) -> Result<W::Answered, DispatchError> {
    let settings = &process.settings;
    let mut conn = process.conn().await?;
    let looked = work.look(&mut conn, settings).await?;
    let balance = balance(&mut conn, work.owners(), settings.monthly_minutes, Unfolded::CountedIn).await?;
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
    for _ in 0..MAX_ATTEMPTS {
        let mut conn = process.conn().await?;
        // Before the key is looked up: where the look shows what the first call with the key did, its answer is there.
        let looked = work.look(&mut conn, settings).await?;
        if let Some(stored) = stored_answer(&mut conn, work.key()).await? {
            return Ok(stored);
        }
        if W::candidates(&looked).is_empty() {
            let balance = balance(&mut conn, work.owners(), settings.monthly_minutes, Unfolded::CountedIn).await?;
            return Ok(Dispatched::Answered(work.answer(&looked, &[], balance)));
        }
        // An operator's repeat is not the account's doing.
        if matches!(hook, CommitHook::Answer(_))
            && let Some(longest) = wait(&mut conn, process, work.owners().payer, work.key()).await?
        {
            return Ok(Dispatched::TooSoon(longest));
        }
        drop(conn);
        let holding = runtime::span!("hold", mws.jobs.started = Empty, mws.minutes.held = Empty);
        if let Some(answered) = commit(process, work, &looked, &hook).instrument(holding).await? {
            return Ok(Dispatched::Answered(answered));
        }
    }
    Err(DispatchError::Contended)
}

/// The dispatch's transaction. None where the key or what was asked for has changed hands since the look.
async fn commit<W: Work>(
    process: &Process,
    work: &W,
    looked: &W::Looked,
    hook: &CommitHook<'_, W::Answered>,
) -> Result<Option<W::Answered>, DispatchError> {
    let settings = &process.settings;
    let mut tx = process.begin().await?;
    if let Some(key) = work.key()
        && !idempotency::reserve(&mut tx, key, work.call().id).await?
    {
        return Ok(None);
    }
    let Some(taken) = work.take(&mut tx, W::candidates(looked)).await? else { return Ok(None) };
    let mut balance = locked_balance(&mut tx, work.owners(), settings.monthly_minutes).await?;
    let Decided { answers, starts, given_back } = taken.decide(&balance, &settings.rates);
    if starts.is_empty() {
        // Rolling back gives back what was taken; an answer that started nothing is not stored.
        tx.rollback().await?;
        return Ok(Some(work.answer(looked, &answers, balance)));
    }
    given_back.write(&mut tx).await?;
    let tickets = write(&mut tx, work.owners(), work.call(), &balance, &starts).await?;
    charge(&mut balance, &starts);
    Span::current().record("mws.jobs.started", starts.len());
    Span::current().record("mws.minutes.held", starts.iter().map(Start::held).sum::<Minutes>().to_string());
    let answered = work.answer(looked, &answers, balance);
    match (hook, work.key()) {
        (CommitHook::Answer(compose), Some(key)) => {
            idempotency::answer(&mut tx, key, &compose(&answered), kept_byte_us(settings)).await?;
        }
        (CommitHook::Answer(_), None) => {}
        (CommitHook::Note(note), _) => audit::record(&mut tx, &note(&answered)).await.map(|_| ())?,
    }
    tx.commit().await?;
    process.wakes.tickets(&tickets);
    Ok(Some(answered))
}

/// What the payer has to wait for before jobs of theirs are started.
async fn wait(
    conn: &mut PgConnection,
    process: &Process,
    payer: AccountId,
    key: Option<&Key>,
) -> sqlx::Result<Option<Wait>> {
    let mut paced = vec![What::StoppedJobs, What::StoppedJobsADay, What::UnpaidProcessorTime];
    paced.extend(key.map(|_| What::KeptAnswers));
    paces::wait(conn, payer, &rate::most(&process.settings, &paced)).await
}

/// What a key answers already: the bytes of its first call, or that it belongs to another request. Never `Answered`.
pub async fn answered_before(process: &Process, key: &Key) -> sqlx::Result<Option<Dispatched<()>>> {
    stored_answer(&mut *process.conn().await?, Some(key)).await
}

/// The answer stored under the call's key, or that the key belongs to another request.
async fn stored_answer<A>(conn: &mut PgConnection, key: Option<&Key>) -> sqlx::Result<Option<Dispatched<A>>> {
    let Some(key) = key else { return Ok(None) };
    Ok(idempotency::find(conn, key).await?.map(|Stored { fingerprint, answer, .. }| {
        if key.is_of(&fingerprint) { Dispatched::Replayed(answer) } else { Dispatched::KeyReused }
    }))
}

async fn balance(
    conn: &mut PgConnection,
    owners: Owners,
    monthly: Minutes,
    unfolded: Unfolded,
) -> Result<Balance, DispatchError> {
    minutes::balance(conn, owners.payer, monthly, unfolded).await?.ok_or(DispatchError::NoAccount)
}

/// Locks the account, and returns what it has: true until the transaction ends.
async fn locked_balance(conn: &mut PgConnection, owners: Owners, monthly: Minutes) -> Result<Balance, DispatchError> {
    if !accounts::lock(conn, owners.payer).await? {
        return Err(DispatchError::NoAccount);
    }
    minutes::fold(conn, owners.payer, monthly).await?;
    balance(conn, owners, monthly, Unfolded::LeftOut).await
}

/// Whether the account keeps as much as it may, so that nothing new is made for it.
async fn storage_is_full(conn: &mut PgConnection, account: AccountId, settings: &Settings) -> sqlx::Result<bool> {
    let kept = usage::of(conn, account).await?;
    Ok(u64::try_from(kept.media_bytes).unwrap_or(0) >= settings.storage_quota_bytes
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
    let hold = Hold {
        month: balance.month,
        minutes: Split {
            month: starts.iter().map(|start| start.held_month).sum(),
            bought: starts.iter().map(|start| start.held_bought).sum(),
        },
        credits: starts.iter().map(|start| start.held_credits).sum(),
    };
    if !minutes::hold(conn, owners.payer, hold).await? {
        return Err(DispatchError::Unaccounted);
    }
    let tickets: Vec<Option<Ticket>> = (balance.admitted..)
        .zip(starts)
        .map(|(others, start)| start.admitted.then(|| job_ticket(start.candidate.job, start.candidate.task, others)))
        .collect();
    let ids: Vec<Option<String>> = tickets.iter().map(|ticket| ticket.as_ref().map(|one| one.id.clone())).collect();
    jobs::insert(conn, call, owners, balance.month, starts, &ids).await?;
    let tickets: Vec<Ticket> = tickets.into_iter().flatten().collect();
    queue::push(conn, &tickets).await?;
    Ok(tickets)
}

/// Counts this call's holds into the balance that was read before them.
fn charge(balance: &mut Balance, starts: &[Start]) {
    for start in starts {
        balance.held += start.held_month;
        balance.held_in_all += start.held();
        balance.bought -= start.held_bought;
        balance.credits.held += start.held_credits;
    }
}
