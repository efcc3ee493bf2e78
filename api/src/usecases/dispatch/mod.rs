//! The dispatch use case: a call's reads become jobs, holds, journal entries, tickets and a stored answer in one
//! transaction, or nothing does (decisions.md, "Truth and tickets").
//!
//! What is known is read outside any lock and triaged. Then, in lock order, the transaction reserves the idempotency key,
//! takes the reads, locks the account, decides with what it has left, and writes. Rules are `domain::plan`'s, SQL is
//! `store`'s; the order of steps and locks is this file's alone, and `render`'s, which starts renders by the same steps. The
//! number of statements does not depend on the number of reads.

mod error;
mod estimate;
mod render;
mod taken_reads;
mod view;

use crate::http::rate::{self, kept_byte_us};
use domain::ids::{AccountId, ItemId};
use domain::minutes::Minutes;
use domain::plan::{Answer, Start};
use domain::read::Read;
pub use error::DispatchError;
pub use estimate::{estimate, estimate_render};
pub use render::{Render, RenderRequest, Rendering, dispatch_render};
use runtime::ending::job_ticket;
use runtime::process::Process;
use runtime::queue::{self, Ticket};
use sqlx::PgConnection;
use store::accounts;
use store::audit;
use store::idempotency::{self, Key, Stored};
use store::jobs::{self, Call, Owners};
use store::minutes::{self, Balance, Unfolded};
use store::paces::{self, What};
use store::reads;
use taken_reads::{Decided, TakenReads};
use view::{Triage, View};

/// How often a call looks again because a job it wanted to join ended in the same moment.
const MAX_ATTEMPTS: usize = 4;

/// What a call asks for.
#[derive(Debug, Clone)]
pub struct DispatchRequest {
    /// Who pays, who owns, where.
    pub owners: Owners,
    /// What its jobs share.
    pub call: Call,
    /// Refs in the order asked, without repeats.
    pub refs: Vec<String>,
    /// Reads in the order asked, without repeats.
    pub reads: Vec<Read>,
    /// The idempotency key, if one was sent.
    pub key: Option<Key>,
}

/// What a call is answered.
#[derive(Debug)]
pub enum Dispatched<Answered = Prepared> {
    /// What came of it, and the balance after it.
    Answered(Answered),
    /// The bytes answered to the first call with this key.
    Replayed(String),
    /// The key was used for another request.
    KeyReused,
    /// The account has stopped so many jobs that it may start none for so many seconds.
    TooSoon(What, u64),
}

/// The answers of one call.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// For each ref: the item it names, if the caller may know, and the answer for each read.
    pub items: Vec<PreparedItem>,
    /// What this call's jobs hold.
    pub held: Minutes,
    /// What the jobs would hold that the call would start, were it no dry run.
    pub startable: Minutes,
    /// What would be held for what the minutes left do not reach for.
    pub short_of: Minutes,
    /// The account's balance after this call.
    pub balance: Balance,
}

/// The answers for one ref.
#[derive(Debug, Clone)]
pub struct PreparedItem {
    /// As it was asked for.
    pub asked: String,
    /// The item, where it can be reached.
    pub item: Option<ItemId>,
    /// One for each read, in the order asked.
    pub answers: Vec<Answer>,
}

/// What is written in the dispatch's transaction, once it is known what it starts, beside the jobs themselves.
#[derive(Clone, Copy)]
enum CommitHook<'a> {
    /// The bytes that are stored under the idempotency key and answered, if there is one.
    Answer(&'a (dyn Fn(&Prepared) -> String + Sync)),
    /// A row of the operators' audit log.
    Note(&'a (dyn Fn(&Prepared) -> audit::Entry + Sync)),
}

/// Runs the use case. `compose` makes the bytes that are stored under the idempotency key and answered.
pub async fn dispatch(
    process: &Process,
    request: &DispatchRequest,
    compose: &(dyn Fn(&Prepared) -> String + Sync),
) -> Result<Dispatched, DispatchError> {
    run(process, request, CommitHook::Answer(compose)).await
}

/// Runs it for an operator: `note` says what the audit log tells of it, if it starts anything.
pub async fn dispatch_noted(
    process: &Process,
    request: &DispatchRequest,
    note: &(dyn Fn(&Prepared) -> audit::Entry + Sync),
) -> Result<Dispatched, DispatchError> {
    run(process, request, CommitHook::Note(note)).await
}

async fn run(process: &Process, request: &DispatchRequest, hook: CommitHook<'_>) -> Result<Dispatched, DispatchError> {
    let monthly = process.settings.monthly_minutes;
    for _ in 0..MAX_ATTEMPTS {
        let mut conn = process.pool.acquire().await?;
        // Read before the key's answer: where it shows what the key's first call did, that answer is there to be found.
        let view = View::read(&mut conn, request).await?;
        if let Some(stored) = stored_answer(&mut conn, request.key.as_ref()).await? {
            return Ok(stored);
        }
        let triage = view.triage(request, &process.settings);
        if triage.candidates.is_empty() {
            let balance = balance(&mut conn, request.owners, monthly, Unfolded::CountedIn).await?;
            return Ok(Dispatched::Answered(triage.prepared(request, &[], balance)));
        }
        // An operator's repeat is not the account's doing.
        if matches!(hook, CommitHook::Answer(_))
            && let Some((what, seconds)) = wait(&mut conn, process, request.owners.payer, request.key.as_ref()).await?
        {
            return Ok(Dispatched::TooSoon(what, seconds));
        }
        drop(conn);
        match commit(process, request, &triage, hook).await? {
            Committed::Done(prepared) => return Ok(Dispatched::Answered(prepared)),
            Committed::KeyTaken | Committed::Retry => {}
        }
    }
    Err(DispatchError::Contended)
}

/// What the payer has to wait for before jobs of theirs are started, and how many seconds.
async fn wait(
    conn: &mut PgConnection,
    process: &Process,
    payer: AccountId,
    key: Option<&Key>,
) -> sqlx::Result<Option<(What, u64)>> {
    let mut paced = vec![What::StoppedJobs, What::StoppedJobsADay];
    paced.extend(key.map(|_| What::KeptAnswers));
    paces::wait(conn, payer, &rate::most(&process.settings, &paced)).await
}

/// What a key answers already: the bytes of its first call, or that it belongs to another request. Never `Answered`.
pub async fn answered_before(process: &Process, key: &Key) -> sqlx::Result<Option<Dispatched<()>>> {
    stored_answer(&mut *process.pool.acquire().await?, Some(key)).await
}

/// The answer stored under the call's key, or that the key belongs to another request.
async fn stored_answer<A>(conn: &mut PgConnection, key: Option<&Key>) -> sqlx::Result<Option<Dispatched<A>>> {
    let Some(key) = key else { return Ok(None) };
    Ok(idempotency::find(conn, key).await?.map(|Stored { fingerprint, answer, .. }| {
        if fingerprint == key.fingerprint { Dispatched::Replayed(answer) } else { Dispatched::KeyReused }
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

/// Locks the account, and answers with what it has: true until the transaction ends.
async fn locked_balance(conn: &mut PgConnection, owners: Owners, monthly: Minutes) -> Result<Balance, DispatchError> {
    if !accounts::lock(conn, owners.payer).await? {
        return Err(DispatchError::NoAccount);
    }
    minutes::fold(conn, owners.payer, monthly).await?;
    balance(conn, owners, monthly, Unfolded::LeftOut).await
}

/// What a transaction came to.
enum Committed<Answered = Prepared> {
    Done(Answered),
    KeyTaken,
    Retry,
}

async fn commit(
    process: &Process,
    request: &DispatchRequest,
    triage: &Triage,
    hook: CommitHook<'_>,
) -> Result<Committed, DispatchError> {
    let settings = &process.settings;
    let mut tx = process.pool.begin().await?;
    if let Some(key) = &request.key
        && !idempotency::reserve(&mut tx, key, request.call.id).await?
    {
        return Ok(Committed::KeyTaken);
    }
    reads::take(&mut tx, &triage.candidates).await?;
    let owners = reads::taken(&mut tx, &triage.candidates).await?;
    let Some(taken) = TakenReads::of(&triage.candidates, &owners) else {
        return Ok(Committed::Retry);
    };
    let mut balance = locked_balance(&mut tx, request.owners, settings.monthly_minutes).await?;
    let Decided { answers, starts, idle, unneeded } = taken.decide(&balance, &settings.rates);
    if starts.is_empty() {
        // Rolling back gives back what was taken; an answer that started nothing is not stored.
        tx.rollback().await?;
        return Ok(Committed::Done(triage.prepared(request, &answers, balance)));
    }
    if !idle.is_empty() {
        reads::give_back(&mut tx, &idle).await?;
    }
    if !unneeded.is_empty() {
        reads::give_back_reads(&mut tx, &unneeded).await?;
    }
    let tickets = write(&mut tx, request.owners, &request.call, &balance, &starts).await?;
    charge(&mut balance, &starts);
    let prepared = triage.prepared(request, &answers, balance);
    match (hook, &request.key) {
        (CommitHook::Answer(compose), Some(key)) => {
            idempotency::answer(&mut tx, key, &compose(&prepared), kept_byte_us(settings)).await?;
        }
        (CommitHook::Answer(_), None) => {}
        (CommitHook::Note(note), _) => audit::record(&mut tx, &note(&prepared)).await.map(|_| ())?,
    }
    tx.commit().await?;
    process.wakes.tickets(&tickets);
    Ok(Committed::Done(prepared))
}

/// Writes the hold, the jobs and their tickets.
async fn write(
    conn: &mut PgConnection,
    owners: Owners,
    call: &Call,
    balance: &Balance,
    starts: &[Start],
) -> Result<Vec<Ticket>, DispatchError> {
    let held_month = starts.iter().map(|start| start.held_month).sum();
    let held_bought = starts.iter().map(|start| start.held_bought).sum();
    if !minutes::hold(conn, owners.payer, balance.month, held_month, held_bought).await? {
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
    }
}
